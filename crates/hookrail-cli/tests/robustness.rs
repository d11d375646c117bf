//! `hookrail hook` on its worst day: whatever stands in the place of a file, whatever became of its streams and however large
//! its input is, it answers, and a guard that refuses is heard.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken expectation must fail the test")]

use hookrail_testkit::program::program;
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Against hanging only: every answer takes a small part of this, also on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A file that no tool may change.
const PROTECTED: &str = ".hookrail/hookrail.toml";

struct Machine {
    project: TempProject,
    home: TempProject,
}

impl Machine {
    fn new() -> Self {
        Self { project: TempProject::new(), home: TempProject::new() }
    }

    /// One with this configuration of its user.
    fn of_user(config: &str) -> Self {
        let machine = Self::new();
        machine.home.write(".config/hookrail/hookrail.toml", config);
        machine
    }

    fn hook(&self) -> Command {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        command.arg("hook");
        command
    }

    fn event(&self, tool: &str, input: &Value) -> String {
        let event = json!({
            "session_id": "s1",
            "transcript_path": self.project.at("transcript.jsonl"),
            "cwd": self.project.path(),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": input,
        });
        event.to_string()
    }

    fn write_to(&self, path: &str) -> String {
        self.event("Write", &json!({ "file_path": path, "content": "x" }))
    }

    fn shell(&self, command: &str) -> String {
        self.event("Bash", &json!({ "command": command }))
    }
}

/// Runs a command to its end. One that does not come to an end fails the test and is left behind.
fn answer(mut command: Command, stdin: String, case: &str) -> Output {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut child = command.spawn().unwrap();
        if let Some(mut input) = child.stdin.take() {
            // A program that does not read its input may be gone already.
            let _ = input.write_all(stdin.as_bytes());
        }
        let _ = sender.send(child.wait_with_output().unwrap());
    });
    let output = receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{case}: no answer"));
    assert!(output.status.code().is_some(), "{case}: {}", output.status);
    output
}

/// In the agent's form, or by exit code.
fn is_refusal(output: &Output) -> bool {
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    said.pointer("/hookSpecificOutput/permissionDecision") == Some(&json!("deny"))
        || output.status.code() == Some(2) && !output.stderr.is_empty()
}

/// What can stand in the place of a file.
const SPECIAL: &[(&str, fn(&Path))] = &[
    ("a pipe that nobody writes to", make_pipe),
    ("a device without an end", |path| symlink("/dev/zero", path).unwrap()),
    ("a terminal that opening makes", |path| symlink("/dev/ptmx", path).unwrap()),
    ("a stream of our own", |path| symlink("/proc/self/fd/0", path).unwrap()),
    ("a directory", |path| fs::create_dir(path).unwrap()),
    ("a socket", |path| drop(UnixListener::bind(path).unwrap())),
    ("a link to itself", |path| symlink(path, path).unwrap()),
];

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn whatever_stands_in_the_place_of_a_file_a_guard_refuses() {
    let in_project =
        [PROTECTED, ".hookrail/local.toml", ".git/HEAD", ".git", "transcript.jsonl", ".claude/settings.json"];
    let in_home = [".config/hookrail/hookrail.toml", "state", "state/sessions", "state/journal", "state/trust.json"];
    for (what, make) in SPECIAL {
        for (path, home) in in_project.iter().map(|path| (path, false)).chain(in_home.iter().map(|path| (path, true))) {
            let machine = Machine::new();
            let place = if home { machine.home.at(path) } else { machine.project.at(path) };
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            make(&place);
            let case = format!("{what} as `{path}`");
            let output = answer(machine.hook(), machine.write_to(PROTECTED), &case);
            assert!(is_refusal(&output), "{case}: {output:?}");
        }
    }
}

#[test]
fn a_session_whose_state_is_no_file_is_still_guarded() {
    for (what, make) in SPECIAL {
        let machine = Machine::of_user("[packs.isdlc]\nenabled = true\n[packs.planning]\nenabled = true\n");
        answer(machine.hook(), machine.write_to("a.txt"), what);
        let sessions = fs::read_dir(machine.home.at("state/sessions")).into_iter().flatten();
        for session in sessions.map(|entry| entry.unwrap().path()) {
            if session.is_dir() {
                fs::remove_dir_all(&session).unwrap()
            } else {
                fs::remove_file(&session).unwrap()
            }
            make(&session);
        }
        let output = answer(machine.hook(), machine.write_to(PROTECTED), what);
        assert!(is_refusal(&output), "{what}: {output:?}");
    }
}
