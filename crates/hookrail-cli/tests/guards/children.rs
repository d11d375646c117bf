//! Children end with their parent, and what hooks make of a call is judged again.
#![cfg(target_os = "linux")]

use super::trust::TrustProject;
use hookrail_testkit::program::program;
use serde_json::json;

/// Whether a process with this number is there and not just waiting to be reaped.
fn is_alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    status.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !done() {
        assert!(begun.elapsed().as_secs() < 20, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_hookrail_that_is_killed_leaves_no_command_hook_running() {
    use std::io::Write;
    let place = TrustProject::new("command = \"sleep 300 & echo $! > child; echo $$ > shell; wait\"");
    place.hookrail(&["trust", "--yes"], "");
    let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &place.project, &place.home);
    let mut hookrail = command.arg("hook").spawn().unwrap();
    let event = place.event("Bash", &json!({ "command": "ls" }));
    hookrail.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
    let written = || place.project.exists("shell") && place.project.read("shell").ends_with('\n');
    wait_until("the hook starts", written);
    let [child, shell] = ["child", "shell"].map(|name| place.project.read(name));
    assert!(is_alive(&child) && is_alive(&shell));
    // The watchdog hears of a command right after it was started; a test must not be quicker than that.
    std::thread::sleep(std::time::Duration::from_millis(500));
    hookrail.kill().unwrap();
    hookrail.wait().unwrap();
    wait_until("the hook ends with its parent", || !is_alive(&child) && !is_alive(&shell));
}

#[test]
fn what_a_hook_makes_of_a_call_is_judged_by_the_guards() {
    // (what the hook puts in the place of the input, whether it is refused then)
    let cases = [
        (json!({ "command": "rm -rf .hookrail" }), true),
        (json!({ "command": "hookrail uninstall" }), true),
        (json!({ "command": "ls -l" }), false),
    ];
    for (input, refused) in cases {
        let place = TrustProject::new("command = \"cat answer.json\"");
        let answer = json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": input,
        } });
        place.project.write("answer.json", &answer.to_string());
        place.hookrail(&["trust", "--yes"], "");
        let said = place.fire();
        assert_eq!(said.contains("\"deny\""), refused, "{input}: {said}");
        assert!(refused || said.contains("ls -l"), "{said}");
    }
}

#[test]
fn a_scenario_of_the_repository_starts_none_of_its_commands() {
    let place = TrustProject::new("command = \"sh hooks/check.sh\"");
    place.project.write("scenarios/a.toml", "[[scenario]]\nname = \"a\"\nevent = \"BeforeTool\"\ntool = \"Bash\"\n");
    for args in [&["test"][..], &["test", "scenarios"], &["test", "scenarios/a.toml"]] {
        place.hookrail(args, "");
        assert_eq!(place.runs(), 0, "{args:?}");
    }
}
