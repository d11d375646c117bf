//! Who gets which turn, and turns that go wrong on purpose.

use super::client::{Client, ClientAnswer};
use super::heard::{ReceivedReply, hear};
use super::sample::{Mode, PROVIDERS, request};
use crate::{ModelServer, Provider, Recorded, Script, Turn};
use serde_json::{Value, json};
use std::panic;
use std::thread;
use std::time::{Duration, Instant};

fn ask(server: &ModelServer, provider: Provider, mode: Mode, prompt: &str) -> ClientAnswer {
    let (target, body) = request(provider, mode, prompt);
    Client::connect(server).post(target, &body)
}

fn ask_text(server: &ModelServer, prompt: &str) -> String {
    let answer = ask(server, Provider::Anthropic, Mode::Whole, prompt);
    hear(Provider::Anthropic, Mode::Whole, &answer).text
}

#[test]
fn turns_are_taken_in_order_across_providers_until_they_are_used_up() {
    let server = ModelServer::start(Script::new(["one", "two", "three", "four"].map(Turn::text)));
    let heard: Vec<_> =
        PROVIDERS.map(|provider| hear(provider, Mode::Whole, &ask(&server, provider, Mode::Whole, "hi")).text).into();
    assert_eq!(heard, ["one", "two", "three", "four"]);
    assert_eq!(server.turns_left(), 0);
    assert_eq!(ask_text(&server, "more"), "done");
    assert_eq!(ask_text(&server, "more"), "done");
}

#[test]
fn a_script_chooses_what_to_say_when_its_turns_are_used_up() {
    let server = ModelServer::start(Script::default().otherwise(Turn::text("nothing more")));
    assert_eq!(ask_text(&server, "hi"), "nothing more");
    assert_eq!(ask_text(&server, "hi"), "nothing more");
}

#[test]
fn rules_answer_what_they_match_and_take_no_turn() {
    let about = |topic: &'static str| move |request: &Recorded| request.last_user_text().contains(topic);
    let script = Script::new([Turn::text("first"), Turn::text("second")])
        .when(about("title"), Turn::text("A title"))
        .when(about("title or topic"), Turn::text("never: the first rule that matches wins"))
        .when(|request| request.provider() == Some(Provider::Gemini), Turn::error(503, "no Gemini today"));
    let server = ModelServer::start(script);
    assert_eq!(ask_text(&server, "a title, please"), "A title");
    assert_eq!(ask_text(&server, "hello"), "first");
    assert_eq!(ask_text(&server, "a title or topic"), "A title");
    assert_eq!(ask(&server, Provider::Gemini, Mode::Whole, "hello").status, 503);
    assert_eq!(server.turns_left(), 1);
    assert_eq!(ask_text(&server, "hello again"), "second");
}

#[test]
fn a_panicking_rule_is_answered_as_an_error_and_fails_the_test() {
    let server = ModelServer::start(Script::default().when(|_| panic!("not as expected"), Turn::text("never")));
    assert_eq!(ask(&server, Provider::OpenAiChat, Mode::Stream, "hi").status, 500);
    let dropped = panic::catch_unwind(panic::AssertUnwindSafe(|| drop(server)));
    assert_eq!(dropped.unwrap_err().downcast_ref(), Some(&"a rule of the model server's script panicked"));
}

