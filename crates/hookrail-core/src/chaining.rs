//! What one hook of a sequential plan changes for the next.

use crate::{Event, EventName, HookOutput};
use serde_json::{Map, Value};

/// Applies a successful hook's output to the event the next hook sees: BeforeTool and BeforeModel merge the top-level keys
/// of what the hook rewrote (HOOK-216), BeforeAgent appends context to the prompt. No other event has anything that a
/// hook could change for its successors (HOOK-211).
pub fn apply_hook_output_to_input(event: &mut Event, output: &HookOutput) {
    match event.name {
        EventName::BeforeTool => overlay(event, "tool_input", output.specific_object("tool_input")),
        EventName::BeforeModel => overlay(event, "llm_request", output.specific_object("llm_request")),
        EventName::BeforeAgent => append_to_prompt(event, output.additional_context()),
        _ => {}
    }
}

fn overlay(event: &mut Event, field: &str, changes: Option<&Map<String, Value>>) {
    let Some(changes) = changes else { return };
    let target = event.payload.entry(field).or_insert_with(|| Value::Object(Map::new()));
    match target.as_object_mut() {
        Some(fields) => fields.extend(changes.iter().map(|(key, value)| (key.clone(), value.clone()))),
        None => *target = Value::Object(changes.clone()),
    }
    if field == "tool_input" {
        event.tool = event.tool.as_ref().map(|tool| tool.with_input(target));
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
