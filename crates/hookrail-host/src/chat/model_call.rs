//! One model call with the hooks around it.

use super::client::ModelClient;
use super::conversation::annotate;
use super::display::{Display, DisplayTiming, HeldOutput};
use super::response::{ResponseCollector, visible_text};
use super::session::ChatError;
use crate::results::{BeforeModelHookResult, BeforeToolSelectionHookResult};
use crate::scheduler::ToolRestriction;
use crate::translate::GenAiV1;
use crate::triggers::{after_model_sent, fire_before_model_hook, fire_before_tool_selection_hook};
use hookrail_core::{EventName, Translator};
use hookrail_engine::{CancelToken, Config};
use serde_json::Value;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// What it takes to call a model.
pub(super) struct ModelCall<'a> {
    pub config: &'a Config,
    pub client: &'a dyn ModelClient,
    pub cancel: &'a CancelToken,
    pub timing: DisplayTiming,
}

/// What the agent goes on with.
#[derive(Debug)]
pub(super) struct ModelAnswer {
    /// Complete. Without candidates if a hook let nothing be asked and did not answer itself (errata B14).
    pub response: Value,
    pub restriction: ToolRestriction,
    /// Why a hook did not let the model be asked.
    pub blocked: Option<String>,
    /// Why a hook wants the agent to stop.
    pub stop: Option<String>,
    /// Hooks' messages to the model that did not reach it with this call.
    pub notes: Vec<String>,
}

impl ModelCall<'_> {
    pub fn run(&self, request: Value, display: &mut dyn Display) -> Result<ModelAnswer, ChatError> {
        if self.cancel.is_cancelled() {
            return Err(ChatError::Cancelled);
        }
        let before = fire_before_model_hook(self.config, &request);
        if before.blocked {
            return Ok(stand_in(before, display));
        }
        // What the agent assembled is kept beside what is sent, for the hooks that are shown both (HOOK-044).
        let original = request;
        let mut request = before.modified_request.map_or(Cow::Borrowed(&original), Cow::Owned);
        let selection = self.select_tools(&request);
        if let Some(restriction) = &selection.restriction {
            GenAiV1.apply_tool_config(request.to_mut(), restriction);
        }
        let messages: Vec<String> =
            [before.system_message, selection.system_message, selection.objection].into_iter().flatten().collect();
        if let Some(stop) = selection.stop {
            return Ok(ModelAnswer { stop: Some(stop), notes: messages, ..ModelAnswer::empty() });
        }
        if !messages.is_empty() {
            annotate(request.to_mut(), &messages);
        }
        let mut curtain = self.curtain(display);
        if before.suppress_output || selection.suppress_output {
            curtain.close();
        }
        self.ask(&original, &request, curtain)
    }

    /// Asks BeforeToolSelection hooks about a request that offers tools.
    fn select_tools(&self, request: &Value) -> BeforeToolSelectionHookResult {
        let tools = request.pointer("/config/tools").and_then(Value::as_array);
        if tools.is_none_or(Vec::is_empty) {
            return BeforeToolSelectionHookResult::default();
        }
        fire_before_tool_selection_hook(self.config, request)
    }

    fn ask(&self, original: &Value, request: &Value, mut curtain: HeldOutput<'_>) -> Result<ModelAnswer, ChatError> {
        let response = match self.stream(request, &mut curtain) {
            Ok(response) => response,
            Err(error) => {
                curtain.drop_rest();
                return Err(error);
            }
        };
        let after = after_model_sent(self.config, original, Some(request), &response, &GenAiV1);
        if after.suppress_output {
            curtain.close();
        }
        // The response that a stop leaves says why; the agent tells the person already.
        match after.stop.as_ref().filter(|reason| **reason == visible_text(&after.response)) {
            Some(_) => curtain.drop_rest(),
            None => curtain.finish(&after.response),
        }
        let notes = [after.system_message, after.objection].into_iter().flatten().collect();
        let (stop, changed) = (after.stop, owned(after.response));
        Ok(ModelAnswer {
            response: changed.unwrap_or(response),
            restriction: ToolRestriction::of_request(request),
            blocked: None,
            stop,
            notes,
        })
    }

    /// The complete response, or an error: AfterModel hooks never see half of one (HOOK-207).
    fn stream(&self, request: &Value, curtain: &mut HeldOutput<'_>) -> Result<Value, ChatError> {
        let mut collector = ResponseCollector::default();
        let streamed = self.client.stream(request, &mut |chunk| {
            if self.cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            curtain.show_chunk(&chunk);
            collector.add(chunk);
            ControlFlow::Continue(())
        });
        if self.cancel.is_cancelled() {
            return Err(ChatError::Cancelled);
        }
        streamed?;
        Ok(collector.finish()?)
    }

    fn curtain<'d>(&self, display: &'d mut dyn Display) -> HeldOutput<'d> {
        match self.timing {
            DisplayTiming::AfterHooks if self.has_after_model_hooks() => HeldOutput::waiting(display),
            DisplayTiming::AfterHooks | DisplayTiming::Live => HeldOutput::open(display),
        }
    }

    fn has_after_model_hooks(&self) -> bool {
        let Some(system) = self.config.get_hook_system() else { return false };
        // While the configuration cannot be read it may still be there when the answer is.
        let Ok(registry) = system.get_registry() else { return true };
        registry.with_hooks(&EventName::AfterModel, |hooks| hooks.iter().any(|hook| hook.enabled))
    }
}

impl ModelAnswer {
    fn empty() -> Self {
        Self {
            response: GenAiV1.empty_response(),
            restriction: ToolRestriction::None,
            blocked: None,
            stop: None,
            notes: Vec::new(),
        }
    }
}

/// The response that hooks made, if they made one.
fn owned(response: Cow<'_, Value>) -> Option<Value> {
    match response {
        Cow::Owned(response) => Some(response),
        Cow::Borrowed(_) => None,
    }
}

/// What takes the model's place when a hook blocks the call: no stream is opened (HOOK-174), and since no model
/// responded, no AfterModel hook is asked.
fn stand_in(before: BeforeModelHookResult, display: &mut dyn Display) -> ModelAnswer {
    let response = before.blocked_response(&GenAiV1);
    if before.synthetic_response.is_some() {
        let mut curtain = HeldOutput::waiting(display);
        if before.suppress_output {
            curtain.close();
        }
        curtain.finish(&response);
    }
    ModelAnswer {
        response,
        restriction: ToolRestriction::None,
        blocked: before.reason,
        stop: before.stop,
        notes: before.system_message.into_iter().collect(),
    }
}
