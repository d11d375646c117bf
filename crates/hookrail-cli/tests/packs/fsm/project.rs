use hookrail_testkit::program::inside;
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// The session that events are of, unless a test says otherwise.
pub const SESSION: &str = "abc-123";
pub const CONTINUE: &str = "{\"continue\": true}\n";

/// A project and a home folder, with Claude Code's files and hookrail's state in it.
pub struct SkillProject {
    pub project: TempProject,
    pub home: TempProject,
    env: Vec<(String, String)>,
}

#[derive(Debug)]
pub struct SkillReply {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl SkillReply {
    /// The hook did its work, or had none.
    #[track_caller]
    pub fn assert_continues(&self) {
        assert_eq!((self.code, self.out.as_str(), self.err.as_str()), (Some(0), CONTINUE, ""));
    }

    /// The hook could not do its work and says all of this.
    #[track_caller]
    pub fn assert_fails(&self, parts: &[&str]) {
        assert_eq!((self.code, self.out.as_str()), (Some(1), ""), "{}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not in: {}", self.err);
        }
    }
}

impl SkillProject {
    pub fn new() -> Self {
        Self { project: TempProject::new(), home: TempProject::new(), env: Vec::new() }
    }

    pub fn env(mut self, name: &str, value: impl AsRef<Path>) -> Self {
        self.env.push((name.to_owned(), value.as_ref().display().to_string()));
        self
    }

    /// A skill of the project.
    pub fn skill(self, name: &str, fsm: &Value) -> Self {
        self.project.write(format!(".claude/skills/{name}/fsm.json"), &fsm.to_string());
        self
    }

    /// A file of the session's task list.
    pub fn task(self, name: &str, content: &Value) -> Self {
        self.home.write(format!(".claude/tasks/{SESSION}/{name}"), &content.to_string());
        self
    }

    pub fn registry(self, content: &Value) -> Self {
        self.home.write(".claude/plugins/installed_plugins.json", &content.to_string());
        self
    }

    /// A plugin's file with one task, whose subject is the folder's name.
    pub fn plugin(self, folder: &str, file: &str) -> Self {
        self.home.write(format!("{folder}/{file}"), &json!([{"id": 1, "subject": folder}]).to_string());
        self
    }

    pub fn command(&self, args: &[&str]) -> Command {
        self.dressed(Command::new(env!("CARGO_BIN_EXE_hookrail")), args)
    }

    /// A command that runs here, with a clean environment.
    pub fn dressed(&self, command: Command, args: &[&str]) -> Command {
        let mut command = inside(command, &self.project, &self.home);
        command.args(args).envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, args: &[&str], stdin: &str) -> SkillReply {
        finish(self.command(args).spawn().unwrap(), stdin)
    }

    /// What the model's call of a skill looks like afterwards.
    pub fn skill_event(&self, command: &str) -> Value {
        json!({
            "session_id": SESSION,
            "transcript_path": "/t.jsonl",
            "cwd": self.project.path(),
            "permission_mode": "default",
            "hook_event_name": "PostToolUse",
            "tool_name": "Skill",
            "tool_input": {"skill": command},
            "tool_response": {"success": true, "commandName": command},
            "tool_use_id": "t1",
        })
    }

    /// Fires an event at the hook alone, in its document's own form.
    pub fn fire(&self, event: &Value) -> SkillReply {
        self.run(&["hook", "fsm/hydrate-tasks", "--contract", "spec"], &event.to_string())
    }

    pub fn invoke(&self, command: &str) -> SkillReply {
        self.fire(&self.skill_event(command))
    }

    pub fn list(&self) -> PathBuf {
        self.home.at(format!(".claude/tasks/{SESSION}"))
    }

    /// The task list as it lies on disk, all files of it.
    pub fn tasks(&self) -> BTreeMap<String, Value> {
        let files = snapshot(&self.list());
        files.into_iter().map(|(name, text)| (name, serde_json::from_str(&text).unwrap())).collect()
    }

    /// The subjects in the list, by file.
    pub fn subjects(&self) -> Vec<(String, String)> {
        let tasks = self.tasks().into_iter();
        tasks.map(|(name, task)| (name, task["subject"].as_str().unwrap().to_owned())).collect()
    }

    /// The subject of the only task.
    #[track_caller]
    pub fn only_subject(&self) -> String {
        let subjects = self.subjects();
        assert_eq!(subjects.len(), 1, "{subjects:?}");
        subjects[0].1.clone()
    }
}

pub fn finish(mut child: Child, stdin: &str) -> SkillReply {
    // A process that ended early does not read its stdin.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    SkillReply { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Every name in a folder, with its text; empty if there is no such folder.
pub fn snapshot(folder: &Path) -> BTreeMap<String, String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeMap::new() };
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|error| error.to_string());
    entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), read(&path)))
        .collect()
}

/// A task that a person made.
pub fn manual(id: u64) -> Value {
    json!({"id": id.to_string(), "subject": format!("manual {id}"), "description": "", "status": "in_progress", "blocks": [], "blockedBy": []})
}

/// A task that a skill brought.
pub fn tagged(id: u64, skill: &str) -> Value {
    let mut task = manual(id);
    task["subject"] = json!(format!("{skill} {id}"));
    task["metadata"] = json!({"fsm": skill});
    task
}
