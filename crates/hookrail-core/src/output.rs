use crate::{Decision, EventName};
use serde_json::{Map, Value, json};

/// What the model is told when a hook blocks without saying why.
pub const NO_REASON: &str = "No reason provided";

/// What one hook said, exactly as it said it. Fields of the wrong type are kept and ignored: a typo in one field must
/// not cost the decision in another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookOutput(Map<String, Value>);

impl HookOutput {
    #[must_use]
    pub fn new(fields: Map<String, Value>) -> Self {
        Self(fields)
    }

    /// Only an object is a hook output.
    #[must_use]
    pub fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Object(fields) => Some(Self(fields)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
        }
    }

    /// A decision and, if the text is not empty, its reason.
    #[must_use]
    pub fn decide(decision: Decision, reason: &str) -> Self {
        let mut output = Self::default();
        if decision == Decision::Stop {
            output.set("continue", false);
            output.set_text("stopReason", reason);
        } else {
            if let Some(word) = decision.to_wire() {
                output.set("decision", word);
            }
            output.set_text("reason", reason);
        }
        output
    }

    /// Plain text of a hook that succeeded: no objection, and something to say (HOOK-064).
    #[must_use]
    pub fn remark(text: &str) -> Self {
        Self(Map::from_iter([("decision".to_owned(), json!("allow")), ("systemMessage".to_owned(), json!(text))]))
    }

    /// Text for the user and nothing else.
    #[must_use]
    pub fn message(text: &str) -> Self {
        let mut output = Self::default();
        output.set_text("systemMessage", text);
        output
    }

    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }

    #[must_use]
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    pub fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.0.insert(field.to_owned(), value.into());
    }

    pub fn remove(&mut self, field: &str) {
        self.0.shift_remove(field);
    }

    /// Sets a text field unless there is nothing to say.
    pub fn set_text(&mut self, field: &str, text: &str) {
        if !text.is_empty() {
            self.set(field, text);
        }
    }

    /// Sets a field of `hookSpecificOutput`.
    pub fn set_specific(&mut self, field: &str, value: impl Into<Value>) {
        let specific = self.0.entry("hookSpecificOutput").or_insert_with(|| json!({}));
        if !specific.is_object() {
            *specific = json!({});
        }
        if let Value::Object(fields) = specific {
            fields.insert(field.to_owned(), value.into());
        }
    }

    fn text(&self, field: &str) -> Option<&str> {
        self.0.get(field).and_then(Value::as_str)
    }

    /// The `decision` field alone; see [`HookOutput::decision_on`] for what it means on an event.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.text("decision").map_or(Decision::None, Decision::from_wire)
    }

    /// The decision this hook took, before any merging: on BeforeTool the Claude-style `permissionDecision` counts
    /// too, and the stronger of the two wins (errata B5).
    #[must_use]
    pub fn decision_on(&self, event: &EventName) -> Decision {
        let plain = self.decision();
        if *event != EventName::BeforeTool {
            return plain;
        }
        let compatible = self.specific_text("permissionDecision").map_or(Decision::None, Decision::from_wire);
        plain.max(compatible)
    }

    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.text("reason")
    }

    /// The reason this hook gave on an event, preferring the Claude-style field where that counts (HOOK-170).
    #[must_use]
    pub fn reason_on(&self, event: &EventName) -> Option<&str> {
        let compatible =
            if *event == EventName::BeforeTool { self.specific_text("permissionDecisionReason") } else { None };
        compatible.or_else(|| self.reason())
    }

    /// Only the boolean `false` stops an agent.
    #[must_use]
    pub fn stops(&self) -> bool {
        self.0.get("continue") == Some(&Value::Bool(false))
    }

    #[must_use]
    pub fn stop_reason(&self) -> Option<&str> {
        self.text("stopReason")
    }

    #[must_use]
    pub fn system_message(&self) -> Option<&str> {
        self.text("systemMessage")
    }

    #[must_use]
    pub fn suppress_output(&self) -> Option<bool> {
        self.0.get("suppressOutput").and_then(Value::as_bool)
    }

    #[must_use]
    pub fn specific(&self) -> Option<&Map<String, Value>> {
        self.0.get("hookSpecificOutput").and_then(Value::as_object)
    }

    #[must_use]
    pub fn specific_text(&self, field: &str) -> Option<&str> {
        self.specific()?.get(field)?.as_str()
    }

    /// A part of `hookSpecificOutput` that must be an object to mean anything (`tool_input`, `llm_request`, …).
    #[must_use]
    pub fn specific_object(&self, field: &str) -> Option<&Map<String, Value>> {
        self.specific()?.get(field)?.as_object()
    }

    #[must_use]
    pub fn additional_context(&self) -> Option<&str> {
        self.specific_text("additionalContext")
    }
}
