//! `hookrail demo`, as somebody who has just cloned the repository runs it.
#![allow(clippy::unwrap_used, reason = "a broken expectation must fail the test")]

use serde_json::Value;
use std::process::{Command, Output};

fn hookrail(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hookrail")).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_demo_shows_plan_runs_and_verdict_of_every_event() {
    let output = hookrail(&["demo"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for part in [
        "verdict  no objection",
        "verdict  block: `.env` holds secrets",
        "verdict  block: a forced push",
        "the tool runs with {\"command\":\"rm -ri build\"} instead",
        "timed out after 200 ms",
        "verdict  stop: deployments are done by people",
        "3 hooks, all at once",
        "6 events, 3 refused or stopped",
    ] {
        assert!(shown.contains(part), "{part} is missing in:\n{shown}");
    }
    assert!(!shown.contains('\u{1b}'), "no colours where there is no terminal");
}

#[test]
fn the_demo_as_json_is_one_object_per_event() {
    let output = hookrail(&["demo", "--json"]);
    let events: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decisions: Vec<&str> = events.iter().map(|event| event["decision"].as_str().unwrap()).collect();
    assert_eq!(decisions, ["none", "block", "block", "none", "none", "stop"]);
    for event in &events {
        assert!(event["runs"].as_array().is_some_and(|runs| !runs.is_empty()), "{event}");
    }
}

#[test]
fn a_wrong_command_line_says_what_is_meant_and_never_looks_like_a_block() {
    for (args, part) in [
        (&["dmeo"][..], "demo"),
        (&["demo", "--jsn"][..], "--json"),
        (&[][..], "Usage: hookrail"),
        (&["demo", "extra"][..], "unexpected argument"),
    ] {
        let output = hookrail(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let said = text(&output.stderr);
        assert!(said.contains(part), "{args:?}: {said}");
    }
}