#[test]
fn errors_come_with_their_status_in_the_words_of_the_provider() {
    let openai =
        |kind: &str, code: Value| json!({"error": {"message": "no", "type": kind, "param": null, "code": code}});
    let anthropic =
        |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "no"}, "request_id": "req_0001"});
    let gemini = |code: u16, status: &str| json!({"error": {"code": code, "message": "no", "status": status}});
    let cases = [
        (Provider::Gemini, 429, gemini(429, "RESOURCE_EXHAUSTED")),
        (Provider::Gemini, 500, gemini(500, "INTERNAL")),
        (Provider::Gemini, 418, gemini(418, "UNKNOWN")),
        (Provider::Anthropic, 400, anthropic("invalid_request_error")),
        (Provider::Anthropic, 429, anthropic("rate_limit_error")),
        (Provider::Anthropic, 500, anthropic("api_error")),
        (Provider::Anthropic, 529, anthropic("overloaded_error")),
        (Provider::OpenAiChat, 401, openai("invalid_request_error", json!("invalid_api_key"))),
        (Provider::OpenAiChat, 503, openai("server_error", Value::Null)),
        (Provider::OpenAiResponses, 404, openai("invalid_request_error", Value::Null)),
        (Provider::OpenAiResponses, 429, openai("requests", json!("rate_limit_exceeded"))),
    ];
    for (provider, status, expected) in cases {
        for mode in [Mode::Whole, Mode::Stream] {
            let server = ModelServer::start([Turn::error(status, "no"), Turn::text("fine")]);
            let mut client = Client::connect(&server);
            let (target, body) = request(provider, mode, "hi");
            let answer = client.post(target, &body);
            assert_eq!((answer.status, answer.json()), (status, expected.clone()), "{provider:?} {mode:?}");
            assert_eq!(hear(provider, mode, &client.post(target, &body)).text, "fine", "the connection goes on");
        }
    }
}

#[test]
fn a_stream_breaks_off_right_after_the_text() {
    for provider in PROVIDERS {
        for text in ["half of it", ""] {
            let server = ModelServer::start([Turn::abort_after(text), Turn::text("whole")]);
            let (target, body) = request(provider, Mode::Stream, "hi");
            let mut client = Client::connect(&server);
            let answer = client.post(target, &body);
            assert_eq!(answer.status, 200);
            assert!(!answer.is_complete && client.is_at_end(), "{provider:?}");
            let expected = ReceivedReply { text: text.to_owned(), ..ReceivedReply::default() };
            assert_eq!(hear(provider, Mode::Stream, &answer), expected, "{provider:?}");

            let again = ask(&server, provider, Mode::Stream, "hi");
            assert_eq!(hear(provider, Mode::Stream, &again).text, "whole", "{provider:?}");
        }
    }
}

#[test]
fn a_plain_answer_breaks_off_in_the_middle_of_its_body() {
    for provider in PROVIDERS {
        let server = ModelServer::start(Turn::abort_after("half of it"));
        let answer = ask(&server, provider, Mode::Whole, "hi");
        assert_eq!(answer.status, 200);
        assert!(!answer.is_complete && !answer.body().is_empty(), "{provider:?}");
        assert!(serde_json::from_str::<Value>(&answer.body()).is_err(), "{provider:?}");
    }
}

#[test]
fn a_broken_array_stays_open() {
    let server = ModelServer::start(Turn::abort_after("half"));
    let (_, body) = request(Provider::Gemini, Mode::Stream, "hi");
    let answer = Client::connect(&server).post("/v1beta/models/m:streamGenerateContent", &body);
    assert!(!answer.is_complete && answer.body().starts_with('[') && !answer.body().ends_with(']'));
}

#[test]
fn a_delayed_turn_comes_after_all_its_delays() {
    let delay = Duration::from_millis(40);
    let server = ModelServer::start(Turn::delay(delay, Box::new(Turn::delay(delay, Turn::text("late")))));
    let start = Instant::now();
    assert_eq!(ask_text(&server, "hi"), "late");
    assert!(start.elapsed() >= 2 * delay);
}

#[test]
fn a_request_without_the_required_fields_is_refused_and_takes_no_turn() {
    let cases = [
        ("/v1/messages", json!({"model": "m", "messages": []}), "`max_tokens` is required"),
        ("/v1/messages", json!({"max_tokens": 1, "messages": []}), "`model` is required"),
        ("/v1/messages", json!("text"), "the body is not a JSON object"),
        ("/v1/chat/completions", json!({"model": "m", "stream": true}), "`messages` is required"),
        ("/v1/responses", json!({"model": "m"}), "`input` is required"),
        ("/v1beta/models/m:generateContent", json!({"model": "m"}), "`contents` is required"),
    ];
    let server = ModelServer::start(Turn::text("kept"));
    for (target, body, message) in cases {
        let answer = Client::connect(&server).post(target, &body);
        assert_eq!((answer.status, &answer.json()["error"]["message"]), (400, &json!(message)), "{target}");
    }
    assert_eq!(ask_text(&server, "hi"), "kept");
}

