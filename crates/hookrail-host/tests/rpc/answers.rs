use crate::agent::{Agent, Gate, command, printing};
use serde_json::{Value, json};
use std::sync::Arc;

/// What every answer has when hooks have nothing to say.
fn silence() -> Value {
    json!({
        "decision": "none", "blocked": false, "reason": null, "stop": false, "systemMessage": null, "context": null,
        "suppressOutput": false, "runs": [],
    })
}

fn merged(mut base: Value, changes: &Value) -> Value {
    let fields = base.as_object_mut().unwrap();
    fields.extend(changes.as_object().unwrap().clone());
    base
}

/// An answer whose times are known: none.
fn timeless(mut answer: Value) -> Value {
    for run in answer["runs"].as_array_mut().expect("runs") {
        assert!(run["milliseconds"].as_f64().is_some_and(|time| time >= 0.0), "{run}");
        run["milliseconds"] = json!(0);
    }
    answer
}

/// Fires a call whose event has one hook, which prints `output`; the answer must be silence but for `expected`.
fn check(event: &str, method: &str, params: &Value, output: &Value, expected: &Value) {
    let mut agent = Agent::with_hooks(&command(event, &printing(output)));
    let answer = timeless(agent.ask(method, params));
    let outcome = if expected["blocked"] == json!(true) { "blocked" } else { "succeeded" };
    let runs = json!([{ "hook": "hook", "outcome": outcome, "milliseconds": 0, "error": null }]);
    let expected = merged(merged(silence(), &json!({ "runs": runs })), expected);
    assert_eq!(answer, expected, "{method} with a hook that says {output}");
}

#[test]
fn a_tool_call_is_answered_with_what_hooks_make_of_it() {
    let params = json!({ "toolName": "write_file", "toolInput": { "path": "a", "content": "b" } });
    let input = json!({ "path": "a", "content": "b" });
    let cases = [
        (json!({}), json!({ "toolInput": input })),
        (
            json!({"decision": "allow", "reason": "fine"}),
            json!({
                "decision": "allow", "reason": "fine", "toolInput": input,
            }),
        ),
        (
            json!({"decision": "ask", "reason": "sure?"}),
            json!({ "decision": "ask", "reason": "sure?", "toolInput": input }),
        ),
        (
            json!({"decision": "deny"}),
            json!({
                "decision": "block", "blocked": true, "reason": "No reason provided", "toolInput": input,
            }),
        ),
        (
            json!({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}),
            json!({
                "decision": "block", "blocked": true, "reason": "no", "toolInput": input,
            }),
        ),
        (
            json!({"continue": false, "stopReason": "enough"}),
            json!({
                "decision": "stop", "blocked": true, "stop": true, "reason": "enough", "toolInput": input,
            }),
        ),
        (
            json!({"hookSpecificOutput": {"tool_input": {"path": "z", "mode": 1}}}),
            json!({
                "toolInput": { "path": "z", "content": "b", "mode": 1 },
            }),
        ),
        (
            json!({"systemMessage": "note", "suppressOutput": true}),
            json!({
                "systemMessage": "note", "suppressOutput": true, "toolInput": input,
            }),
        ),
    ];
    for (output, expected) in cases {
        check("BeforeTool", "beforeTool", &params, &output, &expected);
    }
}

#[test]
fn a_tools_result_is_answered_with_what_hooks_add_to_it() {
    let params =
        json!({ "toolName": "a", "toolInput": {}, "toolResponse": { "llmContent": "x" }, "provider": "openai" });
    let cases = [
        (json!({"hookSpecificOutput": {"additionalContext": "mind the gap"}}), json!({ "context": "mind the gap" })),
        (
            json!({"decision": "block", "reason": "secret"}),
            json!({
                "decision": "block", "blocked": true, "reason": "secret",
            }),
        ),
        (json!({"suppressOutput": true}), json!({ "suppressOutput": true })),
    ];
    for (output, expected) in cases {
        check("AfterTool", "afterTool", &params, &output, &expected);
    }
}

