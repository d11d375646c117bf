//! Whether work on a phase was begun, according to the agent's task list.

use super::words::{position_of_phase, words};
use crate::fsm::Folders;
use hookrail_core::{Event, HookError, World};
use serde_json::Value;

/// Whether a task of the session that is for this phase is in progress. Files that cannot be parsed say nothing.
pub(super) fn task_in_progress(phase: &str, event: &Event, world: &dyn World) -> Result<bool, HookError> {
    let Ok(folders) = Folders::find(world) else { return Ok(false) };
    if event.session_id.is_empty() {
        return Ok(false);
    }
    let list = folders.task_list(&event.session_id, world);
    for name in world.list(&list)?.unwrap_or_default().iter().filter(|name| name.ends_with(".json")) {
        let bytes = world.read(&list.join(name))?.unwrap_or_default();
        let task = serde_json::from_slice::<Value>(&bytes).unwrap_or_default();
        if task.get("status").and_then(Value::as_str) == Some("in_progress") && is_for(phase, &task) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_for(phase: &str, task: &Value) -> bool {
    let marked = task.get("metadata").and_then(|metadata| metadata.get("phase")?.as_str()) == Some(phase);
    let subject = task.get("subject").and_then(Value::as_str).unwrap_or_default();
    marked || position_of_phase(&words(subject), phase).is_some()
}
