//! Everything that can go wrong on the way, and that `on_error` decides then.

use crate::asking::scene::{
    FOREVER, POLICIES, PROVIDERS, decision, endpoint, endpoint_at, http_hook, prompt_hook, run, session,
};
use crate::asking::service::{Service, ServiceBehaviour, deserted, response};
use hookrail_core::{Decision, Failure, HookEntry, HookRun, OnError};
use hookrail_engine::Config;
use hookrail_testkit::model_server::{ModelServer, Script, Turn};
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(300);

/// What a failure must look like.
#[derive(Clone, Copy, Debug)]
enum ExpectedFailure {
    /// Its text has these pieces.
    Says(&'static [&'static str]),
    TimesOut,
}

#[track_caller]
fn check(name: &str, trouble: ExpectedFailure, hook: &HookEntry, config: impl Fn(HookEntry) -> Config) {
    for (on_error, expected) in POLICIES {
        let run = run(config(HookEntry { on_error, ..hook.clone() }));
        assert_eq!(decision(&run), expected, "{name} {on_error}: {run:?}");
        check_failure(name, trouble, &run);
    }
}

#[track_caller]
fn check_failure(name: &str, trouble: ExpectedFailure, run: &HookRun) {
    let failure = run.failure().unwrap_or_else(|| panic!("{name}: {run:?}"));
    match (trouble, failure) {
        (ExpectedFailure::TimesOut, Failure::TimedOut(limit)) => assert_eq!(*limit, SHORT, "{name}"),
        (ExpectedFailure::Says(pieces), Failure::Error(text)) => {
            for piece in pieces {
                assert!(text.contains(piece), "{name}: `{piece}` is not in `{text}`");
            }
            assert!(text.chars().count() < 400, "{name}: {text}");
        }
        _ => panic!("{name}: {failure:?}"),
    }
}

fn hurried(hook: HookEntry, trouble: ExpectedFailure) -> HookEntry {
    let timeout = if matches!(trouble, ExpectedFailure::TimesOut) { SHORT } else { FOREVER };
    HookEntry { timeout, ..hook }
}

