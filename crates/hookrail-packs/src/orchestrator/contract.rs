use super::stop_guard::FORCED_STOP;
use crate::contract::{PackContract, Reply};
use hookrail_core::{Event, EventName, Verdict};
use serde_json::{Map, Value, json};

/// The pack's own document: context in the words of Claude Code, on every event, and none after a compaction.
#[derive(Debug)]
pub struct OrchestratorContract;

impl PackContract for OrchestratorContract {
    fn spec_reply(&self, event: &Event, verdict: &Verdict) -> Reply {
        let Some(native) = native_name(&event.name) else { return Reply::Usual };
        let Some(output) = verdict.final_output() else { return Reply::Usual };
        // A refusal with context is the check list for the model (errata D8); the document has the context alone.
        let is_check_list = event.name == EventName::TaskCompleted && output.additional_context().is_some();
        let mut fields = Map::new();
        if !is_check_list {
            fields.extend(output.decision.to_wire().map(|word| ("decision".to_owned(), Value::from(word))));
            fields.extend(output.reason().map(|reason| ("reason".to_owned(), Value::from(reason))));
        }
        let refused = fields.contains_key("decision");
        // The document leaves the time after a compaction to PreCompact.
        let heard = event.name != EventName::SessionStart || matches!(event.text("source"), Some("clear" | "resume"));
        match output.additional_context() {
            Some(context) if heard && !refused => {
                let specific = json!({"hookEventName": native, "additionalContext": context});
                fields.insert("hookSpecificOutput".to_owned(), specific);
            }
            // For agents that have no place for context the same text is there as a message; one of them is enough.
            Some(_) => {}
            None => {
                fields.extend(output.system_message().map(|text| ("systemMessage".to_owned(), message(event, text))));
            }
        }
        Reply::Output(if fields.is_empty() { String::new() } else { Value::Object(fields).to_string() })
    }
}

/// The document says the consequences of a forced stop in a sentence of their own.
fn message(event: &Event, text: &str) -> Value {
    const CONSEQUENCES: &str = "Stopping with incomplete tasks. Running implementer subagents will continue until they finish \
                                or timeout, but the lead is no longer present to coordinate.";
    let forced = event.name == EventName::AfterAgent && text.starts_with(FORCED_STOP);
    Value::from(if forced { format!("{text} {CONSEQUENCES}") } else { text.to_owned() })
}

fn native_name(event: &EventName) -> Option<&'static str> {
    match event {
        EventName::TaskCompleted => Some("TaskCompleted"),
        EventName::AfterAgent => Some("Stop"),
        EventName::SessionStart => Some("SessionStart"),
        EventName::PreCompress => Some("PreCompact"),
        _ => None,
    }
}
