//! A file as a tool call is about to leave it.

use super::feature::Feature;
use super::state::PlanningState;
use hookrail_core::{Event, HookError, ToolKind, World};
use serde_json::Value;
use std::path::Path;

/// What the state will say once this call is through; `None` if that cannot be told beforehand.
pub(super) fn pending_state(
    feature: &Feature,
    event: &Event,
    world: &dyn World,
) -> Result<Option<PlanningState>, HookError> {
    let text = pending_text(&feature.state_file(), event, world)?;
    Ok(text.and_then(|text| PlanningState::parse(text.as_bytes()).ok()))
}

/// What a file that this call writes will hold; `None` if that cannot be told beforehand.
pub(super) fn pending_text(path: &Path, event: &Event, world: &dyn World) -> Result<Option<String>, HookError> {
    match event.tool.as_ref().map(|tool| &tool.kind) {
        Some(ToolKind::Write { content, .. }) => Ok(Some(content.clone())),
        Some(ToolKind::Edit { .. }) => edited(path, event, world),
        _ => Ok(None),
    }
}

/// The file with an edit, or a list of them, applied; `None` if one does not fit.
fn edited(path: &Path, event: &Event, world: &dyn World) -> Result<Option<String>, HookError> {
    let Some(input) = event.tool_input() else { return Ok(None) };
    let Some(bytes) = world.read(path)? else { return Ok(None) };
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
