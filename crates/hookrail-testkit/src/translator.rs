//! A translator made of functions, for tests of what is translated when.

use hookrail_core::Translator;
use serde_json::{Value, json};

/// What becomes of each kind of JSON on its way.
#[derive(Clone, Copy, Debug)]
pub struct TestTranslator {
    /// Requests, as hooks see them.
    pub request: fn(&Value) -> Value,
    /// Responses, as hooks see them.
    pub response: fn(&Value) -> Value,
    /// Tool configurations, as hooks see them.
    pub tool_config: fn(&Value) -> Value,
    /// All that hooks give back.
    pub back: fn(&Value) -> Value,
}

impl TestTranslator {
    /// One function for everything.
    pub const fn all(way: fn(&Value) -> Value) -> Self {
        Self { request: way, response: way, tool_config: way, back: way }
    }
}

impl Translator for TestTranslator {
    fn to_hook_request(&self, request: &Value) -> Value {
        (self.request)(request)
    }

    fn from_hook_request(&self, request: &Value, _: Option<&Value>) -> Value {
        (self.back)(request)
    }

    fn to_hook_response(&self, response: &Value) -> Value {
        (self.response)(response)
    }

    fn from_hook_response(&self, response: &Value) -> Value {
        (self.back)(response)
    }

    fn to_hook_tool_config(&self, tool_config: &Value) -> Value {
        (self.tool_config)(tool_config)
    }

    fn from_hook_tool_config(&self, tool_config: &Value) -> Value {
        (self.back)(tool_config)
    }

    fn empty_response(&self) -> Value {
        (self.back)(&json!({}))
    }

    fn text_response(&self, text: &str) -> Value {
        (self.back)(&json!({ "text": text }))
    }

    fn apply_tool_config(&self, _: &mut Value, tool_config: &Value) {
        (self.back)(tool_config);
    }
}
