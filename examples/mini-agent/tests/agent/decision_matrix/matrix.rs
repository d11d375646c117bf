//! One run of the agent: a hook, a script for the model, and everything there is to see afterwards.

use hookrail_testkit::model_server::{ModelServer, Recorded, Turn};
use hookrail_testkit::process::within;
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;

/// The exit codes of the agent.
pub const COMPLETED: i32 = 0;
pub const BLOCKED: i32 = 3;
pub const STOPPED: i32 = 4;

/// A row of the matrix: what a hook says, and what comes of it.
pub struct Row {
    pub name: &'static str,
    pub event: &'static str,
    pub says: Value,
    pub turns: Vec<Turn>,
    pub exit: i32,
    pub stdout: &'static str,
    pub check: fn(&MatrixRun),
}

/// What there is to see after a run.
pub struct MatrixRun {
    pub project: TempProject,
    /// What the model was sent.
    pub requests: Vec<Recorded>,
    /// What is left of its script.
    pub turns_left: usize,
    pub stderr: String,
}

impl MatrixRun {
    /// What tools gave back to the model in the last request.
    pub fn results(&self) -> Vec<String> {
        self.requests.last().unwrap().tool_results().into_iter().map(|result| result.text).collect()
    }

    /// The text of the file the model wants written.
    pub fn written(&self) -> Option<String> {
        self.project.exists("out.txt").then(|| self.project.read("out.txt"))
    }

    pub fn asked(&self) -> usize {
        self.requests.len()
    }
}

/// The model wants to write a file, and says `done` when it has heard of the result.
pub fn write_then_done() -> Vec<Turn> {
    let call = ("write_file", json!({"file_path": "out.txt", "content": "from the model"}));
    vec![Turn::text_and_calls("writing", [call]), Turn::text("done")]
}

pub fn check(rows: Vec<Row>) {
    for row in rows {
        let name = row.name;
        let script = format!("#!/bin/sh\ncat > /dev/null\ncat <<'END'\n{}\nEND\n", row.says);
        let hooks =
            json!({row.event: [{"hooks": [{"type": "command", "command": "$LLXPRT_PROJECT_DIR/hooks/hook.sh"}]}]});
        let project = TempProject::new()
            .script("hooks/hook.sh", &script)
            .file(".llxprt/settings.json", &json!({"enableHooks": true, "hooks": hooks}).to_string());
        let server = ModelServer::start(row.turns);
        let mut agent = Command::new(env!("CARGO_BIN_EXE_mini-agent"));
        agent.current_dir(project.path()).args(["--base-url", &server.base_url(), "--model", "scripted", "go"]);
        agent.env("GEMINI_API_KEY", "test-key").env("NO_PROXY", "127.0.0.1");
        let output = within(Duration::from_secs(60), move || agent.output().unwrap());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(row.exit), "{name}: {stderr}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), row.stdout, "{name}: {stderr}");
        let played = MatrixRun { project, requests: server.generations(), turns_left: server.turns_left(), stderr };
        (row.check)(&played);
    }
}
