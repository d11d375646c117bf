//! Anthropic's Messages API.

use crate::conversation::{Message, Role, ToolResult, list, result_text, str_of, string, texts_of};
use crate::script::ToolCall;
use crate::wire::{Event, INPUT_TOKENS, OUTPUT_TOKENS, Wire, WireReply};
use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct Anthropic;

impl Wire for Anthropic {
    fn required_fields(&self) -> &'static [&'static str] {
        &["model", "max_tokens", "messages"]
    }

    fn whole(&self, reply: &WireReply) -> Value {
        let text = reply.speech.text.iter().map(|text| json!({"type": "text", "text": text}));
        let calls = reply.speech.calls.iter().enumerate();
        let calls = calls.map(|(index, call)| tool_use(reply, index, call, &call.object_args()));
        message(reply, &text.chain(calls).collect(), Some(stop_reason(reply)), OUTPUT_TOKENS)
    }

    fn events(&self, reply: &WireReply) -> Vec<Event> {
        let text = reply.speech.text.iter().map(|text| text_block(reply, text));
        let calls = reply.speech.calls.iter().enumerate().map(|(number, call)| call_block(reply, number, call));
        let blocks = text.chain(calls).enumerate().flat_map(|(index, block)| block.events(index));

        let mut events = vec![Event::typed("message_start", json!({"message": message(reply, &json!([]), None, 1)}))];
        events.extend(blocks);
        events.insert(2, Event::typed("ping", json!({})));
        let delta = json!({"stop_reason": stop_reason(reply), "stop_sequence": null});
        events.push(Event::typed("message_delta", json!({"delta": delta, "usage": {"output_tokens": OUTPUT_TOKENS}})));
        events.push(Event::typed("message_stop", json!({})));
        events
    }

    fn error(&self, status: u16, message: &str) -> Value {
        let kind = match status {
            401 => "authentication_error",
            402 => "billing_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            504 => "timeout_error",
            529 => "overloaded_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        };
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_0001"})
    }

    fn messages(&self, body: &Value) -> Vec<Message> {
        let system = body.get("system").map(|system| Message::of_text(Role::System, system));
        system.into_iter().chain(list(body, "messages").map(read_message)).collect()
    }

    fn tool_names(&self, body: &Value) -> Vec<String> {
        list(body, "tools").filter_map(|tool| string(tool, "name")).collect()
    }
}

fn message(reply: &WireReply, content: &Value, stop_reason: Option<&str>, output_tokens: u64) -> Value {
    json!({
        "id": reply.id("msg"),
        "type": "message",
        "role": "assistant",
        "model": reply.request.model(),
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": {
            "input_tokens": INPUT_TOKENS,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": output_tokens,
        },
    })
}

fn stop_reason(reply: &WireReply) -> &'static str {
    if reply.speech.calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn tool_use(reply: &WireReply, index: usize, call: &ToolCall, input: &Value) -> Value {
    json!({"type": "tool_use", "id": reply.item_id("toolu", index), "name": call.name, "input": input})
}

/// A block of content as it is streamed.
struct Block {
    opening: Value,
    deltas: Vec<Value>,
}

fn text_block(reply: &WireReply, text: &str) -> Block {
    let deltas = reply.pieces(text).into_iter().map(|piece| json!({"type": "text_delta", "text": piece})).collect();
    Block { opening: json!({"type": "text", "text": ""}), deltas }
}

fn call_block(reply: &WireReply, number: usize, call: &ToolCall) -> Block {
    // The first piece of arguments is always empty.
    let pieces = [String::new()].into_iter().chain(reply.pieces(&call.object_args().to_string()));
    let deltas = pieces.map(|piece| json!({"type": "input_json_delta", "partial_json": piece})).collect();
    Block { opening: tool_use(reply, number, call, &json!({})), deltas }
}

impl Block {
    fn events(self, index: usize) -> Vec<Event> {
        let start = Event::typed("content_block_start", json!({"index": index, "content_block": self.opening}));
        let delta = |delta| Event::typed("content_block_delta", json!({"index": index, "delta": delta})).speaking();
        let stop = Event::typed("content_block_stop", json!({ "index": index }));
        [start].into_iter().chain(self.deltas.into_iter().map(delta)).chain([stop]).collect()
    }
}

fn read_message(message: &Value) -> Message {
    let role = match str_of(message, "role") {
        "assistant" => Role::Model,
        "system" => Role::System,
        _ => Role::User,
    };
    let mut read = Message::new(role);
    let content = message.get("content").unwrap_or(&Value::Null);
    if content.is_string() {
        read.texts = texts_of(content);
    }
    for block in content.as_array().into_iter().flatten() {
        match str_of(block, "type") {
            "text" => read.texts.extend(string(block, "text")),
            "tool_use" => read.calls.push((str_of(block, "id").to_owned(), str_of(block, "name").to_owned())),
            "tool_result" => read.results.push(ToolResult {
                id: string(block, "tool_use_id"),
                name: None,
                text: block.get("content").map(result_text).unwrap_or_default(),
            }),
            _ => {}
        }
    }
    read
}