#[test]
fn a_request_to_a_model_is_changed_or_answered_in_its_providers_words() {
    let changes = json!({"hookSpecificOutput": {"llm_request": {"model": "small", "messages": [
        {"role": "user", "content": "bye"},
    ]}}});
    let answers = json!({"decision": "deny", "reason": "cached", "hookSpecificOutput": {"llm_response": {
        "candidates": [{"content": {"role": "model", "parts": ["from the cache"]}, "finishReason": "STOP"}],
    }}});
    let genai = json!({"model": "big", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]});
    let anthropic = json!({"model": "big", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]});
    let openai = json!({"model": "big", "messages": [{"role": "user", "content": "hi"}]});
    let cases = [
        (json!({ "request": genai }), "/contents/0/parts/0/text", "/candidates/0/content/parts/0/text"),
        (
            json!({ "request": genai, "provider": "genai" }),
            "/contents/0/parts/0/text",
            "/candidates/0/content/parts/0/text",
        ),
        (json!({ "request": anthropic, "provider": "anthropic" }), "/messages/0/content", "/content/0/text"),
        (json!({ "request": openai, "provider": "openai" }), "/messages/0/content", "/choices/0/message/content"),
    ];
    for (params, text_of_request, text_of_response) in cases {
        let mut agent = Agent::with_hooks(&command("BeforeModel", &printing(&changes)));
        let answer = agent.ask("beforeModel", &params);
        let request = &answer["modifiedRequest"];
        assert_eq!(request["model"], json!("small"), "{params}: {answer}");
        assert_eq!(request.pointer(text_of_request), Some(&json!("bye")), "{params}: {answer}");
        assert_eq!((&answer["blocked"], &answer["syntheticResponse"]), (&json!(false), &Value::Null));

        agent.open(&command("BeforeModel", &printing(&answers)));
        let answer = agent.ask("beforeModel", &params);
        let response = &answer["syntheticResponse"];
        assert_eq!(response.pointer(text_of_response), Some(&json!("from the cache")), "{params}: {answer}");
        assert_eq!((&answer["blocked"], &answer["modifiedRequest"]), (&json!(true), &Value::Null));
        assert_eq!(answer["reason"], json!("cached"));
    }
}

#[test]
fn a_models_response_is_given_back_changed_or_as_it_was() {
    let request = json!({"model": "m", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]});
    let response = json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "hello"}]}, "index": 0}]});
    let params = json!({ "request": request, "response": response });
    check("AfterModel", "afterModel", &params, &json!({}), &json!({ "response": response }));

    let changes = json!({"hookSpecificOutput": {"llm_response": {
        "candidates": [{"content": {"role": "model", "parts": ["[redacted]"]}}],
    }}});
    let mut agent = Agent::with_hooks(&command("AfterModel", &printing(&changes)));
    let answer = agent.ask("afterModel", &params);
    let text = answer.pointer("/response/candidates/0/content/parts/0/text");
    assert_eq!(text, Some(&json!("[redacted]")), "{answer}");
}

#[test]
fn a_restriction_of_tools_is_said_in_the_providers_words() {
    let output = json!({"hookSpecificOutput": {"toolConfig": {"mode": "ANY", "allowedFunctionNames": ["read_file"]}}});
    let mut agent = Agent::with_hooks(&command("BeforeToolSelection", &printing(&output)));
    let genai = agent.ask("beforeToolSelection", &json!({ "request": {"model": "m", "contents": []} }));
    let expected = json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read_file"]}});
    assert_eq!(genai["toolConfig"], expected, "{genai}");

    let params = json!({ "request": {"model": "m", "messages": []}, "provider": "anthropic" });
    let anthropic = agent.ask("beforeToolSelection", &params);
    assert_ne!(anthropic["toolConfig"], expected);
    assert!(anthropic["toolConfig"].to_string().contains("read_file"), "{anthropic}");

    agent.open(&json!({}));
    let none = agent.ask("beforeToolSelection", &json!({ "request": {} }));
    assert_eq!(none, merged(silence(), &json!({ "toolConfig": null })));
}

#[test]
fn every_other_event_can_be_fired_under_either_of_its_names() {
    let output = json!({"hookSpecificOutput": {"additionalContext": "welcome"}});
    let expected = json!({ "context": "welcome" });
    check(
        "SessionStart",
        "fire",
        &json!({"event": "SessionStart", "input": {"source": "startup"}}),
        &output,
        &expected,
    );
    check("BeforeAgent", "fire", &json!({"event": "UserPromptSubmit", "input": {"prompt": "hi"}}), &output, &expected);

    let output = json!({"hookSpecificOutput": {"clearContext": true}});
    check("AfterAgent", "fire", &json!({"event": "AfterAgent"}), &output, &json!({ "clearContext": true }));
    check("AfterAgent", "fire", &json!({"event": "Stop"}), &json!({}), &json!({ "clearContext": false }));
}

