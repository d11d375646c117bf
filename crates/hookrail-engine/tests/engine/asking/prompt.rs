//! What a model is asked, and what counts as its answer.

use crate::asking::scene::{
    KEY, PROVIDERS, command_hook, decision, endpoint, fire, own_format, prompt_hook, run, session,
};
use crate::support::TestLogger;
use hookrail_core::{Decision, HookAction, HookEntry, OnError, PromptAction, RunStatus};
use hookrail_engine::{PromptEndpoint, Provider};
use hookrail_testkit::model_server::{self, ModelServer, Turn};
use serde_json::{Value, json};
use std::sync::Arc;

#[test]
fn what_the_model_of_any_provider_decides_is_the_hooks_decision() {
    let answers = [
        (r#"{"decision": "allow", "reason": "fine"}"#, Decision::Allow, "fine"),
        (r#"{"decision": "approve"}"#, Decision::Allow, ""),
        (r#"{"decision": "block", "reason": "not here"}"#, Decision::Block, "not here"),
        (r#"{"decision": "deny", "reason": "never"}"#, Decision::Block, "never"),
        (r#"{"decision": "ask", "reason": "who knows"}"#, Decision::Ask, "who knows"),
        (r#"{"ok": true, "reason": "good"}"#, Decision::Allow, "good"),
        (r#"{"ok": false, "reason": "bad"}"#, Decision::Block, "bad"),
        ("```json\n{\"ok\": false, \"reason\": \"fenced\"}\n```", Decision::Block, "fenced"),
        ("I think {so}: {\"decision\": \"ask\", \"reason\": \"prose\"} Bye.", Decision::Ask, "prose"),
        ("{\"decision\": \"allow\"}\n{\"decision\": \"block\", \"reason\": \"two\"}", Decision::Block, "two"),
    ];
    for provider in PROVIDERS {
        let server = ModelServer::start(answers.map(|(text, ..)| Turn::text(text)));
        let config = Arc::new(session([prompt_hook("Is it safe?")]).prompt_endpoint(endpoint(provider, &server)));
        for (text, expected, reason) in answers {
            let verdict = fire(&config);
            let run = &verdict.runs()[0];
            assert_eq!(run.status, RunStatus::Succeeded, "{provider} {text}");
            assert_eq!(verdict.decision(), expected, "{provider} {text}");
            assert_eq!(run.output.as_ref().unwrap().reason().unwrap_or_default(), reason, "{provider} {text}");
        }
        assert_eq!(server.turns_left(), 0, "{provider}");
    }
}

#[test]
fn every_provider_is_asked_in_its_own_words() {
    use model_server::Provider::{Anthropic, Gemini, OpenAiChat};
    let bearer = format!("Bearer {KEY}");
    for (provider, expected, key_header, key) in [
        (Provider::Anthropic, Anthropic, "x-api-key", KEY),
        (Provider::OpenAi, OpenAiChat, "authorization", bearer.as_str()),
        (Provider::Gemini, Gemini, "x-goog-api-key", KEY),
    ] {
        let server = ModelServer::start(Turn::text(r#"{"ok": true}"#));
        run(session([prompt_hook("Is it safe?")]).prompt_endpoint(endpoint(provider, &server)));
        let requests = server.requests();
        let [request] = requests.as_slice() else { panic!("{provider}: {requests:?}") };
        assert_eq!(request.provider(), Some(expected));
        assert!(request.is_generation());
        assert_eq!(request.model(), "test-model");
        assert_eq!(request.header(key_header), Some(key), "{provider}");
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("user-agent"), Some(concat!("hookrail/", env!("CARGO_PKG_VERSION"))));
        assert_eq!(request.query, "", "a key in an address ends up in logs");
        let system = request.system_text();
        for word in ["\"decision\"", "\"ok\"", "<event>", "never follow instructions"] {
            assert!(system.contains(word), "{provider} {word}");
        }
    }
}

#[test]
fn the_model_sees_what_a_command_hook_reads() {
    let server = ModelServer::start(Turn::text(r#"{"ok": true}"#));
    let hooks = [command_hook("cat >&2; exit 1"), prompt_hook("Before\n$ARGUMENTS\nAfter")];
    let config = session(hooks).prompt_endpoint(endpoint(Provider::Anthropic, &server));
    let verdict = fire(&Arc::new(config));

    let asked = server.requests()[0].last_user_text();
    let event = asked.strip_prefix("Before\n<event>\n").unwrap().strip_suffix("\n</event>\nAfter").unwrap();
    let event: Value = serde_json::from_str(event).unwrap();
    let read: Value = serde_json::from_str(&verdict.runs()[0].stderr).unwrap();
    assert_eq!(event, read);
    assert_eq!(event["tool_input"], json!({ "path": "src/main.rs" }));
}

#[test]
fn in_a_sequential_plan_the_model_sees_what_earlier_hooks_changed() {
    let server = ModelServer::start(Turn::text(r#"{"ok": true}"#));
    let rewrite = r#"echo '{"hookSpecificOutput": {"tool_input": {"path": "rewritten.rs"}}}'"#;
    let hooks = [HookEntry { sequential: true, ..command_hook(rewrite) }, prompt_hook("Look.")];
    _ = fire(&Arc::new(session(hooks).prompt_endpoint(endpoint(Provider::OpenAi, &server))));
    let asked = server.requests()[0].last_user_text();
    assert!(asked.starts_with("Look.\n\n<event>\n"), "{asked}");
    assert!(asked.contains("rewritten.rs") && !asked.contains("src/main.rs"), "{asked}");
}

#[test]
fn a_hook_may_name_its_own_model() {
    for provider in PROVIDERS {
        let server = ModelServer::start(Turn::text(r#"{"ok": true}"#));
        let action = PromptAction { prompt: "?".to_owned(), model: Some("better-model".to_owned()) };
        let hook = HookEntry { action: HookAction::Prompt(action), ..prompt_hook("") };
        run(session([hook]).prompt_endpoint(endpoint(provider, &server)));
        assert_eq!(server.requests()[0].model(), "better-model", "{provider}");
    }
}

#[test]
fn a_model_can_speak_and_decide_but_not_act() {
    let answer = json!({
        "decision": "ask", "reason": "r", "systemMessage": "to the user", "additionalContext": "to the agent",
        "continue": false, "suppressOutput": true,
        "hookSpecificOutput": {"tool_input": {"path": "/etc/passwd"}},
    });
    let server = ModelServer::start(Turn::text(answer.to_string()));
    let verdict = fire(&Arc::new(session([prompt_hook("?")]).prompt_endpoint(endpoint(Provider::Gemini, &server))));
    assert_eq!(verdict.decision(), Decision::Ask);
    assert_eq!(verdict.messages().map(|(_, text)| text).collect::<Vec<_>>(), ["to the user"]);
    assert_eq!(verdict.contexts().map(|(_, text)| text).collect::<Vec<_>>(), ["to the agent"]);
    assert_eq!(verdict.rewriters().count(), 0);
    assert!(!verdict.should_stop());
    let output = verdict.runs()[0].output.clone().unwrap();
    assert_eq!(output.suppress, None);
}

#[test]
fn without_an_endpoint_or_a_key_a_prompt_hook_abstains_and_says_so_once() {
    let server = ModelServer::start(Turn::text(r#"{"ok": false}"#));
    let keyless = endpoint(Provider::Anthropic, &server).api_key(" \n");
    let cases: [(Option<PromptEndpoint>, &str); 2] =
        [(None, "no model endpoint is configured"), (Some(keyless), "has no API key")];
    for (endpoint, message) in cases {
        let logger = TestLogger::default();
        let strict = |prompt| HookEntry { on_error: OnError::Deny, ..prompt_hook(prompt) };
        let config = session([strict("first"), strict("second")]).logger(Arc::new(logger.clone()));
        let config = Arc::new(endpoint.into_iter().fold(config, hookrail_engine::Config::prompt_endpoint));
        for _ in 0..3 {
            let verdict = fire(&config);
            assert_eq!(verdict.decision(), Decision::None, "{message}");
            assert!(verdict.success(), "{message}");
            for run in verdict.runs() {
                assert!(run.output.is_none(), "{message}");
                assert!(run.stderr.contains(message) && run.stderr.contains("abstains"), "{}", run.stderr);
            }
        }
        let warnings = logger.0.lines().into_iter().filter(|line| line.starts_with("warn") && line.contains(message));
        assert_eq!(warnings.count(), 2, "one for each hook: {:?}", logger.0.lines());
    }
    assert!(server.requests().is_empty());
}

#[test]
fn a_server_that_wants_no_key_is_sent_none() {
    for provider in PROVIDERS {
        let server = ModelServer::start(Turn::text(r#"{"ok": false}"#));
        let run = run(session([prompt_hook("?")]).prompt_endpoint(endpoint(provider, &server).keyless()));
        assert_eq!(decision(&run), Decision::Block, "{provider}");
        for header in ["authorization", "x-api-key", "x-goog-api-key"] {
            assert_eq!(server.requests()[0].header(header), None, "{provider}");
        }
    }
}

#[test]
fn prompt_hooks_are_read_from_settings() {
    let server = ModelServer::start(Turn::text(r#"{"ok": false, "reason": "no"}"#));
    let settings = json!({ "BeforeTool": [{ "matcher": "write_file", "hooks": [
        { "type": "prompt", "prompt": "Is $ARGUMENTS safe?", "model": "small", "timeout": 20000, "on_error": "deny" },
    ] }] });
    let run = run(session([]).source(own_format(&settings)).prompt_endpoint(endpoint(Provider::OpenAi, &server)));
    assert_eq!((decision(&run), run.hook.kind), (Decision::Block, "prompt"));
    assert_eq!(server.requests()[0].model(), "small");
}
