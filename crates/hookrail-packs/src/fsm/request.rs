use super::error::FsmError;
use super::hydration::FileForm;
use hookrail_core::{Event, EventName};
use serde_json::Value;

/// Under this key of the event stands whose form the files have.
pub(super) const CONTRACT: &str = "hookrail_contract";

/// What an event asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request<'a> {
    pub session_id: &'a str,
    /// As the agent names the skill, its plugin included; the tasks are marked with it.
    pub command: &'a str,
    pub form: FileForm,
}

impl<'a> Request<'a> {
    /// `None` if the skill did not succeed (errata A19). Everything that is missing is told at once.
    pub fn read(event: &'a Event) -> Result<Option<Self>, FsmError> {
        let (command, field) = match event.name {
            EventName::PromptExpand => (event.payload.get("command_name"), "command_name"),
            _ => {
                let response = event.payload.get("tool_response");
                if response.and_then(|response| response.get("success")) == Some(&Value::Bool(false)) {
                    return Ok(None);
                }
                (response.and_then(|response| response.get("commandName")), "tool_response.commandName")
            }
        };
        // Decoding took the text; what is left is of another type.
        let session = event.payload.get("session_id").or(Some(&Value::Null)).filter(|_| event.session_id.is_empty());
        let mut missing = Vec::new();
        if let Some(value) = session {
            missing.push(complain("session_id", Some(value)));
        }
        // A typed command may come with its slash.
        let text = command.and_then(Value::as_str).map(|name| name.strip_prefix('/').unwrap_or(name));
        let command = text.filter(|name| !name.is_empty()).unwrap_or_else(|| {
            missing.push(complain(field, command));
            ""
        });
        if missing.is_empty() {
            let is_spec = event.text(CONTRACT) == Some("spec");
            let form = if is_spec { FileForm::Document } else { FileForm::Agent };
            Ok(Some(Self { session_id: &event.session_id, command, form }))
        } else {
            Err(FsmError::Input(missing))
        }
    }
}

fn complain(field: &str, value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null | Value::String(_)) => format!("missing `{field}` in the event"),
        Some(_) => format!("`{field}` in the event is not a text"),
    }
}
