//! What callers ask an output for, under the names of the document that the engine implements.

use super::{HookOutput, NO_REASON, Rewrite};
use crate::{Decision, EventName, Translator};
use serde_json::{Map, Value, json};

/// The plain factory. It knows the model events but reads a BeforeTool output without its Claude-style fields
/// (HOOK-200); callers that need these take the aggregator's path, [`create_specific_hook_output`].
#[must_use]
pub fn create_hook_output(event: &str, fields: Map<String, Value>) -> HookOutput {
    match EventName::parse(event) {
        EventName::BeforeTool => HookOutput::parse_plain(fields),
        event => create_specific_hook_output(&event, fields),
    }
}

/// The reading the aggregator gives its final output.
#[must_use]
pub fn create_specific_hook_output(event: &EventName, fields: Map<String, Value>) -> HookOutput {
    HookOutput::parse(event, fields).output
}

impl HookOutput {
    /// The event whose reading of an output the document gives a class of its own, or `Default`.
    #[must_use]
    pub fn class_name(&self) -> &'static str {
        match self.rewrite {
            Rewrite::ToolCall { .. } => "BeforeTool",
            Rewrite::ModelRequest { .. } => "BeforeModel",
            Rewrite::ModelResponse { .. } => "AfterModel",
            Rewrite::ToolSelection { .. } => "BeforeToolSelection",
            Rewrite::TurnEnd { .. } => "AfterAgent",
            Rewrite::Nothing
            | Rewrite::Permission { .. }
            | Rewrite::ToolResult { .. }
            | Rewrite::Elicitation { .. } => "Default",
        }
    }

    /// Policy, not health: whether a hook refused the operation.
    #[must_use]
    pub fn is_blocking_decision(&self) -> bool {
        self.decision == Decision::Block
    }

    /// Whether the agent must not go on at all, which is more than refusing this operation.
    #[must_use]
    pub fn should_stop_execution(&self) -> bool {
        self.stop || self.decision == Decision::Stop
    }

    /// Never empty-handed: a deny does not need a reason to be one.
    #[must_use]
    pub fn get_effective_reason(&self) -> &str {
        let given = [self.stop_reason.as_deref(), self.reason.as_deref()];
        given.into_iter().flatten().find(|text| !text.is_empty()).unwrap_or(NO_REASON)
    }

    /// The reason, if this output blocks.
    #[must_use]
    pub fn blocking_error(&self) -> Option<&str> {
        self.is_blocking_decision().then(|| self.get_effective_reason())
    }

    /// Whether an AfterAgent hook wants the conversation to begin anew.
    #[must_use]
    pub fn should_clear_context(&self) -> bool {
        matches!(self.rewrite, Rewrite::TurnEnd { clear_context: true })
    }

    /// The arguments that hooks changed, without those that stay as they are. [`HookOutput::apply_tool_input`] has
    /// all of them.
    #[must_use]
    pub fn modified_tool_input(&self) -> Option<&Map<String, Value>> {
        self.rewrite.tool_input().map(|input| &input.fields)
    }

    /// The arguments the tool really runs with: the original ones, overlaid with what hooks changed.
    #[must_use]
    pub fn apply_tool_input(&self, original: &Map<String, Value>) -> Map<String, Value> {
        self.rewrite.tool_input().map_or_else(|| original.clone(), |input| input.apply(original))
    }

    /// The provider request with a BeforeModel hook's changes applied.
    #[must_use]
    pub fn apply_llm_request_modifications(&self, request: &Value, translator: &dyn Translator) -> Value {
        match self.modified_request() {
            Some(changes) => translator.from_hook_request(&Value::Object(changes.clone()), Some(request)),
            None => request.clone(),
        }
    }

    /// What BeforeModel hooks changed, in the stable form.
    #[must_use]
    pub fn modified_request(&self) -> Option<&Map<String, Value>> {
        self.rewrite.request()
    }

    /// The response a BeforeModel hook supplied; a stop alone does not make one up (HOOK-194).
    #[must_use]
    pub fn get_synthetic_response(&self, translator: &dyn Translator) -> Option<Value> {
        let Rewrite::ModelRequest { response: Some(response), .. } = &self.rewrite else { return None };
        Some(translator.from_hook_response(&Value::Object(response.clone())))
    }

    /// The response that takes the model's place after AfterModel hooks: theirs, or one that says why the agent stops.
    #[must_use]
    pub fn get_modified_response(&self, translator: &dyn Translator) -> Option<Value> {
        let Rewrite::ModelResponse { response } = &self.rewrite else { return None };
        if let Some(response) = response.as_ref().filter(|response| replaces(response)) {
            return Some(translator.from_hook_response(&Value::Object(response.clone())));
        }
        self.should_stop_execution().then(|| translator.text_response(self.get_effective_reason()))
    }

    /// The tool restriction in the stable form.
    #[must_use]
    pub fn tool_config(&self) -> Option<&Map<String, Value>> {
        self.rewrite.tool_config()
    }

    /// Sets the tool restriction on `{tools, toolConfig}`. Tool definitions pass through untouched (HOOK-167).
    #[must_use]
    pub fn apply_tool_config_modifications(&self, target: &Value, translator: &dyn Translator) -> Value {
        let mut changed = target.clone();
        if let (Some(config), Some(fields)) = (self.tool_config(), changed.as_object_mut()) {
            let config = translator.from_hook_tool_config(&json!(config));
            fields.insert("toolConfig".to_owned(), config);
        }
        changed
    }
}

/// A candidate with parts replaces the response, also if there are none of them: that is how a hook empties an answer. An
/// object without candidates and without text is an empty shell, which must not erase one.
fn replaces(response: &Map<String, Value>) -> bool {
    let parts = response
        .get("candidates")
        .and_then(|candidates| candidates.get(0)?.get("content")?.get("parts"))
        .is_some_and(Value::is_array);
    parts || response.get("text").and_then(Value::as_str).is_some_and(|text| !text.is_empty())
}
