//! What a client understands of an answer, put together by the rules of each API.

use super::client::{ClientAnswer, Event};
use super::sample::{Mode, line_end};
use crate::Provider;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Default)]
pub struct ReceivedReply {
    pub text: String,
    pub calls: Vec<ReceivedCall>,
    /// The reason given for the end; none if the answer has no end.
    pub finish: Option<String>,
}

#[derive(Debug, PartialEq, Default, Clone)]
pub struct ReceivedCall {
    pub id: String,
    pub name: String,
    pub args: Value,
}

pub fn hear(provider: Provider, mode: Mode, answer: &ClientAnswer) -> ReceivedReply {
    match mode {
        Mode::Whole => hear_whole(provider, &answer.json()),
        Mode::Stream => hear_events(provider, &answer.events(line_end(provider))),
    }
}

fn hear_whole(provider: Provider, body: &Value) -> ReceivedReply {
    match provider {
        Provider::Gemini => hear_gemini(std::slice::from_ref(body)),
        Provider::Anthropic => hear_anthropic_content(&body["content"], &body["stop_reason"]),
        Provider::OpenAiChat => {
            let choice = &body["choices"][0];
            let calls = elements(&choice["message"]["tool_calls"]).map(|call| {
                let arguments = text(&call["function"]["arguments"]);
                heard_call(&call["id"], &call["function"]["name"], &arguments)
            });
            ReceivedReply {
                text: text(&choice["message"]["content"]),
                calls: calls.collect(),
                finish: some_text(&choice["finish_reason"]),
            }
        }
        Provider::OpenAiResponses => hear_response(body),
        Provider::Augment => unreachable!("its tests are in augment.rs"),
    }
}

fn hear_events(provider: Provider, events: &[Event]) -> ReceivedReply {
    match provider {
        Provider::Gemini => hear_gemini(&events.iter().map(Event::json).collect::<Vec<_>>()),
        Provider::Anthropic => hear_anthropic_events(events),
        Provider::OpenAiChat => hear_chat_events(events),
        Provider::OpenAiResponses => hear_response_events(events),
        Provider::Augment => unreachable!("its tests are in augment.rs"),
    }
}

fn hear_gemini(responses: &[Value]) -> ReceivedReply {
    let mut heard = ReceivedReply::default();
    for response in responses {
        let candidate = &response["candidates"][0];
        for part in elements(&candidate["content"]["parts"]) {
            heard.text += &text(&part["text"]);
            if let Some(call) = part.get("functionCall") {
                heard.calls.push(heard_call(&call["id"], &call["name"], &call["args"].to_string()));
            }
        }
        heard.finish = heard.finish.or_else(|| some_text(&candidate["finishReason"]));
    }
    heard
}

fn hear_anthropic_content(content: &Value, stop_reason: &Value) -> ReceivedReply {
    let mut heard = ReceivedReply { finish: some_text(stop_reason), ..ReceivedReply::default() };
    for block in elements(content) {
        match text(&block["type"]).as_str() {
            "text" => heard.text += &text(&block["text"]),
            "tool_use" => heard.calls.push(heard_call(&block["id"], &block["name"], &block["input"].to_string())),
            other => panic!("unexpected block `{other}`"),
        }
    }
    heard
}

fn hear_anthropic_events(events: &[Event]) -> ReceivedReply {
    let mut blocks: BTreeMap<u64, (Value, String)> = BTreeMap::new();
    let mut stop_reason = Value::Null;
    for event in events {
        let data = event.json();
        assert_eq!(event.name, some_text(&data["type"]), "the name of an event is its type");
        let index = data["index"].as_u64().unwrap_or_default();
        match text(&data["type"]).as_str() {
            "content_block_start" => drop(blocks.insert(index, (data["content_block"].clone(), String::new()))),
            "content_block_delta" => {
                let delta = &data["delta"];
                blocks.get_mut(&index).unwrap().1 += &(text(&delta["text"]) + &text(&delta["partial_json"]));
            }
            "message_delta" => stop_reason = data["delta"]["stop_reason"].clone(),
            _ => {}
        }
    }
    let content = blocks.into_values().map(|(block, said)| match text(&block["type"]).as_str() {
        "tool_use" => json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": parse(&said)}),
        kind => json!({"type": kind, "text": said}),
    });
    hear_anthropic_content(&content.collect(), &stop_reason)
}

fn hear_chat_events(events: &[Event]) -> ReceivedReply {
    let mut heard = ReceivedReply::default();
    let mut arguments: Vec<String> = Vec::new();
    for event in events.iter().filter(|event| event.data != "[DONE]") {
        let data = event.json();
        let Some(choice) = data["choices"].get(0) else { continue };
        heard.text += &text(&choice["delta"]["content"]);
        heard.finish = heard.finish.or_else(|| some_text(&choice["finish_reason"]));
        for call in elements(&choice["delta"]["tool_calls"]) {
            let index = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
            if index == heard.calls.len() {
                heard.calls.push(heard_call(&call["id"], &call["function"]["name"], "null"));
                arguments.push(String::new());
            }
            arguments[index] += &text(&call["function"]["arguments"]);
        }
    }
    for (call, arguments) in heard.calls.iter_mut().zip(arguments) {
        call.args = parse(&arguments);
    }
    heard
}

fn hear_response(response: &Value) -> ReceivedReply {
    let mut heard = ReceivedReply { finish: some_text(&response["status"]), ..ReceivedReply::default() };
    for item in elements(&response["output"]) {
        match text(&item["type"]).as_str() {
            "message" => heard.text += &elements(&item["content"]).map(|part| text(&part["text"])).collect::<String>(),
            "function_call" => {
                heard.calls.push(heard_call(&item["call_id"], &item["name"], &text(&item["arguments"])));
            }
            other => panic!("unexpected item `{other}`"),
        }
    }
    heard
}

/// Puts the answer together from the deltas and holds it against the items and the response that close the stream.
fn hear_response_events(events: &[Event]) -> ReceivedReply {
    let mut said: BTreeMap<u64, String> = BTreeMap::new();
    let mut items = Vec::new();
    let mut completed = None;
    for (number, event) in events.iter().enumerate() {
        let data = event.json();
        assert_eq!(event.name, some_text(&data["type"]), "the name of an event is its type");
        assert_eq!(data["sequence_number"], number);
        let index = data["output_index"].as_u64().unwrap_or_default();
        match text(&data["type"]).as_str() {
            "response.output_text.delta" | "response.function_call_arguments.delta" => {
                *said.entry(index).or_default() += &text(&data["delta"]);
            }
            "response.output_text.done" => assert_eq!(*said.entry(index).or_default(), text(&data["text"])),
            "response.function_call_arguments.done" => {
                assert_eq!(*said.entry(index).or_default(), text(&data["arguments"]));
            }
            "response.output_item.done" => items.push(data["item"].clone()),
            "response.completed" => completed = Some(data["response"].clone()),
            _ => {}
        }
    }
    let Some(completed) = completed else {
        return ReceivedReply { text: said.into_values().collect(), ..ReceivedReply::default() };
    };
    assert_eq!(completed["output"], Value::Array(items));
    hear_response(&completed)
}

fn heard_call(id: &Value, name: &Value, args: &str) -> ReceivedCall {
    ReceivedCall { id: text(id), name: text(name), args: parse(args) }
}

fn parse(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    some_text(value).unwrap_or_default()
}

fn some_text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
