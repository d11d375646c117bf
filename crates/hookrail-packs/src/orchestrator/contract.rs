use super::stop_guard::FORCED_STOP;
use crate::contract::{ModelHook, PackContract, Reply};
use hookrail_core::{Event, EventName, Verdict};
use serde_json::{Map, Value, json};

/// The pack's own document: context in the words of Claude Code, on every event, and none after a compaction.
#[derive(Debug)]
pub struct OrchestratorContract;

/// Who verifies a completed task: a model with tools, or one that reads the event alone.
const VERIFIERS: &[ModelHook] = &[
    ModelHook {
        hook: "orchestrator/task-completed",
        event: "TaskCompleted",
        kind: "agent",
        prompt: "A task was marked as completed: $ARGUMENTS. If neither .claude/orchestrator-state.json nor \
                 .project-orchestrator/state.json exists, answer ok. Otherwise read the plan that it names, find this task there, \
                 and check: 1) the files it mentions exist and contain the expected changes, 2) a commit was created since \
                 `started`, 3) what the plan asks of the task is done. Answer ok only if all of it is so, else say what is missing.",
        timeout_seconds: 120,
    },
    ModelHook {
        hook: "orchestrator/task-completed",
        event: "TaskCompleted",
        kind: "prompt",
        prompt: "A task was marked as completed: $ARGUMENTS. Check that its report names a commit, the files that were changed, \
                 and the results of tests. Answer ok if it does, else say what is missing.",
        timeout_seconds: 30,
    },
];

impl PackContract for OrchestratorContract {
    /// Missing dependencies are a silent no-op.
    fn is_silent_without_program(&self) -> bool {
        true
    }

    fn model_hooks(&self) -> &'static [ModelHook] {
        VERIFIERS
    }

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