#[test]
fn pieces_are_as_long_as_the_script_says() {
    for (length, expected) in [(1, 11), (4, 3), (11, 1), (1000, 1)] {
        let server = ModelServer::start(Script::new([Turn::text("Grüße, Welt")]).piece_length(length));
        let answer = ask(&server, Provider::Anthropic, Mode::Stream, "hi");
        let deltas = answer.events("\n").iter().filter(|event| event.data.contains("text_delta")).count();
        assert_eq!(deltas, expected, "{length}");
        assert_eq!(hear(Provider::Anthropic, Mode::Stream, &answer).text, "Grüße, Welt");
    }
}

#[test]
fn impossible_turns_are_refused_when_they_are_written() {
    let cases: [(fn(), &str); 4] = [
        (|| drop(Turn::tool_calls(Vec::<(&str, Value)>::new())), "a turn of tool calls needs at least one"),
        (|| drop(Turn::error(200, "fine")), "`200` is not the status of an error"),
        (|| drop(Turn::error(600, "what")), "`600` is not the status of an error"),
        (|| drop(Script::default().piece_length(0)), "a piece has at least one character"),
    ];
    for (write, expected) in cases {
        let payload = panic::catch_unwind(write).unwrap_err();
        let message = payload.downcast_ref::<String>().cloned();
        let message = message.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        assert_eq!(message.as_deref(), Some(expected));
    }
}

#[test]
fn concurrent_requests_share_out_the_turns() {
    const CLIENTS: usize = 8;
    const EACH: usize = 25;
    let server = ModelServer::start(Script::new((0..CLIENTS * EACH).map(|n| Turn::text(n.to_string()))));
    let server = &server;
    let heard: Vec<String> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                scope.spawn(move || {
                    let provider = PROVIDERS[client % PROVIDERS.len()];
                    let mode = if client < PROVIDERS.len() { Mode::Whole } else { Mode::Stream };
                    let mut connection = Client::connect(server);
                    let (target, body) = request(provider, mode, &format!("client {client}"));
                    (0..EACH).map(|_| hear(provider, mode, &connection.post(target, &body)).text).collect::<Vec<_>>()
                })
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    let mut numbers: Vec<usize> = heard.iter().map(|text| text.parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..CLIENTS * EACH).collect::<Vec<_>>());
    for client in 0..CLIENTS {
        let from_client = |request: &&Recorded| request.last_user_text() == format!("client {client}");
        assert_eq!(server.requests().iter().filter(from_client).count(), EACH);
    }
}

#[test]
fn requests_are_recorded_in_the_order_they_came() {
    let server = ModelServer::start(Script::default());
    for prompt in ["first", "second", "third"] {
        ask_text(&server, prompt);
    }
    let prompts: Vec<_> = server.requests().iter().map(Recorded::last_user_text).collect();
    assert_eq!(prompts, ["first", "second", "third"]);
}

#[test]
fn a_watcher_has_seen_each_request_before_it_is_answered() {
    let (sender, seen) = std::sync::mpsc::channel();
    let watcher = move |request: &Recorded| drop(sender.send(request.last_user_text()));
    let server = ModelServer::start(Script::new([Turn::text("one"), Turn::text("two")]).watch(watcher));
    for (prompt, answer) in [("first", "one"), ("second", "two")] {
        assert_eq!(ask_text(&server, prompt), answer);
        assert_eq!(seen.try_recv().as_deref(), Ok(prompt));
    }
}
