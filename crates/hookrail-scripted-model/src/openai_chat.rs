//! OpenAI's Chat Completions API.

use crate::conversation::{Message, Role, ToolResult, list, result_text, str_of, string};
use crate::script::ToolCall;
use crate::wire::{CREATED_AT, Event, INPUT_TOKENS, OUTPUT_TOKENS, Wire, WireReply, merge};
use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct OpenAiChat;

impl Wire for OpenAiChat {
    fn required_fields(&self) -> &'static [&'static str] {
        &["model", "messages"]
    }

    fn whole(&self, reply: &WireReply) -> Value {
        let calls = reply.speech.calls.iter().enumerate();
        let calls: Vec<_> = calls.map(|(index, call)| tool_call(reply, index, call, &input_of(call))).collect();
        let calls = if calls.is_empty() { json!({}) } else { json!({ "tool_calls": calls }) };
        let message = json!({"role": "assistant", "content": reply.speech.text, "refusal": null});
        let message = merge(message, calls);
        let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(reply)});
        merge(completion(reply, "chat.completion", &json!([choice])), json!({ "usage": usage() }))
    }

    fn events(&self, reply: &WireReply) -> Vec<Event> {
        let content = reply.speech.text.as_ref().map(|_| "");
        let mut events = vec![delta(reply, &json!({"role": "assistant", "content": content, "refusal": null}))];
        let pieces = reply.pieces(reply.speech.text.as_deref().unwrap_or_default());
        events.extend(pieces.iter().map(|piece| delta(reply, &json!({ "content": piece })).speaking()));
        for (index, call) in reply.speech.calls.iter().enumerate() {
            events.extend(call_deltas(reply, index, call));
        }
        events.push(chunk(reply, &json!([choice(&json!({}), Some(finish_reason(reply)))]), None));
        if wants_usage(reply) {
            events.push(chunk(reply, &json!([]), Some(&usage())));
        }
        events.push(Event::unnamed("[DONE]"));
        events
    }

    fn error(&self, status: u16, message: &str) -> Value {
        openai_error(status, message)
    }

    fn messages(&self, body: &Value) -> Vec<Message> {
        list(body, "messages").map(read_message).collect()
    }

    fn tool_names(&self, body: &Value) -> Vec<String> {
        list(body, "tools").filter_map(name_of).collect()
    }
}

/// The error body that all OpenAI APIs share.
pub(crate) fn openai_error(status: u16, message: &str) -> Value {
    let (kind, code) = match status {
        401 => ("invalid_request_error", json!("invalid_api_key")),
        429 => ("requests", json!("rate_limit_exceeded")),
        400..500 => ("invalid_request_error", Value::Null),
        _ => ("server_error", Value::Null),
    };
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

fn completion(reply: &WireReply, object: &str, choices: &Value) -> Value {
    json!({
        "id": reply.id("chatcmpl"),
        "object": object,
        "created": CREATED_AT,
        "model": reply.request.model(),
        "service_tier": "default",
        "system_fingerprint": "fp_hookrail",
        "choices": choices,
    })
}

fn usage() -> Value {
    json!({
        "prompt_tokens": INPUT_TOKENS,
        "completion_tokens": OUTPUT_TOKENS,
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    })
}

fn finish_reason(reply: &WireReply) -> &'static str {
    if reply.speech.calls.is_empty() { "stop" } else { "tool_calls" }
}

fn wants_usage(reply: &WireReply) -> bool {
    reply.request.body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true))
}

/// A chunk of the stream. All but the last have a null `usage` if the client asked for usage, and none otherwise.
fn chunk(reply: &WireReply, choices: &Value, usage: Option<&Value>) -> Event {
    let usage = if wants_usage(reply) { json!({ "usage": usage }) } else { json!({}) };
    Event::unnamed(merge(completion(reply, "chat.completion.chunk", choices), usage).to_string())
}

fn choice(delta: &Value, finish_reason: Option<&str>) -> Value {
    json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason})
}

fn delta(reply: &WireReply, delta: &Value) -> Event {
    chunk(reply, &json!([choice(delta, None)]), None)
}

/// Where a call keeps its arguments: a free-form tool takes text, a function takes JSON.
fn kind_of(call: &ToolCall) -> (&'static str, &'static str) {
    if call.args.is_string() { ("custom", "input") } else { ("function", "arguments") }
}

fn input_of(call: &ToolCall) -> String {
    call.args.as_str().map_or_else(|| call.args.to_string(), str::to_owned)
}

fn tool_call(reply: &WireReply, index: usize, call: &ToolCall, input: &str) -> Value {
    let (kind, input_field) = kind_of(call);
    json!({"id": reply.item_id("call", index), "type": kind, kind: {"name": call.name, input_field: input}})
}

fn call_deltas(reply: &WireReply, index: usize, call: &ToolCall) -> Vec<Event> {
    let (kind, input_field) = kind_of(call);
    let opening = merge(json!({ "index": index }), tool_call(reply, index, call, ""));
    let pieces = reply.pieces(&input_of(call)).into_iter();
    let pieces = pieces.map(|piece| json!({"index": index, kind: {input_field: piece}}));
    [opening].into_iter().chain(pieces).map(|call| delta(reply, &json!({"tool_calls": [call]})).speaking()).collect()
}

fn read_message(message: &Value) -> Message {
    let content = message.get("content").unwrap_or(&Value::Null);
    match str_of(message, "role") {
        "system" | "developer" => Message::of_text(Role::System, content),
        "assistant" => Message { calls: read_calls(message), ..Message::of_text(Role::Model, content) },
        "tool" => {
            let result = ToolResult { id: string(message, "tool_call_id"), name: None, text: result_text(content) };
            Message { results: vec![result], ..Message::new(Role::User) }
        }
        _ => Message::of_text(Role::User, content),
    }
}

fn read_calls(message: &Value) -> Vec<(String, String)> {
    list(message, "tool_calls").map(|call| (str_of(call, "id").to_owned(), name_of(call).unwrap_or_default())).collect()
}

/// The name in a tool's definition or in a call of it.
fn name_of(tool: &Value) -> Option<String> {
    string(tool.get("function").or_else(|| tool.get("custom"))?, "name")
}
