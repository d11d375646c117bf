//! Payloads of the agents that were run headless: what is read from each, and what a refusal looks like there.

use crate::fixtures::{self, Fixture};
use crate::verdicts::{deciding, verdict};
use hookrail_core::{Decision, Event, EventName, ToolKind};
use hookrail_dialects::{EncodedAnswer, detect, dialect};
use serde_json::{Map, Value, json};
use std::path::Path;

fn decode(fixture: &Fixture) -> Event {
    dialect(&fixture.agent).expect("a dialect").decode(fixture.payload.clone())
}

fn line(fixture: &Fixture) -> String {
    let event = decode(fixture);
    let name = match &event.name {
        EventName::Other(name) => format!("other {name}"),
        known => known.to_string(),
    };
    let kind = event.tool.as_ref().map_or("-".to_owned(), |tool| {
        let kind = format!("{:?}", tool.kind);
        format!("{} {:?}", kind.split([' ', '{']).next().unwrap_or_default(), tool.touched_paths())
    });
    let seen = detect(&fixture.payload, &|_| None).name();
    format!("{} | {name} | {} | {} | {kind} | {seen}\n", fixture.name, event.session_id, event.cwd.display())
}

#[test]
fn every_payload_is_read_as_the_reviewed_table_says() {
    let mut table = "payload | event | session | cwd | tool and paths | recognised as\n".to_owned();
    table.extend(fixtures::golden().iter().map(line));
    fixtures::check_snapshot("golden.txt", &table);
}

#[test]
fn every_event_has_a_session_and_every_tool_call_a_kind() {
    for fixture in fixtures::golden() {
        let event = decode(&fixture);
        // What opencode and Kilo tell about themselves belongs to no session.
        let about_itself = matches!(fixture.agent.as_str(), "opencode" | "kilo") && event.tool.is_none();
        assert!(about_itself || !event.session_id.is_empty(), "{}", fixture.name);
        // A plugin adds the folder, which these raw arguments do not have.
        let plugin = matches!(fixture.agent.as_str(), "opencode" | "kilo");
        assert!(plugin || event.cwd == Path::new("/project"), "{}", fixture.name);
        let own = event.tool.as_ref().map(|tool| (tool.name.as_str(), &tool.kind));
        let unknown = matches!(own, Some((name, ToolKind::Other)) if name != "finish");
        assert!(!unknown, "{}: {own:?}", fixture.name);
    }
}

/// Whether the agent was seen not to run the tool after this answer.
fn blocks(agent: &str, native: &str, answer: &EncodedAnswer) -> bool {
    let fields: Map<String, Value> = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let at = |path: &str| Value::Object(fields.clone()).pointer(path).cloned().unwrap_or_default();
    let said = |value: Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    let exit_two = answer.exit_code == 2 && !answer.stderr.trim().is_empty();
    let claude = at("/hookSpecificOutput/hookEventName") == native
        && at("/hookSpecificOutput/permissionDecision") == "deny"
        && said(at("/hookSpecificOutput/permissionDecisionReason"));
    let decision = |word: &str| at("/decision") == word && said(at("/reason"));
    match agent {
        "llxprt" => exit_two || decision("deny") || decision("block"),
        "qwen" | "droid" => exit_two || claude || decision("block"),
        "copilot" => {
            exit_two || claude || (at("/permissionDecision") == "deny" && said(at("/permissionDecisionReason")))
        }
        "kimi" | "auggie" => exit_two || claude,
        "cline" => answer.exit_code == 0 && at("/cancel") == true && said(at("/errorMessage")),
        "vibe" => answer.exit_code == 0 && decision("deny"),
        "openhands" => exit_two || decision("deny"),
        // The plugin throws what it finds here.
        "opencode" | "kilo" => answer.exit_code == 0 && said(at("/deny")),
        other => panic!("{other} was not measured"),
    }
}

#[test]
fn a_refusal_before_a_tool_has_a_form_the_agent_was_seen_to_honour() {
    let mut agents = Vec::new();
    for fixture in fixtures::golden() {
        let event = decode(&fixture);
        if event.name != EventName::BeforeTool {
            continue;
        }
        let dialect = dialect(&fixture.agent).expect("a dialect");
        let native = event.native_name.clone();
        for (decision, blocked) in [(Decision::Block, true), (Decision::Stop, true), (Decision::Allow, false)] {
            for reason in ["R", ""] {
                let answer = dialect.encode(&event, &verdict(&event.name, deciding(decision, reason)));
                assert_eq!(blocks(&fixture.agent, &native, &answer), blocked, "{}: {answer:?}", fixture.name);
            }
        }
        agents.push(fixture.agent.clone());
    }
    agents.dedup();
    assert_eq!(
        agents,
        ["llxprt", "qwen", "copilot", "droid", "kimi", "auggie", "cline", "vibe", "openhands", "opencode", "kilo"]
    );
}

