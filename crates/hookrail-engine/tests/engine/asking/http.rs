//! What a web service is sent, and what counts as its answer.

use crate::asking::scene::{command_hook, decision, fire, http_hook, own_format, run, session};
use crate::asking::service::Service;
use hookrail_core::{Decision, Failure, RunStatus};
use serde_json::{Value, json};
use std::sync::Arc;

#[test]
fn a_service_is_sent_what_a_command_hook_reads() {
    let service = Service::answering("200 OK", &[], "");
    let headers = [("X-Team", "core"), ("Authorization", "Bearer $HOME ${HOME}"), ("x-team", "again")];
    let verdict = fire(&Arc::new(session([command_hook("cat >&2; exit 1"), http_hook(&service.url(), &headers)])));

    let requests = service.requests();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert!(request.head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", request.head);
    assert_eq!(request.body, verdict.runs()[0].stderr);
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("user-agent"), Some(concat!("hookrail/", env!("CARGO_PKG_VERSION"))));
    assert_eq!(request.header("cookie"), None);
    assert_eq!(request.header("authorization"), Some("Bearer  "), "variables that are not allowed are not sent");
    assert_eq!(request.head.to_lowercase().matches("x-team: ").count(), 2);
}

#[test]
fn an_answer_is_read_like_the_output_of_a_command() {
    let remark = |text: &str| json!({"decision": "allow", "systemMessage": text});
    let json_type = ["Content-Type: application/json"];
    for (status, headers, body, expected) in [
        (
            "200 OK",
            &json_type[..],
            r#"{"decision": "block", "reason": "no"}"#,
            json!({"decision": "block", "reason": "no"}),
        ),
        ("200 OK", &[], r#" {"decision": "deny"} "#, json!({"decision": "deny"})),
        ("200 OK", &["Content-Type: text/plain"], r#"{"decision": "ask"}"#, json!({"decision": "ask"})),
        ("200 OK", &["Content-Type: text/html"], r#" {"decision": "block"}"#, json!({"decision": "block"})),
        ("201 Created", &[], r#"{"continue": false}"#, json!({"continue": false})),
        (
            "200 OK",
            &json_type,
            r#"{"hookSpecificOutput": {"tool_input": {"path": "b"}}}"#,
            json!({"hookSpecificOutput": {"tool_input": {"path": "b"}}}),
        ),
        ("200 OK", &[], r#""{\"decision\": \"block\"}""#, json!({"decision": "block"})),
        ("200 OK", &["Content-Type: text/plain"], "all good\n", remark("all good")),
        ("200 OK", &["Content-Encoding: identity"], "[1]", remark("[1]")),
        ("200 OK", &[], "", Value::Null),
        ("200 OK", &[], " \n ", Value::Null),
        ("202 Accepted", &json_type, "", Value::Null),
        ("200 OK", &json_type, "{}", json!({})),
    ] {
        let service = Service::answering(status, headers, body);
        let run = run(session([http_hook(&service.url(), &[])]));
        assert_eq!(run.status, RunStatus::Succeeded, "{status} {body}");
        let output = run.raw.unwrap_or(Value::Null);
        assert_eq!(output, expected, "{status} {body}");
    }
}

#[test]
fn an_answer_without_content_is_no_opinion() {
    let service =
        Service::start(crate::asking::service::ServiceBehaviour::Say(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()));
    let run = run(session([http_hook(&service.url(), &[])]));
    assert_eq!((run.status, run.output), (RunStatus::Succeeded, None));
}

#[test]
fn an_answer_of_exactly_the_limit_is_read() {
    let frame = r#"{"decision": "block", "reason": ""}"#.len();
    let body = format!(r#"{{"decision": "block", "reason": "{}"}}"#, "x".repeat((64 << 20) - frame));
    assert_eq!(body.len(), 64 << 20);
    let service = Service::answering("200 OK", &[], &body);
    assert_eq!(decision(&run(session([http_hook(&service.url(), &[])]))), Decision::Block);
}

#[test]
fn a_deny_survives_bytes_that_are_not_utf_8() {
    let bytes = b"HTTP/1.1 200 OK\r\n\r\n{\"decision\": \"deny\", \"reason\": \"\xff\"}".to_vec();
    let service = Service::start(crate::asking::service::ServiceBehaviour::Say(bytes));
    assert_eq!(decision(&run(session([http_hook(&service.url(), &[])]))), Decision::Block);
}

#[test]
fn a_header_that_cannot_be_sent_is_a_failure_before_anything_is_sent() {
    let service = Service::answering("200 OK", &[], "");
    for (name, value, why) in [
        ("Host", "internal", "is not for hooks to set"),
        ("content-length", "1", "is not for hooks to set"),
        ("Transfer-Encoding", "chunked", "is not for hooks to set"),
        ("Connection", "upgrade", "is not for hooks to set"),
        ("X Y", "1", "is not a header name"),
        ("", "1", "is not a header name"),
        ("X-Y", "1\r\nHost: internal", "has characters that no HTTP header can carry"),
    ] {
        let run = run(session([http_hook(&service.url(), &[(name, value)])]));
        let expected = format!("header `{name}` {why}");
        assert_eq!(run.failure(), Some(&Failure::NotStarted(expected)), "{name}");
    }
    assert!(service.requests().is_empty());
}

#[test]
fn http_hooks_are_read_from_settings() {
    let service = Service::answering("200 OK", &[], r#"{"decision": "block", "reason": "no"}"#);
    let settings = json!({ "BeforeTool": [{ "hooks": [
        { "type": "http", "url": service.url(), "headers": { "X-Token": "t" }, "timeout": 20000 },
    ] }] });
    let run = run(session([]).source(own_format(&settings)));
    assert_eq!((decision(&run), run.hook.kind), (Decision::Block, "http"));
    assert_eq!(service.requests()[0].header("x-token"), Some("t"));
}
