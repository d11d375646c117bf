//! Asking hooks beside other hooks, and beside each other.

use crate::asking::scene::{
    HANG, command_hook, decision, endpoint, endpoint_at, fire, http_hook, prompt_hook, session,
};
use crate::asking::service::{Service, ServiceBehaviour, response};
use crate::support::TestHook;
use hookrail_core::{Decision, EventName, Failure, HookEntry, Outcome};
use hookrail_engine::{CancelToken, Provider};
use hookrail_testkit::model_server::{ModelServer, Turn};
use hookrail_testkit::process::wait_until;
use std::sync::Arc;
use std::time::Duration;

#[test]
fn hooks_of_all_kinds_run_in_one_plan_and_are_reported_in_its_order() {
    let model = ModelServer::start(Turn::text(r#"{"ok": false, "reason": "the model"}"#));
    let service = Service::answering("200 OK", &[], r#"{"decision": "ask", "reason": "the service"}"#);
    let native = TestHook::hook("native", EventName::BeforeTool, |_| Ok(Outcome::deny("the code")));
    let hooks = [
        prompt_hook("?"),
        command_hook(r#"echo '{"decision": "allow", "reason": "the command"}'"#),
        http_hook(&service.url(), &[]),
    ];
    let config = session(hooks).prompt_endpoint(endpoint(Provider::Gemini, &model)).native_hook(&native);
    let verdict = fire(&Arc::new(config));
    let seen: Vec<_> = verdict.runs().iter().map(|run| (run.hook.kind, decision(run))).collect();
    let expected = [
        ("native", Decision::Block),
        ("prompt", Decision::Block),
        ("command", Decision::Allow),
        ("http", Decision::Ask),
    ];
    assert_eq!(seen, expected);
    assert_eq!(verdict.decision(), Decision::Block);
    let reasons: Vec<_> = verdict.reasons().into_iter().map(|reason| reason.message).collect();
    assert_eq!(reasons, ["the code", "the model", "the command", "the service"]);
}

#[test]
fn all_asking_hooks_of_a_plan_ask_at_the_same_time() {
    const CROWD: usize = 12;
    // No request is answered before all have arrived.
    let answer = response("200 OK", &[], r#"{"decision": "block"}"#);
    let service = Service::start(ServiceBehaviour::Together(CROWD, answer));
    let hooks = (0..CROWD).map(|number| http_hook(&format!("{}/{number}", service.url()), &[]));
    let native = TestHook::hook("native", EventName::BeforeTool, |_| Ok(Outcome::ask("a quick one among them")));
    let verdict = fire(&Arc::new(session(hooks).native_hook(&native)));
    let blocked = verdict.runs().iter().filter(|run| decision(run) == Decision::Block);
    assert_eq!(blocked.count(), CROWD, "{:?}", verdict.errors());
    assert_eq!(decision(&verdict.runs()[0]), Decision::Ask);
}

#[test]
fn a_cancelled_session_does_not_wait_for_answers() {
    let silent = Service::start(ServiceBehaviour::Silence);
    let cancel = CancelToken::new();
    let config = session([prompt_hook("?"), http_hook(&silent.url(), &[])])
        .prompt_endpoint(endpoint_at(Provider::Anthropic, &format!("http://{}", silent.address)))
        .cancel_token(cancel.clone());
    let canceller = std::thread::spawn(move || {
        let asked = wait_until(HANG, || silent.requests().len() == 2);
        cancel.cancel();
        (asked, silent)
    });
    let verdict = fire(&Arc::new(config));
    let (asked, _silent) = canceller.join().unwrap();
    assert!(asked);
    let failures: Vec<_> = verdict.runs().iter().map(|run| run.failure().cloned()).collect();
    assert_eq!(failures, [Some(Failure::Cancelled), Some(Failure::Cancelled)]);
}

#[test]
fn one_late_answer_does_not_make_the_others_late() {
    let silent = Service::start(ServiceBehaviour::Silence);
    let service = Service::answering("200 OK", &[], r#"{"decision": "ask"}"#);
    let late = HookEntry { timeout: Duration::from_millis(300), ..http_hook(&silent.url(), &[]) };
    let verdict = fire(&Arc::new(session([late, http_hook(&service.url(), &[])])));
    assert!(verdict.runs()[0].timed_out());
    assert_eq!(decision(&verdict.runs()[1]), Decision::Ask);
}
