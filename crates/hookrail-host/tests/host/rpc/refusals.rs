use crate::rpc::agent::{Agent, command};
use serde_json::{Value, json};

/// A line, the id its error is for, the code, and how the message goes or begins.
type Case = (&'static str, Value, i32, &'static str);

fn check(agent: &mut Agent, cases: &[Case]) {
    for (line, id, code, message) in cases {
        agent.write(format!("{line}\n").as_bytes());
        let answer = agent.read();
        assert_eq!(answer["jsonrpc"], json!("2.0"), "{line}");
        assert_eq!(answer["id"], *id, "{line}");
        assert_eq!(answer["error"]["code"], json!(code), "{line}: {answer}");
        let told = answer["error"]["message"].as_str().expect("a message");
        let is_right = match message.strip_suffix('…') {
            Some(beginning) => told.starts_with(beginning),
            None => told == *message,
        };
        assert!(is_right, "{line}\n  expected {message:?}\n  got      {told:?}");
        assert_eq!(answer.get("result"), None, "{line}");
    }
    assert_eq!(agent.running(), 0, "the server lives on, and nothing is left");
}

#[test]
fn lines_that_are_no_request_are_refused_and_survived() {
    let null = Value::Null;
    let cases = [
        ("oops", null.clone(), -32700, "this line is not JSON: expected value at line 1 column 1"),
        (r#"{"jsonrpc": "2.0", "id": 1, "#, null.clone(), -32700, "this line is not JSON: EOF…"),
        (r#"[{"jsonrpc": "2.0", "#, null.clone(), -32700, "this line is not JSON: EOF…"),
        (r#"{} {}"#, null.clone(), -32700, "this line is not JSON: trailing characters…"),
        ("3", null.clone(), -32600, "this is not a JSON-RPC 2.0 request: a request must be an object"),
        ("[]", null.clone(), -32600, "this is not a JSON-RPC 2.0 request: a batch must not be empty"),
        ("{}", null.clone(), -32600, "this is not a JSON-RPC 2.0 request: `jsonrpc` must be \"2.0\""),
        (
            r#"{"id": 7, "method": "status"}"#,
            json!(7),
            -32600,
            "this is not a JSON-RPC 2.0 request: `jsonrpc` must be \"2.0\"",
        ),
        (
            r#"{"jsonrpc": "1.0", "id": 7, "method": "status"}"#,
            json!(7),
            -32600,
            "this is not a JSON-RPC 2.0 request: `jsonrpc` must be \"2.0\"",
        ),
        (
            r#"{"jsonrpc": "2.0", "id": "a"}"#,
            json!("a"),
            -32600,
            "this is not a JSON-RPC 2.0 request: `method` is missing",
        ),
        (
            r#"{"jsonrpc": "2.0", "id": 8, "method": 5}"#,
            json!(8),
            -32600,
            "this is not a JSON-RPC 2.0 request: invalid type: integer `5`, expected a string…",
        ),
        (
            r#"{"jsonrpc": "2.0", "id": {}, "method": "status"}"#,
            null.clone(),
            -32600,
            "this is not a JSON-RPC 2.0 request: `id` must be text, a number or null",
        ),
        (
            r#"{"jsonrpc": "2.0", "id": true, "method": 5}"#,
            null.clone(),
            -32600,
            "this is not a JSON-RPC 2.0 request: invalid type…",
        ),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "status"}"#,
            null,
            -32600,
            "this is not a JSON-RPC 2.0 request: duplicate field `id`…",
        ),
    ];
    check(&mut Agent::new(), &cases);
}

#[test]
fn bytes_that_are_no_text_are_refused_and_survived() {
    let mut agent = Agent::new();
    agent.write(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"\xff\"}\n");
    let answer = agent.read();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)), "{answer}");
    assert_eq!(agent.running(), 0);
}

#[test]
fn methods_that_do_not_exist_suggest_one_that_does() {
    let cases = [
        (
            r#"{"jsonrpc": "2.0", "id": 1, "method": "beforTool"}"#,
            json!(1),
            -32601,
            "unknown method `beforTool`\nhint: did you mean `beforeTool`?",
        ),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "method": "initialise", "params": {}}"#,
            json!(1),
            -32601,
            "unknown method `initialise`\nhint: did you mean `initialize`?",
        ),
        (r#"{"jsonrpc": "2.0", "id": 1, "method": "zzzzzz"}"#, json!(1), -32601, "unknown method `zzzzzz`"),
    ];
    check(&mut Agent::new(), &cases);
}

#[test]
fn hooks_cannot_be_asked_before_there_is_a_session() {
    let cases = ["beforeTool", "afterTool", "beforeModel", "afterModel", "beforeToolSelection", "fire"];
    let mut agent = Agent::new();
    for method in cases {
        agent.send(method, &json!({}));
        let answer = agent.read();
        assert_eq!(answer["error"]["code"], json!(-32002), "{method}");
        let expected = json!("there is no session yet\nhint: call `initialize` first");
        assert_eq!(answer["error"]["message"], expected, "{method}");
    }
}

