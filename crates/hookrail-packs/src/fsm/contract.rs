use super::change;
use super::folders::Folders;
use super::request::CONTRACT;
use crate::contract::{PackContract, Reply};
use hookrail_core::{Decision, Event, EventName, HookError, HookOutput, Verdict, World};
use serde_json::{Map, Value};

/// The task hydration's own terms: input must be right, success says so, and an error is one for the exit code.
#[derive(Debug)]
pub struct FsmContract;

impl PackContract for FsmContract {
    /// No other agent has a task list of this kind.
    fn agents(&self) -> Option<&'static [&'static str]> {
        Some(&["claude"])
    }

    /// The document's input has neither the event nor the tool: it is always a skill that was invoked.
    fn complete(&self, payload: &mut Map<String, Value>, _: Option<&str>) {
        let absent = |payload: &Map<String, Value>, key: &str| payload.get(key).is_none_or(Value::is_null);
        if absent(payload, "hook_event_name") {
            payload.insert("hook_event_name".to_owned(), Value::from("PostToolUse"));
        }
        if absent(payload, "tool_name") && payload.get("hook_event_name") == Some(&Value::from("PostToolUse")) {
            payload.insert("tool_name".to_owned(), Value::from("Skill"));
        }
    }

    /// The document has fields in a task's file that Claude Code leaves out.
    fn note_spec(&self, payload: &mut Map<String, Value>) {
        payload.insert(CONTRACT.to_owned(), Value::from("spec"));
    }

    /// `{"continue": true}` is its own form, which an answer for several packs does not have.
    fn has_own_entry(&self) -> bool {
        true
    }

    fn refuses_unreadable_input(&self) -> bool {
        true
    }

    /// An error after a tool reaches model and user in the agent's own form. A typed command that fails is one that Claude Code
    /// does not carry out; it shows stderr to the user.
    fn reply(&self, event: &Event, verdict: &Verdict) -> Reply {
        match event.name {
            EventName::AfterTool if verdict.decision() > Decision::Allow => Reply::Usual,
            EventName::AfterTool | EventName::PromptExpand => documented_reply(verdict),
            _ => Reply::Usual,
        }
    }

    fn spec_reply(&self, event: &Event, verdict: &Verdict) -> Reply {
        match event.name {
            EventName::AfterTool | EventName::PromptExpand => documented_reply(verdict),
            _ => Reply::Usual,
        }
    }

    /// Costs one look at the task list's folder.
    fn recover(&self, event: &Event, world: &dyn World) -> Result<(), HookError> {
        let Ok(folders) = Folders::find(world) else { return Ok(()) };
        if event.session_id.is_empty() {
            return Ok(());
        }
        let list = folders.task_list(&event.session_id, world);
        change::recover(&list, world).map_err(|error| HookError(error.to_string()))
    }
}

/// `{"continue": true}`, or an error for the exit code.
fn documented_reply(verdict: &Verdict) -> Reply {
    let output = verdict.final_output();
    if verdict.decision() > Decision::Allow {
        let reason = output.and_then(|output| output.spoken_reason());
        return Reply::Error(reason.unwrap_or("the tasks of the skill were not added").to_owned());
    }
    Reply::Output(match output.and_then(HookOutput::system_message) {
        Some(message) => format!(r#"{{"continue": true, "systemMessage": {}}}"#, Value::from(message)),
        None => r#"{"continue": true}"#.to_owned(),
    })
}
