//! What an `fsm.json` says.

use hookrail_core::display::kind_of_json;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The keys an entry may have.
pub(super) const KEYS: [&str; 7] = ["id", "subject", "description", "activeForm", "blocks", "blockedBy", "metadata"];

/// One task, with ids that count within its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    pub id: u64,
    pub subject: String,
    pub description: String,
    pub active_form: String,
    /// Tasks that wait for this one.
    pub blocks: Vec<u64>,
    /// Tasks this one waits for.
    pub blocked_by: Vec<u64>,
    pub metadata: Map<String, Value>,
}

/// A whole `fsm.json` without mistakes: ids are unique, dependencies lead to tasks of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct FsmFile {
    pub tasks: Vec<Definition>,
    /// What is allowed and probably not meant, such as a key that is not read.
    pub warnings: Vec<String>,
}

/// What is wrong with an `fsm.json`, as the end of a sentence that begins with its path.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    #[error("is not valid JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error("is not a list of tasks but {0}")]
    NotAList(&'static str),
    #[error("has {}:\n{}", count(.0.len()), .0.iter().map(|mistake| format!("- {mistake}")).collect::<Vec<_>>().join("\n"))]
    Mistakes(Vec<String>),
}

fn count(mistakes: usize) -> String {
    if mistakes == 1 { "an error".to_owned() } else { format!("{mistakes} errors") }
}

impl FsmFile {
    /// Reads the file and finds everything that is wrong with it.
    pub fn read(content: &[u8]) -> Result<Self, DefinitionError> {
        let root: Value = serde_json::from_slice(content)?;
        let Value::Array(entries) = &root else { return Err(DefinitionError::NotAList(kind_of_json(&root))) };
        let mut reader = DefinitionReader {
            ids: entries.iter().filter_map(|entry| number(entry.get("id")?)).collect(),
            ..DefinitionReader::default()
        };
        let mut seen = HashSet::new();
        let mut tasks = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            reader.entry = format!("entry {}", index + 1);
            let task = reader.task(entry);
            if let Some(id) = task.as_ref().map(|task| task.id).or_else(|| number(entry.get("id")?))
                && !seen.insert(id)
            {
                reader.complain(&format!("duplicate id {id}"));
            }
            tasks.extend(task);
        }
        if reader.mistakes.is_empty() {
            Ok(Self { tasks, warnings: reader.warnings })
        } else {
            Err(DefinitionError::Mistakes(reader.mistakes))
        }
    }
}

#[derive(Default)]
struct DefinitionReader {
    /// Every id of the file.
    ids: HashSet<u64>,
    /// The entry at hand, as it is called in complaints.
    entry: String,
    mistakes: Vec<String>,
    warnings: Vec<String>,
}

impl DefinitionReader {
    fn complain(&mut self, what: &str) {
        self.mistakes.push(format!("{}: {what}", self.entry));
    }

    /// `None` after a complaint.
    fn task(&mut self, entry: &Value) -> Option<Definition> {
        let Value::Object(fields) = entry else {
            self.complain(&format!("a task is an object, not {}", kind_of_json(entry)));
            return None;
        };
        for key in fields.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            self.warnings.push(format!("{}: `{key}` is not a known key and is ignored", self.entry));
        }
        let id = self.id(fields);
        let subject = self.text(fields, "subject");
        if present(fields, "subject").is_none() {
            self.complain("missing `subject`");
        }
        if subject.as_deref() == Some("") && present(fields, "subject").is_some() {
            self.warnings.push(format!("{}: `subject` is empty", self.entry));
        }
        let description = self.text(fields, "description");
        let active_form = self.text(fields, "activeForm");
        let blocks = self.references(fields, "blocks");
        let blocked_by = self.references(fields, "blockedBy");
        let metadata = self.metadata(fields);
        Some(Definition {
            id: id?,
            subject: subject?,
            description: description?,
            active_form: active_form?,
            blocks,
            blocked_by,
            metadata: metadata?,
        })
    }

    fn id(&mut self, fields: &Map<String, Value>) -> Option<u64> {
        let Some(value) = present(fields, "id") else {
            self.complain("missing `id`");
            return None;
        };
        let id = number(value);
        if id.is_none() {
            self.complain(&format!("`id` is an integer from 1, not `{value}`"));
        }
        id
    }

    /// Empty if it is absent.
    fn text(&mut self, fields: &Map<String, Value>, key: &str) -> Option<String> {
        match present(fields, key) {
            None => Some(String::new()),
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => {
                self.complain(&format!("`{key}` is a text, not {}", kind_of_json(other)));
                None
            }
        }
    }

    fn references(&mut self, fields: &Map<String, Value>, key: &str) -> Vec<u64> {
        let items = match present(fields, key) {
            None => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.complain(&format!("`{key}` is a list of ids, not {}", kind_of_json(other)));
                return Vec::new();
            }
        };
        let mut references = Vec::with_capacity(items.len());
        for item in items {
            match number(item) {
                None => self.complain(&format!("`{key}` lists integers from 1, not `{item}`")),
                Some(id) if !self.ids.contains(&id) => {
                    self.complain(&format!("`{key}` refers to {id}, and no task has that id"));
                }
                Some(id) => references.push(id),
            }
        }
        references
    }

    fn metadata(&mut self, fields: &Map<String, Value>) -> Option<Map<String, Value>> {
        match present(fields, "metadata") {
            None => Some(Map::new()),
            Some(Value::Object(metadata)) => Some(metadata.clone()),
            Some(other) => {
                self.complain(&format!("`metadata` is an object, not {}", kind_of_json(other)));
                None
            }
        }
    }
}

/// `null` is absence (errata A12).
fn present<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    fields.get(key).filter(|value| !value.is_null())
}

/// An integer from 1; neither `true` nor `1.0` is one (errata A11).
fn number(value: &Value) -> Option<u64> {
    value.as_u64().filter(|number| *number >= 1)
}
