//! The exact JSON that clients depend on, and what only some of the formats have.

use super::client::{Client, ClientAnswer};
use super::sample::{Mode, line_end, request};
use crate::{ModelServer, Provider, Script, ToolCall, Turn};
use serde_json::{Value, json};

fn ask(turn: Turn, target: &str, body: &Value) -> ClientAnswer {
    let server = ModelServer::start(turn);
    Client::connect(&server).post(target, body)
}

fn ask_plainly(provider: Provider) -> Value {
    let (target, body) = request(provider, Mode::Whole, "hi");
    let answer = ask(Turn::text_and_calls("Hi.", [("ls", json!({"a": 1}))]), target, &body);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    answer.json()
}

#[test]
fn gemini_answers_with_candidates() {
    let expected = json!({
        "candidates": [{
            "content": {
                "parts": [{"text": "Hi."}, {"functionCall": {"id": "call_0001_0", "name": "ls", "args": {"a": 1}}}],
                "role": "model",
            },
            "index": 0,
            "finishReason": "STOP",
        }],
        "usageMetadata": {
            "promptTokenCount": 100,
            "candidatesTokenCount": 20,
            "totalTokenCount": 120,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 100}],
        },
        "modelVersion": "gemini-test",
        "responseId": "response_0001",
    });
    assert_eq!(ask_plainly(Provider::Gemini), expected);
}

#[test]
fn anthropic_answers_with_a_message() {
    let expected = json!({
        "id": "msg_0001",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": [
            {"type": "text", "text": "Hi."},
            {"type": "tool_use", "id": "toolu_0001_0", "name": "ls", "input": {"a": 1}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": null,
        "usage": {
            "input_tokens": 100,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 20,
        },
    });
    assert_eq!(ask_plainly(Provider::Anthropic), expected);
}

#[test]
fn chat_answers_with_choices() {
    let call = json!({"id": "call_0001_0", "type": "function", "function": {"name": "ls", "arguments": "{\"a\":1}"}});
    let expected = json!({
        "id": "chatcmpl_0001",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "gpt-test",
        "service_tier": "default",
        "system_fingerprint": "fp_hookrail",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": "Hi.", "refusal": null, "tool_calls": [call]},
            "logprobs": null,
            "finish_reason": "tool_calls",
        }],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        },
    });
    assert_eq!(ask_plainly(Provider::OpenAiChat), expected);
}

#[test]
fn responses_answers_with_a_response() {
    let text = json!({"type": "output_text", "text": "Hi.", "annotations": [], "logprobs": []});
    let expected = json!({
        "id": "resp_0001",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "completed",
        "background": false,
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "max_output_tokens": null,
        "model": "gpt-test",
        "output": [
            {"id": "msg_0001", "type": "message", "status": "completed", "role": "assistant", "content": [text]},
            {
                "id": "fc_0001_0",
                "type": "function_call",
                "status": "completed",
                "arguments": "{\"a\":1}",
                "call_id": "call_0001_0",
                "name": "ls",
            },
        ],
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": {"effort": null, "summary": null},
        "service_tier": "default",
        "store": true,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 120,
        },
        "user": null,
        "metadata": {},
    });
    assert_eq!(ask_plainly(Provider::OpenAiResponses), expected);
}

#[test]
fn a_stream_opens_with_what_is_known_at_its_start() {
    let cases = [
        (Provider::Anthropic, "/message/content", json!([])),
        (Provider::Anthropic, "/message/stop_reason", Value::Null),
        (Provider::Anthropic, "/message/model", json!("claude-test")),
        (Provider::Anthropic, "/message/usage/input_tokens", json!(100)),
        (Provider::OpenAiChat, "/object", json!("chat.completion.chunk")),
        (Provider::OpenAiChat, "/choices/0/delta/role", json!("assistant")),
        (Provider::OpenAiChat, "/choices/0/finish_reason", Value::Null),
        (Provider::OpenAiResponses, "/response/status", json!("in_progress")),
        (Provider::OpenAiResponses, "/response/output", json!([])),
        (Provider::OpenAiResponses, "/response/usage", Value::Null),
        (Provider::Gemini, "/candidates/0/content/role", json!("model")),
        (Provider::Gemini, "/modelVersion", json!("gemini-test")),
    ];
    for (provider, pointer, expected) in cases {
        let (target, body) = request(provider, Mode::Stream, "hi");
        let events = ask(Turn::text("Hi."), target, &body).events(line_end(provider));
        assert_eq!(events[0].json().pointer(pointer), Some(&expected), "{provider:?} {pointer}");
    }
}

