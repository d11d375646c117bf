use super::error::FsmError;
use super::hydration::Hydration;
use hookrail_core::World;
use serde_json::{Map, Value};
use std::path::Path;

/// Beside the tasks: the greatest id ever given, for lists that were reset.
pub(super) const MARK: &str = ".highwatermark";

/// A task list as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TaskList {
    /// Files of tasks that make room.
    pub outgoing: Vec<String>,
    /// The greatest id of the tasks that stay.
    pub highest: u64,
    /// What the mark says, if there is one.
    pub mark: Option<u64>,
}

impl TaskList {
    pub fn read(folder: &Path, hydration: &Hydration, world: &dyn World) -> Result<Self, FsmError> {
        let mut list = Self { mark: read_mark(folder, world)?, ..Self::default() };
        let names = world.list(folder)?.unwrap_or_default();
        for name in names.into_iter().filter(|name| name.ends_with(".json") && !name.starts_with('.')) {
            let path = folder.join(&name);
            let unusable = |why: String| FsmError::Task { path: path.clone(), why };
            // Deleted since it was listed.
            let Some(bytes) = world.read(&path)? else { continue };
            let task: Map<String, Value> =
                serde_json::from_slice(&bytes).map_err(|error| unusable(format!("is not a JSON object: {error}")))?;
            if hydration.replaces(&task) {
                list.outgoing.push(name);
            } else {
                let id = id_of(&name, &task).map_err(|()| unusable("has an id that is too large".to_owned()))?;
                list.highest = list.highest.max(id);
            }
        }
        Ok(list)
    }
}

/// The greater of the ids that a file's name and its content say; 0 if neither says one.
fn id_of(name: &str, task: &Map<String, Value>) -> Result<u64, ()> {
    let within = match task.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => String::new(),
    };
    let mut highest = 0;
    for id in [name.trim_end_matches(".json"), &within] {
        if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) {
            highest = highest.max(id.parse().map_err(|_| ())?);
        }
    }
    Ok(highest)
}

fn read_mark(folder: &Path, world: &dyn World) -> Result<Option<u64>, FsmError> {
    let path = folder.join(MARK);
    let Some(bytes) = world.read(&path)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    match text.trim() {
        "" => Ok(Some(0)),
        number => {
            let why = || "is not a number".to_owned();
            number.parse().map(Some).map_err(|_| FsmError::Task { path: path.clone(), why: why() })
        }
    }
}
