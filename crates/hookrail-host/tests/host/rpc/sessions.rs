use crate::rpc::agent::{Agent, Gate, command};
use hookrail_host::rpc::{PROTOCOL_VERSION, Server};
use hookrail_testkit::model_server::{ModelServer, Turn};
use serde_json::{Value, json};
use std::sync::Arc;

/// A hook configuration whose one hook has this name and says it on stderr when it blocks.
fn blocking(name: &str) -> Value {
    let hook = json!({ "type": "command", "name": name, "command": format!("echo {name} >&2; exit 2") });
    json!({ "BeforeTool": [{ "hooks": [hook] }] })
}

fn on(hooks: &Value) -> Value {
    json!({ "enableHooks": true, "hooks": hooks })
}

/// Opens a session and asks about a tool; expects these hooks to have run, in this order.
fn check(agent: &mut Agent, params: &Value, expected: &[&str]) {
    agent.initialize(params);
    let id = agent.before_tool("a");
    let answer = agent.read_result(id);
    let ran: Vec<&str> = answer["runs"].as_array().unwrap().iter().filter_map(|run| run["hook"].as_str()).collect();
    assert_eq!(ran, expected, "{params}");
}

#[test]
fn hooks_come_from_settings_files_and_extensions_in_the_order_of_their_scopes() {
    // covers: HOOK-187
    let mut agent = Agent::new();
    agent.project.write("project.json", &on(&blocking("project-file")).to_string());
    agent.project.write("deep/user.json", &json!({ "hooks": blocking("user-file") }).to_string());
    let claude = json!({ "hooks": { "PreToolUse": blocking("claude-file")["BeforeTool"] } });
    agent.project.write("claude.json", &claude.to_string());
    let user_path = agent.project.at("deep/user.json");
    let disabled = json!({ "disabled": ["user", "claude-file"] });
    let cases: [(Value, &[&str]); 22] = [
        (json!({}), &[]),
        (json!({ "settings": on(&blocking("project")) }), &["project"]),
        (json!({ "settings": { "hooks": blocking("project") } }), &[]),
        (json!({ "settings": { "hooks": blocking("project") }, "enableHooks": true }), &["project"]),
        (json!({ "settings": on(&blocking("project")), "enableHooks": false }), &[]),
        (
            json!({ "settings": [
                { "scope": "system", "settings": { "hooks": blocking("system") } },
                { "scope": "user", "settings": { "hooks": blocking("user") } },
                { "settings": on(&blocking("project")) },
            ] }),
            &["project", "user", "system"],
        ),
        (json!({ "settingsFiles": ["project.json"] }), &["project-file"]),
        (
            json!({ "settingsFiles": ["project.json", { "path": user_path, "scope": "user" }] }),
            &["project-file", "user-file"],
        ),
        (json!({ "settingsFiles": ["nowhere.json"], "enableHooks": true }), &[]),
        (json!({ "settingsFiles": [{ "path": "claude.json", "format": "claude" }] }), &["claude-file"]),
        (
            json!({ "settings": on(&json!({})), "extensions": [
                { "name": "one", "hooks": blocking("extension") },
                { "name": "two", "active": false, "hooks": blocking("inactive") },
                { "name": "three", "active": true },
            ] }),
            &["extension"],
        ),
        (json!({ "extensions": [{ "name": "one", "hooks": blocking("extension") }] }), &[]),
        (
            json!({
                "settings": [
                    { "settings": { "enableHooks": true, "hooksConfig": disabled } },
                    { "scope": "user", "settings": { "hooks": blocking("user") } },
                    { "scope": "system", "settings": { "hooks": blocking("system") } },
                ],
                "settingsFiles": [{ "path": "claude.json", "format": "claude" }],
            }),
            // A project cannot switch off what its user configured.
            &["user", "system"],
        ),
        (
            json!({ "settings": [
                { "settings": on(&blocking("project")) },
                { "scope": "user", "settings": { "hooks": blocking("user"), "hooksConfig": { "disabled": ["user", "project", "system"] } } },
                { "scope": "system", "settings": { "hooks": blocking("system") } },
            ] }),
            &["system"],
        ),
        (
            json!({
                "trustedFolder": false,
                "settings": [
                    { "settings": on(&blocking("project")) },
                    { "scope": "user", "settings": { "hooks": blocking("user") } },
                ],
            }),
            // An untrusted project must not decide whether hooks run.
            &[],
        ),
        (
            json!({
                "trustedFolder": false,
                "settings": [
                    { "settings": on(&blocking("project")) },
                    { "scope": "user", "settings": on(&blocking("user")) },
                ],
            }),
            &["user"],
        ),
        (
            json!({ "settings": [
                { "settings": on(&blocking("project")) },
                { "scope": "user", "settings": { "enableHooks": false } },
            ] }),
            &[],
        ),
        (
            json!({ "settings": [
                { "settings": { "enableHooks": false, "hooks": blocking("project") } },
                { "scope": "user", "settings": { "enableHooks": true } },
            ] }),
            &["project"],
        ),
        (
            json!({ "settings": [
                { "scope": "user", "settings": { "hooksConfig": { "enabled": true }, "hooks": blocking("user") } },
                { "scope": "system", "settings": { "tools": { "enableHooks": false } } },
            ] }),
            &[],
        ),
        (json!({ "settings": [{ "format": "gemini", "settings": { "hooks": blocking("gemini") } }] }), &["gemini"]),
        (
            json!({ "settings": [
                { "format": "gemini", "settings": { "hooks": blocking("gemini") } },
                { "format": "gemini", "scope": "user", "settings": { "hooksConfig": { "enabled": false } } },
            ] }),
            &[],
        ),
        (
            // One agent's switch does not run another's hooks.
            json!({ "settings": [
                { "settings": { "hooks": blocking("project") } },
                { "format": "gemini", "settings": { "hooks": blocking("gemini") } },
            ] }),
            &["gemini"],
        ),
    ];
    for (params, expected) in &cases {
        check(&mut agent, params, expected);
    }
}

