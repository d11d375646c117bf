//! A `hookrail hook` that crashes or does not come to an end: the pending guards' `on_error` decides.

use hookrail_testkit::program::program;
use hookrail_testkit::project::TempProject;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::io::Write;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

struct CrashFixture {
    project: TempProject,
    home: TempProject,
}

impl CrashFixture {
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
            let machine = CrashFixture::new(event, on_error, more);
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

/// A call that must be refused.
fn forbidden(machine: &CrashFixture) -> String {
    let event = json!({
        "session_id": "s", "transcript_path": "", "cwd": machine.project.path(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": "rm -rf .hookrail" },
    });
    event.to_string()
}

/// Runs the hook under `strace` on that call.
fn traced(machine: &CrashFixture, options: &[&str]) -> Output {
    let mut command = program("/usr/bin/strace", &machine.project, &machine.home);
    command.args(["-f", "-qq"]).args(options).args([env!("CARGO_BIN_EXE_hookrail"), "hook"]);
    let mut child = command.spawn().unwrap();
    // A process that ends early does not read its stdin.
    let _ = child.stdin.take().unwrap().write_all(forbidden(machine).as_bytes());
    child.wait_with_output().unwrap()
}

fn can_trace() -> bool {
    let probe = std::process::Command::new("/usr/bin/strace").args(["-o", "/dev/null", "true"]).output();
    let possible = probe.is_ok_and(|output| output.status.success());
    if !possible {
        println!("`strace` cannot be used here");
    }
    possible
}

fn is_refused(output: &Output) -> bool {
    let denied = String::from_utf8_lossy(&output.stdout).contains("\"permissionDecision\":\"deny\"");
    output.status.code() == Some(2) && !output.stderr.is_empty() || output.status.code() == Some(0) && denied
}

/// A machine whose user has nothing that waits.
fn idle() -> CrashFixture {
    let machine = CrashFixture { project: TempProject::new(), home: TempProject::new() };
    machine.home.write(".config/hookrail/hookrail.toml", "");
    machine
}

/// Without random numbers no table of Rust's can be made: the system's refusal becomes a panic of the process.
#[test]
fn a_panic_of_the_process_is_a_refusal_where_a_guard_that_fails_closed_may_be_concerned() {
    if !can_trace() {
        return;
    }
    let machine = idle();
    let output = traced(&machine, &["-o", "/dev/null", "-e", "inject=getrandom:error=EIO"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("panicked at"), "the fault does what it is for: {said}");
    assert!(said.contains("hookrail: hookrail failed inside") && said.contains("this is refused"), "{said}");
    assert_eq!(output.status.code(), Some(2), "{said}");
}

#[test]
fn whatever_system_call_fails_a_refusal_is_heard() {
    if !can_trace() {
        return;
    }
    let machine = idle();
    let log = machine.home.at("trace");
    assert!(is_refused(&traced(&machine, &["-o", log.to_str().unwrap()])));
    let trace = std::fs::read_to_string(log).unwrap();
    let (mut seen, mut faults, mut begun) = (std::collections::HashMap::<&str, usize>::new(), Vec::new(), false);
    for line in trace.lines() {
        let call = line.split_once(' ').map_or("", |(_, rest)| rest.trim_start()).split('(').next().unwrap_or_default();
        let nth = seen.entry(call).or_default();
        *nth += 1;
        // Before that the process is the loader's and the C library's; at the end nothing can go wrong any more.
        begun |= call == "alarm";
        if begun && !matches!(call, "exit_group" | "+++" | "---") {
            faults.push((call.to_owned(), *nth));
        }
    }
    assert!(faults.len() > 40, "{faults:?}");
    let mut wrong = Vec::new();
    for error in ["EIO", "ENOMEM"] {
        for (call, nth) in &faults {
            let inject = format!("inject={call}:error={error}:when={nth}");
            let output = traced(&idle(), &["-o", "/dev/null", "-e", &inject]);
            if !is_refused(&output) {
                wrong.push(format!("{inject}: {output:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), faults.len() * 2, wrong.join("\n"));
}

#[test]
fn an_event_that_does_not_end_is_judged_by_on_error() {
    let strict = CrashFixture::new("Stop", "allow", "");
    let lenient = CrashFixture::new("Stop", "allow", LENIENT);
    let start = |machine: &CrashFixture| {
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
