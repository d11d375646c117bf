use super::Object;
use super::request::object_in;
use super::stable::Response;
use super::tool_config::ToolConfig;
use hookrail_core::Translator;
use serde_json::{Value, json};

/// The stable form itself, for an agent that keeps its conversation in it: nothing is translated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stable;

impl Translator for Stable {
    fn to_hook_request(&self, request: &Value) -> Value {
        request.clone()
    }

    /// The hook's fields over those of the request it was shown, as hooks of one chain see each other's (HOOK-105).
    fn from_hook_request(&self, request: &Value, base: Option<&Value>) -> Value {
        match (base, request) {
            (Some(Value::Object(base)), Value::Object(request)) => {
                let mut merged = base.clone();
                merged.extend(request.iter().map(|(key, value)| (key.clone(), value.clone())));
                Value::Object(merged)
            }
            (Some(base), Value::Null) => base.clone(),
            (_, request) => request.clone(),
        }
    }

    fn to_hook_response(&self, response: &Value) -> Value {
        response.clone()
    }

    fn from_hook_response(&self, response: &Value) -> Value {
        response.clone()
    }

    fn to_hook_tool_config(&self, tool_config: &Value) -> Value {
        tool_config.clone()
    }

    fn from_hook_tool_config(&self, tool_config: &Value) -> Value {
        tool_config.clone()
    }

    fn empty_response(&self) -> Value {
        json!({"candidates": []})
    }

    fn text_response(&self, text: &str) -> Value {
        Response::saying(text).to_hook()
    }

    fn apply_tool_config(&self, request: &mut Value, tool_config: &Value) {
        let wanted = ToolConfig::from_hook(tool_config);
        let Value::Object(request) = request else { return };
        let current = request.get("toolConfig").map(ToolConfig::from_hook).unwrap_or_default();
        if wanted.is_empty() || wanted == current {
            return;
        }
        if let Some(config) = object_in(request, "toolConfig") {
            config.shift_remove("mode");
            config.shift_remove("allowedFunctionNames");
            config.extend::<Object>(wanted.over(current).to_hook());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hook_says_is_laid_over_what_it_was_shown() {
        let base = json!({"model": "m", "messages": [{"role": "user", "content": "a"}], "config": {"temperature": 1}});
        let changed = Stable.from_hook_request(&json!({"model": "n", "messages": []}), Some(&base));
        assert_eq!(changed, json!({"model": "n", "messages": [], "config": {"temperature": 1}}));
        assert_eq!(Stable.from_hook_request(&Value::Null, Some(&base)), base);
        assert_eq!(Stable.to_hook_request(&base), base);
    }

    #[test]
    fn a_choice_of_tools_replaces_the_one_before() {
        let mut request = json!({"toolConfig": {"mode": "ANY", "allowedFunctionNames": ["a"], "own": 1}});
        Stable.apply_tool_config(&mut request, &json!({"mode": "NONE"}));
        assert_eq!(request, json!({"toolConfig": {"own": 1, "mode": "NONE"}}));
        Stable.apply_tool_config(&mut request, &json!({}));
        assert_eq!(request, json!({"toolConfig": {"own": 1, "mode": "NONE"}}));
    }
}
