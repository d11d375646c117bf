//! A key is seen by the endpoint only.

use crate::asking::scene::{KEY, PROVIDERS, endpoint_at, fire, http_hook, prompt_hook, session};
use crate::asking::service::Service;
use crate::support::TestLogger;
use hookrail_core::{HookEntry, OnError};
use hookrail_engine::{ApiKey, AskingSettings, RunnerSettings};
use std::sync::Arc;

/// Everything that a person, a log or a journal could get to see of an event.
fn seen(config: hookrail_engine::Config) -> String {
    let logger = TestLogger::default();
    let config = Arc::new(config.logger(Arc::new(logger.clone())));
    let verdict = fire(&config);
    let system = config.get_hook_system();
    format!("{verdict:?}\n{:?}\n{:?}\n{config:?}\n{system:?}", verdict.reasons(), logger.0.lines())
}

#[test]
fn a_key_that_an_endpoint_repeats_is_not_repeated_by_us() {
    let said = format!("Incorrect API key provided: {KEY}, and again: {KEY}");
    let padded = format!("{}{KEY}", "x".repeat(190));
    let text = |text: &str| {
        serde_json::json!({
            "content": [{"type": "text", "text": text}],
            "choices": [{"message": {"content": text}}],
            "candidates": [{"content": {"parts": [{"text": text}]}}],
        })
        .to_string()
    };
    for (status, body) in [
        ("401 Unauthorized", said.clone()),
        ("500 Error", padded.clone()),
        ("200 OK", said.clone()),
        ("200 OK", text(&said)),
        ("200 OK", text(&padded)),
    ] {
        let service = Service::answering(status, &[], &body);
        for provider in PROVIDERS {
            let hook = HookEntry { on_error: OnError::Deny, ..prompt_hook("?") };
            let endpoint = endpoint_at(provider, &format!("http://{}", service.address));
            let seen = seen(session([hook]).prompt_endpoint(endpoint));
            assert!(seen.contains("[secret]"), "{provider} {status}: {seen}");
            assert!(!seen.contains("0123456789") && !seen.contains("sk-test"), "{provider} {status}: {seen}");
        }
        assert!(service.requests().iter().all(|request| request.head.contains(KEY)));
    }
}

#[test]
fn a_token_in_a_header_that_a_service_repeats_is_not_repeated_by_us() {
    let service = Service::answering("403 Forbidden", &[], &format!("bad token {KEY}"));
    let header = format!("Bearer {KEY}");
    let verdict = fire(&Arc::new(session([http_hook(&service.url(), &[("Authorization", &header)])])));
    assert_eq!(verdict.errors(), ["`127.0.0.1` answered 403: `bad token [secret]`"]);
}

#[test]
fn a_key_that_cannot_be_sent_is_not_shown_either() {
    let endpoint = endpoint_at(PROVIDERS[0], "http://127.0.0.1:1").api_key(format!("{KEY}\n{KEY}"));
    let seen = seen(session([prompt_hook("?")]).prompt_endpoint(endpoint));
    assert!(seen.contains("the API key has characters that no HTTP header can carry"), "{seen}");
    assert!(!seen.contains("sk-test"), "{seen}");
}

#[test]
fn a_key_does_not_print_itself() {
    let endpoint = endpoint_at(PROVIDERS[0], "http://127.0.0.1:1");
    let asking = AskingSettings { prompt_endpoint: Some(endpoint.clone()), ..AskingSettings::default() };
    let settings = RunnerSettings { asking, ..RunnerSettings::default() };
    let printed = format!("{:?} {endpoint:#?} {settings:?}", ApiKey::new(KEY));
    assert!(printed.contains("[secret]") && !printed.contains("sk-test"), "{printed}");
}

#[test]
fn white_space_is_no_part_of_a_key_and_no_key() {
    assert_eq!(ApiKey::new(" \t\n"), None);
    assert_eq!(ApiKey::new(&format!("{KEY}\n")), ApiKey::new(KEY));
}
