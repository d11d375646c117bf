//! What agents ask all day, to see what answering it runs through.

use hookrail_store::{FileStore, SessionId, StateRoot, Store};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// Every pack is enabled, because it is unknown which ones a user enables.
const CONFIGURATION: &str = "
[packs.fsm]
enabled = true
[packs.orchestrator]
enabled = true
[packs.planning]
enabled = true
[packs.isdlc]
enabled = true
";

/// Something an agent asks.
#[derive(Debug)]
pub struct SampleEvent {
    pub about: &'static str,
    /// How the agent calls hookrail.
    pub arguments: &'static [&'static str],
    /// The folder it happens in, of the ground.
    folder: &'static str,
    name: &'static str,
    details: fn() -> Value,
}

/// The commonest first: what they need is put together first.
const EVENTS: &[SampleEvent] = &[
    SampleEvent {
        about: "a call no hook looks at",
        arguments: &["hook"],
        folder: "plain",
        name: "PreToolUse",
        details: || json!({ "tool_name": "Read", "tool_input": { "file_path": "src/main.rs" } }),
    },
    SampleEvent {
        about: "a command hook",
        arguments: &["hook"],
        folder: COMMANDS,
        name: "PreToolUse",
        details: || json!({ "tool_name": "Read", "tool_input": { "file_path": "src/main.rs" } }),
    },
    SampleEvent {
        about: "a command hook that reads the event, in a session that packs have written to",
        arguments: &["hook"],
        folder: READERS,
        name: "PreToolUse",
        details: || json!({ "tool_name": "Read", "tool_input": { "file_path": "src/main.rs" } }),
    },
    SampleEvent {
        about: "a call that is denied",
        arguments: &["hook"],
        folder: "plain",
        name: "PreToolUse",
        details: || json!({ "tool_name": "Write", "tool_input": { "file_path": ".hookrail/x", "content": "" } }),
    },
    SampleEvent {
        about: "a shell command",
        arguments: &["hook"],
        folder: "plain",
        name: "PreToolUse",
        details: || json!({ "tool_name": "Bash", "tool_input": { "command": "git status && npm test" } }),
    },
    SampleEvent {
        about: "a shell command of a user with rules",
        arguments: &["hook", "--agent", "claude"],
        folder: RULES,
        name: "PreToolUse",
        details: || json!({ "tool_name": "Bash", "tool_input": { "command": "cat README.md | head -20 > x.txt" } }),
    },
    SampleEvent {
        about: "a write of a planning workflow",
        arguments: &["hook", "--pack", "planning"],
        folder: "packs",
        name: "PreToolUse",
        details: || json!({ "tool_name": "Write", "tool_input": { "file_path": "specs/x/design.md", "content": "" } }),
    },
    SampleEvent {
        about: "a write beside it",
        arguments: &["hook", "--agent", "claude"],
        folder: "packs",
        name: "PreToolUse",
        details: || json!({ "tool_name": "Write", "tool_input": { "file_path": "src/main.rs", "content": "" } }),
    },
    SampleEvent {
        about: "a shell command under all packs",
        arguments: &["hook", "--agent", "claude"],
        folder: "packs",
        name: "PreToolUse",
        details: || json!({ "tool_name": "Bash", "tool_input": { "command": "git commit -m x" } }),
    },
    SampleEvent {
        about: "a test run under all packs",
        arguments: &["hook", "--pack", "core", "--pack", "isdlc", "--pack", "orchestrator", "--pack", "planning"],
        folder: "packs",
        name: "PreToolUse",
        details: || json!({ "tool_name": "Bash", "tool_input": { "command": "npm test -- src/cart 2>&1 | tail -40" } }),
    },
    SampleEvent {
        about: "the result of a write under all packs",
        arguments: &["hook", "--agent", "claude"],
        folder: "packs",
        name: "PostToolUse",
        details: || json!({ "tool_name": "Write", "tool_input": { "file_path": "a", "content": "" }, "tool_response": {} }),
    },
    SampleEvent {
        about: "a prompt under all packs",
        arguments: &["hook", "--agent", "claude"],
        folder: "packs",
        name: "UserPromptSubmit",
        details: || json!({ "prompt": "go on" }),
    },
    SampleEvent {
        about: "a research call that is counted",
        arguments: &["hook", "--pack", "planning"],
        folder: "packs",
        name: "PreToolUse",
        details: || json!({ "tool_name": "mcp__ref__search", "tool_input": { "query": ROUND } }),
    },
    SampleEvent {
        about: "a skill that brings tasks",
        arguments: &["hook", "--pack", "fsm"],
        folder: "packs",
        name: "PostToolUse",
        details: || {
            let response = json!({ "success": true, "commandName": "steps" });
            json!({ "tool_name": "Skill", "tool_input": { "skill": "steps" }, "tool_response": response })
        },
    },
    SampleEvent {
        about: "the start of a session",
        arguments: &["hook", "--agent", "claude"],
        folder: "packs",
        name: "SessionStart",
        details: || json!({ "source": "startup" }),
    },
    SampleEvent {
        about: "the end of a turn",
        arguments: &["hook", "--agent", "claude"],
        folder: "packs",
        name: "Stop",
        details: || json!({ "stop_hook_active": false }),
    },
];

