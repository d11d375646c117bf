//! The state file as a tool call is about to leave it.

use super::feature::Feature;
use super::state::State;
use hookrail_core::{Event, HookError, ToolKind, World};
use serde_json::Value;

/// What the state will say once this call is through; `None` if that cannot be told beforehand.
pub(super) fn pending_state(feature: &Feature, event: &Event, world: &dyn World) -> Result<Option<State>, HookError> {
    let text = match event.tool.as_ref().map(|tool| &tool.kind) {
        Some(ToolKind::Write { content, .. }) => Some(content.clone()),
        Some(ToolKind::Edit { .. }) => edited(feature, event, world)?,
        _ => None,
    };
    Ok(text.and_then(|text| State::parse(text.as_bytes()).ok()))
}

/// The file with an edit, or a list of them, applied; `None` if one does not fit.
fn edited(feature: &Feature, event: &Event, world: &dyn World) -> Result<Option<String>, HookError> {
    let Some(input) = event.tool_input() else { return Ok(None) };
    let Some(bytes) = world.read(&feature.state_file())? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let edits = match input.get("edits") {
        Some(Value::Array(edits)) => edits.as_slice(),
        _ => std::slice::from_ref(input),
    };
    Ok(edits.iter().try_fold(text, |text, edit| apply(&text, edit)))
}

fn apply(text: &str, edit: &Value) -> Option<String> {
    let part = |name: &str| edit.get(name)?.as_str();
    let (old, new) = (part("old_string")?, part("new_string")?);
    (!old.is_empty() && text.contains(old)).then(|| text.replacen(old, new, 1))
}
