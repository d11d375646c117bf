use crate::fixtures::{self, Payload};
use hookrail_dialects::detect;
use serde_json::{Value, json};
use std::collections::HashMap;

/// A payload, the variables around it, and whose it is.
type Case<'a> = (Value, &'a [(&'a str, &'a str)], &'a str);

fn check(payload: &Payload, variables: &[(&str, &str)], expected: &str, what: &str) {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    let env = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    assert_eq!(detect(payload, &env).name(), expected, "{what} with {variables:?}");
}

/// The variables an agent's hook had, as captured by name.
fn variables(agent: &str, event: &str) -> Vec<String> {
    let names = fixtures::read(&format!("{agent}/environment-names.json"));
    let names = names[event].as_array().expect(event).clone();
    names.iter().map(|name| name.as_str().expect("a name").to_owned()).collect()
}

#[test]
fn every_payload_is_recognised_without_help_from_the_environment() {
    // LLxprt Code marks nothing but its variable.
    for fixture in fixtures::all().iter().filter(|fixture| fixture.agent != "llxprt") {
        // Nor does Copilot in most of its Claude-like payloads.
        let unmarked =
            fixture.agent == "copilot" && fixture.name.starts_with("PascalCase") && !fixture.name.contains("Post");
        if !unmarked {
            check(&fixture.payload, &[], &fixture.agent, &fixture.name);
        }
    }
}

#[test]
fn every_captured_payload_is_recognised_in_its_own_environment() {
    for fixture in fixtures::captured() {
        let event = fixture.payload["hook_event_name"].as_str().expect("an event");
        let names = variables(&fixture.agent, event);
        let pairs: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
        check(&fixture.payload, &pairs, &fixture.agent, &fixture.name);
    }
}

#[test]
fn an_agent_started_from_another_is_not_taken_for_it() {
    let outer: Vec<String> = ["PreToolUse", "BeforeTool"]
        .iter()
        .zip(["claude", "gemini"])
        .flat_map(|(event, agent)| variables(agent, event))
        .chain(["CODEX_MANAGED_BY_NPM".to_owned(), "COPILOT_CLI".to_owned(), "FACTORY_PROJECT_DIR".to_owned()])
        .collect();
    let pairs: Vec<(&str, &str)> = outer.iter().map(|name| (name.as_str(), "outer")).collect();
    for fixture in fixtures::captured() {
        check(&fixture.payload, &pairs, &fixture.agent, &fixture.name);
    }
}

#[test]
fn the_environment_decides_where_the_payload_does_not() {
    let cases: &[Case<'_>] = &[
        (json!({"hook_event_name": "PreToolUse"}), &[], "claude"),
        (json!({"hook_event_name": "PreToolUse"}), &[("CLAUDECODE", "1")], "claude"),
        (json!({"hook_event_name": "PreToolUse"}), &[("CODEX_MANAGED_BY_NPM", "1")], "codex"),
        (json!({"hook_event_name": "PreToolUse"}), &[("FACTORY_PROJECT_DIR", "/p")], "droid"),
        (json!({"hook_event_name": "PreToolUse"}), &[("FACTORY_PROJECT_DIR", "")], "claude"),
        (json!({"hook_event_name": "SessionStart", "model": "m", "permission_mode": "default"}), &[], "codex"),
        (json!({"hook_event_name": "SessionStart", "session_id": "s"}), &[("CLAUDE_CODE_SESSION_ID", "s")], "claude"),
        (json!({"hook_event_name": "PreToolUse", "timestamp": "t"}), &[], "vscode"),
        (json!({"hook_event_name": "PreToolUse", "timestamp": "t"}), &[("COPILOT_CLI", "1")], "copilot"),
        (json!({"hook_event_name": "PreToolUse", "timestamp": "t"}), &[("QWEN_PROJECT_DIR", "/p")], "qwen"),
        (json!({"hook_event_name": "PreToolUse", "timestamp": "t", "permission_mode": "default"}), &[], "qwen"),
        (json!({"hook_event_name": "PreToolUse", "timestamp": "t"}), &[("CLAUDECODE", "1")], "vscode"),
        (json!({"hook_event_name": "BeforeTool", "timestamp": "t"}), &[], "gemini"),
        (json!({"hook_event_name": "BeforeTool", "timestamp": "t"}), &[("CLAUDECODE", "1")], "gemini"),
        (json!({"hook_event_name": "BeforeTool", "timestamp": "t"}), &[("LLXPRT_PROJECT_DIR", "/p")], "llxprt"),
        (
            json!({"hook_event_name": "BeforeTool", "timestamp": "t"}),
            &[("LLXPRT_PROJECT_DIR", "/p"), ("GEMINI_SESSION_ID", "other"), ("CLAUDECODE", "1")],
            "llxprt",
        ),
        (json!({"hook_event_name": "preToolUse"}), &[], "cursor"),
        (json!({"hook_event_name": "preToolUse"}), &[("CURSOR_VERSION", "2")], "cursor"),
    ];
    for (payload, variables, expected) in cases {
        check(payload.as_object().expect("an object"), variables, expected, &payload.to_string());
    }
}

#[test]
fn llxprts_payloads_are_recognised_by_its_variable() {
    for fixture in fixtures::written().iter().filter(|fixture| fixture.agent == "llxprt") {
        check(&fixture.payload, &[("LLXPRT_PROJECT_DIR", "/home/dev/shop")], "llxprt", &fixture.name);
    }
}

#[test]
fn what_no_agent_writes_is_read_like_claude_codes() {
    for payload in [json!({}), json!({"hook_event_name": "NoSuchEvent"}), json!({"hook_event_name": 7, "x": null})] {
        check(payload.as_object().expect("an object"), &[("CURSOR_VERSION", "2")], "claude", &payload.to_string());
    }
}
