//! How a call ended, as its agent tells.

use super::status::{Decides, decides};
use crate::call::{Call, Hit};
use crate::rule::CallOutcome;
use crate::set::{FNV_START, fnv};
use hookrail_core::{Event, EventName, ToolKind};
use serde_json::Value;

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    status: CallOutcome,
}

impl Ended {
    /// Reads the end of a call from its event. `tells_failures`: the agent has an event of its own for calls that failed, so
    /// that every other end is a success.
    #[must_use]
    pub fn of(event: &Event, tells_failures: bool) -> Self {
        let in_background =
            event.tool_input().and_then(|input| input.get("run_in_background")) == Some(&Value::Bool(true));
        let status = if event.name == EventName::ToolFailed {
            CallOutcome::Failed
        } else if in_background {
            CallOutcome::Unknown
        } else {
            told(event).unwrap_or_else(|| silent(event, tells_failures))
        };
        Self { status }
    }

    /// How what a condition matched ended. In a shell the status of the call may be another command's.
    pub(super) fn outcome_of(&self, hit: Hit, call: &Call<'_>) -> CallOutcome {
        let Some(ToolKind::Shell { command, .. }) = call.event.tool.as_ref().map(|tool| &tool.kind) else {
            return self.status;
        };
        let Hit::Effect(index) = hit else { return CallOutcome::Unknown };
        let Some(effect) = call.effects.list.get(index) else { return CallOutcome::Unknown };
        match (decides(command, effect), self.status) {
            (Decides { zero_is_ok: true, .. }, CallOutcome::Ok) => CallOutcome::Ok,
            (Decides { zero_is_failure: true, .. }, CallOutcome::Ok) => CallOutcome::Failed,
            (Decides { other_is_failure: true, .. }, CallOutcome::Failed) => CallOutcome::Failed,
            (Decides { other_is_ok: true, .. }, CallOutcome::Failed) => CallOutcome::Ok,
            _ => CallOutcome::Unknown,
        }
    }
}

/// What a response without a word about its status means.
fn silent(event: &Event, tells_failures: bool) -> CallOutcome {
    let is_shell = matches!(event.tool.as_ref().map(|tool| &tool.kind), Some(ToolKind::Shell { .. }));
    if tells_failures || !is_shell { CallOutcome::Ok } else { CallOutcome::Unknown }
}

/// The fields in which agents give the status of a command.
const STATUS_FIELDS: &[&str] = &["exit_code", "exitCode", "returncode", "return_code", "exit_status"];
/// The texts in which they do, the number behind them.
const STATUS_TEXTS: &[&str] =
    &["Exit Code: ", "exit code ", "exited with code ", "Exit code: ", "Process exited with code "];

fn told(event: &Event) -> Option<CallOutcome> {
    let response = event.payload.get("tool_response").or_else(|| event.payload.get("tool_output"));
    if let Some(Value::String(status)) = event.payload.get("tool_status") {
        return Some(if status == "success" { CallOutcome::Ok } else { CallOutcome::Failed });
    }
    match response? {
        Value::Object(fields) => {
            if fields.get("interrupted") == Some(&Value::Bool(true)) {
                return Some(CallOutcome::Unknown);
            }
            let nested = fields.get("metadata").and_then(Value::as_object);
            let places = std::iter::once(fields).chain(nested);
            let status = places
                .into_iter()
                .find_map(|fields| STATUS_FIELDS.iter().find_map(|field| fields.get(*field).and_then(Value::as_i64)));
            if let Some(status) = status {
                return Some(of_status(status));
            }
            let flags = [("is_error", true), ("isError", true), ("success", false)];
            if flags.iter().any(|(field, failed)| fields.get(*field) == Some(&Value::Bool(*failed))) {
                return Some(CallOutcome::Failed);
            }
            let texts = ["llmContent", "text_result_for_llm", "output", "content"];
            let text = texts.iter().find_map(|field| fields.get(*field).and_then(Value::as_str))?;
            status_in(text).map(of_status).or_else(|| gemini(text))
        }
        Value::String(text) => status_in(text).map(of_status),
        _ => None,
    }
}

/// Gemini CLI gives a status, an error or a signal only where a command did not succeed.
fn gemini(text: &str) -> Option<CallOutcome> {
    let trouble = |line: &str| line.starts_with("Error: ") || line.starts_with("Signal: ");
    let is_report = text.contains("Process Group PGID: ") && text.lines().any(|line| line.starts_with("Output: "));
    (is_report && !text.lines().any(trouble)).then_some(CallOutcome::Ok)
}

/// The last status that a text speaks of: what a command printed comes before what the agent adds.
fn status_in(text: &str) -> Option<i64> {
    let found = STATUS_TEXTS.iter().filter_map(|words| text.rfind(words).map(|at| at + words.len()));
    let rest = text.get(found.max()?..)?;
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    digits.parse().ok()
}

fn of_status(status: i64) -> CallOutcome {
    if status == 0 { CallOutcome::Ok } else { CallOutcome::Failed }
}

/// What tells a call from every other: the agent's id of it, else the tool and its input.
#[must_use]
pub fn call_id(event: &Event) -> String {
    let named = ["tool_use_id", "tool_call_id"].iter().find_map(|field| event.text(field));
    if let Some(id) = named.filter(|id| !id.is_empty()) {
        return id.to_owned();
    }
    let tool = event.tool.as_ref().map_or("", |tool| tool.name.as_str());
    let input = event.tool_input().map(Value::to_string).unwrap_or_default();
    format!("{:016x}", fnv(fnv(FNV_START, tool.as_bytes()), input.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_status_of_a_command_is_found_where_agents_put_it() {
        use CallOutcome::{Failed, Ok, Unknown};
        let cases = [
            (json!({"exit_code": 0}), Some(Ok)),
            (json!({"metadata": {"exit_code": 2}}), Some(Failed)),
            (json!({"stdout": "", "interrupted": false}), None),
            (json!({"stdout": "", "interrupted": true}), Some(Unknown)),
            (json!({"is_error": true}), Some(Failed)),
            (json!("Command completed successfully\n\n[Process exited with code 0]"), Some(Ok)),
            (json!("exit code 0\n[Process exited with code 1]"), Some(Failed)),
            (json!({"llmContent": "Output: Exit Code: 0\nExit Code: 3\nProcess Group PGID: 1"}), Some(Failed)),
            (json!({"llmContent": "Output: (empty)\nProcess Group PGID: 5"}), Some(Ok)),
            (json!({"text_result_for_llm": "\n<shellId: 0 completed with exit code 0>"}), Some(Ok)),
            (json!("no word about it"), None),
        ];
        for (response, expected) in cases {
            let payload = json!({ "tool_response": response }).as_object().unwrap().clone();
            let event = Event {
                name: EventName::AfterTool,
                native_name: String::new(),
                session_id: String::new(),
                cwd: "/p".into(),
                timestamp: String::new(),
                transcript_path: String::new(),
                tool: None,
                payload,
            };
            assert_eq!(told(&event), expected, "{response}");
        }
    }
}
