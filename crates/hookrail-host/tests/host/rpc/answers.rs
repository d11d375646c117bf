use crate::rpc::agent::{Agent, Gate, command, printing};
use serde_json::{Value, json};
use std::sync::Arc;

/// What every answer has when hooks have nothing to say.
fn silence() -> Value {
    json!({
        "decision": "none", "blocked": false, "reason": null, "stop": false, "systemMessage": null, "context": null,
        "suppressOutput": false, "success": true, "errors": [], "totalDuration": 0.0, "warnings": [], "notices": [],
        "conflicts": [], "output": null, "runs": [],
    })
}

fn merged(mut base: Value, changes: &Value) -> Value {
    let fields = base.as_object_mut().unwrap();
    fields.extend(changes.as_object().unwrap().clone());
    base
}

/// An answer whose times are known: none. Of its runs that is left which these tests are about; the whole of one has a test
/// of its own.
fn timeless(mut answer: Value) -> Value {
    let mut total = 0.0;
    for run in answer["runs"].as_array_mut().expect("runs") {
        total += run["milliseconds"].as_f64().filter(|time| *time >= 0.0).expect("a time");
        let fields = ["hook", "outcome", "error"].map(|name| (name.to_owned(), run[name].clone()));
        *run = Value::Object(fields.into_iter().collect());
    }
    let told = answer["totalDuration"].as_f64().expect("a time");
    assert!((told - total).abs() < 0.01, "{told} is not the sum of the runs' {total}");
    answer["totalDuration"] = json!(0.0);
    answer
}

/// Fires a call whose event has one hook, which prints `output`; the answer must be silence but for `expected`.
fn check(event: &str, method: &str, params: &Value, output: &Value, expected: &Value) {
    let mut agent = Agent::with_hooks(&command(event, &printing(output)));
    let answer = timeless(agent.ask(method, params));
    let outcome = if expected["blocked"] == json!(true) { "blocked" } else { "succeeded" };
    let runs = json!([{ "hook": "hook", "outcome": outcome, "error": null }]);
    let expected = merged(merged(silence(), &json!({ "runs": runs, "output": answer["output"] })), expected);
    assert_eq!(answer, expected, "{method} with a hook that says {output}");
    assert!(answer["output"].is_object(), "what a hook says is told in its own words, too");
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
        assert_eq!((&answer["reason"], &answer["blockedResponse"]), (&json!("cached"), response));

        agent.open(&command("BeforeModel", "echo no >&2; exit 2"));
        let answer = agent.ask("beforeModel", &params);
        let (parts, empty) = (text_of_response.split('/').nth(1).unwrap(), &answer["blockedResponse"]);
        assert_eq!((&answer["syntheticResponse"], &empty[parts]), (&Value::Null, &json!([])), "{params}: {answer}");
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
    assert_eq!(genai["modifiedRequest"]["config"]["toolConfig"], expected, "{genai}");

    // Gemini refuses names of tools that a request does not declare, and names beside a free choice.
    let tools = json!([{"functionDeclarations": [{"name": "read_file"}, {"name": "ls"}]}]);
    let request = json!({"model": "m", "contents": [], "config": {"tools": tools}});
    for (restriction, acceptable) in [
        (json!({"allowedFunctionNames": ["ls", "rm"]}), json!({"mode": "VALIDATED", "allowedFunctionNames": ["ls"]})),
        (json!({"mode": "ANY", "allowedFunctionNames": ["rm"]}), json!({"mode": "NONE"})),
    ] {
        let output = json!({"hookSpecificOutput": {"toolConfig": restriction}});
        agent.open(&command("BeforeToolSelection", &printing(&output)));
        let answer = agent.ask("beforeToolSelection", &json!({ "request": request }));
        assert_eq!(answer["toolConfig"], json!({"functionCallingConfig": acceptable}), "{restriction}");
        assert_eq!(answer["modifiedRequest"]["config"]["toolConfig"], answer["toolConfig"], "{restriction}");
    }
    agent.open(&command("BeforeToolSelection", &printing(&output)));

    let params = json!({ "request": {"model": "m", "messages": []}, "provider": "anthropic" });
    let anthropic = agent.ask("beforeToolSelection", &params);
    assert_ne!(anthropic["toolConfig"], expected);
    assert!(anthropic["toolConfig"].to_string().contains("read_file"), "{anthropic}");

    agent.open(&json!({}));
    let none = agent.ask("beforeToolSelection", &json!({ "request": {} }));
    assert_eq!(none, merged(silence(), &json!({ "toolConfig": null, "modifiedRequest": null })));
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
    // Any agent's name of an event will do: Claude Code's, opencode's, Cursor's.
    for name in ["Stop", "session.idle", "stop"] {
        check("AfterAgent", "fire", &json!({"event": name}), &json!({}), &json!({ "clearContext": false }));
    }
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
        (
            "beforeModel",
            json!({ "request": {} }),
            json!({ "modifiedRequest": null, "syntheticResponse": null, "blockedResponse": null }),
        ),
        ("afterModel", json!({ "request": {}, "response": {"a": 1} }), json!({ "response": {"a": 1} })),
        ("beforeToolSelection", json!({ "request": {} }), json!({ "toolConfig": null, "modifiedRequest": null })),
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
        let expected = json!([{ "hook": "hook", "outcome": outcome, "error": error }]);
        assert_eq!(answer["runs"], expected, "{command_text}");
    }
}

