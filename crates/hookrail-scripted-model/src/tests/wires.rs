//! Each format, plain and streamed: every event in its place, nothing lost between the pieces.

use super::client::{Client, ClientAnswer, Event};
use super::heard::{ReceivedCall, ReceivedReply, hear};
use super::sample::{Mode, PROVIDERS, line_end, request};
use crate::{ModelServer, Provider, Script, ToolCall, Turn};
use serde_json::{Value, json};

const UMLAUTS: &str = "Größe: 5 µm 🎉 — \"quoted\"\nsecond line";

fn ask(script: impl Into<Script>, provider: Provider, mode: Mode) -> ClientAnswer {
    let server = ModelServer::start(script);
    let (target, body) = request(provider, mode, "hi");
    Client::connect(&server).post(target, &body)
}

fn finish_of(provider: Provider, calls: &[(&str, Value)]) -> &'static str {
    match (provider, calls.is_empty()) {
        (Provider::Gemini, _) => "STOP",
        (Provider::Anthropic, true) => "end_turn",
        (Provider::Anthropic, false) => "tool_use",
        (Provider::OpenAiChat, true) => "stop",
        (Provider::OpenAiChat, false) => "tool_calls",
        (Provider::OpenAiResponses, _) => "completed",
        (Provider::Augment, _) => unreachable!("its tests are in augment.rs"),
    }
}

#[test]
fn every_turn_is_heard_in_full_in_every_format() {
    let one = || vec![("Bash", json!({"command": "echo \"ä\" > a.txt", "timeout": 5}))];
    let two = || vec![("Read", json!({"path": "a"})), ("Read", json!({}))];
    let cases = [
        (Turn::text("Hello world"), "Hello world", vec![]),
        (Turn::text(UMLAUTS), UMLAUTS, vec![]),
        (Turn::text(""), "", vec![]),
        (Turn::tool_call("Bash", one()[0].1.clone()), "", one()),
        (Turn::tool_calls(two()), "", two()),
        (Turn::text_and_calls("Looking.", two()), "Looking.", two()),
        (Turn::text_and_calls("Only text.", Vec::<ToolCall>::new()), "Only text.", vec![]),
    ];
    for (turn, text, calls) in cases {
        for provider in PROVIDERS {
            for mode in [Mode::Whole, Mode::Stream] {
                let answer = ask(turn.clone(), provider, mode);
                assert!(answer.is_complete && answer.status == 200, "{provider:?} {mode:?} {turn:?}");
                let mut heard = hear(provider, mode, &answer);
                let mut ids: Vec<_> = heard.calls.iter_mut().map(|call| std::mem::take(&mut call.id)).collect();
                let expected = ReceivedReply {
                    text: text.to_owned(),
                    calls: calls.iter().map(|(name, args)| expected_call(name, args)).collect(),
                    finish: Some(finish_of(provider, &calls).to_owned()),
                };
                assert_eq!(heard, expected, "{provider:?} {mode:?}");
                assert!(ids.iter().all(|id| !id.is_empty()));
                ids.dedup();
                assert_eq!(ids.len(), calls.len(), "the ids of calls differ");
            }
        }
    }
}

fn expected_call(name: &str, args: &Value) -> ReceivedCall {
    ReceivedCall { id: String::new(), name: name.to_owned(), args: args.clone() }
}

/// What an event is called, or what it carries where events have no names.
fn label(event: &Event) -> String {
    if let Some(name) = &event.name {
        return name.clone();
    }
    if event.data == "[DONE]" {
        return "[DONE]".to_owned();
    }
    let data = event.json();
    let texts = ["/candidates/0/content/parts/0/text", "/choices/0/delta/content"];
    let inputs = ["/choices/0/delta/tool_calls/0/function/arguments"];
    let calls = ["/candidates/0/content/parts/0/functionCall/name", "/choices/0/delta/tool_calls/0/function/name"];
    let finishes = ["/candidates/0/finishReason", "/choices/0/finish_reason"];
    let roles = ["/choices/0/delta/role"];
    let find = |pointers: &[&str]| pointers.iter().find_map(|pointer| data.pointer(pointer)?.as_str());
    if let Some(reason) = find(&finishes) {
        format!("end {reason}")
    } else if let Some(role) = find(&roles) {
        format!("start {role}")
    } else if let Some(name) = find(&calls) {
        format!("call {name}")
    } else if let Some(said) = find(&texts).or_else(|| find(&inputs)) {
        format!("{said:?}")
    } else {
        format!("usage {}", data["usage"]["total_tokens"])
    }
}

fn check_sequence(provider: Provider, turn: Turn, expected: &[&str]) {
    let script = Script::from(turn).piece_length(5);
    let answer = ask(script, provider, Mode::Stream);
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(answer.header("cache-control"), Some("no-cache"));
    let events = answer.events(line_end(provider));
    assert_eq!(events.iter().map(label).collect::<Vec<_>>(), expected, "{provider:?}");
    assert_eq!(answer.chunks.len(), events.len(), "each event is sent by itself");
}

#[test]
fn text_streams_with_every_event_in_order() {
    let turn = || Turn::text("Hello world");
    check_sequence(Provider::Gemini, turn(), &["\"Hello\"", "\" worl\"", "\"d\"", "end STOP"]);
    check_sequence(
        Provider::OpenAiChat,
        turn(),
        &["start assistant", "\"Hello\"", "\" worl\"", "\"d\"", "end stop", "[DONE]"],
    );
    check_sequence(
        Provider::Anthropic,
        turn(),
        &[
            "message_start",
            "content_block_start",
            "ping",
            "content_block_delta",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ],
    );
    check_sequence(
        Provider::OpenAiResponses,
        turn(),
        &[
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ],
    );
}

#[test]
fn text_and_calls_stream_with_every_event_in_order() {
    let turn = || Turn::text_and_calls("Well.", [("ls", json!({"a": 1})), ("cat", json!({}))]);
    check_sequence(Provider::Gemini, turn(), &["\"Well.\"", "call ls", "call cat", "end STOP"]);
    check_sequence(
        Provider::OpenAiChat,
        turn(),
        &[
            "start assistant",
            "\"Well.\"",
            "call ls",
            "\"{\\\"a\\\":\"",
            "\"1}\"",
            "call cat",
            "\"{}\"",
            "end tool_calls",
            "[DONE]",
        ],
    );
    check_sequence(
        Provider::Anthropic,
        turn(),
        &[
            "message_start",
            "content_block_start",
            "ping",
            "content_block_delta",
            "content_block_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ],
    );
    check_sequence(
        Provider::OpenAiResponses,
        turn(),
        &[
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed",
        ],
    );
}
