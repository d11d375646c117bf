//! Hook outputs with the meaning an event gives them.

use crate::{Decision, EventName, HookOutput, NO_REASON, Translator};
use serde_json::{Map, Value, json};

/// Which event's reading of an output applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputClass {
    Default,
    BeforeTool,
    BeforeModel,
    AfterModel,
    BeforeToolSelection,
    AfterAgent,
}

impl OutputClass {
    /// The reading that belongs to an event.
    #[must_use]
    pub fn of(event: &EventName) -> Self {
        match event {
            EventName::BeforeTool => Self::BeforeTool,
            EventName::BeforeModel => Self::BeforeModel,
            EventName::AfterModel => Self::AfterModel,
            EventName::BeforeToolSelection => Self::BeforeToolSelection,
            EventName::AfterAgent => Self::AfterAgent,
            _ => Self::Default,
        }
    }

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "Default",
            Self::BeforeTool => "BeforeTool",
            Self::BeforeModel => "BeforeModel",
            Self::AfterModel => "AfterModel",
            Self::BeforeToolSelection => "BeforeToolSelection",
            Self::AfterAgent => "AfterAgent",
        }
    }
}

/// A hook output read as its event reads it: what callers ask for policy.
#[derive(Clone, Debug, PartialEq)]
pub struct DefaultHookOutput {
    class: OutputClass,
    output: HookOutput,
}

/// The plain factory. It knows the model events but reads a BeforeTool output without its Claude-style fields
/// (HOOK-200); callers that need these take the aggregator's path, [`create_specific_hook_output`].
#[must_use]
pub fn create_hook_output(event: &str, output: HookOutput) -> DefaultHookOutput {
    let class = match OutputClass::of(&EventName::parse(event)) {
        OutputClass::BeforeTool => OutputClass::Default,
        class => class,
    };
    DefaultHookOutput { class, output }
}

/// The reading the aggregator gives its final output.
#[must_use]
pub fn create_specific_hook_output(event: &EventName, output: HookOutput) -> DefaultHookOutput {
    DefaultHookOutput { class: OutputClass::of(event), output }
}

impl DefaultHookOutput {
    #[must_use]
    pub fn new(class: OutputClass, output: HookOutput) -> Self {
        Self { class, output }
    }

    #[must_use]
    pub fn class(&self) -> OutputClass {
        self.class
    }

    #[must_use]
    pub fn output(&self) -> &HookOutput {
        &self.output
    }

    fn decision(&self) -> Decision {
        match self.class {
            OutputClass::BeforeTool => self.output.decision_on(&EventName::BeforeTool),
            OutputClass::Default
            | OutputClass::BeforeModel
            | OutputClass::AfterModel
            | OutputClass::BeforeToolSelection
            | OutputClass::AfterAgent => self.output.decision(),
        }
    }

    /// Policy, not health: whether a hook refused the operation.
    #[must_use]
    pub fn is_blocking_decision(&self) -> bool {
        self.decision() == Decision::Block
    }

    #[must_use]
    pub fn should_stop_execution(&self) -> bool {
        self.output.stops()
    }

    /// The lattice value of this output, the stop included.
    #[must_use]
    pub fn verdict(&self) -> Decision {
        if self.should_stop_execution() { Decision::Stop } else { self.decision() }
    }

    /// Never empty-handed: a deny does not need a reason to be one.
    #[must_use]
    pub fn get_effective_reason(&self) -> &str {
        let compatible = match self.class {
            OutputClass::BeforeTool => self.output.specific_text("permissionDecisionReason"),
            _ => None,
        };
        [compatible, self.output.stop_reason(), self.output.reason()]
            .into_iter()
            .flatten()
            .find(|text| !text.is_empty())
            .unwrap_or(NO_REASON)
    }

    /// The reason, if this output blocks.
    #[must_use]
    pub fn get_blocking_error(&self) -> Option<&str> {
        self.is_blocking_decision().then(|| self.get_effective_reason())
    }