/// Stands for something else each time an event happens: what happened before is not done again.
const ROUND: &str = "$ROUND";
/// The folder of a user who has a command hook.
const COMMANDS: &str = "commands";
/// That of one whose command hook reads the event.
const READERS: &str = "readers";
/// The session in which that happens.
const REMEMBERED: &str = "remembered";
/// The folder of a user who has rules.
const RULES: &str = "rules";

/// A folder with a project without configuration, and one with every pack in the middle of a planning workflow.
#[derive(Debug)]
pub struct SampleFolder {
    folder: tempfile::TempDir,
}

impl SampleEvent {
    /// Whether a command hook looks at it.
    pub fn starts_commands(&self) -> bool {
        [COMMANDS, READERS].contains(&self.folder)
    }
}

impl SampleFolder {
    pub fn prepare() -> io::Result<Self> {
        let ground = Self { folder: tempfile::tempdir()? };
        std::fs::create_dir(ground.path("plain"))?;
        let command =
            |command: &str| format!("[[command]]\nname = \"one\"\nevent = \"BeforeTool\"\ncommand = \"{command}\"\n");
        let rule = "[[rule]]\nid = \"one\"\nwhen = { effect = \"fs.write\", place = \"home\" }\ndecide = \"deny\"\n";
        for (folder, text) in
            [(COMMANDS, command("true")), (READERS, command("cat >/dev/null")), (RULES, rule.to_owned())]
        {
            for (file, text) in
                [(".config/hookrail/hookrail.toml", text.as_str()), (".git/HEAD", "ref: refs/heads/main\n")]
            {
                ground.write(folder, file, text)?;
            }
        }
        let shipped = Path::new(crate::ROOT).join("plugins/planning/config/planning-config.yaml");
        let shipped = std::fs::read_to_string(shipped)?;
        for (file, text) in [
            (".hookrail/hookrail.toml", CONFIGURATION),
            ("config/planning-config.yaml", &shipped),
            (".git/HEAD", "ref: refs/heads/feature/x\n"),
            ("specs/x/.planning-state.local.md", "---\nphase: ARCHITECTURE\nmode: complete\n---\n"),
            ("specs/x/.planning.lock", "{\"session_id\": \"sample\"}"),
            (".claude/skills/steps/SKILL.md", "---\nname: steps\n---\n"),
            (
                ".claude/skills/steps/fsm.json",
                r#"[{"id": 1, "subject": "a"}, {"id": 2, "subject": "b", "blockedBy": [1]}]"#,
            ),
        ] {
            ground.write("packs", file, text)?;
        }
        ground.remember()?;
        Ok(ground)
    }

    /// Lets packs have written to a session.
    fn remember(&self) -> io::Result<()> {
        let store = FileStore::new(StateRoot::at(self.path("state")), || 1);
        let session = SessionId::new(REMEMBERED, &self.path(READERS));
        let updated = store.update(&session, &mut |state| {
            state.values.insert("planning/config".to_owned(), json!("{\"budget\": 25}"));
            state.values.insert("planning/research-budget".to_owned(), json!({ "session_total": 1, "per_server": {} }));
        });
        updated.map(drop).map_err(io::Error::other)
    }

    fn write(&self, folder: &str, file: &str, text: &str) -> io::Result<()> {
        let path = self.path(folder).join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
        std::fs::write(path, text)
    }

    #[expect(clippy::unused_self, reason = "there are no events without a ground for them")]
    pub fn events(&self) -> &'static [SampleEvent] {
        EVENTS
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the environment says of the user to whom an event happens. Few say where their configuration is.
    pub fn user(&self, event: &SampleEvent) -> Vec<(&'static str, PathBuf)> {
        match event.folder {
            COMMANDS | READERS => vec![("HOME", self.path(event.folder))],
            RULES => vec![("HOME", self.path("")), ("XDG_CONFIG_HOME", self.path(RULES).join(".config"))],
            _ => vec![("HOME", self.path(""))],
        }
    }

    /// The event as the agent writes it, the first time or once more.
    pub fn payload(&self, event: &SampleEvent, round: u32) -> String {
        let mut payload = json!({
            "session_id": if event.folder == READERS { REMEMBERED } else { "sample" },
            "transcript_path": self.path(".claude/projects/sample/t.jsonl"),
            "cwd": self.path(event.folder),
            "permission_mode": "default",
            "hook_event_name": event.name,
            "tool_use_id": "t",
        });
        if let (Some(payload), Value::Object(details)) = (payload.as_object_mut(), (event.details)()) {
            payload.extend(details);
        }
        payload.to_string().replace(ROUND, &round.to_string())
    }
}
