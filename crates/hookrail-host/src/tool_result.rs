use crate::results::{annotation, suppresses, system_message};
use hookrail_core::{DefaultHookOutput, Rewrite};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a tool gives back: one thing for the model, one for the person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// For the model: text, or a list of parts.
    #[serde(default)]
    pub llm_content: Value,
    /// For the user's screen, in any form the agent can show.
    #[serde(default)]
    pub return_display: Value,
    /// What the agent itself wants to remember of the call; hooks see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// What went wrong, usually with a `message`; its presence is what makes the result an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// The person is not to be shown this result; the model still gets it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suppress_display: bool,
}

impl ToolResult {
    /// The same text for both.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self { llm_content: json!(text), return_display: json!(text), ..Self::default() }
    }

    /// What went wrong, for both.
    #[must_use]
    pub fn failed(message: &str) -> Self {
        Self { error: Some(json!({ "message": message })), ..Self::text(message) }
    }

    /// Takes the place of a call that a hook refused: the model reads why (HOOK-017).
    #[must_use]
    pub fn blocked(reason: &str) -> Self {
        Self::text(reason)
    }

    /// As hooks see it (HOOK-026).
    #[must_use]
    pub fn to_hook_response(&self) -> Value {
        let mut response = json!({
            "llmContent": self.llm_content,
            "returnDisplay": self.return_display,
            "metadata": self.metadata.clone().unwrap_or_else(|| json!({})),
        });
        if let (Some(error), Some(fields)) = (&self.error, response.as_object_mut()) {
            fields.insert("error".to_owned(), error.clone());
        }
        response
    }

    /// Applies what AfterTool hooks said. A block cannot undo what happened; its reason is told to the model (errata B6).
    pub fn apply_after_tool(&mut self, output: &DefaultHookOutput) {
        if let Rewrite::ToolResult { output: Some(content), .. } = &output.rewrite {
            self.llm_content = content.clone();
        }
        if let Some(context) = output.additional_context().filter(|text| !text.is_empty()) {
            self.append(&format!("\n\n{context}"));
        }
        if let Some(reason) = output.blocking_error() {
            self.append(&format!("\n\n{reason}"));
        }
        self.apply_system_message(output);
        self.suppress_display |= suppresses(output);
    }

    /// A hook's system message is for the model, never for the screen (HOOK-131, HOOK-159).
    pub fn apply_system_message(&mut self, output: &DefaultHookOutput) {
        if let Some(message) = system_message(output) {
            self.append(&annotation(&message));
        }
    }

    fn append(&mut self, text: &str) {
        match &mut self.llm_content {
            Value::String(content) => content.push_str(text),
            Value::Array(parts) => parts.push(json!({ "text": text })),
            Value::Null => self.llm_content = json!(text.trim_start()),
            other => *other = json!([other.take(), { "text": text }]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_core::{EventName, create_specific_hook_output};

    fn after_tool(output: &Value) -> DefaultHookOutput {
        create_specific_hook_output(&EventName::AfterTool, output.as_object().cloned().unwrap())
    }

    #[test]
    fn text_reaches_the_model_whatever_form_the_content_has() {
        // covers: HOOK-131
        let cases = [
            (json!("out"), json!("out\n\n[System] note")),
            (json!([{"text": "out"}]), json!([{"text": "out"}, {"text": "\n\n[System] note"}])),
            (json!({"text": "out"}), json!([{"text": "out"}, {"text": "\n\n[System] note"}])),
            (Value::Null, json!("[System] note")),
        ];
        for (content, expected) in cases {
            let mut result = ToolResult { llm_content: content, ..ToolResult::default() };
            result.apply_after_tool(&after_tool(&json!({ "systemMessage": "note" })));
            assert_eq!(result.llm_content, expected);
        }
    }

    #[test]
    fn suppression_hides_from_the_person_and_not_from_the_model() {
        // covers: HOOK-132 HOOK-149 HOOK-029
        let mut result = ToolResult::text("secret");
        result.apply_after_tool(&after_tool(&json!({ "suppressOutput": true })));
        assert!(result.suppress_display);
        assert_eq!(result.llm_content, json!("secret"));
        assert_eq!(serde_json::to_value(&result).unwrap()["suppressDisplay"], json!(true));
    }
}
