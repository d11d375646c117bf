//! Requests as the REST API of Gemini wants them.

use serde_json::{Map, Value, json};

/// What stands in the SDK's `config` and at the top of a REST request; everything else of it is `generationConfig`.
const TOP_LEVEL: [&str; 5] = ["systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent"];

/// The body for a request in the form of the SDK (`GenerateContentParameters`).
pub fn body(request: &Value) -> Value {
    let mut body = Map::new();
    let contents = request.get("contents").and_then(Value::as_array).into_iter().flatten();
    body.insert("contents".to_owned(), contents.map(content).collect());
    let mut generation = Map::new();
    for (key, value) in request.get("config").and_then(Value::as_object).into_iter().flatten() {
        let place = if TOP_LEVEL.contains(&key.as_str()) { &mut body } else { &mut generation };
        place.insert(key.clone(), value.clone());
    }
    if !generation.is_empty() {
        body.insert("generationConfig".to_owned(), generation.into());
    }
    let mut body = Value::Object(body);
    settle_names(&mut body);
    body
}

/// The API knows no turns of the system; what a hook adds as one is said by the user.
fn content(content: &Value) -> Value {
    let mut content = content.clone();
    if let Some(role) = content.get_mut("role").filter(|role| **role == "system") {
        *role = json!("user");
    }
    content
}

/// The API refuses a list of allowed names with mode `AUTO`; `VALIDATED` is what it calls a free choice among some
/// tools. It also refuses names of tools that the request does not declare.
fn settle_names(body: &mut Value) {
    let declared = declared_names(body);
    let Some(calling) = body.pointer_mut("/toolConfig/functionCallingConfig").and_then(Value::as_object_mut) else {
        return;
    };
    let Some(Value::Array(names)) = calling.get_mut("allowedFunctionNames") else { return };
    let restricts = !names.is_empty();
    names.retain(|name| declared.contains(name));
    let none_left = names.is_empty();
    if none_left {
        calling.shift_remove("allowedFunctionNames");
    }
    let mode = calling.get("mode").and_then(Value::as_str).unwrap_or("AUTO");
    match (restricts, none_left) {
        (true, true) => drop(calling.insert("mode".to_owned(), json!("NONE"))),
        (true, false) if mode == "AUTO" => drop(calling.insert("mode".to_owned(), json!("VALIDATED"))),
        (true | false, _) => {}
    }
}

fn declared_names(body: &Value) -> Vec<Value> {
    let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten();
    let functions = tools.filter_map(|tool| tool.get("functionDeclarations")?.as_array()).flatten();
    functions.filter_map(|function| function.get("name")).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_finds_its_place() {
        let request = json!({
            "model": "m",
            "contents": [
                {"role": "user", "parts": [{"text": "hi"}]},
                {"role": "system", "parts": [{"text": "be kind"}]},
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
                {"role": "user", "parts": [{"text": "be kind"}]},
            ],
            "systemInstruction": {"parts": [{"text": "you are"}]},
            "tools": [{"functionDeclarations": [{"name": "ls"}]}],
            "generationConfig": {"temperature": 0.5, "thinkingConfig": {"thinkingBudget": 0}},
        });
        assert_eq!(body(&request), expected);
        assert_eq!(body(&json!({"model": "m"})), json!({"contents": []}));
    }

    #[test]
    fn a_choice_of_tools_is_said_in_words_the_api_accepts() {
        let cases = [
            (json!({"mode": "AUTO"}), json!({"mode": "AUTO"})),
            (
                json!({"mode": "AUTO", "allowedFunctionNames": ["ls"]}),
                json!({"mode": "VALIDATED", "allowedFunctionNames": ["ls"]}),
            ),
            (json!({"allowedFunctionNames": ["ls"]}), json!({"mode": "VALIDATED", "allowedFunctionNames": ["ls"]})),
            (
                json!({"mode": "ANY", "allowedFunctionNames": ["ls", "rm"]}),
                json!({"mode": "ANY", "allowedFunctionNames": ["ls"]}),
            ),
            (json!({"mode": "ANY", "allowedFunctionNames": ["rm"]}), json!({"mode": "NONE"})),
            (json!({"mode": "ANY", "allowedFunctionNames": []}), json!({"mode": "ANY"})),
            (json!({"mode": "NONE", "allowedFunctionNames": []}), json!({"mode": "NONE"})),
        ];
        for (calling, expected) in cases {
            let request = json!({"config": {
                "tools": [{"functionDeclarations": [{"name": "ls"}]}],
                "toolConfig": {"functionCallingConfig": calling},
            }});
            let sent = &body(&request)["toolConfig"]["functionCallingConfig"];
            let mut sent = sent.as_object().unwrap().clone();
            sent.sort_keys();
            let mut expected = expected.as_object().unwrap().clone();
            expected.sort_keys();
            assert_eq!(sent, expected, "{calling}");
        }
    }
}