#[test]
fn claude_codes_own_switch_turns_its_hooks_off() {
    let mut agent = Agent::new();
    let hooks = json!({ "PreToolUse": blocking("claude")["BeforeTool"] });
    agent.project.write("claude.json", &json!({ "disableAllHooks": true, "hooks": hooks }).to_string());
    let files = json!([{ "path": "claude.json", "format": "claude" }]);
    check(&mut agent, &json!({ "settingsFiles": files }), &[]);
    check(&mut agent, &json!({ "settingsFiles": files, "enableHooks": true }), &[]);
}

#[test]
fn the_answer_says_what_was_found_and_what_is_wrong_with_it() {
    let mut agent = Agent::new();
    agent
        .project
        .write("settings.json", "{\n  \"enableHooks\": true,\n  \"hooks\": {\n    \"BeforTool\": []\n  }\n}\n");
    agent.project.write("broken.json", "{\n  \"hooks\": oops\n}\n");
    let place = |file: &str| agent.project.at(file).display().to_string();
    let (settings, broken) = (place("settings.json"), place("broken.json"));

    let params = json!({
        "settings": { "hooks": blocking("good") },
        "settingsFiles": ["settings.json", { "path": "broken.json", "scope": "user" }],
    });
    let answer = agent.initialize(&params);
    assert_eq!(answer["protocolVersion"], json!(PROTOCOL_VERSION));
    assert_eq!(answer["server"], json!({ "name": "hookrail", "version": env!("CARGO_PKG_VERSION") }));
    assert_eq!((&answer["enabled"], &answer["totalHooks"]), (&json!(true), &json!(1)));
    let expected = json!({
        "origin": format!("{settings}:4:5"),
        "message": "unknown event `BeforTool`",
        "hint": "did you mean `BeforeTool`?",
    });
    assert_eq!(answer["diagnostics"][0], expected, "{answer}");
    let origin = answer["diagnostics"][1]["origin"].as_str().unwrap();
    assert!(origin.starts_with(&format!("{broken}:2:")), "{answer}");

    // A file that cannot be read cannot switch hooks on: then this is the only trace of the mistake.
    let answer = agent.initialize(&json!({ "settingsFiles": ["broken.json"] }));
    assert_eq!((&answer["enabled"], &answer["totalHooks"]), (&json!(false), &json!(0)));
    assert_eq!(answer["diagnostics"].as_array().map(Vec::len), Some(1), "{answer}");
}

#[test]
fn the_status_tells_of_the_session() {
    let mut agent = Agent::new();
    let before = json!({
        "protocolVersion": PROTOCOL_VERSION, "initialized": false, "sessionId": null, "enabled": false,
        "totalHooks": 0, "running": 0,
    });
    assert_eq!(agent.ask("status", &json!({})), before);
    agent.open(&blocking("one"));
    let after = json!({
        "protocolVersion": PROTOCOL_VERSION, "initialized": true, "sessionId": "s-1", "enabled": true,
        "totalHooks": 1, "running": 0,
    });
    assert_eq!(agent.ask("status", &json!({})), after);
}

