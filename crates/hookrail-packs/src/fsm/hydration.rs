//! From a skill's tasks to the files of a task list.

use super::definition::Definition;
use super::error::FsmError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

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

/// What a task's file looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileForm {
    /// As Claude Code writes it: without `owner` and `activeForm` where they would be empty.
    #[default]
    Agent,
    /// As the pack's document has it: with them (SCN-THS-4.7, errata A21).
    Document,
}

/// What is to be in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hydration {
    /// The skill; its tasks are marked with it.
    pub command: String,
    pub scope: Scope,
    /// An intent that an earlier version left does not say it.
    #[serde(default)]
    pub form: FileForm,
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

    /// The tasks' files, with every id raised by `base`. A dependency stands on both sides, whichever the file names it on, as
    /// Claude Code writes it.
    pub(super) fn files(&self, base: u64) -> Result<Vec<TaskFile>, FsmError> {
        let (mut blocks, mut blocked_by) = (Edges::new(), Edges::new());
        for task in &self.tasks {
            for then in &task.blocks {
                connect(&mut blocked_by, *then, task.id);
            }
            for first in &task.blocked_by {
                connect(&mut blocks, *first, task.id);
            }
        }
        let none = Vec::new();
        let all = |own: &[u64], edges: &Edges, id: u64| union(own, edges.get(&id).unwrap_or(&none));
        let complete = |task: &Definition| {
            let blocks = all(&task.blocks, &blocks, task.id);
            let blocked_by = all(&task.blocked_by, &blocked_by, task.id);
            self.file(task, &blocks, &blocked_by, base)
        };
        self.tasks.iter().map(complete).collect()
    }

    /// The greatest id that [`Hydration::files`] gives.
    pub(super) fn highest(&self, base: u64) -> u64 {
        base.saturating_add(self.tasks.iter().map(|task| task.id).max().unwrap_or(0))
    }

    fn file(&self, task: &Definition, blocks: &[u64], blocked_by: &[u64], base: u64) -> Result<TaskFile, FsmError> {
        let raise = |id: &u64| id.checked_add(base).map(|id| id.to_string()).ok_or(FsmError::TooManyIds);
        let raise_all = |ids: &[u64]| ids.iter().map(raise).collect::<Result<Vec<_>, _>>();
        let id = raise(&task.id)?;
        let mut metadata = task.metadata.clone();
        // The hook's own mark wins over one in the file (errata A13).
        metadata.insert(TAG.to_owned(), Value::from(self.command.as_str()));
        let present = |text: &str| (self.form == FileForm::Document || !text.is_empty()).then(|| Value::from(text));
        let fields = [
            ("id", Some(Value::from(id.as_str()))),
            ("subject", Some(Value::from(task.subject.as_str()))),
            // Claude Code drops a task that has none.
            ("description", Some(Value::from(task.description.as_str()))),
            ("activeForm", present(&task.active_form)),
            ("owner", present("")),
            ("status", Some(Value::from("pending"))),
            ("blocks", Some(Value::from(raise_all(blocks)?))),
            ("blockedBy", Some(Value::from(raise_all(blocked_by)?))),
            ("metadata", Some(Value::Object(metadata))),
        ];
        let content = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        let content = Value::Object(content.collect());
        Ok(TaskFile { name: format!("{id}.json"), content: format!("{content:#}\n").into_bytes() })
    }
}

/// The other ends of dependencies, by task.
type Edges = HashMap<u64, Vec<u64>>;

fn connect(edges: &mut Edges, from: u64, to: u64) {
    edges.entry(from).or_default().push(to);
}

/// What the file says first, in its order, and then what follows from other tasks; each once.
fn union(own: &[u64], others: &[u64]) -> Vec<u64> {
    let mut seen = HashSet::new();
    own.iter().chain(others).copied().filter(|id| seen.insert(*id)).collect()
}
