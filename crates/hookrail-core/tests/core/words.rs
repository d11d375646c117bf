//! The words for decisions and failures, which configuration files, hooks and people read.

use hookrail_core::{
    ConfigSource, Decision, EventName, Failure, HookAction, HookEntry, HookOutput, HookRun, OnError, RunStatus,
};
use serde_json::json;
use std::time::Duration;

#[test]
fn every_decision_has_a_word_for_people_and_those_of_a_single_operation_one_for_hooks() {
    for (decision, word, wire, spellings) in [
        (Decision::None, "none", None, vec![]),
        (Decision::Allow, "allow", Some("allow"), vec!["allow", "approve"]),
        (Decision::Ask, "ask", Some("ask"), vec!["ask"]),
        (Decision::Block, "block", Some("block"), vec!["block", "deny"]),
        (Decision::Stop, "stop", None, vec![]),
    ] {
        assert_eq!((decision.as_str(), decision.to_string().as_str(), decision.to_wire()), (word, word, wire));
        for spelling in spellings {
            assert_eq!(Decision::parse(spelling), Some(decision), "{spelling}");
        }
    }
    for unknown in ["", "Deny", "none", "stop", "perhaps"] {
        assert_eq!(Decision::parse(unknown), None, "{unknown}");
    }
}

#[test]
fn on_error_is_written_as_it_is_read_and_the_stricter_of_two_is_found() {
    let all = [OnError::Allow, OnError::Ask, OnError::Deny];
    for (index, (on_error, word)) in all.into_iter().zip(["allow", "ask", "deny"]).enumerate() {
        assert_eq!((on_error.as_str(), on_error.to_string().as_str()), (word, word));
        assert_eq!(OnError::parse(word), Some(on_error));
        for (other_index, other) in all.into_iter().enumerate() {
            let expected = if other_index > index { other } else { on_error };
            assert_eq!(on_error.stricter(other), expected, "{on_error} and {other}");
        }
    }
    assert_eq!(OnError::parse("Deny"), None);
}

fn run(status: RunStatus) -> HookRun {
    let action = HookAction::Command { command: "x".to_owned() };
    let entry = HookEntry::new(EventName::BeforeTool, action, ConfigSource::Project);
    HookRun::new(entry.reference(), status, None, Duration::ZERO)
}

#[test]
fn a_run_tells_health_from_failure_and_how_it_failed() {
    // covers: HOOK-070 HOOK-213 HOOK-214
    let text = |text: &str| text.to_owned();
    let failed = |failure: Failure| RunStatus::Failed(failure);
    // The status, whether it is a success, what the failure is called, and whether that is reported as an error.
    let cases = [
        (RunStatus::Succeeded, true, None, false),
        (RunStatus::Skipped(text("disabled")), true, None, false),
        (RunStatus::Blocked, false, None, false),
        (failed(Failure::Exit(3)), false, Some("exit code 3"), false),
        (failed(Failure::Signal(text("SIGKILL"))), false, Some("killed by SIGKILL"), false),
        (failed(Failure::TimedOut(Duration::from_millis(1500))), false, Some("timed out after 1500 ms"), true),
        (failed(Failure::Cancelled), false, Some("cancelled"), true),
        (failed(Failure::NotStarted(text("no program"))), false, Some("no program"), true),
        (failed(Failure::Panicked(text("oops"))), false, Some("panicked: oops"), true),
        (failed(Failure::Error(text("no idea"))), false, Some("no idea"), true),
        (failed(Failure::Machine(text("disk full"))), false, Some("disk full"), true),
        (failed(Failure::Unreadable(text("cut"))), false, Some("its answer cannot be read: cut"), true),
    ];
    for (status, success, called, reported) in cases {
        let run = run(status.clone());
        assert_eq!(run.success(), success, "{status:?}");
        assert_eq!(run.failure().map(ToString::to_string).as_deref(), called, "{status:?}");
        assert_eq!(run.error().as_deref(), called.filter(|_| reported), "{status:?}");
        assert_eq!(run.timed_out(), called.is_some_and(|called| called.starts_with("timed out")), "{status:?}");
        assert_eq!(run.signal(), called.and_then(|called| called.strip_prefix("killed by ")), "{status:?}");
    }
}

#[test]
fn only_a_hook_that_may_approve_approves_and_only_with_an_allow() {
    for (may, decision, approves) in
        [(true, "allow", true), (false, "allow", false), (true, "ask", false), (true, "block", false)]
    {
        let mut run = run(RunStatus::Succeeded);
        run.hook.approves = may;
        run.output = HookOutput::from_json(&EventName::BeforeTool, json!({ "decision": decision }));
        assert_eq!(run.approves(), approves, "{may} {decision}");
        run.output = None;
        assert!(!run.approves(), "a hook without an answer approves nothing");
    }
}

#[test]
fn a_native_hook_is_known_by_its_id_and_any_other_by_where_it_is_configured() {
    let mut hook = run(RunStatus::Succeeded).hook;
    assert_eq!(hook.key(), format!("project:{}#x", hook.origin.place));
    hook.kind = "native";
    assert_eq!(hook.key(), "x");
}
