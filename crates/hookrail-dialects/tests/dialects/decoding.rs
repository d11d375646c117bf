use crate::fixtures::{self, Fixture};
use hookrail_core::{Event, EventName, ToolKind};
use hookrail_dialects::dialect;
use serde_json::{Value, json};
use std::path::Path;

fn decode(agent: &str, payload: Value) -> Event {
    let payload = payload.as_object().expect("an object").clone();
    dialect(agent).expect(agent).decode(payload)
}

fn describe(kind: &ToolKind) -> String {
    match kind {
        ToolKind::Shell { command, cwd: None } => format!("shell {command:?}"),
        ToolKind::Shell { command, cwd: Some(cwd) } => format!("shell {command:?} in {cwd}"),
        ToolKind::Write { path, content } => format!("write {path} {content:?}"),
        ToolKind::Edit { paths } => format!("edit {}", paths.join(" ")),
        ToolKind::Read { path } => format!("read {path:?}"),
        ToolKind::WebFetch { url } => format!("fetch {url:?}"),
        ToolKind::Mcp { server, tool } => format!("mcp server={server} tool={tool}"),
        ToolKind::Subagent { agent, prompt } => format!("subagent {agent:?} {prompt:?}"),
        ToolKind::Skill { name } => format!("skill {name}"),
        ToolKind::AskUser { questions } => format!("ask {questions:?}"),
        ToolKind::Other => "other".to_owned(),
    }
}

fn line(fixture: &Fixture) -> String {
    let event = dialect(&fixture.agent).expect("a dialect").decode(fixture.payload.clone());
    let name = match &event.name {
        EventName::Other(name) => format!("other {name}"),
        known => known.to_string(),
    };
    let tool = event.tool.as_ref().map_or("-".to_owned(), |tool| describe(&tool.kind));
    let subject = event.match_subject().unwrap_or("-");
    let origin = if fixture.captured { "" } else { " (written)" };
    format!("{}/{}{origin} | {name} | {tool} | {subject}\n", fixture.agent, fixture.name)
}

#[test]
fn every_payload_is_read_as_the_reviewed_table_says() {
    let mut table = "payload | event | tool kind | match subject\n".to_owned();
    table.extend(fixtures::all().iter().map(line));
    fixtures::check_snapshot("decoded.txt", &table);
}

#[test]
fn the_fields_every_event_has_are_taken_from_every_captured_payload() {
    for fixture in fixtures::captured() {
        let event = dialect(&fixture.agent).expect("a dialect").decode(fixture.payload.clone());
        let text = |field: &str| fixture.payload.get(field).and_then(Value::as_str).unwrap_or_default();
        assert_eq!(event.session_id, text("session_id"), "{}", fixture.name);
        assert_eq!(event.cwd, Path::new("/home/dev/shop"), "{}", fixture.name);
        assert_eq!(event.transcript_path, text("transcript_path"), "{}", fixture.name);
        assert_eq!(event.timestamp, text("timestamp"), "{}", fixture.name);
        assert_eq!(event.native_name, text("hook_event_name"), "{}", fixture.name);
    }
}

#[test]
fn nothing_an_agent_sent_is_lost() {
    const BASE: [&str; 5] = ["session_id", "cwd", "transcript_path", "timestamp", "hook_event_name"];
    for fixture in fixtures::captured() {
        let event = dialect(&fixture.agent).expect("a dialect").decode(fixture.payload.clone());
        for (key, value) in &fixture.payload {
            if !BASE.contains(&key.as_str()) {
                assert_eq!(event.payload.get(key), Some(value), "{}: {key}", fixture.name);
            }
        }
    }
}

#[test]
fn other_words_for_the_same_thing_become_one() {
    let check = |agent: &str, payload: Value, field: &str, expected: Value| {
        assert_eq!(decode(agent, payload).payload.get(field), Some(&expected), "{agent} {field}");
    };
    check("claude", json!({"tool_result": "r"}), "tool_response", json!("r"));
    check("claude", json!({"tool_result": "old", "tool_response": "new"}), "tool_response", json!("new"));
    check("claude", json!({"tool_result": "old", "tool_response": "new"}), "tool_result", json!("old"));
    check("gemini", json!({"prompt_response": "bye"}), "last_assistant_message", json!("bye"));
    check("gemini", json!({"prompt_response": "bye"}), "prompt_response", json!("bye"));
    check("copilot", json!({"toolName": "bash", "toolArgs": {"command": "x"}}), "tool_input", json!({"command": "x"}));
    check("copilot", json!({"agentName": "Joe", "agentType": "joe"}), "agent_type", json!("joe"));
    check("copilot", json!({"agentName": "joe"}), "agent_type", json!("joe"));
    check("cursor", json!({"subagent_type": "joe"}), "agent_type", json!("joe"));
    check("cursor", json!({"tool_output": "{\"exit\":0}"}), "tool_response", json!({"exit": 0}));
    check("cursor", json!({"tool_output": "plain"}), "tool_response", json!("plain"));
}

#[test]
fn a_session_without_its_usual_fields_is_found_where_the_agent_keeps_it() {
    let event = decode("cursor", json!({"conversation_id": "c1", "workspace_roots": ["/w", "/x"]}));
    assert_eq!((event.session_id.as_str(), event.cwd.as_path()), ("c1", Path::new("/w")));
    let event =
        decode("cursor", json!({"conversation_id": "c1", "session_id": "s1", "cwd": "/c", "workspace_roots": ["/w"]}));
    assert_eq!((event.session_id.as_str(), event.cwd.as_path()), ("s1", Path::new("/c")));
    let event = decode("copilot", json!({"sessionId": "s1", "timestamp": 1_794_733_200_000_i64}));
    assert_eq!((event.session_id.as_str(), event.timestamp.as_str()), ("s1", "2026-11-15T09:00:00.000Z"));
}

#[test]
fn fields_of_a_wrong_type_are_kept_and_harm_nothing() {
    let event = decode(
        "claude",
        json!({"session_id": 5, "cwd": ["/a"], "timestamp": {}, "hook_event_name": 1, "tool_name": []}),
    );
    assert_eq!((event.session_id.as_str(), event.timestamp.as_str(), event.name.as_str()), ("", "", ""));
    assert!(event.tool.is_none());
    for (key, value) in [("session_id", json!(5)), ("cwd", json!(["/a"])), ("hook_event_name", json!(1))] {
        assert_eq!(event.payload.get(key), Some(&value));
    }
    let event = decode("codex", json!({"transcript_path": null, "timestamp": i64::MAX}));
    assert_eq!(event.transcript_path, "");
    assert!(!event.payload.contains_key("transcript_path"));
}

#[test]
fn a_rewritten_input_is_read_like_the_first() {
    let event = decode(
        "codex",
        json!({"hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": {"command": ""}}),
    );
    let tool = event.tool.expect("a tool");
    let changed = tool.with_input(&json!({"command": "*** Add File: a\n+x"}));
    assert!(tool.touched_paths().is_empty());
    assert_eq!(changed.touched_paths(), ["a"]);
}

#[test]
fn every_event_an_agent_has_is_found_by_both_its_names() {
    for dialect in hookrail_dialects::all() {
        for native in dialect.native_events() {
            let event = dialect.event(native).expect(native);
            let installed = dialect.native_event(&event).expect(native);
            assert_eq!(dialect.event(installed), Some(event), "{} {native}", dialect.name());
        }
        assert_eq!(dialect.event("NoSuchEvent"), None);
        assert_eq!(dialect.native_event(&EventName::Other("NoSuchEvent".into())), None);
    }
}
