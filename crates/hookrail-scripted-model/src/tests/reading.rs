//! What the model saw, the same whoever's words it came in.

use super::client::Client;
use crate::{ModelServer, Provider, Recorded, Script, ToolResult};
use serde_json::{Value, json};

fn record(target: &str, body: &Value) -> Recorded {
    let server = ModelServer::start(Script::default());
    assert_eq!(Client::connect(&server).post(target, body).status, 200);
    server.requests().pop().unwrap()
}

fn target(provider: Provider) -> &'static str {
    match provider {
        Provider::Gemini => "/v1beta/models/test:generateContent",
        Provider::Anthropic => "/v1/messages",
        Provider::OpenAiChat => "/v1/chat/completions",
        Provider::OpenAiResponses => "/v1/responses",
        Provider::Augment => unreachable!("its tests are in augment.rs"),
    }
}

/// One conversation, as each API writes it: instructions, a question, a call with its result, another question.
fn conversation(provider: Provider) -> Value {
    match provider {
        Provider::Gemini => json!({
            "systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "List"}, {"text": "files."}]},
                {"role": "model", "parts": [
                    {"text": "Looking."},
                    {"functionCall": {"id": "c1", "name": "ls", "args": {}}},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "a.txt\nb.txt"}}},
                ]},
                {"parts": [{"text": "And"}, {"text": "now?"}]},
            ],
            "tools": [{"functionDeclarations": [{"name": "ls"}, {"name": "cat"}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        }),
        Provider::Anthropic => json!({
            "model": "test",
            "max_tokens": 64,
            "system": [{"type": "text", "text": "Be brief."}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "List"}, {"type": "text", "text": "files."}]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "Looking."},
                    {"type": "tool_use", "id": "c1", "name": "ls", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "a.txt\nb.txt"},
                ]},
                {"role": "user", "content": [{"type": "text", "text": "And"}, {"type": "text", "text": "now?"}]},
            ],
            "tools": [{"name": "ls", "input_schema": {}}, {"name": "cat", "input_schema": {}}],
            "tool_choice": {"type": "any"},
        }),
        Provider::OpenAiChat => json!({
            "model": "test",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "List"}, {"type": "text", "text": "files."}]},
                {"role": "assistant", "content": "Looking.", "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}},
                ]},
                {"role": "tool", "tool_call_id": "c1", "content": "a.txt\nb.txt"},
                {"role": "user", "content": [{"type": "text", "text": "And"}, {"type": "text", "text": "now?"}]},
            ],
            "tools": [
                {"type": "function", "function": {"name": "ls"}},
                {"type": "custom", "custom": {"name": "cat"}},
            ],
            "tool_choice": "required",
        }),
        Provider::OpenAiResponses => json!({
            "model": "test",
            "instructions": "Be brief.",
            "input": [
                {"type": "message", "role": "user", "content": [
                    {"type": "input_text", "text": "List"},
                    {"type": "input_text", "text": "files."},
                ]},
                {"type": "reasoning", "summary": []},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]},
                {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": "a.txt\nb.txt"},
                {"role": "user", "content": [
                    {"type": "input_text", "text": "And"},
                    {"type": "input_text", "text": "now?"},
                ]},
            ],
            "tools": [{"type": "function", "name": "ls"}, {"type": "custom", "name": "cat"}],
            "tool_choice": "required",
        }),
        Provider::Augment => unreachable!("its tests are in augment.rs"),
    }
}

#[test]
fn one_conversation_reads_the_same_in_every_format() {
    let choices = [
        (Provider::Gemini, json!({"functionCallingConfig": {"mode": "ANY"}})),
        (Provider::Anthropic, json!({"type": "any"})),
        (Provider::OpenAiChat, json!("required")),
        (Provider::OpenAiResponses, json!("required")),
    ];
    for (provider, choice) in choices {
        let body = conversation(provider);
        let request = record(target(provider), &body);
        assert_eq!(request.provider(), Some(provider));
        assert_eq!(request.model(), "test", "{provider:?}");
        assert_eq!(request.body, body, "{provider:?}");
        assert_eq!(request.system_text(), "Be brief.", "{provider:?}");
        assert_eq!(request.texts(), ["List", "files.", "Looking.", "And", "now?"], "{provider:?}");
        assert_eq!(request.last_user_text(), "And\nnow?", "{provider:?}");
        assert_eq!(request.tool_results(), [result(Some("c1"), Some("ls"), "a.txt\nb.txt")], "{provider:?}");
        assert_eq!(request.tool_names(), ["ls", "cat"], "{provider:?}");
        assert_eq!(request.tool_choice(), Some(&choice), "{provider:?}");
        for told in ["brief", "files", "Looking", "b.txt", "now?"] {
            assert!(request.mentions(told), "{provider:?} {told}");
        }
        assert!(!request.mentions("functionCall") && !request.mentions("c1"), "{provider:?}");
    }
}

fn result(id: Option<&str>, name: Option<&str>, text: &str) -> ToolResult {
    ToolResult { id: id.map(str::to_owned), name: name.map(str::to_owned), text: text.to_owned() }
}

#[test]
fn an_empty_conversation_says_nothing() {
    let cases = [
        ("/v1beta/models/test:generateContent", json!({"contents": []})),
        ("/v1/messages", json!({"model": "m", "max_tokens": 1, "messages": []})),
        ("/v1/chat/completions", json!({"model": "m", "messages": []})),
        ("/v1/responses", json!({"model": "m", "input": []})),
    ];
    for (target, body) in cases {
        let request = record(target, &body);
        assert_eq!((request.system_text(), request.last_user_text()), (String::new(), String::new()), "{target}");
        assert!(request.texts().is_empty() && request.tool_results().is_empty(), "{target}");
        assert!(request.tool_names().is_empty() && request.tool_choice().is_none(), "{target}");
    }
}

