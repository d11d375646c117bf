//! From a skill's tasks to the files of a task list.

use super::definition::Definition;
use super::error::FsmError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The metadata key that marks hydrated tasks.
pub(super) const TAG: &str = "fsm";

/// Which of the tasks that skills brought earlier make room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Those of every skill.
    #[default]
    All,
    /// Those of the same skill.
    Skill,
}

impl Scope {
    /// What `[fsm] scope` says.
    pub(super) fn read(settings: Option<&Value>) -> Result<Self, FsmError> {
        match settings.and_then(|settings| settings.get("scope")) {
            None => Ok(Self::default()),
            Some(word) => Self::deserialize(word)
                .map_err(|_| FsmError::Scope(word.as_str().map_or_else(|| word.to_string(), str::to_owned))),
        }
    }
}

/// What is to be in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hydration {
    /// The skill; its tasks are marked with it.
    pub command: String,
    pub scope: Scope,
    pub tasks: Vec<Definition>,
}

/// A file of a task list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TaskFile {
    pub name: String,
    pub content: Vec<u8>,
}

impl Hydration {
    /// Whether a task makes room. A tag of `null` is none.
    pub(super) fn replaces(&self, task: &Map<String, Value>) -> bool {
        let tag = task.get("metadata").and_then(|metadata| metadata.get(TAG)).filter(|tag| !tag.is_null());
        match self.scope {
            Scope::All => tag.is_some(),
            Scope::Skill => tag.and_then(Value::as_str) == Some(&self.command),
        }
    }

    /// The tasks' files, with every id raised by `base`.
    pub(super) fn files(&self, base: u64) -> Result<Vec<TaskFile>, FsmError> {
        self.tasks.iter().map(|task| self.file(task, base)).collect()
    }

    /// The greatest id that [`Hydration::files`] gives.
    pub(super) fn highest(&self, base: u64) -> u64 {
        base.saturating_add(self.tasks.iter().map(|task| task.id).max().unwrap_or(0))
    }

    fn file(&self, task: &Definition, base: u64) -> Result<TaskFile, FsmError> {
        let raise = |id: &u64| id.checked_add(base).map(|id| id.to_string()).ok_or(FsmError::TooManyIds);
        let raise_all = |ids: &[u64]| ids.iter().map(raise).collect::<Result<Vec<_>, _>>();
        let id = raise(&task.id)?;
        let mut metadata = task.metadata.clone();
        // The hook's own mark wins over one in the file (errata A13).
        metadata.insert(TAG.to_owned(), Value::from(self.command.as_str()));
        let content = json!({
            "id": id,
            "subject": task.subject,
            "description": task.description,
            "activeForm": task.active_form,
            "owner": "",
            "status": "pending",
            "blocks": raise_all(&task.blocks)?,
            "blockedBy": raise_all(&task.blocked_by)?,
            "metadata": metadata,
        });
        Ok(TaskFile { name: format!("{id}.json"), content: format!("{content:#}\n").into_bytes() })
    }
}