    #[must_use]
    pub fn get_additional_context(&self) -> Option<&str> {
        self.output.additional_context()
    }

    #[must_use]
    pub fn should_clear_context(&self) -> bool {
        self.class == OutputClass::AfterAgent
            && self.output.specific().and_then(|specific| specific.get("clearContext")) == Some(&Value::Bool(true))
    }

    #[must_use]
    pub fn get_modified_tool_input(&self) -> Option<&Map<String, Value>> {
        match self.class {
            OutputClass::BeforeTool => self.output.specific_object("tool_input"),
            _ => None,
        }
    }

    /// The arguments the tool really runs with: the original ones, overlaid with what hooks changed.
    #[must_use]
    pub fn apply_tool_input(&self, original: &Map<String, Value>) -> Map<String, Value> {
        let mut arguments = original.clone();
        for (key, value) in self.get_modified_tool_input().into_iter().flatten() {
            arguments.insert(key.clone(), value.clone());
        }
        arguments
    }

    /// The provider request with a BeforeModel hook's changes applied.
    #[must_use]
    pub fn apply_llm_request_modifications(&self, request: &Value, translator: &dyn Translator) -> Value {
        match self.get_modified_request() {
            Some(changes) => translator.from_hook_request(&Value::Object(changes.clone()), Some(request)),
            None => request.clone(),
        }
    }

    /// What BeforeModel hooks changed, in the stable form.
    #[must_use]
    pub fn get_modified_request(&self) -> Option<&Map<String, Value>> {
        match self.class {
            OutputClass::BeforeModel => self.output.specific_object("llm_request"),
            _ => None,
        }
    }

    /// The response a BeforeModel hook supplied; a stop alone does not make one up (HOOK-194).
    #[must_use]
    pub fn get_synthetic_response(&self, translator: &dyn Translator) -> Option<Value> {
        if self.class != OutputClass::BeforeModel {
            return None;
        }
        let response = self.output.specific_object("llm_response")?;
        Some(translator.from_hook_response(&Value::Object(response.clone())))
    }

    /// The response that takes the model's place after AfterModel hooks: theirs, or one that says why the agent stops.
    #[must_use]
    pub fn get_modified_response(&self, translator: &dyn Translator) -> Option<Value> {
        if self.class != OutputClass::AfterModel {
            return None;
        }
        if let Some(response) = self.output.specific_object("llm_response").filter(|response| says_something(response))
        {
            return Some(translator.from_hook_response(&Value::Object(response.clone())));
        }
        self.should_stop_execution().then(|| translator.text_response(self.get_effective_reason()))
    }

    /// The tool restriction in the stable form.
    #[must_use]
    pub fn get_tool_config(&self) -> Option<&Map<String, Value>> {
        match self.class {
            OutputClass::BeforeToolSelection => self.output.specific_object("toolConfig"),
            _ => None,
        }
    }

    /// Sets the tool restriction on `{tools, toolConfig}`. Tool definitions pass through untouched (HOOK-167).
    #[must_use]
    pub fn apply_tool_config_modifications(&self, target: &Value, translator: &dyn Translator) -> Value {
        let mut changed = target.clone();
        if let (Some(config), Some(fields)) = (self.get_tool_config(), changed.as_object_mut()) {
            let config = translator.from_hook_tool_config(&json!(config));
            fields.insert("toolConfig".to_owned(), config);
        }
        changed
    }
}

/// A replacement that carries no text is not a replacement: a hook that echoes an empty shell must not erase an answer.
fn says_something(response: &Map<String, Value>) -> bool {
    let parts = response
        .get("candidates")
        .and_then(|candidates| candidates.get(0)?.get("content")?.get("parts")?.as_array())
        .is_some_and(|parts| !parts.is_empty());
    parts || response.get("text").and_then(Value::as_str).is_some_and(|text| !text.is_empty())
}
