//! Requests as the REST API of Gemini wants them.

use serde_json::{Map, Value};

/// What stands in the SDK's `config` and at the top of a REST request; everything else of it is `generationConfig`.
const TOP_LEVEL: [&str; 5] = ["systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent"];

/// The body for a request in the form of the SDK (`GenerateContentParameters`).
pub fn body(request: &Value) -> Value {
    let mut body = Map::new();
    let contents = request.get("contents").and_then(Value::as_array).into_iter().flatten();
    body.insert("contents".to_owned(), contents.cloned().collect());
    let mut generation = Map::new();
    for (key, value) in request.get("config").and_then(Value::as_object).into_iter().flatten() {
        let place = if TOP_LEVEL.contains(&key.as_str()) { &mut body } else { &mut generation };
        place.insert(key.clone(), value.clone());
    }
    if !generation.is_empty() {
        body.insert("generationConfig".to_owned(), generation.into());
    }
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn everything_finds_its_place() {
        let request = json!({
            "model": "m",
            "contents": [
                {"role": "user", "parts": [{"text": "hi"}]},
            ],
            "config": {
                "systemInstruction": {"parts": [{"text": "you are"}]},
                "tools": [{"functionDeclarations": [{"name": "ls"}]}],
                "temperature": 0.5,
                "thinkingConfig": {"thinkingBudget": 0},
            },
        });
        let expected = json!({
            "contents": [
                {"role": "user", "parts": [{"text": "hi"}]},
            ],
            "systemInstruction": {"parts": [{"text": "you are"}]},
            "tools": [{"functionDeclarations": [{"name": "ls"}]}],
            "generationConfig": {"temperature": 0.5, "thinkingConfig": {"thinkingBudget": 0}},
        });
        assert_eq!(body(&request), expected);
        assert_eq!(body(&json!({"model": "m"})), json!({"contents": []}));
    }
}
