//! OpenAI's Responses API.

use crate::conversation::{Message, Role, ToolResult, list, result_text, str_of, string};
use crate::openai_chat::openai_error;
use crate::wire::{CREATED_AT, Event, INPUT_TOKENS, OUTPUT_TOKENS, Wire, WireReply, merge};
use serde_json::{Value, json};

mod call;

use call::{SentCall, full_name, offered};

#[derive(Debug)]
pub(crate) struct OpenAiResponses;

impl Wire for OpenAiResponses {
    fn required_fields(&self) -> &'static [&'static str] {
        &["model", "input"]
    }

    fn whole(&self, reply: &WireReply) -> Value {
        response(reply, Status::Completed)
    }

    fn events(&self, reply: &WireReply) -> Vec<Event> {
        let mut stream = Stream::default();
        stream.push("response.created", json!({"response": response(reply, Status::InProgress)}));
        stream.push("response.in_progress", json!({"response": response(reply, Status::InProgress)}));
        if let Some(text) = &reply.speech.text {
            stream.push_message(reply, text);
        }
        for call in SentCall::all(reply) {
            stream.push_call(reply, &call);
        }
        stream.push("response.completed", json!({"response": response(reply, Status::Completed)}));
        stream.events
    }

    fn error(&self, status: u16, message: &str) -> Value {
        openai_error(status, message)
    }

    fn token_count(&self, tokens: u64) -> Value {
        json!({"object": "response.input_tokens", "input_tokens": tokens})
    }

    fn messages(&self, body: &Value) -> Vec<Message> {
        let instructions = body.get("instructions").map(|text| Message::of_text(Role::System, text));
        let input = body.get("input").unwrap_or(&Value::Null);
        let prompt = input.is_string().then(|| Message::of_text(Role::User, input));
        instructions.into_iter().chain(prompt).chain(list(body, "input").filter_map(read_item)).collect()
    }

    fn tool_names(&self, body: &Value) -> Vec<String> {
        offered(body).into_iter().map(|tool| tool.full_name()).collect()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Status {
    InProgress,
    Completed,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }
}

fn response(reply: &WireReply, status: Status) -> Value {
    let request = |field: &str, default: Value| reply.request.body.get(field).cloned().unwrap_or(default);
    let (output, usage) = match status {
        Status::InProgress => (json!([]), Value::Null),
        Status::Completed => (output(reply), usage()),
    };
    json!({
        "id": reply.id("resp"),
        "object": "response",
        "created_at": CREATED_AT,
        "status": status.name(),
        "background": false,
        "error": null,
        "incomplete_details": null,
        "instructions": request("instructions", Value::Null),
        "max_output_tokens": request("max_output_tokens", Value::Null),
        "model": reply.request.model(),
        "output": output,
        "parallel_tool_calls": request("parallel_tool_calls", json!(true)),
        "previous_response_id": request("previous_response_id", Value::Null),
        "reasoning": request("reasoning", json!({"effort": null, "summary": null})),
        "service_tier": "default",
        "store": request("store", json!(true)),
        "temperature": request("temperature", json!(1.0)),
        "text": request("text", json!({"format": {"type": "text"}})),
        "tool_choice": request("tool_choice", json!("auto")),
        "tools": request("tools", json!([])),
        "top_p": request("top_p", json!(1.0)),
        "truncation": request("truncation", json!("disabled")),
        "usage": usage,
        "user": null,
        "metadata": request("metadata", json!({})),
    })
}

fn output(reply: &WireReply) -> Value {
    let text = reply.speech.text.iter().map(|text| message_item(reply, Status::Completed, &json!([text_part(text)])));
    let calls = SentCall::all(reply).into_iter().map(|call| call.item(Status::Completed, &call.input));
    text.chain(calls).collect()
}

fn usage() -> Value {
    json!({
        "input_tokens": INPUT_TOKENS,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": OUTPUT_TOKENS,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
    })
}

fn message_item(reply: &WireReply, status: Status, content: &Value) -> Value {
    json!({"id": reply.id("msg"), "type": "message", "status": status.name(), "role": "assistant", "content": content})
}

fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

/// Events in the making: each carries its place in the stream.
#[derive(Default)]
struct Stream {
    events: Vec<Event>,
}

impl Stream {
    fn push(&mut self, name: &'static str, fields: Value) {
        let event = self.number(name, fields);
        self.events.push(event);
    }

    fn push_delta(&mut self, name: &'static str, fields: Value) {
        let event = self.number(name, fields).speaking();
        self.events.push(event);
    }

    fn number(&self, name: &'static str, fields: Value) -> Event {
        Event::typed(name, merge(json!({"sequence_number": self.events.len()}), fields))
    }

    fn push_message(&mut self, reply: &WireReply, text: &str) {
        let id = reply.id("msg");
        let part = |fields| merge(json!({"item_id": id, "output_index": 0, "content_index": 0}), fields);
        let opened = message_item(reply, Status::InProgress, &json!([]));
        let closed = message_item(reply, Status::Completed, &json!([text_part(text)]));
        self.push("response.output_item.added", json!({"output_index": 0, "item": opened}));
        self.push("response.content_part.added", part(json!({"part": text_part("")})));
        for piece in reply.pieces(text) {
            self.push_delta("response.output_text.delta", part(json!({"delta": piece, "logprobs": []})));
        }
        self.push("response.output_text.done", part(json!({"text": text, "logprobs": []})));
        self.push("response.content_part.done", part(json!({"part": text_part(text)})));
        self.push("response.output_item.done", json!({"output_index": 0, "item": closed}));
    }

    fn push_call(&mut self, reply: &WireReply, call: &SentCall) {
        let SentCall { output_index, form, id, input, .. } = call;
        let place = |field: &str, value: &str| json!({"item_id": id, "output_index": output_index, field: value});
        let item = |status, input| json!({"output_index": output_index, "item": call.item(status, input)});
        self.push("response.output_item.added", item(Status::InProgress, ""));
        for piece in reply.pieces(input) {
            self.push_delta(form.delta_event, place("delta", &piece));
        }
        self.push(form.done_event, place(form.input_field, input));
        self.push("response.output_item.done", item(Status::Completed, input));
    }
}

/// What an item of the conversation says; none for kinds that say nothing, such as reasoning.
fn read_item(item: &Value) -> Option<Message> {
    let content = item.get("content").unwrap_or(&Value::Null);
    // A message may leave its type out.
    let kind = item.get("type").and_then(Value::as_str).unwrap_or("message");
    match (kind, str_of(item, "role")) {
        ("message", "assistant") => Some(Message::of_text(Role::Model, content)),
        ("message", "system" | "developer") => Some(Message::of_text(Role::System, content)),
        ("message", _) => Some(Message::of_text(Role::User, content)),
        ("function_call" | "custom_tool_call", _) => {
            let name = full_name(item.get("namespace").and_then(Value::as_str), str_of(item, "name"));
            Some(Message { calls: vec![(str_of(item, "call_id").to_owned(), name)], ..Message::new(Role::Model) })
        }
        ("function_call_output" | "custom_tool_call_output", _) => {
            let text = item.get("output").map(result_text).unwrap_or_default();
            let result = ToolResult { id: string(item, "call_id"), name: None, text };
            Some(Message { results: vec![result], ..Message::new(Role::User) })
        }
        _ => None,
    }
}
