use hookrail_testkit::folders::files_ending;
use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub const SESSION: &str = "s1";
pub const HOOKS: [&str; 7] = [
    "isdlc/phase-loop-controller",
    "isdlc/plan-surfacer",
    "isdlc/phase-sequence-guard",
    "isdlc/branch-guard",
    "isdlc/state-write-validator",
    "isdlc/walkthrough-tracker",
    "isdlc/discover-menu-guard",
];

/// A project with a workflow, and a home folder.
pub struct WorkflowProject {
    pub project: TempProject,
    pub home: TempProject,
    pub env: Vec<(String, String)>,
}

#[derive(Debug)]
pub struct WorkflowReply {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl WorkflowReply {
    #[track_caller]
    pub fn assert_silent(&self, case: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(0), ""), "{case}: {}", self.err);
    }

    /// The reason of a refusal in Claude Code's form.
    #[track_caller]
    pub fn refusal(&self, case: &str) -> String {
        assert_eq!(self.code, Some(0), "{case}");
        let answer: Value = serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{case}: nothing was refused"));
        let specific = &answer["hookSpecificOutput"];
        assert_eq!(specific["permissionDecision"], "deny", "{case}: {answer}");
        specific["permissionDecisionReason"].as_str().unwrap().to_owned()
    }

    /// The message for the user; nothing is refused.
    #[track_caller]
    pub fn warning(&self, case: &str) -> String {
        assert_eq!(self.code, Some(0), "{case}");
        let answer: Value = serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{case}: there is no warning"));
        assert_eq!(answer.get("decision"), None, "{case}: {answer}");
        assert_eq!(answer["hookSpecificOutput"].get("permissionDecision"), None, "{case}: {answer}");
        answer["systemMessage"].as_str().unwrap_or_else(|| panic!("{case}: {answer}")).to_owned()
    }
}

impl WorkflowProject {
    pub fn empty() -> Self {
        Self { project: TempProject::new(), home: TempProject::new(), env: Vec::new() }
    }

    /// A project with a manifest, requirements and this state.
    pub fn with(state: &Value) -> Self {
        let place = Self::empty();
        place.project.write(".isdlc/state.json", &state.to_string());
        place.project.write(".claude/hooks/config/skills-manifest.json", &manifest().to_string());
        place.project.write(".claude/hooks/config/iteration-requirements.json", &requirements().to_string());
        place
    }

    pub fn file(self, path: &str, text: &str) -> Self {
        self.project.write(path, text);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<Path>) -> Self {
        self.env.push((name.to_owned(), value.as_ref().display().to_string()));
        self
    }

    pub fn run(&self, args: &[&str], stdin: &str) -> WorkflowReply {
        self.hookrail(&[&["hook"], args].concat(), stdin)
    }

    /// Any command of the binary.
    pub fn hookrail(&self, args: &[&str], stdin: &str) -> WorkflowReply {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        command.args(args).envs(self.env.iter().map(|(name, value)| (name, value)));
        let (code, out, err) = talk(&mut command, stdin);
        WorkflowReply { code, out, err }
    }

    /// Fires an event at one hook.
    pub fn fire(&self, hook: &str, event: &Value) -> WorkflowReply {
        self.run(&[&format!("isdlc/{hook}")], &event.to_string())
    }

    pub fn event(&self, name: &str, fields: &Value) -> Value {
        let mut event = json!({
            "session_id": SESSION,
            "transcript_path": "/home/me/.claude/t.jsonl",
            "cwd": self.project.path(),
            "hook_event_name": name,
        });
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        event
    }

    /// A call of an agent.
    pub fn task(&self, agent: &str, prompt: &str) -> Value {
        let input = json!({"subagent_type": agent, "prompt": prompt, "description": "x"});
        self.event("PreToolUse", &json!({"tool_name": "Task", "tool_input": input}))
    }

    /// What an agent answered.
    pub fn answered(&self, agent: &str, prompt: &str, response: &Value) -> Value {
        let input = json!({"subagent_type": agent, "prompt": prompt, "description": "x"});
        self.event("PostToolUse", &json!({"tool_name": "Task", "tool_input": input, "tool_response": response}))
    }

    pub fn bash(&self, command: &str) -> Value {
        self.event("PreToolUse", &json!({"tool_name": "Bash", "tool_input": {"command": command}}))
    }

    /// A file that was written.
    pub fn wrote(&self, tool: &str, path: impl Into<PathBuf>) -> Value {
        let input = json!({"file_path": path.into(), "content": "x", "old_string": "a", "new_string": "b"});
        self.event("PostToolUse", &json!({"tool_name": tool, "tool_input": input, "tool_response": {"success": true}}))
    }

    /// Everything in the journal, as text.
    pub fn journal(&self) -> String {
        let files = files_ending(&self.home.at("state"), ".jsonl").unwrap_or_default();
        files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
    }
}

fn manifest() -> Value {
    json!({"version": "1", "ownership": {
        "requirements-analyst": {"agent_id": "01", "phase": "01-requirements"},
        "test-designer": {"agent_id": "05", "phase": "05-test-strategy"},
        "software-developer": {"agent_id": "06", "phase": "06-implementation"},
        "local-tester": {"agent_id": "11", "phase": "11-local-testing"},
        "discover-orchestrator": {"agent_id": "D0", "phase": "setup"},
        "sdlc-orchestrator": {"agent_id": "00", "phase": "all"},
    }})
}

fn requirements() -> Value {
    json!({"version": "1", "phase_requirements": {
        "01-requirements": {"interactive_elicitation": {"enabled": true, "min_menu_interactions": 3}},
    }})
}

pub const PHASES: [&str; 5] =
    ["01-requirements", "05-test-strategy", "06-implementation", "11-local-testing", "07-testing"];

/// A workflow at this phase, which was begun or not.
pub fn state(current: &str, status: &str) -> Value {
    json!({
        "active_workflow": {
            "type": "feature",
            "phases": PHASES,
            "current_phase": current,
            "git_branch": {"name": "feature/x", "status": "active"},
        },
        "phases": {current: {"status": status}},
    })
}
