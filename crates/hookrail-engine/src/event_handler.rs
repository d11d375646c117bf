use crate::engine::Engine;
use crate::runner::process::CancelToken;
use hookrail_core::{EventName, Translator, Verdict};
use serde_json::{Map, Value};

/// The events of a session under the names of the document that the engine implements; see [`Engine`] for what they do.
#[derive(Clone, Debug)]
pub struct HookEventHandler {
    engine: Engine,
}

impl HookEventHandler {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }

    /// The engine behind these names.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The same hooks under another token; see [`Engine::with_cancel_token`].
    #[must_use]
    pub fn with_cancel_token(&self, cancel: CancelToken) -> Self {
        Self { engine: self.engine.with_cancel_token(cancel) }
    }

    /// A tool is about to run. `mcp_context` describes the server of an MCP tool.
    pub fn fire_before_tool_event(
        &self,
        tool_name: &str,
        tool_input: &Map<String, Value>,
        mcp_context: Option<&Value>,
    ) -> Verdict {
        self.engine.before_tool_of(tool_name, tool_input, mcp_context)
    }

    /// A tool has run, and the model has not seen its result yet.
    pub fn fire_after_tool_event(
        &self,
        tool_name: &str,
        tool_input: &Map<String, Value>,
        tool_response: &Value,
    ) -> Verdict {
        self.engine.after_tool(tool_name, tool_input, tool_response)
    }

    /// A request to the model is complete and not sent yet.
    pub fn fire_before_model_event(&self, request: &Value, translator: &dyn Translator) -> Verdict {
        self.engine.before_model(request, translator)
    }

    /// The model's answer is complete.
    pub fn fire_after_model_event(&self, request: &Value, response: &Value, translator: &dyn Translator) -> Verdict {
        self.engine.after_model(request, response, translator)
    }

    /// The model is about to choose among tools.
    pub fn fire_before_tool_selection_event(&self, request: &Value, translator: &dyn Translator) -> Verdict {
        self.engine.before_tool_selection(request, translator)
    }

    /// Any other event, with its fields in the words of the hook protocol.
    pub fn fire_event(&self, name: EventName, payload: &Map<String, Value>) -> Verdict {
        self.engine.fire_event(name, payload)
    }
}
