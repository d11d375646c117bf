//! HTTP as clients really speak it.

use super::client::{Client, post_request};
use super::heard::hear;
use super::sample::{Mode, PROVIDERS, request};
use crate::{ModelServer, Provider, Script, Turn};
use serde_json::{Value, json};

fn chat_body(prompt: &str) -> String {
    request(Provider::OpenAiChat, Mode::Whole, prompt).1.to_string()
}

fn head(headers: &str) -> String {
    format!("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")
}

#[test]
fn a_connection_serves_one_request_after_the_other() {
    let server = ModelServer::start(Script::new((0..8).map(|n| Turn::text(format!("answer {n}")))));
    let mut client = Client::connect(&server);
    let asked = [Mode::Stream, Mode::Whole].into_iter().flat_map(|mode| PROVIDERS.map(|provider| (provider, mode)));
    for (number, (provider, mode)) in asked.enumerate() {
        let (target, body) = request(provider, mode, "hi");
        let answer = client.post(target, &body);
        assert_eq!(hear(provider, mode, &answer).text, format!("answer {number}"), "{provider:?} {mode:?}");
    }
}

#[test]
fn requests_sent_ahead_are_answered_in_order() {
    let server = ModelServer::start(["one", "two"].map(Turn::text));
    let (target, body) = request(Provider::Anthropic, Mode::Whole, "hi");
    let mut client = Client::connect(&server);
    client.send(post_request(target, &body) + "\r\n" + &post_request(target, &body));
    for expected in ["one", "two"] {
        assert_eq!(client.read_answer().json()["content"][0]["text"], expected);
    }
}

#[test]
fn a_client_that_wants_to_close_is_let_go() {
    let server = ModelServer::start(Script::default());
    for mode in [Mode::Whole, Mode::Stream] {
        let body = request(Provider::OpenAiChat, mode, "hi").1.to_string();
        let mut client = Client::connect(&server);
        client.send(head(&format!("Connection: close\r\nContent-Length: {}\r\n", body.len())) + &body);
        let answer = client.read_answer();
        assert!(answer.is_complete && client.is_at_end(), "{mode:?}");
    }
}

#[test]
fn chunked_bodies_are_put_together() {
    let server = ModelServer::start(Script::default());
    let body = chat_body("Grüße in Stücken");
    for size in [1, 7, 10_000] {
        let chunks = body.as_bytes().chunks(size);
        let mut sent = head("Transfer-Encoding: chunked\r\n").into_bytes();
        for chunk in chunks {
            sent.extend(format!("{:X};note=ignored\r\n", chunk.len()).into_bytes());
            sent.extend(chunk);
            sent.extend(b"\r\n");
        }
        sent.extend(b"0\r\nTrailer: ignored\r\n\r\n");
        let mut client = Client::connect(&server);
        // In two writes, so that the server has to wait in the middle of something.
        let (first, second) = sent.split_at(sent.len() / 2);
        client.send(first);
        client.send(second);
        assert_eq!(client.read_answer().status, 200, "{size}");
        assert_eq!(server.requests().pop().unwrap().last_user_text(), "Grüße in Stücken");
        assert_eq!(client.post("/v1/chat/completions", &json!({"model": "m", "messages": []})).status, 200);
    }
}

#[test]
fn bodies_of_megabytes_arrive_whole() {
    let server = ModelServer::start(Script::default());
    let prompt = "0123456789abcdef".repeat(2 * 1024 * 1024 / 16);
    let body = chat_body(&prompt);
    assert!(body.len() > 2 * 1024 * 1024);
    let plain = head(&format!("Content-Length: {}\r\n", body.len())) + &body;
    let chunked = head("Transfer-Encoding: chunked\r\n") + &format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    for sent in [plain, chunked] {
        let mut client = Client::connect(&server);
        client.send(sent);
        assert_eq!(client.read_answer().status, 200);
        assert!(server.requests().pop().unwrap().last_user_text() == prompt, "the prompt is unchanged");
    }
}

#[test]
fn answers_of_megabytes_arrive_whole() {
    let text = "0123456789abcdef".repeat(2 * 1024 * 1024 / 16);
    for mode in [Mode::Whole, Mode::Stream] {
        let server = ModelServer::start(Script::new([Turn::text(&text)]).piece_length(1000));
        let (target, body) = request(Provider::Anthropic, mode, "hi");
        let answer = Client::connect(&server).post(target, &body);
        assert!(hear(Provider::Anthropic, mode, &answer).text == text, "{mode:?}");
    }
}

