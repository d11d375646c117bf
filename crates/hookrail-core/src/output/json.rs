//! An output as JSON, in the words of the hook protocol.

use super::{HookOutput, InputRewrite, Rewrite};
use serde_json::{Map, Value, json};

impl HookOutput {
    /// The output as a JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        if let Some(word) = self.decision.to_wire() {
            fields.insert("decision".to_owned(), json!(word));
        }
        if self.should_stop_execution() {
            fields.insert("continue".to_owned(), json!(false));
        }
        let texts = [("reason", &self.reason), ("stopReason", &self.stop_reason), ("systemMessage", &self.message)];
        for (key, text) in texts {
            if let Some(text) = text {
                fields.insert(key.to_owned(), json!(text));
            }
        }
        if let Some(suppress) = self.suppress {
            fields.insert("suppressOutput".to_owned(), json!(suppress));
        }
        let specific = self.specific_json();
        if !specific.is_empty() {
            fields.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
        }
        fields.extend(self.extra.top.clone());
        Value::Object(fields)
    }

    /// Its `hookSpecificOutput`; empty if it has none.
    #[must_use]
    pub fn specific_json(&self) -> Map<String, Value> {
        let mut fields = self.rewrite.to_json();
        if let Some(context) = &self.context {
            fields.insert("additionalContext".to_owned(), json!(context));
        }
        fields.extend(self.extra.specific.clone());
        fields
    }
}

impl Rewrite {
    /// The changes as fields of `hookSpecificOutput`.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                fields.insert(key.to_owned(), value);
            }
        };
        let object = |map: &Option<Map<String, Value>>| map.clone().map(Value::Object);
        match self {
            Self::Nothing => {}
            Self::ToolCall { input } => {
                if let Some(input) = input {
                    set(input.key(), Some(Value::Object(input.fields.clone())));
                }
            }
            Self::Permission { input, permissions } => {
                set("updatedInput", input.as_ref().map(|input| Value::Object(input.fields.clone())));
                set("updatedPermissions", permissions.clone());
            }
            Self::ToolResult { output, mcp_output, tail_call } => {
                set("updatedToolOutput", output.clone());
                set("updatedMCPToolOutput", mcp_output.clone());
                set("tailToolCallRequest", object(tail_call));
            }
            Self::ModelRequest { request, response } => {
                set("llm_request", object(request));
                set("llm_response", object(response));
            }
            Self::ModelResponse { response } => set("llm_response", object(response)),
            Self::ToolSelection { config } => set("toolConfig", object(config)),
            Self::TurnEnd { clear_context } => set("clearContext", clear_context.then(|| json!(true))),
            Self::Elicitation { action, content } => {
                set("action", action.map(|action| json!(action.as_str())));
                set("content", content.clone());
            }
        }
        fields
    }
}

impl InputRewrite {
    fn key(&self) -> &'static str {
        if self.whole { "updatedInput" } else { "tool_input" }
    }
}