/// Results in the shapes that clients send them, each with the text that the model reads.
#[test]
fn tool_results_are_read_in_all_their_shapes() {
    let gemini = |response: Value| {
        let part = json!({"functionResponse": {"name": "ls", "response": response}});
        (Provider::Gemini, json!({"contents": [{"role": "user", "parts": [part]}]}))
    };
    let anthropic = |content: Value| {
        let block = json!({"type": "tool_result", "tool_use_id": "c1", "content": content});
        let messages = json!([{"role": "user", "content": [block, {"type": "text", "text": "beside it"}]}]);
        (Provider::Anthropic, json!({"model": "m", "max_tokens": 1, "messages": messages}))
    };
    let chat = |content: Value| {
        let messages = json!([{"role": "tool", "tool_call_id": "c1", "content": content}]);
        (Provider::OpenAiChat, json!({"model": "m", "messages": messages}))
    };
    let responses = |kind: &str, output: Value| {
        let call =
            json!({"type": "custom_tool_call", "call_id": "c1", "namespace": "mcp__x", "name": "ls", "input": ""});
        let input = json!([call, {"type": kind, "call_id": "c1", "output": output}]);
        (Provider::OpenAiResponses, json!({"model": "m", "input": input}))
    };
    let (id, name, full_name) = (Some("c1"), Some("ls"), Some("mcp__x__ls"));
    let image = json!({"type": "image", "source": {}});
    let cases = [
        (gemini(json!({"output": "out\n"})), result(None, name, "out\n")),
        (gemini(json!({"error": "blocked: no"})), result(None, name, "blocked: no")),
        (gemini(json!({"output": "out", "code": 1})), result(None, name, r#"{"output":"out","code":1}"#)),
        (gemini(json!({"output": [1]})), result(None, name, r#"{"output":[1]}"#)),
        (anthropic(json!("plain")), result(id, None, "plain")),
        (anthropic(json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])), result(id, None, "a\nb")),
        (anthropic(json!([image])), result(id, None, r#"[{"type":"image","source":{}}]"#)),
        (anthropic(Value::Null), result(id, None, "")),
        (chat(json!([{"type": "text", "text": "part"}])), result(id, None, "part")),
        (responses("function_call_output", json!("out")), result(id, full_name, "out")),
        (
            responses("custom_tool_call_output", json!([{"type": "input_text", "text": "part"}])),
            result(id, full_name, "part"),
        ),
    ];
    for ((provider, body), expected) in cases {
        assert_eq!(record(target(provider), &body).tool_results(), [expected], "{provider:?} {body}");
    }
}

#[test]
fn the_other_spellings_of_a_conversation_are_understood() {
    let snake = json!({
        "system_instruction": {"parts": [{"text": "sys"}]},
        "contents": [
            {"role": "model", "parts": [{"function_call": {"name": "ls", "args": {}}}]},
            {"role": "user", "parts": [{"function_response": {"name": "ls", "response": {"output": "out"}}}]},
            {"role": "user", "parts": [{"text": "hi"}]},
        ],
        "tools": [{"function_declarations": [{"name": "ls"}]}, {"google_search": {}}],
        "tool_config": {},
    });
    let strings = json!({
        "model": "m",
        "max_tokens": 1,
        "system": "sys",
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"name": "ls"}],
        "tool_choice": {},
    });
    let developer = json!({
        "model": "m",
        "messages": [{"role": "developer", "content": "sys"}, {"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "function": {"name": "ls"}}],
        "tool_choice": {},
    });
    let cases = [
        (Provider::Gemini, snake),
        (Provider::Anthropic, strings),
        (Provider::OpenAiChat, developer),
        (
            Provider::OpenAiResponses,
            json!({"model": "m", "instructions": "sys", "input": "hi", "tools": [{"name": "ls"}], "tool_choice": {}}),
        ),
    ];
    for (provider, body) in cases {
        let request = record(target(provider), &body);
        assert_eq!(request.system_text(), "sys", "{provider:?}");
        assert_eq!(request.texts(), ["hi"], "{provider:?}");
        assert_eq!(request.last_user_text(), "hi", "{provider:?}");
        assert_eq!(request.tool_names(), ["ls"], "{provider:?}");
        assert_eq!(request.tool_choice(), Some(&json!({})), "{provider:?}");
    }
}

#[test]
fn instructions_inside_the_conversation_are_instructions() {
    let messages = json!([{"role": "system", "content": "late"}, {"role": "user", "content": "hi"}]);
    let cases = [
        (Provider::Anthropic, json!({"model": "m", "max_tokens": 1, "system": "early", "messages": messages})),
        (
            Provider::OpenAiChat,
            json!({"model": "m", "messages": [{"role": "developer", "content": "early"}, messages[0]]}),
        ),
        (
            Provider::OpenAiResponses,
            json!({"model": "m", "instructions": "early", "input": [{"role": "developer", "content": "late"}]}),
        ),
    ];
    for (provider, body) in cases {
        assert_eq!(record(target(provider), &body).system_text(), "early\nlate", "{provider:?}");
    }
}

#[test]
fn tools_in_groups_and_the_providers_own_tools_are_named() {
    let body = json!({"model": "m", "input": "hi", "tools": [
        {"type": "function", "name": "exec_command"},
        {"type": "namespace", "name": "mcp__x", "tools": [{"type": "function", "name": "a"}, {"type": "custom", "name": "b"}]},
        {"type": "web_search"},
    ]});
    let names = record("/v1/responses", &body).tool_names();
    assert_eq!(names, ["exec_command", "mcp__x__a", "mcp__x__b", "web_search"]);
}
