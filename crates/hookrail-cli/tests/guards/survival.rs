//! Session state survives a kill at any system call: readers see the old state or the new one. The same is shown of task
//! lists in `tests/packs/fsm/system_calls.rs`, and of the store by itself in `hookrail-store/tests/store/every_syscall.rs`.

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A limit that is counted in the session: the fourth fetch is refused.
const LIMIT: &str = "[packs.safety]\nenabled = false\n[[rule]]\nid = \"three-fetches\"\nwhen = { effect = \"net.fetch\" }\n\
                     limit = { count = 3, per = \"session\" }\ndecide = \"deny\"\n";

static CALLS: AtomicUsize = AtomicUsize::new(0);

struct SurvivalFixture {
    project: TempProject,
    home: TempProject,
}

impl SurvivalFixture {
    fn new() -> Self {
        let machine = Self { project: TempProject::new(), home: TempProject::new() };
        machine.home.write(".config/hookrail/hookrail.toml", LIMIT);
        machine
    }

    fn event(&self) -> String {
        let event = json!({
            "session_id": "s", "transcript_path": "/t", "cwd": self.project.path(), "hook_event_name": "PreToolUse",
            "tool_name": "WebFetch", "tool_input": { "url": "https://x.example/a", "prompt": "read" },
            // Each is a call of its own.
            "tool_use_id": format!("t{}", CALLS.fetch_add(1, Ordering::Relaxed)),
        });
        event.to_string()
    }

    /// Whether a fetch is let through.
    fn passes(&self) -> bool {
        let (code, out, err) =
            talk(program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home).arg("hook"), self.event());
        assert_eq!(code, Some(0), "{out}{err}");
        !out.contains("\"deny\"")
    }

    /// How many more fetches pass before one is refused.
    fn left(&self) -> usize {
        (0..10).take_while(|_| self.passes()).count()
    }

    /// Runs the hook under `strace`, and returns whether it was killed.
    fn killed(&self, options: &[&str]) -> bool {
        let mut command = program("/usr/bin/strace", &self.project, &self.home);
        command.args(["-f", "-qq"]).args(options).args([env!("CARGO_BIN_EXE_hookrail"), "hook"]);
        let mut child = command.spawn().unwrap();
        // A process that is killed early does not read its stdin.
        let _ = child.stdin.take().unwrap().write_all(self.event().as_bytes());
        use std::os::unix::process::ExitStatusExt;
        let status = child.wait_with_output().unwrap().status;
        status.signal() == Some(9) || status.code() == Some(137)
    }
}

fn can_trace() -> bool {
    Command::new("/usr/bin/strace")
        .args(["-o", "/dev/null", "true"])
        .output()
        .is_ok_and(|output| output.status.success())
}

/// The system calls of one event from the first that names the state on: each by name, and which of its name it is.
fn calls() -> Vec<(String, usize)> {
    let machine = SurvivalFixture::new();
    assert!(machine.passes());
    let log = machine.home.at("trace");
    assert!(!machine.killed(&["-o", log.to_str().unwrap()]));
    let (mut seen, mut found, mut begun) = (HashMap::<String, usize>::new(), Vec::new(), false);
    for line in fs::read_to_string(log).unwrap().lines() {
        let call = line.split_once(' ').map_or("", |(_, rest)| rest.trim_start()).split('(').next().unwrap_or_default();
        if call.is_empty() || !call.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue;
        }
        let nth = seen.entry(call.to_owned()).or_default();
        *nth += 1;
        begun |= line.contains("/state/");
        if begun {
            found.push((call.to_owned(), *nth));
        }
    }
    found
}

#[test]
fn a_limit_counts_right_after_a_kill_at_any_system_call() {
    if !can_trace() {
        println!("`strace` cannot be used here; the store's own tests cover the same steps where it can");
        return;
    }
    let calls = calls();
    assert!(calls.len() > 20, "{calls:?}");
    let (mut kills, mut counted) = (0, 0);
    for (call, nth) in calls {
        let machine = SurvivalFixture::new();
        assert!(machine.passes());
        let inject = format!("inject={call}:signal=KILL:when={nth}");
        let killed = machine.killed(&["-o", "/dev/null", "-e", &inject]);
        let left = machine.left();
        let case = format!("killed before {call} number {nth}");
        // Three in all, one before: the one that was killed counts or does not.
        assert!((1..=2).contains(&left), "{case}: {left} are left");
        (kills, counted) = (kills + usize::from(killed), counted + usize::from(killed && left == 1));
        let (code, out, err) = talk(
            program(env!("CARGO_BIN_EXE_hookrail"), &machine.project, &machine.home).args(["log", "--verify"]),
            "",
        );
        assert_eq!(code, Some(0), "{case}: {out}{err}");
    }
    assert!(kills > 20 && counted > 0 && counted < kills, "{counted} of {kills}");
}

#[test]
fn state_behind_a_link_is_refused_and_nothing_is_written_there() {
    for name in ["state", "state/sessions", "state/journal"] {
        let machine = SurvivalFixture::new();
        fs::create_dir_all(machine.home.at("elsewhere")).unwrap();
        fs::create_dir_all(machine.home.at(name).parent().unwrap()).unwrap();
        symlink(machine.home.at("elsewhere"), machine.home.at(name)).unwrap();
        let event: Value = serde_json::from_str(&machine.event()).unwrap();
        let (_, out, err) = talk(
            program(env!("CARGO_BIN_EXE_hookrail"), &machine.project, &machine.home).arg("hook"),
            event.to_string(),
        );
        let written = fs::read_dir(machine.home.at("elsewhere")).unwrap().count();
        assert_eq!(written, 0, "{name}: {out}{err}");
        let (code, out, err) =
            talk(program(env!("CARGO_BIN_EXE_hookrail"), &machine.project, &machine.home).arg("doctor"), "");
        assert!(code != Some(0) && out.contains("link"), "{name}: {out}{err}");
    }
}
