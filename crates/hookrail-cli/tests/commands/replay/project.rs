//! A project, a home and a journal.

use hookrail_store::{FileStore, JournalRecord, StateRoot, Store};
use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};

pub struct ReplayProject {
    pub project: TempProject,
    pub home: TempProject,
}

impl ReplayProject {
    pub fn new() -> Self {
        Self { project: TempProject::new(), home: TempProject::new() }
    }

    /// The user's own configuration.
    pub fn user(self, text: &str) -> Self {
        self.home.write(".config/hookrail/hookrail.toml", text);
        self
    }

    /// A tool call of Claude Code in this project.
    pub fn tool_call(&self, session: &str, tool: &str, input: &Value) -> Value {
        json!({
            "session_id": session, "transcript_path": "/t", "cwd": self.project.path(), "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input,
        })
    }

    pub fn write_call(&self, session: &str, path: &str) -> Value {
        self.tool_call(session, "Write", &json!({ "file_path": path, "content": "text" }))
    }

    pub fn fire(&self, event: &Value) {
        self.fire_with(&[], event);
    }

    pub fn fire_with(&self, args: &[&str], event: &Value) {
        let (code, _, err) = self.hookrail(&[&["hook", "--agent", "claude"], args].concat(), &event.to_string());
        assert_eq!((code, err.as_str()), (Some(0), ""));
    }

    pub fn hookrail(&self, args: &[&str], stdin: &str) -> (Option<i32>, String, String) {
        talk(program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home).args(args), stdin)
    }

    /// The report as JSON.
    pub fn replay(&self, args: &[&str]) -> Value {
        let (code, out, err) = self.hookrail(&[&["replay", "--json"], args].concat(), "");
        assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
        serde_json::from_str(&out).unwrap()
    }

    /// Of each change its subject, and what it was and would be.
    pub fn changes(&self, args: &[&str]) -> Vec<(String, String, String)> {
        let report = self.replay(args);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let change = |change: &Value| {
            (text(&change["subject"]), text(&change["before"]["answer"]), text(&change["after"]["answer"]))
        };
        report["changes"].as_array().unwrap().iter().map(change).collect()
    }

    /// A file with a configuration to try.
    pub fn trial(&self, text: &str) -> String {
        self.home.write("trial.toml", text);
        self.home.at("trial.toml").display().to_string()
    }

    pub fn store(&self) -> FileStore {
        FileStore::new(StateRoot::at(self.home.at("state")), || 0)
    }

    pub fn records(&self) -> Vec<JournalRecord> {
        let store = self.store();
        let records = store.records(hookrail_store::Cursor::default()).unwrap();
        records.map(|entry| entry.unwrap().record).collect()
    }
}