#[test]
fn hooks_are_given_what_the_call_says() {
    // covers: HOOK-061
    let mut agent = Agent::with_hooks(&command("BeforeTool", "cat > seen.json"));
    let params = json!({
        "toolName": "mcp__db__query", "toolInput": { "sql": "select 1" }, "mcpContext": { "server_name": "db" },
    });
    agent.ask("beforeTool", &params);
    let seen: Value = serde_json::from_str(&agent.project.read("seen.json")).unwrap();
    for (field, expected) in [
        ("session_id", json!("s-1")),
        ("cwd", json!(agent.project.path())),
        ("hook_event_name", json!("BeforeTool")),
        ("tool_name", json!("mcp__db__query")),
        ("tool_input", json!({ "sql": "select 1" })),
        ("mcp_context", json!({ "server_name": "db" })),
    ] {
        assert_eq!(seen[field], expected, "{field}");
    }
}

#[test]
fn without_a_hook_that_applies_the_answer_is_silence() {
    let calls = [
        ("beforeTool", json!({ "toolName": "b", "toolInput": {"x": 1} }), json!({ "toolInput": {"x": 1} })),
        ("afterTool", json!({ "toolName": "b", "toolInput": {}, "toolResponse": null }), json!({})),
        ("beforeModel", json!({ "request": {} }), json!({ "modifiedRequest": null, "syntheticResponse": null })),
        ("afterModel", json!({ "request": {}, "response": {"a": 1} }), json!({ "response": {"a": 1} })),
        ("beforeToolSelection", json!({ "request": {} }), json!({ "toolConfig": null })),
        ("fire", json!({ "event": "SessionEnd" }), json!({})),
    ];
    let mut hooks = command("BeforeTool", "exit 2");
    hooks["BeforeTool"][0]["matcher"] = json!("^a$");
    for settings in
        [json!({ "enableHooks": true, "hooks": hooks }), json!({ "hooks": command("BeforeTool", "exit 2") })]
    {
        let mut agent = Agent::new();
        agent.initialize(&json!({ "settings": settings }));
        for (method, params, expected) in &calls {
            assert_eq!(agent.ask(method, params), merged(silence(), expected), "{method} under {settings}");
        }
    }
}

#[test]
fn every_run_is_reported_with_how_it_ended() {
    let cases = [
        ("exit 0", "succeeded", Value::Null),
        ("echo '{\"decision\": \"block\"}'", "blocked", Value::Null),
        ("echo '{\"continue\": false}'", "blocked", Value::Null),
        ("exit 2", "blocked", Value::Null),
        ("exit 7", "failed", json!("exit code 7")),
        ("kill -9 $$", "failed", json!("killed by SIGKILL")),
        ("exec sleep 60", "timedOut", json!("timed out after 150 ms")),
    ];
    for (command_text, outcome, error) in cases {
        let mut hooks = command("AfterTool", command_text);
        hooks["AfterTool"][0]["hooks"][0]["timeout"] = json!(if outcome == "timedOut" { 150 } else { 60_000 });
        let mut agent = Agent::with_hooks(&hooks);
        let params = json!({ "toolName": "a", "toolInput": {}, "toolResponse": {} });
        let answer = timeless(agent.ask("afterTool", &params));
        let expected = json!([{ "hook": "hook", "outcome": outcome, "milliseconds": 0, "error": error }]);
        assert_eq!(answer["runs"], expected, "{command_text}");
    }
}

#[test]
fn a_hook_of_this_program_that_panics_is_a_failed_run() {
    let mut agent = Agent::with_native(Arc::new(Gate::default()));
    let id = agent.before_tool("panic");
    let answer = agent.read_result(id);
    assert_eq!(answer["runs"][0]["hook"], json!("test/gate"));
    assert_eq!(answer["runs"][0]["outcome"], json!("failed"));
    assert_eq!(answer["runs"][0]["error"], json!("panicked: as it was told to"));
    assert_eq!(answer["blocked"], json!(false));
}
