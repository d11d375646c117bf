//! Rules of `hookrail.toml`, as an agent sees them.

mod approvals;
mod layers;
mod memory;

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};

/// A project and a home with a configuration each.
struct RulesFixture {
    project: TempProject,
    home: TempProject,
}

impl RulesFixture {
    /// A machine whose user has these rules.
    fn new(user: &str) -> Self {
        let project = TempProject::new().file("src/app.ts", "a\n").git_init("topic");
        let machine = Self { project, home: TempProject::new() };
        machine.user(user);
        machine
    }

    fn user(&self, text: &str) {
        self.home.write(".config/hookrail/hookrail.toml", text);
    }

    fn project(&self, text: &str) {
        self.project.write(".hookrail/hookrail.toml", text);
    }

    fn hookrail(&self, args: &[&str], stdin: &str) -> (Option<i32>, String, String) {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        talk(command.args(args), stdin)
    }

    /// What an agent is told about an event.
    fn fire(&self, agent: &str, event: &Value) -> Value {
        let mut event = event.clone();
        let fields = event.as_object_mut().unwrap();
        for (key, value) in [("session_id", json!("s")), ("cwd", json!(self.project.path()))] {
            fields.entry(key).or_insert(value);
        }
        let (code, out, err) = self.hookrail(&["hook", "--agent", agent], &event.to_string());
        assert_eq!(code, Some(0), "{out}{err}");
        if out.trim().is_empty() { Value::Null } else { serde_json::from_str(&out).unwrap() }
    }

    /// A shell command before it runs, in Claude Code.
    fn before(&self, command: &str) -> Value {
        self.fire("claude", &event("PreToolUse", command))
    }

    /// What is decided about a shell command, in one word.
    fn decision(&self, command: &str) -> String {
        decision_of(&self.before(command))
    }

    /// The records of the journal.
    fn journal(&self) -> Vec<Value> {
        let (_, out, _) = self.hookrail(&["log", "--json", "--limit", "0"], "");
        out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

fn event(name: &str, command: &str) -> Value {
    json!({ "hook_event_name": name, "tool_name": "Bash", "tool_input": { "command": command }, "permission_mode": "default" })
}

/// The word in an answer of Claude Code's form.
fn decision_of(answer: &Value) -> String {
    answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("none").to_owned()
}

fn reason_of(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default()
}

/// One rule.
fn rule(id: &str, when: &str, decide: &str) -> String {
    format!("[[rule]]\nid = \"{id}\"\nwhen = {{ {when} }}\ndecide = \"{decide}\"\n")
}
