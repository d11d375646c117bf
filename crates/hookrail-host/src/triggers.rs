//! Asking the hooks, from anywhere in an agent.
//!
//! Every function here obtains the session's one hook system, initialises it on the first event, and answers "no hooks" to
//! everything that goes wrong on the way: an agent must not break because its hooks do.

use crate::results::{AfterModelHookResult, BeforeModelHookResult, BeforeToolSelectionHookResult};
use crate::translate::GenAiV1;
use hookrail_core::{DefaultHookOutput, EventName, Translator, Verdict};
use hookrail_engine::{Config, HookEventHandler, StopAnswer, TurnStart};
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Asks hooks about a tool call. `None`: no hook decided anything, run the tool.
#[must_use]
pub fn fire_before_tool_hook(
    config: &Config,
    tool_name: &str,
    tool_input: &Map<String, Value>,
) -> Option<DefaultHookOutput> {
    ask(config, |handler| handler.fire_before_tool_event(tool_name, tool_input, None))?.into_final_output()
}

/// Shows hooks a tool's result before the model sees it.
#[must_use]
pub fn fire_after_tool_hook(
    config: &Config,
    tool_name: &str,
    tool_input: &Map<String, Value>,
    tool_response: &Value,
) -> Option<DefaultHookOutput> {
    ask(config, |handler| handler.fire_after_tool_event(tool_name, tool_input, tool_response))?.into_final_output()
}

/// Asks hooks about a complete Gemini request; see [`before_model`] for other providers.
#[must_use]
pub fn fire_before_model_hook(config: &Config, llm_request: &Value) -> BeforeModelHookResult {
    before_model(config, llm_request, &GenAiV1)
}

/// Shows hooks a complete Gemini response; see [`after_model`] for other providers.
#[must_use]
pub fn fire_after_model_hook<'a>(
    config: &Config,
    llm_request: &Value,
    llm_response: &'a Value,
) -> AfterModelHookResult<'a> {
    after_model(config, llm_request, llm_response, &GenAiV1)
}

/// Asks hooks which tools a Gemini request may offer; see [`before_tool_selection`] for other providers.
#[must_use]
pub fn fire_before_tool_selection_hook(config: &Config, llm_request: &Value) -> BeforeToolSelectionHookResult {
    before_tool_selection(config, llm_request, &GenAiV1)
}

/// Asks hooks about a prompt, for an agent that waits for what they say. Without hooks the turn begins.
pub fn before_agent(config: &Config, prompt: &str) -> TurnStart {
    let asked = ask(config, |handler| handler.engine().before_agent(prompt));
    asked.unwrap_or_else(|| TurnStart::Go { context: None, verdict: Verdict::empty(EventName::BeforeAgent) })
}

/// Asks hooks whether the agent may stop, for an agent that waits for what they say. Without hooks it stops.
pub fn after_agent(config: &Config, prompt: &str, response: &str, stop_hook_active: bool) -> StopAnswer {
    let asked = ask(config, |handler| handler.engine().after_agent(prompt, response, stop_hook_active));
    asked.unwrap_or_else(|| StopAnswer::Stop { clear_context: false, verdict: Verdict::empty(EventName::AfterAgent) })
}

/// Fires an event whose outcome an agent need not wait for or apply: session start and end, prompt, stop, compression,
/// notification (HOOK-203). An agent that does apply a prompt's or a stop's asks [`before_agent`] and [`after_agent`].
#[must_use = "hooks may have refused; `drop` the verdict of an event that nothing can refuse"]
pub fn fire_event_hook(config: &Config, event: EventName, payload: &Map<String, Value>) -> Option<Verdict> {
    ask(config, |handler| handler.fire_event(event, payload))
}

/// [`fire_before_model_hook`] for the provider that `translator` speaks.
#[must_use]
pub fn before_model(config: &Config, request: &Value, translator: &dyn Translator) -> BeforeModelHookResult {
    let verdict = ask(config, |handler| handler.fire_before_model_event(request, translator));
    safely(|| BeforeModelHookResult::new(final_output(verdict.as_ref()), request, translator)).unwrap_or_default()
}

/// [`fire_after_model_hook`] for the provider that `translator` speaks.
#[must_use]
pub fn after_model<'a>(
    config: &Config,
    request: &Value,
    response: &'a Value,
    translator: &dyn Translator,
) -> AfterModelHookResult<'a> {
    after_model_sent(config, request, None, response, translator)
}

/// [`after_model`] for a request that hooks changed before it was `sent`. Hooks are shown both (HOOK-044).
#[must_use]
pub fn after_model_sent<'a>(
    config: &Config,
    request: &Value,
    sent: Option<&Value>,
    response: &'a Value,
    translator: &dyn Translator,
) -> AfterModelHookResult<'a> {
    let fire = |handler: &HookEventHandler| handler.fire_after_model_sent_event(request, sent, response, translator);
    let verdict = ask(config, fire);
    safely(|| AfterModelHookResult::new(final_output(verdict.as_ref()), response, translator))
        .unwrap_or_else(|| AfterModelHookResult::new(None, response, translator))
}

/// [`fire_before_tool_selection_hook`] for the provider that `translator` speaks.
#[must_use]
pub fn before_tool_selection(
    config: &Config,
    request: &Value,
    translator: &dyn Translator,
) -> BeforeToolSelectionHookResult {
    let verdict = ask(config, |handler| handler.fire_before_tool_selection_event(request, translator));
    safely(|| BeforeToolSelectionHookResult::new(final_output(verdict.as_ref()), request, translator))
        .unwrap_or_default()
}

/// Asks the session's hook system anything, such as for the whole verdict of an event. `None`: hooks are switched off, or
/// their configuration cannot be obtained.
pub fn ask<T>(config: &Config, fire: impl FnOnce(&HookEventHandler) -> T) -> Option<T> {
    let system = config.get_hook_system()?;
    safely(|| {
        if let Err(error) = system.initialize() {
            config.warn(|| format!("hooks are not available for this event: {error}"));
            return None;
        }
        system.get_event_handler().ok().map(fire)
    })
    .flatten()
}

fn final_output(verdict: Option<&Verdict>) -> Option<&DefaultHookOutput> {
    verdict?.final_output()
}

fn safely<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}