#[test]
fn a_refused_session_leaves_the_one_before_it() {
    let mut agent = Agent::with_hooks(&blocking("one"));
    agent.send("initialize", &json!({ "sessionId": "s-2" }));
    assert_eq!(agent.read()["error"]["code"], json!(-32602));
    assert_eq!(agent.ask("status", &json!({}))["sessionId"], json!("s-1"));
}

#[test]
fn requests_that_are_under_way_finish_with_the_hooks_they_began_with() {
    let gate = Arc::new(Gate::default());
    let mut agent = Agent::with(Server::new().native_hooks([gate.clone() as _]));
    agent.open(&json!({}));
    let old = agent.before_tool("a");
    gate.wait_for_visitors(1);

    agent.initialize(&json!({ "enableHooks": false }));
    let new = agent.before_tool("a");
    assert_eq!(agent.read_result(new)["runs"], json!([]));
    gate.open();
    assert_eq!(agent.read_result(old)["reason"], json!("the gate says no"));
}

#[test]
fn hooks_of_the_program_and_of_the_settings_are_asked_together() {
    let gate = Arc::new(Gate::default());
    let mut agent = Agent::with(Server::new().native_hooks([gate as _]));
    agent.open(&command("BeforeTool", "exit 0"));
    let id = agent.before_tool("free");
    let answer = agent.read_result(id);
    let ran: Vec<&Value> = answer["runs"].as_array().unwrap().iter().map(|run| &run["hook"]).collect();
    assert_eq!(ran, ["test/gate", "hook"]);
}

#[test]
fn prompt_hooks_ask_the_model_that_the_host_names_and_no_other() {
    let ask = json!({ "type": "prompt", "name": "judge", "prompt": "May this happen? $ARGUMENTS" });
    let settings = json!({
        "enableHooks": true,
        "hooks": { "BeforeTool": [{ "hooks": [ask] }] },
        "hooksConfig": { "promptEndpoint": { "provider": "openai", "model": "evil", "baseUrl": "http://127.0.0.1:9" } },
    });
    for (provider, suffix) in [("gemini", ""), ("anthropic", ""), ("openai", "/v1")] {
        let model = ModelServer::start(Turn::text(r#"{"decision": "block", "reason": "the model says no"}"#));
        let mut agent = Agent::new();
        let endpoint =
            json!({ "provider": provider, "model": "m", "baseUrl": model.base_url() + suffix, "apiKey": "k" });
        let own = json!([{ "format": "hookrail", "settings": settings }]);
        agent.initialize(&json!({ "settings": own, "promptEndpoint": endpoint }));
        let id = agent.before_tool("danger");
        let answer = agent.read_result(id);
        assert_eq!(
            (&answer["decision"], &answer["reason"]),
            (&json!("block"), &json!("the model says no")),
            "{provider}"
        );
        assert!(model.requests()[0].mentions("danger"), "{provider}");
    }
    let mut agent = Agent::new();
    agent.initialize(&json!({ "settings": [{ "format": "hookrail", "settings": settings }] }));
    let id = agent.before_tool("danger");
    assert_eq!(agent.read_result(id)["decision"], "none", "settings alone name no model");
    let answer = agent.initialize(&json!({ "settings": settings }));
    let told = answer["diagnostics"][0]["message"].as_str().unwrap();
    assert_eq!(told, "unknown hook type `prompt`", "agents of that format refuse it");
}

#[test]
fn a_wrong_endpoint_or_policy_is_refused_with_the_field_named() {
    let cases = [
        (
            json!({ "promptEndpoint": { "provider": "clod", "model": "m" } }),
            "`promptEndpoint.provider`: `clod` is not one of",
        ),
        (json!({ "promptEndpoint": { "provider": "gemini" } }), "`promptEndpoint.model` is missing"),
        (
            json!({ "promptEndpoint": { "provider": "gemini", "model": "m", "url": "x" } }),
            "unknown field `promptEndpoint.url`",
        ),
        (json!({ "httpPolicy": { "allowHosts": [1] } }), "`httpPolicy.allowHosts[0]` must be text"),
        (json!({ "httpPolicy": { "allowPrivate": "yes" } }), "`httpPolicy.allowPrivate` must be true or false"),
    ];
    for (extra, message) in cases {
        let mut agent = Agent::new();
        let mut params = json!({ "sessionId": "s", "cwd": "/" });
        params.as_object_mut().unwrap().extend(extra.as_object().cloned().unwrap());
        agent.send("initialize", &params);
        let told = agent.read()["error"]["message"].as_str().unwrap().to_owned();
        assert!(told.starts_with(message), "{told}");
    }
}
