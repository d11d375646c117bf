//! Tool and agent events: nothing a hook said is lost.

use super::{join_texts, overlay_objects, overlay_specifics, set_specifics};
use crate::{EventName, HookOutput};
use serde_json::Value;

pub(super) fn merge(event: &EventName, outputs: &[&HookOutput]) -> HookOutput {
    let mut merged = HookOutput::default();
    merged.set_text("reason", &join_texts(outputs.iter().map(|output| output.reason_on(event))));
    merged.set_text("systemMessage", &join_texts(outputs.iter().map(|output| output.system_message())));
    if outputs.iter().any(|output| output.suppress_output() == Some(true)) {
        merged.set("suppressOutput", true);
    }

    let mut specifics = overlay_specifics(outputs);
    let context = join_texts(outputs.iter().map(|output| output.additional_context()));
    specifics.shift_remove("additionalContext");
    if !context.is_empty() {
        specifics.insert("additionalContext".to_owned(), Value::String(context));
    }
    specifics.shift_remove("tool_input");
    if let Some(tool_input) = overlay_objects(outputs, "tool_input") {
        specifics.insert("tool_input".to_owned(), Value::Object(tool_input));
    }
    if outputs.iter().any(|output| clears_context(output)) {
        specifics.insert("clearContext".to_owned(), Value::Bool(true));
    }
    set_specifics(&mut merged, specifics);
    merged
}

fn clears_context(output: &HookOutput) -> bool {
    output.specific().and_then(|specific| specific.get("clearContext")) == Some(&Value::Bool(true))
}
