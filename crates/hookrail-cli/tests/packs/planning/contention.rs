//! Counters that many processes want at once, that a process does not let go, and for which the disk has no room.

use crate::planning::project::{Contract, PlanningProject, SESSION};
use hookrail_testkit::program::{program, talk};
use serde_json::{Value, json};
use std::fs::File;
use std::process::Stdio;
use std::time::{Duration, Instant};

const SERVER: &str = "mcp__ref__search";
const HOOK: &str = "hook --agent=claude --pack=planning";
const BINARY: &str = env!("CARGO_BIN_EXE_hookrail");

/// Limits that no test reaches.
const WIDE: &str = "research_mcp: {budget: {total_calls_per_session: 1000, total_calls_per_phase: 1000}}";

fn place(on_error: &str, timeout: &str) -> PlanningProject {
    let config = format!(
        "[hooks.\"planning/research-budget-tracker\"]\non_error = \"{on_error}\"\ntimeout = \"{timeout}\"\n\
         [[rule]]\nid = \"few-fetches\"\nwhen = {{ effect = \"net.fetch\" }}\nlimit = {{ count = 1000, per = \"session\" }}\n\
         decide = \"deny\"\nsay = \"enough\"\n"
    );
    let place = PlanningProject::new().config(WIDE);
    place.home.write(".config/hookrail/hookrail.toml", &config);
    place
}

fn counted(place: &PlanningProject) -> Value {
    place.session()["values"]["planning/research-budget"]["session_total"].clone()
}

/// What Claude Code is told about a call: `deny`, `ask` or nothing.
fn decision(out: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(out).unwrap_or_default();
    answer.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str).map(str::to_owned)
}

