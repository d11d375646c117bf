//! A `hookrail hook` that crashes or does not come to an end: the pending guards' `on_error` decides.

use hookrail_testkit::program::program;
use hookrail_testkit::project::TempProject;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::io::Write;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

struct Machine {
    project: TempProject,
    home: TempProject,
}

impl Machine {
    /// With a command hook of the user's that waits, and what decides if it fails.
    fn new(event: &str, on_error: &str, more: &str) -> Self {
        let machine = Self { project: TempProject::new(), home: TempProject::new() };
        let config = format!(
            "{more}[[command]]\nname = \"wait\"\nevent = \"{event}\"\ncommand = \"touch started; sleep 60\"\n\
             on_error = \"{on_error}\"\ntimeout = \"60s\"\n"
        );
        machine.home.write(".config/hookrail/hookrail.toml", &config);
        machine
    }

    fn start(&self, event: &str) -> Child {
        let event = json!({
            "session_id": "s", "transcript_path": "", "cwd": self.project.path(), "hook_event_name": event,
            "tool_name": "Bash", "tool_input": { "command": "ls" },
        });
        let mut child = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home).arg("hook").spawn().unwrap();
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        child
    }

    fn wait_until_started(&self) {
        let begun = Instant::now();
        while !self.project.exists("started") {
            assert!(begun.elapsed() < Duration::from_secs(60), "the hook does not start");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A guard of the user's that lets pass when it fails, so that only the waiting command matters.
const LENIENT: &str = "[hooks.\"core/protected-paths\"]\non_error = \"allow\"\n";

#[test]
fn a_process_that_crashes_or_is_late_answers_with_the_pending_guards_on_error() {
    // (native name of the event, its hook's event, on_error, more configuration, exit code)
    let cases = [
        ("PreToolUse", "BeforeTool", "deny", "", 2),
        ("PreToolUse", "BeforeTool", "ask", LENIENT, 2),
        ("PreToolUse", "BeforeTool", "allow", LENIENT, 1),
        ("PreToolUse", "BeforeTool", "allow", "", 2),
        ("Stop", "Stop", "allow", "", 1),
        ("Stop", "Stop", "deny", "", 2),
        ("PostToolUse", "AfterTool", "allow", "", 1),
    ];
    for signal in [Signal::ALARM, Signal::SEGV, Signal::ABORT, Signal::BUS] {
        for (native, event, on_error, more, code) in cases {
            let machine = Machine::new(event, on_error, more);
            let child = machine.start(native);
            machine.wait_until_started();
            kill_process(Pid::from_child(&child), signal).unwrap();
            let Output { status, stderr, .. } = child.wait_with_output().unwrap();
            let said = String::from_utf8(stderr).unwrap();
            assert_eq!(status.code(), Some(code), "{native}, {on_error}, {signal:?}: {said}");
            assert!(said.starts_with("hookrail: "), "{native}, {on_error}, {signal:?}: {said}");
        }
    }
}

#[test]
fn an_event_that_does_not_end_is_judged_by_on_error() {
    let strict = Machine::new("Stop", "allow", "");
    let lenient = Machine::new("Stop", "allow", LENIENT);
    let start = |machine: &Machine| {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &machine.project, &machine.home);
        let mut child = command.arg("hook").spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"{\"hook_event_name\": \"PreToolUse\", ").unwrap();
        (child, stdin)
    };
    let ((strict, _open), (lenient, _also_open)) = (start(&strict), start(&lenient));
    for (child, code) in [(strict, 2), (lenient, 0)] {
        let Output { status, stderr, .. } = child.wait_with_output().unwrap();
        let said = String::from_utf8(stderr).unwrap();
        assert!(status.code() == Some(code) && said.contains("could not be read"), "{code}: {status} {said}");
    }
}