#[test]
fn a_permission_request_of_copilot_is_answered_in_its_own_shape() {
    for fixture in fixtures::golden().iter().filter(|it| it.name.contains("permissionRequest")) {
        let event = decode(fixture);
        assert_eq!(event.name, EventName::PermissionRequest, "{}", fixture.name);
        let answer = dialect("copilot")
            .expect("a dialect")
            .encode(&event, &verdict(&event.name, deciding(Decision::Block, "R")));
        assert_eq!(answer.stdout, json!({"behavior": "deny", "message": "R"}).to_string(), "{}", fixture.name);
    }
}

#[test]
fn a_denied_answer_of_the_model_is_replaced_where_a_deny_does_nothing() {
    for agent in ["gemini", "llxprt"] {
        let dialect = dialect(agent).expect(agent);
        let payload = json!({"hook_event_name": "AfterModel", "llm_response": {"candidates": []}});
        let event = dialect.decode(payload.as_object().expect("an object").clone());
        let answer = dialect.encode(&event, &verdict(&event.name, deciding(Decision::Block, "R")));
        let said: Value = serde_json::from_str(&answer.stdout).expect("JSON");
        let parts = "/hookSpecificOutput/llm_response/candidates/0/content/parts";
        assert_eq!(said.pointer(parts), Some(&json!(["R"])), "{agent}: {said}");
        assert_eq!(said.get("decision"), None, "{agent}: it does nothing");
    }
}

#[test]
fn a_replacement_without_parts_is_still_a_replacement() {
    let dialect = dialect("gemini").expect("gemini");
    let payload = json!({"hook_event_name": "AfterModel"});
    let event = dialect.decode(payload.as_object().expect("an object").clone());
    let empty = json!({"candidates": [{"content": {"role": "model", "parts": []}}]});
    let wish = json!({"hookSpecificOutput": {"llm_response": empty}});
    let answer = dialect.encode(&event, &verdict(&event.name, wish));
    let said: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(said.pointer("/hookSpecificOutput/llm_response"), Some(&empty));
}

#[test]
fn a_patch_that_is_wrapped_once_more_names_its_paths() {
    let patch = "*** Begin Patch\n*** Update File: secrets/a.txt\n@@\n-a\n+b\n*** End Patch";
    let wrapped = json!({ "input": patch }).to_string();
    for input in [json!({ "input": patch }), json!({ "input": wrapped })] {
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "ApplyPatch", "tool_input": input});
        let event = dialect("droid").expect("droid").decode(payload.as_object().expect("an object").clone());
        assert_eq!(event.tool.expect("a tool").touched_paths(), ["secrets/a.txt"]);
    }
}

#[test]
fn context_that_gemini_drops_is_known_to_be_lost() {
    let lost = |agent: &str, source: &str| {
        let dialect = dialect(agent).expect(agent);
        let payload = json!({"hook_event_name": "SessionStart", "source": source});
        dialect.loses_context(&dialect.decode(payload.as_object().expect("an object").clone()))
    };
    assert!(lost("gemini", "clear"));
    assert!(!lost("gemini", "startup"));
    assert!(!lost("claude", "clear"));
}

#[test]
fn the_variable_of_llxprt_code_makes_a_payload_of_gemini_cli_its_own() {
    let fixtures = fixtures::captured();
    for fixture in fixtures.iter().filter(|fixture| fixture.agent == "gemini") {
        let set = |names: &'static [&'static str]| move |name: &str| names.contains(&name).then(|| "/p".to_owned());
        assert_eq!(detect(&fixture.payload, &set(&["LLXPRT_PROJECT_DIR"])).name(), "llxprt", "{}", fixture.name);
        let both = set(&["LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR"]);
        assert_eq!(detect(&fixture.payload, &both).name(), "gemini", "{}", fixture.name);
        assert_eq!(detect(&fixture.payload, &|_| None).name(), "gemini", "{}", fixture.name);
    }
}
