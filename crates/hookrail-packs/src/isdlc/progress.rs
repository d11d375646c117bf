//! Whether work on a phase was begun, according to the agent's task list.

use super::words::{position_of_phase, words};
use crate::fsm::Folders;
use hookrail_core::{Event, HookError, World};
use serde_json::Value;

/// What the session's tasks say about a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// A task that is for it is in progress.
    Begun,
    /// A task is in progress, but nothing says that it is for this phase.
    Unnamed { id: String, subject: String },
    /// No task is in progress.
    None,
}

/// Looks at the tasks of the session. Files that cannot be parsed say nothing.
pub(super) fn progress(phase: &str, event: &Event, world: &dyn World) -> Result<Progress, HookError> {
    let Ok(folders) = Folders::find(world) else { return Ok(Progress::None) };
    if event.session_id.is_empty() {
        return Ok(Progress::None);
    }
    let list = folders.task_list(&event.session_id, world);
    let mut found = Progress::None;
    for name in world.list(&list)?.unwrap_or_default().iter().filter(|name| name.ends_with(".json")) {
        let bytes = world.read(&list.join(name))?.unwrap_or_default();
        let task = serde_json::from_slice::<Value>(&bytes).unwrap_or_default();
        if task.get("status").and_then(Value::as_str) != Some("in_progress") {
            continue;
        }
        if is_for(phase, &task) {
            return Ok(Progress::Begun);
        }
        let id = name.trim_end_matches(".json").to_owned();
        found = Progress::Unnamed { id, subject: subject(&task).to_owned() };
    }
    Ok(found)
}

fn is_for(phase: &str, task: &Value) -> bool {
    let marked = task.get("metadata").and_then(|metadata| metadata.get("phase")?.as_str()) == Some(phase);
    marked || position_of_phase(&words(subject(task)), phase).is_some()
}

fn subject(task: &Value) -> &str {
    task.get("subject").and_then(Value::as_str).unwrap_or_default()
}
