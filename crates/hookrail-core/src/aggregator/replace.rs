//! Model events: a later hook's field takes the place of an earlier one's.

use super::{overlay_objects, overlay_specifics, prevailing_reason, set_specifics};
use crate::{EventName, HookOutput, Order};
use serde_json::Value;

pub(super) fn merge(event: &EventName, outputs: &[&HookOutput], order: Order) -> HookOutput {
    let mut merged = HookOutput::default();
    for (key, value) in outputs.iter().flat_map(|output| output.fields()) {
        if !value.is_null() && key != "hookSpecificOutput" {
            merged.set(key, value.clone());
        }
    }
    keep_last_valid(&mut merged, "systemMessage", outputs, |output| output.system_message().map(Value::from));
    keep_last_valid(&mut merged, "suppressOutput", outputs, |output| output.suppress_output().map(Value::from));
    merged.remove("reason");
    if let Some(reason) = prevailing_reason(event, outputs) {
        merged.set_text("reason", reason);
    }

    let mut specifics = overlay_specifics(outputs);
    // A sequential hook was shown its predecessor's changes and answers with its own only; together they are the request.
    if order == Order::Sequential
        && let Some(request) = overlay_objects(outputs, "llm_request")
    {
        specifics.insert("llm_request".to_owned(), Value::Object(request));
    }
    set_specifics(&mut merged, specifics);
    merged
}

/// A field of the wrong type says nothing, so it replaces nothing.
fn keep_last_valid(
    merged: &mut HookOutput,
    field: &str,
    outputs: &[&HookOutput],
    read: impl Fn(&HookOutput) -> Option<Value>,
) {
    merged.remove(field);
    if let Some(value) = outputs.iter().rev().find_map(|output| read(output)) {
        merged.set(field, value);
    }
}
