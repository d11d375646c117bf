use crate::results::stop;
use crate::tool_result::ToolResult;
use crate::triggers::ask;
use hookrail_core::{DefaultHookOutput, EventName, Verdict};
use hookrail_dialects::{MODEL_TEXT_LIMIT, cap, cap_output};
use hookrail_engine::{Config, HookEventHandler};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// How far a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEnding {
    /// The tool ran; whether it did what it should is in its result.
    Ran,
    /// A hook refused the call.
    Blocked,
    /// No hook objected, and the tool did not run nevertheless.
    NotRun,
}

/// Why a tool did not run, for the model: it does not exist, the arguments are wrong, the agent has stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);

impl From<String> for ToolError {
    fn from(why: String) -> Self {
        Self(why)
    }
}

/// A tool call from the first hook to the last.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolExecution<'a> {
    /// What the model is told, and what the user is shown.
    pub result: ToolResult,
    /// The arguments the tool ran with, or would have: the caller's, which are not copied, or what hooks made of them.
    pub input: Cow<'a, Map<String, Value>>,
    /// How far the call came.
    pub ending: ToolEnding,
    /// The agent's loop must end, for this reason.
    pub stop: Option<String>,
    /// What hooks that failed left to say. The model is told beside the result, which they must not change (HOOK-031).
    pub warnings: Vec<String>,
}

/// Runs a tool as its hooks want it: refused, with other arguments, with something to add to its result.
#[must_use]
pub fn execute_tool_with_hooks(
    config: &Config,
    tool_name: &str,
    tool_input: &Map<String, Value>,
    execute_fn: impl FnOnce(&Map<String, Value>) -> ToolResult,
) -> ToolResult {
    run_tool_with_hooks(config, tool_name, tool_input, |input| Ok(execute_fn(input))).result
}

/// [`execute_tool_with_hooks`], telling also what the agent's loop has to know. An `Err` of `execute_fn` says why the
/// tool did not run with the arguments hooks left it; no AfterTool hook is asked about a tool that did not run.
#[must_use]
pub fn run_tool_with_hooks<'a>(
    config: &Config,
    tool_name: &str,
    tool_input: &'a Map<String, Value>,
    execute_fn: impl FnOnce(&Map<String, Value>) -> Result<ToolResult, ToolError>,
) -> ToolExecution<'a> {
    let mut warnings = Vec::new();
    let before = ask(config, |handler| handler.fire_before_tool_event(tool_name, tool_input, None));
    let before = before.and_then(|verdict| set_warnings_aside(verdict, &mut warnings));
    if let Some(refusal) = before.as_ref().and_then(|before| refusal(before, tool_input)) {
        return ToolExecution { warnings, ..refusal };
    }
    let input = match &before {
        Some(before) => Cow::Owned(before.apply_tool_input(tool_input)),
        None => Cow::Borrowed(tool_input),
    };
    let (mut result, ending) = match execute_fn(&input) {
        Ok(result) => (result, ToolEnding::Ran),
        Err(why) => (ToolResult::failed(&why.0), ToolEnding::NotRun),
    };
    // Before anything is added to the result: hooks are shown what the tool said.
    let after = match ending {
        ToolEnding::Ran => ask(config, |handler| show_result(handler, tool_name, &input, &result)),
        ToolEnding::Blocked | ToolEnding::NotRun => None,
    };
    if let Some(before) = &before {
        result.apply_system_message(before);
    }
    let after = after.and_then(|verdict| set_warnings_aside(verdict, &mut warnings));
    if let Some(after) = &after {
        result.apply_after_tool(after);
    }
    ToolExecution { result, input, ending, stop: after.as_ref().and_then(stop), warnings }
}

/// Asks AfterTool hooks. What they are shown of the result is put together only if there are any (HOOK-011).
fn show_result(
    handler: &HookEventHandler,
    tool_name: &str,
    input: &Map<String, Value>,
    result: &ToolResult,
) -> Verdict {
    if !handler.engine().wants(&EventName::AfterTool, Some(tool_name)) {
        return Verdict::empty(EventName::AfterTool);
    }
    handler.fire_after_tool_event(tool_name, input, &result.to_hook_response())
}

/// A hook that blocks refuses the call; one that stops the agent does too, because nothing may happen after a stop.
fn refusal<'a>(before: &DefaultHookOutput, tool_input: &'a Map<String, Value>) -> Option<ToolExecution<'a>> {
    if !before.is_blocking_decision() && !before.should_stop_execution() {
        return None;
    }
    let mut result = ToolResult::blocked(before.get_effective_reason());
    result.apply_system_message(before);
    let ending = ToolEnding::Blocked;
    Some(ToolExecution { result, input: Cow::Borrowed(tool_input), ending, stop: stop(before), warnings: Vec::new() })
}

/// What the hooks said, without the words of those that failed: these are moved to `warnings`.
fn set_warnings_aside(mut verdict: Verdict, warnings: &mut Vec<String>) -> Option<DefaultHookOutput> {
    warnings.extend(verdict.take_remarks_of_failed());
    verdict.edit_texts(|output| cap_output(output, MODEL_TEXT_LIMIT, &mut |_| None));
    shorten(warnings);
    verdict.into_final_output()
}

/// Each warning is short enough for a model; many of them are one text that is.
fn shorten(warnings: &mut Vec<String>) {
    let characters: usize = warnings.iter().map(|warning| warning.chars().count()).sum();
    if characters > MODEL_TEXT_LIMIT {
        *warnings = vec![cap(&warnings.join("\n"), None).into_owned()];
    }
}
