use super::state::OrchestratorState;
use hookrail_core::{Event, HookError, World};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// What an implementer wrote about a task it completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// No task file, or nothing in it.
    None,
    /// There is metadata, but not in the form that was agreed upon.
    Malformed,
    Made(Metadata),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Metadata {
    pub commit: Option<String>,
    pub files_changed: Vec<String>,
    pub tests_passed: Option<bool>,
    pub design_doc: Option<String>,
}

impl Report {
    /// Agents do not send the metadata with the event (errata D10); it stands in the task's file.
    pub fn find(event: &Event, state: &OrchestratorState, world: &dyn World) -> Result<Self, HookError> {
        let Some(id) = event.text("task_id").filter(|id| !id.is_empty()) else { return Ok(Self::None) };
        for list in lists(event, state, world) {
            let Some(bytes) = world.read(&list.join(format!("{}.json", folder_name(id))))? else { continue };
            return Ok(match serde_json::from_slice::<Map<String, Value>>(&bytes) {
                Ok(task) => Self::read(task.get("metadata").unwrap_or(&Value::Null)),
                Err(_) => Self::Malformed,
            });
        }
        Ok(Self::None)
    }

    fn read(metadata: &Value) -> Self {
        match metadata {
            Value::Null => Self::None,
            Value::Object(fields) if !KEYS.iter().any(|key| fields.contains_key(*key)) => Self::None,
            Value::Object(fields) => Metadata::read(fields).map_or(Self::Malformed, Self::Made),
            _ => Self::Malformed,
        }
    }
}

const KEYS: [&str; 4] = ["commit", "files_changed", "tests_passed", "design_doc"];

impl Metadata {
    fn read(fields: &Map<String, Value>) -> Option<Self> {
        let value = |key: &str| fields.get(key).filter(|value| !value.is_null());
        let text = |key: &str| value(key).map_or(Some(None), |value| value.as_str().map(|text| Some(text.to_owned())));
        let commit = text("commit")?;
        // Anything else could have another meaning to git.
        if commit.as_ref().is_some_and(|id| !(4..=64).contains(&id.len()) || !id.bytes().all(|b| b.is_ascii_hexdigit()))
        {
            return None;
        }
        let files_changed = match value("files_changed") {
            None => Vec::new(),
            Some(list) => {
                list.as_array()?.iter().map(|file| file.as_str().map(str::to_owned)).collect::<Option<_>>()?
            }
        };
        let tests_passed = value("tests_passed").map_or(Some(None), |value| value.as_bool().map(Some))?;
        Some(Self { commit, files_changed, tests_passed, design_doc: text("design_doc")? })
    }
}

/// The folders in which the task may be: of the list the user chose, of the team, of the session.
fn lists(event: &Event, state: &OrchestratorState, world: &dyn World) -> Vec<PathBuf> {
    let folder = |name: &str| world.env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let config = folder("CLAUDE_CONFIG_DIR").or_else(|| folder("HOME").map(|home| home.join(".claude")));
    let Some(config) = config else { return Vec::new() };
    let chosen = world.env("CLAUDE_CODE_TASK_LIST_ID");
    [chosen.as_deref(), event.text("team_name"), Some(state.team.as_str()), Some(event.session_id.as_str())]
        .into_iter()
        .flatten()
        .filter(|id| !id.is_empty())
        .map(|id| config.join("tasks").join(folder_name(id)))
        .collect()
}

/// As Claude Code makes a name of an id, so that `../x` leads nowhere.
fn folder_name(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn metadata_is_read_as_agreed_or_is_malformed() {
        for (metadata, expected) in [
            (Value::Null, Report::None),
            (json!({}), Report::None),
            (json!({"fsm": "ship"}), Report::None),
            (json!("done"), Report::Malformed),
            (json!({"commit": 3}), Report::Malformed),
            (json!({"commit": "--output=x"}), Report::Malformed),
            (json!({"commit": "HEAD"}), Report::Malformed),
            (json!({"files_changed": "a.rs"}), Report::Malformed),
            (json!({"files_changed": [1]}), Report::Malformed),
            (json!({"tests_passed": "yes"}), Report::Malformed),
            (
                json!({"tests_passed": false}),
                Report::Made(Metadata { tests_passed: Some(false), ..Metadata::default() }),
            ),
            (
                json!({"commit": "abc1234", "files_changed": ["a.rs"], "tests_passed": true, "design_doc": "p.md"}),
                Report::Made(Metadata {
                    commit: Some("abc1234".to_owned()),
                    files_changed: vec!["a.rs".to_owned()],
                    tests_passed: Some(true),
                    design_doc: Some("p.md".to_owned()),
                }),
            ),
        ] {
            assert_eq!(Report::read(&metadata), expected, "{metadata}");
        }
    }
}
