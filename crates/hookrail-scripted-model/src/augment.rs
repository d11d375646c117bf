//! The service of Augment Code, which Auggie speaks to: the answer is one JSON object a line, and what the model may
//! use is asked for beforehand.

use crate::conversation::{Message, Role, ToolResult, list, str_of, string};
use crate::script::ToolCall;
use crate::wire::{Event, Wire, WireReply};
use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct Augment;

/// The kinds of nodes of an answer.
const TEXT: u8 = 0;
const TOOL_USE: u8 = 5;

/// Why an answer ends.
const END_OF_TURN: u8 = 1;
const TOOLS_ARE_CALLED: u8 = 3;

impl Wire for Augment {
    fn required_fields(&self) -> &'static [&'static str] {
        &["nodes", "chat_history"]
    }

    fn whole(&self, reply: &WireReply) -> Value {
        let text = reply.speech.text.as_deref().unwrap_or_default();
        let said = (!text.is_empty()).then(|| text_node(text));
        let calls = reply.speech.calls.iter().enumerate().map(|(index, call)| call_node(reply, index, call));
        let nodes: Vec<Value> = said.into_iter().chain(calls).collect();
        json!({"text": text, "nodes": nodes, "stop_reason": stop_reason(reply)})
    }

    fn events(&self, reply: &WireReply) -> Vec<Event> {
        let pieces = reply.pieces(reply.speech.text.as_deref().unwrap_or_default()).into_iter();
        let said = pieces.map(|piece| json!({"text": piece, "nodes": [text_node(&piece)]}));
        let calls = reply.speech.calls.iter().enumerate();
        let calls = calls.map(|(index, call)| json!({"text": "", "nodes": [call_node(reply, index, call)]}));
        let mut events: Vec<_> = said.chain(calls).map(|line| Event::unnamed(line.to_string()).speaking()).collect();
        events.push(Event::unnamed(json!({"text": "", "stop_reason": stop_reason(reply)}).to_string()));
        events
    }

    fn error(&self, status: u16, message: &str) -> Value {
        json!({"code": status, "error": message})
    }

    fn messages(&self, body: &Value) -> Vec<Message> {
        let earlier = list(body, "chat_history")
            .flat_map(|exchange| [read_request(exchange, "request_nodes"), read_answer(exchange, "response_nodes")]);
        earlier.chain([read_request(body, "nodes")]).collect()
    }

    fn tool_names(&self, body: &Value) -> Vec<String> {
        list(body, "tool_definitions").filter_map(|tool| string(tool, "name")).collect()
    }

    /// Hooks are behind a switch that the service sets.
    fn describe(&self, path: &str) -> Value {
        match path {
            "/get-models" => json!({
                "default_model": "fake-model",
                "models": [{"name": "fake-model", "suggested_prefix_char_count": 100, "suggested_suffix_char_count": 100}],
                "languages": [],
                "feature_flags": {"enable_hooks": true, "beachhead_enable_sub_agent_tool": true},
                "user_tier": "enterprise",
                "user": {"id": "user", "email": "user@example.com"},
            }),
            "/agents/list-remote-tools" => json!({"tools": []}),
            _ => json!({}),
        }
    }
}

fn stop_reason(reply: &WireReply) -> u8 {
    if reply.speech.calls.is_empty() { END_OF_TURN } else { TOOLS_ARE_CALLED }
}

fn text_node(text: &str) -> Value {
    json!({"id": 0, "type": TEXT, "content": text})
}

fn call_node(reply: &WireReply, index: usize, call: &ToolCall) -> Value {
    let input = call.object_args().to_string();
    let tool_use = json!({"tool_use_id": reply.item_id("toolu", index), "tool_name": call.name, "input_json": input});
    json!({"id": index + 1, "type": TOOL_USE, "content": "", "tool_use": tool_use})
}

fn read_request(holder: &Value, key: &str) -> Message {
    let mut message = Message::new(Role::User);
    for node in list(holder, key) {
        if let Some(text) = node.get("text_node") {
            message.texts.extend(string(text, "content"));
        } else if let Some(result) = node.get("tool_result_node") {
            let (id, text) = (string(result, "tool_use_id"), str_of(result, "content").to_owned());
            message.results.push(ToolResult { id, name: None, text });
        }
    }
    message
}

fn read_answer(holder: &Value, key: &str) -> Message {
    let mut message = Message::new(Role::Model);
    for node in list(holder, key) {
        if let Some(call) = node.get("tool_use").filter(|call| call.is_object()) {
            message.calls.push((str_of(call, "tool_use_id").to_owned(), str_of(call, "tool_name").to_owned()));
        } else {
            message.texts.extend(string(node, "content"));
        }
    }
    message
}