#[test]
fn a_run_is_told_whole_and_the_words_of_failed_hooks_apart_from_the_others() {
    let said = json!({"systemMessage": "note", "hookSpecificOutput": {"additionalContext": "more", "own": 1}});
    let hook = |name: &str, command: &str| json!({ "type": "command", "name": name, "command": command });
    let hooks = [
        hook("talks", &printing(&said)),
        hook("fails", "echo out; echo trouble >&2; exit 7"),
        hook("dies", "kill -9 $$"),
    ];
    let mut agent = Agent::with_hooks(&json!({ "AfterTool": [{ "hooks": hooks }] }));
    let answer = agent.ask("afterTool", &json!({ "toolName": "a", "toolInput": {}, "toolResponse": {} }));
    assert_eq!((&answer["success"], &answer["systemMessage"]), (&json!(false), &json!("note")));
    assert_eq!(answer["warnings"], json!(["Warning: trouble"]));
    assert_eq!(answer["output"]["hookSpecificOutput"], said["hookSpecificOutput"]);
    let fields = ["exitCode", "signal", "success", "stdout", "stderr", "source", "origin", "kind", "truncated"];
    let told = |index: usize| fields.map(|field| answer["runs"][index][field].clone());
    let place = |values: [Value; 5]| {
        let [exit, signal, success, stdout, stderr] = values;
        [exit, signal, success, stdout, stderr, json!("project"), json!("settings"), json!("command"), json!(false)]
    };
    assert_eq!(told(0), place([json!(0), Value::Null, json!(true), json!(format!("{said}\n")), json!("")]));
    assert_eq!(told(1), place([json!(7), Value::Null, json!(false), json!("out\n"), json!("trouble\n")]));
    assert_eq!(told(2), place([Value::Null, json!("SIGKILL"), json!(false), json!(""), json!("")]));
    assert_eq!(answer["runs"][0]["output"], said);
}

#[test]
fn a_long_answer_of_a_hook_counts_and_what_is_told_of_it_is_not_endless() {
    let long = "cat >/dev/null; printf '{\"decision\": \"deny\", \"reason\": \"'; head -c 1200000 /dev/zero | tr '\\0' x; printf '\"}'";
    let mut agent = Agent::with_hooks(&command("BeforeTool", long));
    let id = agent.before_tool("a");
    let answer = agent.read_result(id);
    assert_eq!(answer["blocked"], json!(true));
    let run = &answer["runs"][0];
    assert_eq!((&run["truncated"], run["stdout"].as_str().unwrap().len()), (&json!(true), 64 << 10));

    let settings = json!({ "enableHooks": true, "hooks": command("BeforeTool", long) });
    agent.initialize(&json!({ "settings": settings, "answerLimitBytes": 1000 }));
    let id = agent.before_tool("a");
    let answer = agent.read_result(id);
    assert_eq!((&answer["blocked"], &answer["runs"][0]["outcome"]), (&json!(false), &json!("failed")));
    assert!(answer["runs"][0]["error"].as_str().unwrap().contains("it was cut after"), "{answer}");
}