#[test]
fn a_client_that_asks_first_is_told_to_go_on() {
    let server = ModelServer::start(Script::default());
    let body = chat_body("hi");
    let framings = [
        (format!("Content-Length: {}", body.len()), body.clone()),
        ("Transfer-Encoding: chunked".to_owned(), format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len())),
    ];
    for (framing, sent_body) in framings {
        let mut client = Client::connect(&server);
        client.send(head(&format!("Expect: 100-continue\r\n{framing}\r\n")));
        assert_eq!(client.read_head(), (100, vec![]), "{framing}");
        client.send(sent_body);
        assert_eq!(client.read_answer().status, 200, "{framing}");
    }
}

#[test]
fn unknown_paths_are_recorded_and_not_found() {
    let server = ModelServer::start(Turn::text("kept"));
    let mut client = Client::connect(&server);
    let cases = [
        ("GET", "/", "no such endpoint: GET /"),
        ("GET", "/v1/models?limit=1", "no such endpoint: GET /v1/models"),
        ("DELETE", "/v1/messages", "no such endpoint: DELETE /v1/messages"),
    ];
    for (method, target, message) in cases {
        client.send(format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        let answer = client.read_answer();
        assert_eq!((answer.status, answer.json()), (404, json!({"error": {"code": 404, "message": message}})));
    }
    let requests = server.requests();
    let recorded: Vec<_> = requests.iter().map(|r| (r.method.as_str(), r.path.as_str(), r.query.as_str())).collect();
    assert_eq!(recorded, [("GET", "/", ""), ("GET", "/v1/models", "limit=1"), ("DELETE", "/v1/messages", "")]);
    assert!(requests.iter().all(|request| request.provider().is_none() && request.body == Value::Null));
    assert_eq!(server.turns_left(), 1);
}

#[test]
fn a_head_request_is_answered_without_a_body() {
    let server = ModelServer::start(Turn::text("next"));
    let mut client = Client::connect(&server);
    client.send("HEAD /v1/messages HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let (status, headers) = client.read_head();
    assert_eq!(status, 404);
    assert!(headers.iter().any(|(name, value)| name == "content-length" && value != "0"));
    let (target, body) = request(Provider::Gemini, Mode::Whole, "hi");
    assert_eq!(hear(Provider::Gemini, Mode::Whole, &client.post(target, &body)).text, "next");
}

#[test]
fn what_is_not_a_request_is_refused_with_a_reason() {
    let long_line = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(70_000));
    let many_headers = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(200));
    let cases = [
        ("GARBAGE\r\n\r\n".to_owned(), 400, "malformed request: "),
        (head("Content-Length: many\r\n"), 400, "malformed request: content length `many`"),
        (head("Transfer-Encoding: gzip\r\n"), 400, "malformed request: unknown transfer coding `gzip`"),
        (head("Transfer-Encoding: chunked\r\n") + "x\r\n", 400, "malformed request: chunk without a size"),
        (head("Transfer-Encoding: chunked\r\n") + "1\r\nab\r\n", 400, "malformed request: chunk longer than its size"),
        (head("Transfer-Encoding: chunked\r\n") + "1\r\na\r\nFFFFFFFFFFFFFFFF\r\n", 413, "the body is too large"),
        (head("Content-Length: 99999999999\r\n"), 413, "the body is too large"),
        (long_line, 413, "the head is too large"),
        (many_headers, 413, "the head is too large"),
        ("GET / HTTP/1.0\r\n\r\n".to_owned(), 505, "only HTTP/1.1 is spoken here"),
    ];
    for (sent, status, message) in cases {
        let server = ModelServer::start(Script::default());
        let mut client = Client::connect(&server);
        client.send(&sent);
        let answer = client.read_answer();
        let start: String = sent.chars().take(60).collect();
        assert_eq!(answer.status, status, "{start:?}");
        let said = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(said.starts_with(message), "{start:?}: {said}");
        assert!(server.requests().is_empty(), "{start:?}");
    }
}

#[test]
fn headers_are_recorded_and_found_whatever_their_case() {
    let server = ModelServer::start(Script::default());
    let mut client = Client::connect(&server);
    client.send("POST /x HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: test-key\r\nContent-Length: 5\r\n\r\n{oops");
    assert_eq!(client.read_answer().status, 404);
    let request = server.requests().pop().unwrap();
    assert_eq!(request.header("x-API-key"), Some("test-key"));
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.headers[1], ("x-api-key".to_owned(), "test-key".to_owned()));
    assert_eq!(request.body, json!("{oops"), "what is no JSON is kept as text");
}
