//! What one hook of a sequential plan changes for the next.

use hookrail_core::chaining::apply_hook_output_to_input;
use hookrail_core::{Event, EventName, HookOutput, ToolCall, ToolKind};
use serde_json::{Value, json};
use std::path::PathBuf;

fn event(name: &EventName, payload: &Value) -> Event {
    Event {
        name: name.clone(),
        native_name: String::new(),
        session_id: "s-1".to_owned(),
        cwd: PathBuf::from("/p"),
        timestamp: String::new(),
        transcript_path: String::new(),
        tool: payload.get("tool_input").map(|input| ToolCall::new("sh", input, shell)),
        payload: payload.as_object().unwrap().clone(),
    }
}

fn shell(_: &str, input: &Value) -> ToolKind {
    ToolKind::Shell { command: input["command"].as_str().unwrap_or_default().to_owned(), cwd: None }
}

fn specific(fields: &Value) -> Value {
    json!({ "hookSpecificOutput": fields })
}

#[test]
fn the_next_hook_sees_what_its_event_lets_a_hook_change_and_nothing_else() {
    // covers: HOOK-104 HOOK-216 HOOK-211
    let context = specific(&json!({ "additionalContext": "more" }));
    let cases = [
        (
            "BeforeTool: the keys that were named",
            EventName::BeforeTool,
            json!({ "tool_input": { "command": "rm", "force": true } }),
            specific(&json!({ "tool_input": { "command": "ls" } })),
            json!({ "tool_input": { "command": "ls", "force": true } }),
        ),
        (
            "BeforeTool: an input that is no object",
            EventName::BeforeTool,
            json!({ "tool_input": "rm" }),
            specific(&json!({ "tool_input": { "command": "ls" } })),
            json!({ "tool_input": { "command": "ls" } }),
        ),
        (
            "BeforeTool: no rewrite",
            EventName::BeforeTool,
            json!({ "tool_input": { "command": "rm" } }),
            context.clone(),
            json!({ "tool_input": { "command": "rm" } }),
        ),
        (
            "BeforeModel: the keys that were named",
            EventName::BeforeModel,
            json!({ "llm_request": { "model": "big", "messages": [1] } }),
            specific(&json!({ "llm_request": { "model": "small" } })),
            json!({ "llm_request": { "model": "small", "messages": [1] } }),
        ),
        (
            "BeforeModel: there was no request",
            EventName::BeforeModel,
            json!({}),
            specific(&json!({ "llm_request": { "model": "small" } })),
            json!({ "llm_request": { "model": "small" } }),
        ),
        (
            "BeforeModel: the request was no object",
            EventName::BeforeModel,
            json!({ "llm_request": 1 }),
            specific(&json!({ "llm_request": { "model": "small" } })),
            json!({ "llm_request": { "model": "small" } }),
        ),
        (
            "BeforeAgent: context is appended to the prompt",
            EventName::BeforeAgent,
            json!({ "prompt": "do it" }),
            context.clone(),
            json!({ "prompt": "do it\n\nmore" }),
        ),
        (
            "BeforeAgent: an empty prompt",
            EventName::BeforeAgent,
            json!({ "prompt": "" }),
            context.clone(),
            json!({ "prompt": "more" }),
        ),
        (
            "BeforeAgent: no context",
            EventName::BeforeAgent,
            json!({ "prompt": "do it" }),
            specific(&json!({ "additionalContext": "" })),
            json!({ "prompt": "do it" }),
        ),
        (
            "AfterTool: nothing",
            EventName::AfterTool,
            json!({ "tool_response": 1 }),
            context.clone(),
            json!({ "tool_response": 1 }),
        ),
        (
            "AfterAgent: nothing",
            EventName::AfterAgent,
            json!({ "prompt": "do it" }),
            context,
            json!({ "prompt": "do it" }),
        ),
    ];
    for (name, event_name, payload, output, expected) in cases {
        let mut event = event(&event_name, &payload);
        apply_hook_output_to_input(&mut event, &HookOutput::from_json(&event_name, output).unwrap());
        assert_eq!(Value::Object(event.payload.clone()), expected, "{name}");
        let kind = expected.get("tool_input").map(|input| shell("sh", input));
        assert_eq!(event.tool.map(|tool| tool.kind), kind, "{name}: the call is read again");
    }
}