#[test]
fn clients_that_want_to_are_told_of_every_hook_and_every_event() {
    // covers: HOOK-146
    let mut agent = Agent::new();
    let settings = json!({ "enableHooks": true, "hooks": command("BeforeTool", "exit 2") });
    agent.initialize(&json!({ "settings": settings, "notifications": true, "telemetry": true }));
    let id = agent.before_tool("a");
    let told: Vec<Value> = (0..4).map(|_| agent.read()).collect();
    let methods: Vec<&Value> = told.iter().take(3).map(|message| &message["method"]).collect();
    assert_eq!(methods, ["hookStarted", "hookFinished", "telemetry"]);
    assert_eq!((&told[0]["params"]["id"], &told[0]["params"]["hook"]), (&json!(id), &json!("hook")));
    assert_eq!(told[1]["params"]["run"]["outcome"], "blocked");
    assert_eq!((&told[2]["params"]["hooks"], &told[2]["params"]["decision"]), (&json!(1), &json!("block")));
    assert_eq!(told[3]["result"]["blocked"], json!(true));
    agent.send("fire", &json!({ "event": "SessionEnd" }));
    let silent = agent.read();
    assert_eq!((&silent["params"]["event"], &silent["params"]["hooks"]), (&json!("SessionEnd"), &json!(0)));
    agent.read();
}

#[test]
fn hooks_are_listed_described_and_switched_and_settings_read_again() {
    let mut agent = Agent::new();
    let write = |agent: &Agent, command_text: &str| {
        let settings = json!({ "enableHooks": true, "hooks": command("BeforeTool", command_text) });
        agent.project.write("settings.json", &settings.to_string());
    };
    write(&agent, "exit 2");
    let info = agent.initialize(&json!({ "settingsFiles": ["settings.json"] }));
    assert_eq!(info["events"], json!(["BeforeTool"]));
    let listed = agent.ask("list", &json!({}))["hooks"][0].clone();
    assert_eq!(
        (&listed["hook"], &listed["action"], &listed["enabled"]),
        (&json!("hook"), &json!("exit 2"), &json!(true))
    );
    let id = agent.before_tool("a");
    assert_eq!(agent.read_result(id)["blocked"], json!(true));
    let described = agent.ask("describe", &json!({ "hook": "hook" }))["hooks"][0].clone();
    assert_eq!((&described["runs"], &described["lastOutcome"]), (&json!(1), &json!("blocked")));

    let switched = agent.ask("setEnabled", &json!({ "hook": "hook", "enabled": false }));
    assert_eq!(switched, json!({ "switched": 1, "events": [] }));
    assert_eq!(agent.ask("setEnabled", &json!({ "hook": "other", "enabled": true }))["switched"], json!(0));
    write(&agent, "exit 0");
    assert_eq!(agent.ask("reload", &json!({}))["events"], json!([]), "what was switched stays switched");
    assert_eq!(agent.ask("list", &json!({}))["hooks"][0]["action"], json!("exit 0"));
}

#[test]
fn after_a_model_call_hooks_see_the_request_as_it_was_and_as_it_was_sent() {
    // covers: HOOK-044
    let mut agent = Agent::with_hooks(&command("AfterModel", "cat > seen.json"));
    let (request, sent) = (json!({"model": "m", "contents": []}), json!({"model": "other", "contents": []}));
    for (params, expected) in [
        (json!({ "request": request, "response": {}, "sentRequest": sent }), json!("other")),
        (json!({ "request": request, "response": {}, "sentRequest": request }), Value::Null),
        (json!({ "request": request, "response": {} }), Value::Null),
    ] {
        agent.ask("afterModel", &params);
        let seen: Value = serde_json::from_str(&agent.project.read("seen.json")).unwrap();
        assert_eq!((&seen["llm_request"]["model"], &seen["llm_request_sent"]["model"]), (&json!("m"), &expected));
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