#[test]
fn wrong_parameters_are_named() {
    let cases: [(&str, Value, &str); 41] = [
        ("initialize", json!([]), "`params` must be an object"),
        ("initialize", json!({}), "`sessionId` is missing"),
        ("initialize", json!({"sessionId": 1}), "`sessionId` must be text"),
        ("initialize", json!({"sessionId": "s"}), "`cwd` is missing"),
        ("initialize", json!({"sessionId": "s", "cwd": "a/b"}), "`cwd`: `a/b` is not an absolute path"),
        ("initialize", with("settings", &json!(1)), "`settings` must be an object or a list"),
        ("initialize", with("settings", &json!([1])), "`settings[0]` must be an object"),
        ("initialize", with("settings", &json!([{}])), "`settings[0].settings` is missing"),
        (
            "initialize",
            with("settings", &json!([{"scope": "team", "settings": {}}])),
            "`settings[0].scope`: unknown scope `team`\nhint: use `project`, `user` or `system`",
        ),
        ("initialize", with("settingsFiles", &json!("a")), "`settingsFiles` must be a list"),
        (
            "initialize",
            with("settingsFiles", &json!([1])),
            "`settingsFiles[0]` must be a path or an object with a `path`",
        ),
        ("initialize", with("settingsFiles", &json!(["a", {}])), "`settingsFiles[1].path` is missing"),
        (
            "initialize",
            with("settingsFiles", &json!([{"path": "a", "format": "toml"}])),
            "`settingsFiles[0].format`: unknown format `toml`\nhint: use `llxprt` (or `protocol`), `gemini`, `claude` or `hookrail`",
        ),
        ("initialize", with("extensions", &json!({})), "`extensions` must be a list"),
        ("initialize", with("extensions", &json!([{}])), "`extensions[0].name` is missing"),
        (
            "initialize",
            with("extensions", &json!([{"name": "a", "active": 1}])),
            "`extensions[0].active` must be true or false",
        ),
        (
            "initialize",
            with("extensions", &json!([{"name": "a", "hooks": []}])),
            "`extensions[0].hooks` must be an object",
        ),
        ("initialize", with("enableHooks", &json!("yes")), "`enableHooks` must be true or false"),
        ("initialize", with("trustedFolder", &json!(0)), "`trustedFolder` must be true or false"),
        (
            "initialize",
            with("enableHook", &json!(true)),
            "unknown field `enableHook`\nhint: did you mean `enableHooks`?",
        ),
        ("beforeTool", json!({"toolInput": {}}), "`toolName` is missing"),
        ("beforeTool", json!({"toolName": 1, "toolInput": {}}), "`toolName` must be text"),
        ("beforeTool", json!({"toolName": "a"}), "`toolInput` is missing"),
        ("beforeTool", json!({"toolName": "a", "toolInput": "b"}), "`toolInput` must be an object"),
        ("beforeTool", json!({"toolName": "a", "tool_input": {}}), "`toolInput` is missing"),
        (
            "beforeTool",
            json!({"toolName": "a", "toolInput": {}, "tool_input": {}}),
            "unknown field `tool_input`\nhint: did you mean `toolInput`?",
        ),
        ("afterTool", json!({"toolInput": {}}), "`toolName` is missing"),
        ("afterTool", json!({"toolName": "a", "toolInput": {}}), "`toolResponse` is missing"),
        ("beforeModel", json!({}), "`request` is missing"),
        ("beforeModel", json!({"request": "hi"}), "`request` must be an object"),
        (
            "beforeModel",
            json!({"request": {}, "provider": "acme"}),
            "`provider`: unknown provider `acme`\nhint: use `genai`, `anthropic`, `openai` or `stable`",
        ),
        ("afterModel", json!({"request": {}}), "`response` is missing"),
        ("beforeToolSelection", json!({}), "`request` is missing"),
        ("fire", json!({}), "`event` is missing"),
        ("fire", json!({"event": "SessionStart", "input": 1}), "`input` must be an object"),
        (
            "fire",
            json!({"event": "SessionStrat"}),
            "`event`: unknown event `SessionStrat`\nhint: did you mean `SessionStart`?",
        ),
        (
            "fire",
            json!({"event": "BeforeTool"}),
            "`event`: `BeforeTool` has a method of its own\nhint: call `beforeTool`",
        ),
        (
            "fire",
            json!({"event": "PreToolUse"}),
            "`event`: `PreToolUse` has a method of its own\nhint: call `beforeTool`",
        ),
        ("cancel", json!({}), "`id` is missing"),
        ("status", json!({"verbose": true}), "unknown field `verbose`"),
        ("shutdown", json!({"now": true}), "unknown field `now`"),
    ];
    let mut agent = Agent::with_hooks(&command("BeforeTool", "exit 2"));
    for (method, params, message) in cases {
        let id = agent.send(method, &params);
        let answer = agent.read();
        assert_eq!(answer["id"], json!(id));
        let expected = json!({ "code": -32602, "message": message });
        assert_eq!(answer["error"], expected, "{method} {params}");
    }
    assert_eq!(agent.ask("status", &json!({}))["totalHooks"], json!(1), "the session is what it was");
}

/// Sound parameters of `initialize` and one more.
fn with(field: &str, value: &Value) -> Value {
    json!({ "sessionId": "s", "cwd": "/", field: value })
}

#[test]
fn parameters_nested_too_deep_are_refused_and_survived() {
    let mut agent = Agent::with_hooks(&json!({}));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    agent.write(format!(r#"{{"jsonrpc": "2.0", "id": 9, "method": "status", "params": {deep}}}"#).as_bytes());
    agent.write(b"\n");
    let answer = agent.read();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(9), &json!(-32602)), "{answer}");
    assert_eq!(agent.running(), 0);
}