#[test]
fn a_model_that_does_not_decide_is_a_failure_and_on_error_decides() {
    let long = "x".repeat(500);
    let late = Turn::delay(FOREVER, Turn::text(r#"{"ok": true}"#));
    let turns = [
        (
            "prose",
            Turn::text("I would rather not say."),
            ExpectedFailure::Says(&["without a decision", "`I would rather not say.`", "`test-model`"]),
        ),
        ("long prose", Turn::text(long), ExpectedFailure::Says(&["without a decision", "xxx…`"])),
        ("another object", Turn::text(r#"{"verdict": "block"}"#), ExpectedFailure::Says(&["without a decision"])),
        ("an unknown word", Turn::text(r#"{"decision": "perhaps"}"#), ExpectedFailure::Says(&["without a decision"])),
        ("nothing", Turn::text(""), ExpectedFailure::Says(&["without a decision"])),
        (
            "a tool call",
            Turn::tool_call("f", serde_json::json!({"ok": true})),
            ExpectedFailure::Says(&["without a decision"]),
        ),
        ("overload", Turn::error(500, "on fire"), ExpectedFailure::Says(&["`127.0.0.1` answered 500", "on fire"])),
        ("a limit", Turn::error(429, "slow down"), ExpectedFailure::Says(&["answered 429", "slow down"])),
        ("a broken line", Turn::abort_after(r#"{"ok": true}"#), ExpectedFailure::Says(&["cannot ask `127.0.0.1`"])),
        ("no answer", late, ExpectedFailure::TimesOut),
    ];
    for provider in PROVIDERS {
        for (name, turn, trouble) in turns.clone() {
            let server = ModelServer::start(Script::new([]).otherwise(turn));
            let hook = hurried(prompt_hook("?"), trouble);
            let config = |hook| session([hook]).prompt_endpoint(endpoint(provider, &server));
            check(&format!("{provider}: {name}"), trouble, &hook, config);
        }
    }
}

/// Ways to fail that do not depend on who asks.
fn bad_services() -> Vec<(&'static str, ServiceBehaviour, ExpectedFailure)> {
    let say = |bytes: &[u8]| ServiceBehaviour::Say(bytes.to_vec());
    let huge =
        response("200 OK", &[], &format!("{{\"decision\": \"allow\", \"reason\": \"{}\"}}", "x".repeat(65 << 20)));
    let redirect = |status| say(&response(status, &["Location: http://127.0.0.1:1/"], r#"{"decision": "allow"}"#));
    let drip = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{\"decision\": \"allow\"}".to_vec();
    let gzip = response("200 OK", &["Content-Encoding: gzip"], "\u{1f}…");
    vec![
        (
            "moved",
            redirect("301 Moved Permanently"),
            ExpectedFailure::Says(&["answered 301", "redirects are not followed"]),
        ),
        ("found", redirect("302 Found"), ExpectedFailure::Says(&["answered 302", "redirects are not followed"])),
        (
            "temporary",
            redirect("307 Temporary Redirect"),
            ExpectedFailure::Says(&["answered 307", "redirects are not followed"]),
        ),
        ("unchanged", say(b"HTTP/1.1 304 Not Modified\r\n\r\n"), ExpectedFailure::Says(&["answered 304"])),
        (
            "missing",
            say(&response("404 Not Found", &[], "no such hook")),
            ExpectedFailure::Says(&["answered 404: `no such hook`"]),
        ),
        (
            "mute error",
            say(&response("503 Unavailable", &[], "")),
            ExpectedFailure::Says(&["`127.0.0.1` answered 503"]),
        ),
        ("huge", ServiceBehaviour::Say(huge), ExpectedFailure::Says(&["answered with more than"])),
        ("packed", ServiceBehaviour::Say(gzip), ExpectedFailure::Says(&["`gzip` encoding"])),
        (
            "cut",
            say(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"decision\": \"allow\"}"),
            ExpectedFailure::Says(&["cannot ask"]),
        ),
        ("no HTTP", say(b"220 mail.example.com ESMTP\r\n"), ExpectedFailure::Says(&["cannot ask"])),
        ("hangs up", say(b""), ExpectedFailure::Says(&["cannot ask"])),
        ("silence", ServiceBehaviour::Silence, ExpectedFailure::TimesOut),
        ("drips", ServiceBehaviour::Drip(drip), ExpectedFailure::TimesOut),
        ("drips a head", ServiceBehaviour::Drip(b"HTTP/1.1 200 OK\r\nX: ".to_vec()), ExpectedFailure::TimesOut),
        (
            "drips an error",
            ServiceBehaviour::Drip(b"HTTP/1.1 500 Oops\r\nContent-Length: 9999\r\n\r\n".to_vec()),
            ExpectedFailure::TimesOut,
        ),
    ]
}

#[test]
fn a_service_that_misbehaves_is_a_failure_for_http_hooks() {
    let page = response("200 OK", &["Content-Type: text/html; charset=utf-8"], "<p>Please log in</p>");
    let only_http =
        ("a web page", ServiceBehaviour::Say(page), ExpectedFailure::Says(&["`127.0.0.1` answered with a web page"]));
    for (name, manner, trouble) in bad_services().into_iter().chain([only_http]) {
        let service = Service::start(manner);
        let hook = hurried(http_hook(&service.url(), &[]), trouble);
        check(name, trouble, &hook, |hook| session([hook]));
    }
}

#[test]
fn a_service_that_misbehaves_is_a_failure_for_prompt_hooks() {
    let json = |body| ServiceBehaviour::Say(response("200 OK", &["Content-Type: application/json"], body));
    let only_prompts = [
        (
            "another API",
            json(r#"{"decision": "allow"}"#),
            ExpectedFailure::Says(&["did not answer like a model of type", "allow"]),
        ),
        (
            "a web page",
            json("<p>Please log in</p>"),
            ExpectedFailure::Says(&["did not answer like a model", "Please log in"]),
        ),
        ("nothing", json(""), ExpectedFailure::Says(&["did not answer like a model"])),
    ];
    for (name, manner, trouble) in bad_services().into_iter().chain(only_prompts) {
        let service = Service::start(manner);
        let hook = hurried(prompt_hook("?"), trouble);
        for provider in PROVIDERS {
            let endpoint = endpoint_at(provider, &format!("http://{}", service.address));
            let run = run(session([hook.clone()]).prompt_endpoint(endpoint));
            check_failure(&format!("{provider}: {name}"), trouble, &run);
        }
    }
}

#[test]
fn a_place_where_nobody_listens_is_a_failure() {
    let refused = ExpectedFailure::Says(&["cannot ask `127.0.0.1`: Connection refused"]);
    let unknown = ExpectedFailure::Says(&["cannot ask `xxx"]);
    // A label of 64 characters cannot exist, so no name server is asked.
    let impossible = format!("http://{}.invalid", "x".repeat(64));
    for (root, trouble) in [(format!("http://{}", deserted()), refused), (impossible, unknown)] {
        check(&root, trouble, &http_hook(&root, &[]), |hook| session([hook]));
        for provider in PROVIDERS {
            let config = |hook| session([hook]).prompt_endpoint(endpoint_at(provider, &root));
            check(&root, trouble, &prompt_hook("?"), config);
        }
    }
}

#[test]
fn a_redirect_is_not_followed_not_even_to_a_good_place() {
    let good = Service::answering("200 OK", &[], r#"{"decision": "allow"}"#);
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let service = Service::answering(status, &[&format!("Location: {}", good.url())], "");
        let hook = HookEntry { on_error: OnError::Deny, ..http_hook(&service.url(), &[]) };
        assert_eq!(decision(&run(session([hook]))), Decision::Block, "{status}");
        assert_eq!(service.requests().len(), 1, "{status}");
    }
    assert!(good.requests().is_empty());
}

#[test]
fn an_endless_timeout_is_fine() {
    let service = Service::answering("200 OK", &[], r#"{"decision": "block"}"#);
    for timeout in [Duration::from_secs(1 << 40), Duration::MAX] {
        let hook = HookEntry { timeout, ..http_hook(&service.url(), &[]) };
        assert_eq!(decision(&run(session([hook]))), Decision::Block, "{timeout:?}");
    }
}