#[test]
fn chat_streams_usage_only_to_those_who_ask() {
    let (target, body) = request(Provider::OpenAiChat, Mode::Stream, "hi");
    let events = ask(Turn::text("Hi."), target, &body).events("\n");
    assert!(events.iter().all(|event| !event.data.contains("usage")));

    let mut body = body;
    body["stream_options"] = json!({"include_usage": true});
    let events = ask(Turn::text("Hi."), target, &body).events("\n");
    let [chunks @ .., usage, done] = events.as_slice() else { panic!("{events:?}") };
    assert!(chunks.iter().all(|chunk| chunk.json()["usage"] == Value::Null && chunk.data.contains("usage")));
    assert_eq!(usage.json()["choices"], json!([]));
    assert_eq!(usage.json()["usage"]["total_tokens"], 120);
    assert_eq!(done.data, "[DONE]");
}

#[test]
fn gemini_streams_an_array_unless_asked_for_events() {
    let (_, body) = request(Provider::Gemini, Mode::Stream, "hi");
    let answer = ask(Turn::text("Hello world"), "/v1beta/models/gemini-test:streamGenerateContent", &body);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(answer.chunks.len() > 3 && answer.is_complete);
    let array = answer.json();
    let texts =
        array.as_array().unwrap().iter().map(|part| part["candidates"][0]["content"]["parts"][0]["text"].as_str());
    assert_eq!(texts.map(Option::unwrap).collect::<String>(), "Hello world");
    assert_eq!(array.as_array().unwrap().last().unwrap()["candidates"][0]["finishReason"], "STOP");
}

#[test]
fn a_string_of_arguments_is_a_free_form_call_where_there_are_such() {
    let turn = || Turn::tool_call("apply_patch", json!("*** Begin\n*** End"));
    let whole = |provider| {
        let (target, body) = request(provider, Mode::Whole, "hi");
        ask(turn(), target, &body).json()
    };
    assert_eq!(
        whole(Provider::OpenAiResponses)["output"][0],
        json!({
            "id": "ctc_0001_0",
            "type": "custom_tool_call",
            "status": "completed",
            "input": "*** Begin\n*** End",
            "call_id": "call_0001_0",
            "name": "apply_patch",
        })
    );
    assert_eq!(
        whole(Provider::OpenAiChat)["choices"][0]["message"]["tool_calls"][0],
        json!({"id": "call_0001_0", "type": "custom", "custom": {"name": "apply_patch", "input": "*** Begin\n*** End"}})
    );
    let input = json!({"input": "*** Begin\n*** End"});
    assert_eq!(whole(Provider::Anthropic)["content"][0]["input"], input);
    assert_eq!(whole(Provider::Gemini)["candidates"][0]["content"]["parts"][0]["functionCall"]["args"], input);
}

#[test]
fn a_free_form_call_streams_its_input() {
    let (target, body) = request(Provider::OpenAiResponses, Mode::Stream, "hi");
    let events = ask(Turn::tool_call("apply_patch", json!("123456")), target, &body).events("\n");
    let named = |name: &str| events.iter().filter(|event| event.name.as_deref() == Some(name)).collect::<Vec<_>>();
    let deltas = named("response.custom_tool_call_input.delta");
    assert_eq!(deltas.iter().map(|event| event.json()["delta"].clone()).collect::<Vec<_>>(), ["12345", "6"]);
    assert_eq!(named("response.custom_tool_call_input.done")[0].json()["input"], "123456");
}

#[test]
fn a_tool_in_a_group_is_called_by_group_and_name() {
    let group = json!({"type": "namespace", "name": "mcp__tiny", "tools": [{"type": "function", "name": "touch"}]});
    let body = json!({"model": "gpt-test", "input": "hi", "tools": [group]});
    let cases = [
        (ToolCall::new("mcp__tiny__touch", json!({})), Some("mcp__tiny"), "touch"),
        (ToolCall::new("touch", json!({})).in_namespace("other"), Some("other"), "touch"),
        (ToolCall::new("touch", json!({})), None, "touch"),
    ];
    for (call, namespace, name) in cases {
        let item = ask(Turn::tool_calls([call.clone()]), "/v1/responses", &body).json()["output"][0].clone();
        assert_eq!(item.get("namespace").and_then(Value::as_str), namespace, "{call:?}");
        assert_eq!(item["name"], name, "{call:?}");
    }
}

#[test]
fn tokens_are_counted_without_asking_the_script() {
    let server = ModelServer::start(Script::new([Turn::text("kept")]));
    let details = json!([{"modality": "TEXT", "tokenCount": 100}]);
    let cases = [
        ("/v1beta/models/m:countTokens", json!({"totalTokens": 100, "promptTokensDetails": details})),
        ("/v1/messages/count_tokens", json!({"input_tokens": 100})),
        ("/v1/responses/input_tokens", json!({"object": "response.input_tokens", "input_tokens": 100})),
    ];
    for (target, expected) in cases {
        let answer = Client::connect(&server).post(target, &json!({"messages": []}));
        assert_eq!((answer.status, answer.json()), (200, expected), "{target}");
    }
    assert_eq!(server.turns_left(), 1);
    assert_eq!(server.requests().len(), 3);
    assert_eq!(server.generations().len(), 0);
}