#[test]
fn two_hundred_and_fifty_six_processes_at_once_count_exactly_and_disable_nothing() {
    // covers: H03
    const PROCESSES: usize = 256;
    let place = place("deny", "30s");
    let children: Vec<_> = (0..PROCESSES)
        .map(|number| {
            let event = format!("events/{number}");
            place.home.write(&event, &place.research(SERVER, number).to_string());
            let mut command = program(BINARY, &place.project, &place.home);
            command.args(HOOK.split(' ')).envs(place.env.iter().map(|(name, value)| (name, value)));
            command.stdin(File::open(place.home.at(&event)).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(decision(&String::from_utf8_lossy(&output.stdout)), None, "{output:?}");
    }
    assert_eq!(counted(&place), json!(PROCESSES));
    assert_eq!(place.session()["breakers"], json!({}));
}

#[test]
fn a_lock_that_stays_busy_follows_on_error_and_opens_no_breaker() {
    // covers: H03
    for (on_error, told) in [("deny", Some("deny")), ("ask", Some("ask")), ("allow", None)] {
        let place = place(on_error, "300ms");
        assert_eq!(place.ruling(Contract::Agent, &place.research(SERVER, 0)).word(), "silent");
        let lock = File::open(place.home.at(format!("state/sessions/{SESSION}.lock"))).unwrap();
        lock.lock().unwrap();
        // The third failure in a row would disable a hook for the rest of the session.
        for number in 1..6 {
            let said = place.fire(Contract::Agent, None, &place.research(SERVER, number));
            assert_eq!(decision(&said.out).as_deref(), told, "{on_error}: {said:?}");
        }
        lock.unlock().unwrap();
        assert_eq!(place.ruling(Contract::Agent, &place.research(SERVER, 6)).word(), "silent", "{on_error}");
        assert_eq!((counted(&place), &place.session()["breakers"]), (json!(2), &json!({})), "{on_error}");
    }
}

/// Ways to have no room for a file: for the process, and on the disk. `$0` is the binary.
const FULL: [(&str, &str); 2] = [
    ("no file may grow", "ulimit -f 0; exec \"$0\" "),
    (
        "a disk of 64 KiB is full",
        "set -e; d=\"$HOOKRAIL_STATE_DIR\"; cp -r \"$d\" \"$HOME/kept\"; mount -t tmpfs -o size=64k tmpfs \"$d\"; \
         cp -r \"$HOME/kept/.\" \"$d\"; cat /dev/zero > \"$d/filler\" 2>/dev/null || true; rm -rf \"$HOME/kept\"; \
         exec \"$0\" ",
    ),
];

#[test]
fn a_full_disk_makes_no_budget_unlimited() {
    // covers: H03
    let can_mount = std::process::Command::new("unshare").args(["-rm", "true"]).output();
    let can_mount = can_mount.is_ok_and(|output| output.status.success());
    // A call that the pack counts, and one that a rule counts.
    let calls = |place: &PlanningProject, number: usize| {
        let fetch = json!({"command": format!("curl https://a.org/{number}")});
        [(HOOK, place.research(SERVER, number)), ("hook --agent=claude", place.call("Bash", &fetch))]
    };
    for (how, script) in FULL.iter().filter(|(_, script)| can_mount || !script.contains("mount")) {
        for (on_error, told) in [("deny", Some("deny")), ("ask", Some("ask")), ("allow", None)] {
            let place = place(on_error, "4s");
            for (hook, call) in calls(&place, 0) {
                let said = place.hookrail(&hook.split(' ').collect::<Vec<_>>(), &call.to_string());
                assert_eq!(decision(&said.out), None, "{how}: {said:?}");
            }
            for number in 1..5 {
                // A rule with a limit is a guard: what it cannot count is refused.
                for ((hook, call), told) in calls(&place, number).into_iter().zip([told, Some("deny")]) {
                    let wrapper: &[&str] = if script.contains("mount") { &["unshare", "-rm", "sh"] } else { &["sh"] };
                    let mut shell = program(format!("/usr/bin/{}", wrapper[0]), &place.project, &place.home);
                    shell.args(&wrapper[1..]).args(["-c", &format!("{script}{hook}"), BINARY]);
                    shell.envs(place.env.iter().map(|(name, value)| (name, value)));
                    let (_, out, err) = talk(&mut shell, call.to_string());
                    assert_eq!(decision(&out).as_deref(), told, "{how}, {on_error}: {out} {err} {call}");
                }
            }
            assert_eq!((counted(&place), &place.session()["breakers"]), (json!(1), &json!({})), "{how}, {on_error}");
        }
    }
}

const LIMITED: &str = "[[rule]]\nid = \"first\"\nwhen = { effect = \"net.fetch\" }\nlimit = { count = 9, per = \"PERIOD\" }\n\
     decide = \"deny\"\n[[rule]]\nid = \"second\"\nwhen = { effect = \"net.fetch\" }\n\
     limit = { count = 9, per = \"PERIOD\" }\ndecide = \"deny\"\n";

fn fetch(place: &PlanningProject, number: usize) -> String {
    let mut call = place.call("Bash", &json!({"command": "curl https://a.org"}));
    call["tool_use_id"] = json!(format!("call-{number}"));
    call.to_string()
}

#[test]
fn a_limit_whose_lock_is_stuck_refuses_before_the_agent_stops_waiting() {
    // `install` tells agents to wait fifteen seconds for rules.
    let most = Duration::from_secs(13);
    for (period, lock) in [("session", format!("sessions/{SESSION}.lock")), ("day", "rules".to_owned())] {
        let place = PlanningProject::new();
        place.home.write(".config/hookrail/hookrail.toml", &LIMITED.replace("PERIOD", period));
        let hook = ["hook", "--agent=claude"];
        assert_eq!(decision(&place.hookrail(&hook, &fetch(&place, 0)).out), None, "{period}");
        let lock = File::open(place.home.at(format!("state/{lock}"))).unwrap();
        lock.lock().unwrap();
        let started = Instant::now();
        let said = place.hookrail(&hook, &fetch(&place, 1));
        assert_eq!(decision(&said.out).as_deref(), Some("deny"), "{period}: {said:?}");
        assert!(started.elapsed() < most, "{period}: both rules together wait once, not {:?}", started.elapsed());
        lock.unlock().unwrap();
        assert_eq!(decision(&place.hookrail(&hook, &fetch(&place, 2)).out), None, "{period}");
    }
}

#[test]
fn a_limit_that_cannot_be_counted_for_want_of_a_state_directory_refuses() {
    for period in ["session", "turn", "day"] {
        let place = PlanningProject::new();
        place.home.write(".config/hookrail/hookrail.toml", &LIMITED.replace("PERIOD", period));
        let mut hook = program(BINARY, &place.project, &place.home);
        hook.args(["hook", "--agent=claude"]).env("HOOKRAIL_STATE_DIR", "not/absolute");
        let (_, out, err) = talk(&mut hook, fetch(&place, 0));
        assert_eq!(decision(&out).as_deref(), Some("deny"), "{period}: {out} {err}");
        assert!(out.contains("no state directory"), "{period}: {out}");
    }
}

#[test]
fn each_permission_for_one_call_lets_one_of_many_processes_through() {
    const PERMISSIONS: usize = 20;
    let place = PlanningProject::new();
    let rule = "[[rule]]\nid = \"no-fetch\"\nwhen = { effect = \"net.fetch\" }\ndecide = \"deny\"\n";
    place.home.write(".config/hookrail/hookrail.toml", rule);
    let permission = "[[exception]]\nrule = \"no-fetch\"\nwhen = { effect = \"net.fetch\" }\nreason = \"once\"\n";
    place.home.write("state/allow-once.toml", &permission.repeat(PERMISSIONS));
    let children: Vec<_> = (0..96)
        .map(|number| {
            let event = format!("events/{number}");
            place.home.write(&event, &fetch(&place, number));
            let mut command = program(BINARY, &place.project, &place.home);
            command.args(["hook", "--agent=claude"]).envs(place.env.iter().map(|(name, value)| (name, value)));
            command.stdin(File::open(place.home.at(&event)).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let outputs = children.into_iter().map(|child| child.wait_with_output().unwrap());
    let allowed = outputs.filter(|output| decision(&String::from_utf8_lossy(&output.stdout)).is_none()).count();
    assert_eq!(allowed, PERMISSIONS);
}
