//! Google's Gemini API.

use crate::conversation::{Message, Role, ToolResult, list, str_of, string};
use crate::script::ToolCall;
use crate::wire::{Event, INPUT_TOKENS, OUTPUT_TOKENS, Wire, WireReply, merge};
use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct Gemini;

impl Wire for Gemini {
    fn required_fields(&self) -> &'static [&'static str] {
        &["contents"]
    }

    fn whole(&self, reply: &WireReply) -> Value {
        let text = reply.speech.text.iter().map(|text| text_part(text));
        let parts = text.chain(call_parts(reply)).collect();
        response(reply, &parts, Some("STOP"))
    }

    fn events(&self, reply: &WireReply) -> Vec<Event> {
        let text = reply.speech.text.as_deref().unwrap_or_default();
        let pieces = reply.pieces(text).into_iter().map(|piece| text_part(&piece));
        let mut events: Vec<_> =
            pieces.chain(call_parts(reply)).map(|part| event(reply, &json!([part]), None).speaking()).collect();
        events.push(event(reply, &json!([text_part("")]), Some("STOP")));
        events
    }

    fn error(&self, status: u16, message: &str) -> Value {
        let name = match status {
            400 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            429 => "RESOURCE_EXHAUSTED",
            500 => "INTERNAL",
            503 => "UNAVAILABLE",
            504 => "DEADLINE_EXCEEDED",
            _ => "UNKNOWN",
        };
        json!({"error": {"code": status, "message": message, "status": name}})
    }

    fn token_count(&self, tokens: u64) -> Value {
        json!({"totalTokens": tokens, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": tokens}]})
    }

    fn messages(&self, body: &Value) -> Vec<Message> {
        let system = field(body, "systemInstruction", "system_instruction");
        let system = system.map(|content| Message { role: Role::System, ..read_content(content) });
        system.into_iter().chain(list(body, "contents").map(read_content)).collect()
    }

    fn tool_names(&self, body: &Value) -> Vec<String> {
        list(body, "tools")
            .filter_map(|tool| field(tool, "functionDeclarations", "function_declarations"))
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(|function| string(function, "name"))
            .collect()
    }

    fn tool_choice<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        field(body, "toolConfig", "tool_config")
    }

    fn line_end(&self) -> &'static str {
        "\r\n"
    }
}

/// The API reads its fields in either spelling.
fn field<'a>(object: &'a Value, camel: &str, snake: &str) -> Option<&'a Value> {
    object.get(camel).or_else(|| object.get(snake))
}

fn text_part(text: &str) -> Value {
    json!({ "text": text })
}

fn call_parts(reply: &WireReply) -> impl Iterator<Item = Value> {
    let part = |(index, call): (usize, &ToolCall)| {
        let id = reply.item_id("call", index);
        json!({"functionCall": {"id": id, "name": call.name, "args": call.object_args()}})
    };
    reply.speech.calls.iter().enumerate().map(part)
}

fn event(reply: &WireReply, parts: &Value, finish_reason: Option<&str>) -> Event {
    Event::unnamed(response(reply, parts, finish_reason).to_string())
}

fn response(reply: &WireReply, parts: &Value, finish_reason: Option<&str>) -> Value {
    let finish = finish_reason.map_or(json!({}), |reason| json!({ "finishReason": reason }));
    let content = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
    json!({
        "candidates": [merge(content, finish)],
        "usageMetadata": {
            "promptTokenCount": INPUT_TOKENS,
            "candidatesTokenCount": OUTPUT_TOKENS,
            "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": INPUT_TOKENS}],
        },
        "modelVersion": reply.request.model(),
        "responseId": reply.id("response"),
    })
}

fn read_content(content: &Value) -> Message {
    let role = if str_of(content, "role") == "model" { Role::Model } else { Role::User };
    let mut read = Message::new(role);
    for part in list(content, "parts") {
        read.texts.extend(string(part, "text"));
        if let Some(call) = field(part, "functionCall", "function_call") {
            read.calls.push((str_of(call, "id").to_owned(), str_of(call, "name").to_owned()));
        }
        if let Some(response) = field(part, "functionResponse", "function_response") {
            read.results.push(ToolResult {
                id: string(response, "id"),
                name: string(response, "name"),
                text: response.get("response").map(response_text).unwrap_or_default(),
            });
        }
    }
    read
}

/// A function's response is an object; by convention its only field is `output` or `error`.
fn response_text(response: &Value) -> String {
    let fields = response.as_object().filter(|fields| fields.len() == 1);
    let text = fields.and_then(|fields| fields.get("output").or_else(|| fields.get("error"))?.as_str());
    text.map_or_else(|| response.to_string(), str::to_owned)
}
