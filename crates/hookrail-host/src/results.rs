//! What trigger functions tell their callers about a model call.
//!
//! A stop is told apart from a block everywhere: the one ends the agent's loop, the other only this operation.

use hookrail_core::{DefaultHookOutput, Translator};
use serde_json::Value;

/// What hooks make of a request before it is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeforeModelHookResult {
    /// The request must not be sent; true for a stop as well (HOOK-184).
    pub blocked: bool,
    /// Why it is blocked; never empty then.
    pub reason: Option<String>,
    /// The answer to use instead of the model's, in the provider's shape. Only ever beside `blocked`.
    pub synthetic_response: Option<Value>,
    /// The request to send instead.
    pub modified_request: Option<Value>,
    /// The agent's loop must end, for this reason.
    pub stop: Option<String>,
    /// Text for the model.
    pub system_message: Option<String>,
    /// Keep the response from the user, not from the agent.
    pub suppress_output: bool,
}

/// What hooks make of a complete response.
#[derive(Clone, Debug, PartialEq)]
pub struct AfterModelHookResult {
    /// The response to go on with: the model's, or what hooks made of it.
    pub response: Value,
    /// The agent's loop must end, for this reason.
    pub stop: Option<String>,
    /// Text for the model.
    pub system_message: Option<String>,
    /// Keep the response from the user, not from the agent.
    pub suppress_output: bool,
    /// Why a hook objects. What happened cannot be blocked any more; the model is told (errata B6).
    pub objection: Option<String>,
}

/// What hooks make of the choice of tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeforeToolSelectionHookResult {
    /// The restriction, in the provider's words.
    pub tool_config: Option<Value>,
    /// Always `None`: tools are restricted by configuration, their definitions are never touched (errata B2).
    pub tools: Option<Value>,
    /// The agent's loop must end, for this reason.
    pub stop: Option<String>,
    /// Text for the model.
    pub system_message: Option<String>,
    /// Keep the response from the user, not from the agent.
    pub suppress_output: bool,
    /// Why a hook objects. A choice of tools cannot be blocked; the model is told (errata B6).
    pub objection: Option<String>,
}

impl BeforeModelHookResult {
    /// Reads what BeforeModel hooks said about `request`; `None` is what no hook said.
    #[must_use]
    pub fn new(output: Option<&DefaultHookOutput>, request: &Value, translator: &dyn Translator) -> Self {
        let Some(output) = output else { return Self::default() };
        let blocked = output.is_blocking_decision() || output.should_stop_execution();
        let changed = !blocked && output.modified_request().is_some();
        Self {
            blocked,
            reason: blocked.then(|| output.get_effective_reason().to_owned()),
            synthetic_response: if blocked { output.get_synthetic_response(translator) } else { None },
            modified_request: changed.then(|| output.apply_llm_request_modifications(request, translator)),
            stop: stop(output),
            system_message: system_message(output),
            suppress_output: suppresses(output),
        }
    }

    /// What takes the model's place when `blocked`: the hook's answer, or one without candidates (errata B14).
    #[must_use]
    pub fn blocked_response(&self, translator: &dyn Translator) -> Value {
        self.synthetic_response.clone().unwrap_or_else(|| translator.empty_response())
    }
}

impl AfterModelHookResult {
    /// Reads what AfterModel hooks said about `response`; `None` is what no hook said.
    #[must_use]
    pub fn new(output: Option<&DefaultHookOutput>, response: &Value, translator: &dyn Translator) -> Self {
        let modified = output.and_then(|output| output.get_modified_response(translator));
        Self {
            response: modified.unwrap_or_else(|| response.clone()),
            stop: output.and_then(stop),
            system_message: output.and_then(system_message),
            suppress_output: output.is_some_and(suppresses),
            objection: output.and_then(objection),
        }
    }
}

impl BeforeToolSelectionHookResult {
    /// Reads what BeforeToolSelection hooks said; `None` is what no hook said.
    #[must_use]
    pub fn new(output: Option<&DefaultHookOutput>, translator: &dyn Translator) -> Self {
        let Some(output) = output else { return Self::default() };
        let config = output.tool_config().map(|config| Value::Object(config.clone()));
        Self {
            tool_config: config.map(|config| translator.from_hook_tool_config(&config)),
            tools: None,
            stop: stop(output),
            system_message: system_message(output),
            suppress_output: suppresses(output),
            objection: objection(output),
        }
    }
}

/// Why the agent must stop, if it must.
pub(crate) fn stop(output: &DefaultHookOutput) -> Option<String> {
    output.should_stop_execution().then(|| output.get_effective_reason().to_owned())
}

pub(crate) fn system_message(output: &DefaultHookOutput) -> Option<String> {
    output.system_message().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn objection(output: &DefaultHookOutput) -> Option<String> {
    output.blocking_error().map(str::to_owned)
}

/// A hook's system message as the model reads it (HOOK-131).
pub(crate) fn annotation(message: &str) -> String {
    format!("\n\n[System] {message}")
}

pub(crate) fn suppresses(output: &DefaultHookOutput) -> bool {
    output.suppress == Some(true)
}
