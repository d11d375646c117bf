use crate::results::stop;
use crate::tool_result::ToolResult;
use crate::triggers::{fire_after_tool_hook, fire_before_tool_hook};
use hookrail_core::DefaultHookOutput;
use hookrail_engine::Config;
use serde_json::{Map, Value};

/// A tool call from the first hook to the last.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolExecution {
    pub result: ToolResult,
    /// The arguments the tool ran with, or would have.
    pub input: Map<String, Value>,
    /// A hook refused the call: the tool never ran.
    pub blocked: bool,
    /// The agent's loop must end, for this reason.
    pub stop: Option<String>,
}

/// Runs a tool as its hooks want it: refused, with other arguments, with something to add to its result.
#[must_use]
pub fn execute_tool_with_hooks(
    config: &Config,
    tool_name: &str,
    tool_input: &Map<String, Value>,
    execute_fn: impl FnOnce(&Map<String, Value>) -> ToolResult,
) -> ToolResult {
    run_tool_with_hooks(config, tool_name, tool_input, execute_fn).result
}

/// [`execute_tool_with_hooks`], telling also what the agent's loop has to know.
#[must_use]
pub fn run_tool_with_hooks(
    config: &Config,
    tool_name: &str,
    tool_input: &Map<String, Value>,
    execute_fn: impl FnOnce(&Map<String, Value>) -> ToolResult,
) -> ToolExecution {
    let before = fire_before_tool_hook(config, tool_name, tool_input);
    if let Some(refusal) = before.as_ref().and_then(|before| refusal(before, tool_input)) {
        return refusal;
    }
    let input = before.as_ref().map_or_else(|| tool_input.clone(), |before| before.apply_tool_input(tool_input));
    let mut result = execute_fn(&input);
    if let Some(before) = &before {
        result.apply_system_message(before);
    }
    let after = fire_after_tool_hook(config, tool_name, &input, &result.to_hook_response());
    if let Some(after) = &after {
        result.apply_after_tool(after);
    }
    ToolExecution { result, input, blocked: false, stop: after.as_ref().and_then(stop) }
}

/// A hook that blocks refuses the call; one that stops the agent does too, because nothing may happen after a stop.
fn refusal(before: &DefaultHookOutput, tool_input: &Map<String, Value>) -> Option<ToolExecution> {
    if !before.is_blocking_decision() && !before.should_stop_execution() {
        return None;
    }
    let mut result = ToolResult::blocked(before.get_effective_reason());
    result.apply_system_message(before);
    Some(ToolExecution { result, input: tool_input.clone(), blocked: true, stop: stop(before) })
}
