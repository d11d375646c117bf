//! What one hook of a sequential plan changes for the next.

use crate::{Event, EventName, HookOutput, InputRewrite, Rewrite};
use serde_json::{Map, Value};

/// Applies a successful hook's output to the event the next hook sees: BeforeTool and BeforeModel merge the top-level keys
/// of what the hook rewrote (HOOK-216), BeforeAgent appends context to the prompt. No other event has anything that a
/// hook could change for its successors (HOOK-211).
pub fn apply_hook_output_to_input(event: &mut Event, output: &HookOutput) {
    match (&event.name, &output.rewrite) {
        (EventName::BeforeTool, Rewrite::ToolCall { input: Some(input) }) => replace_tool_input(event, input),
        (EventName::BeforeModel, Rewrite::ModelRequest { request: Some(request), .. }) => {
            overlay_request(event, request);
        }
        (EventName::BeforeAgent, _) => append_to_prompt(event, output.additional_context()),
        _ => {}
    }
}

fn replace_tool_input(event: &mut Event, input: &InputRewrite) {
    let original = event.tool_input().and_then(Value::as_object).cloned().unwrap_or_default();
    let changed = Value::Object(input.apply(&original));
    event.tool = event.tool.as_ref().map(|tool| tool.with_input(&changed));
    event.payload.insert("tool_input".to_owned(), changed);
}

fn overlay_request(event: &mut Event, changes: &Map<String, Value>) {
    let target = event.payload.entry("llm_request").or_insert_with(|| Value::Object(Map::new()));
    match target.as_object_mut() {
        Some(fields) => fields.extend(changes.iter().map(|(key, value)| (key.clone(), value.clone()))),
        None => *target = Value::Object(changes.clone()),
    }
}

fn append_to_prompt(event: &mut Event, context: Option<&str>) {
    let Some(context) = context.filter(|context| !context.is_empty()) else { return };
    let prompt = match event.text("prompt") {
        Some(prompt) if !prompt.is_empty() => format!("{prompt}\n\n{context}"),
        _ => context.to_owned(),
    };
    event.payload.insert("prompt".to_owned(), Value::String(prompt));
}
