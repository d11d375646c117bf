//! What answers say beyond a plain decision.

use crate::verdicts::{deciding, payload, verdict};
use hookrail_core::{Decision, Event};
use hookrail_dialects::{Dialect, EncodedAnswer, dialect};
use serde_json::{Map, Value, json};

fn at(agent: &str, native: &str) -> (&'static dyn Dialect, Event) {
    let dialect = dialect(agent).expect(agent);
    let event = dialect.decode(payload(dialect, native));
    (dialect, event)
}

fn answer(agent: &str, native: &str, output: Value) -> EncodedAnswer {
    let (dialect, event) = at(agent, native);
    dialect.encode(&event, &verdict(&event.name, output))
}

fn check(agent: &str, native: &str, output: Value, expected: Value) {
    let answer = answer(agent, native, output.clone());
    assert_eq!((answer.exit_code, answer.stderr.as_str()), (0, ""), "{agent} {native} {output}");
    let written = serde_json::from_str(&answer.stdout).unwrap_or(Value::Null);
    assert_eq!(written, expected, "{agent} {native} {output}");
}

fn rewrite(changes: Value) -> Value {
    json!({"hookSpecificOutput": {"tool_input": changes}})
}

#[test]
fn a_rewrite_carries_the_whole_input() {
    let whole = json!({"command": "true", "timeout": 5});
    let specific = |native: &str, rest: Value| {
        let mut specific = Map::from_iter([("hookEventName".to_owned(), json!(native))]);
        specific.extend(rest.as_object().expect("an object").clone());
        json!({"hookSpecificOutput": specific})
    };
    let change = || rewrite(json!({"command": "true"}));
    check("claude", "PreToolUse", change(), specific("PreToolUse", json!({"updatedInput": whole})));
    check(
        "codex",
        "PreToolUse",
        change(),
        specific("PreToolUse", json!({"permissionDecision": "allow", "updatedInput": whole})),
    );
    check("gemini", "BeforeTool", change(), specific("BeforeTool", json!({"tool_input": whole})));
    check("llxprt", "BeforeTool", change(), specific("BeforeTool", json!({"tool_input": whole})));
    check("vscode", "PreToolUse", change(), specific("PreToolUse", json!({"updatedInput": whole})));
    check("droid", "PreToolUse", change(), specific("PreToolUse", json!({"updatedInput": whole})));
    check("copilot", "PreToolUse", change(), json!({"modifiedArgs": whole}));
    check("cursor", "preToolUse", change(), json!({"updated_input": whole}));
}

#[test]
fn a_rewrite_that_changes_nothing_is_silence() {
    for (agent, native) in
        [("claude", "PreToolUse"), ("codex", "PreToolUse"), ("gemini", "BeforeTool"), ("qwen", "PreToolUse")]
    {
        for changes in [json!({"command": "make"}), json!({}), json!("not an object")] {
            check(agent, native, rewrite(changes), Value::Null);
        }
    }
}

#[test]
fn a_rewrite_an_agent_cannot_apply_is_refused_with_the_wanted_input() {
    let reason = "A hook changed the input of this call, which cannot be applied here. \
                  Call again with this input: {\"command\":\"true\",\"timeout\":5}";
    let deny = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason});
    for decision in [Decision::None, Decision::Allow, Decision::Ask] {
        let mut output = deciding(decision, "R");
        output["hookSpecificOutput"] = json!({"tool_input": {"command": "true"}});
        check("qwen", "PreToolUse", output.clone(), json!({"hookSpecificOutput": deny}));
    }
    let denied = json!({"permission": "deny", "user_message": reason, "agent_message": reason});
    let (cursor, _) = at("cursor", "beforeShellExecution");
    let mut shell = payload(cursor, "beforeShellExecution");
    shell.extend([("command".to_owned(), json!("make")), ("cwd".to_owned(), json!("/w"))]);
    let event = cursor.decode(shell);
    let answer = cursor.encode(&event, &verdict(&event.name, rewrite(json!({"command": "true", "cwd": "/w"}))));
    let expected = denied.to_string().replace(r#"\"timeout\":5"#, r#"\"cwd\":\"/w\""#);
    assert_eq!(answer.stdout, expected);
}

#[test]
fn a_refused_call_is_not_rewritten() {
    for (agent, native) in [("claude", "PreToolUse"), ("codex", "PreToolUse"), ("gemini", "BeforeTool")] {
        for decision in [Decision::Block, Decision::Stop] {
            let mut output = deciding(decision, "R");
            output["hookSpecificOutput"] = json!({"tool_input": {"command": "true"}});
            let answer = answer(agent, native, output);
            assert!(!answer.stdout.contains("true\""), "{agent} {}", answer.stdout);
        }
    }
}

#[test]
fn a_question_shows_the_person_the_rewritten_input() {
    let mut output = deciding(Decision::Ask, "R");
    output["hookSpecificOutput"] = json!({"tool_input": {"command": "true"}});
    check(
        "claude",
        "PreToolUse",
        output,
        json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "R",
            "updatedInput": {"command": "true", "timeout": 5},
        }}),
    );
}

#[test]
fn context_at_the_end_of_a_turn_is_for_the_user_or_part_of_the_reason() {
    let context = json!({"hookSpecificOutput": {"additionalContext": "C"}, "systemMessage": "M"});
    let mut kept_working = context.clone();
    kept_working["decision"] = json!("block");
    kept_working["reason"] = json!("R");
    for (agent, native, decision) in [
        ("claude", "Stop", "block"),
        ("codex", "Stop", "block"),
        ("qwen", "Stop", "block"),
        ("gemini", "AfterAgent", "deny"),
    ] {
        check(agent, native, context.clone(), json!({"systemMessage": "M\nC"}));
        let expected = json!({"decision": decision, "reason": "R\nC", "systemMessage": "M"});
        check(agent, native, kept_working.clone(), expected);
    }
}

#[test]
fn context_before_a_compaction_has_no_reader() {
    for dialect in hookrail_dialects::all() {
        let Some(native) = dialect.native_event(&hookrail_core::EventName::PreCompress) else { continue };
        let answer = answer(dialect.name(), native, json!({"hookSpecificOutput": {"additionalContext": "C"}}));
        assert!(answer.exit_code == 0 && !answer.stdout.contains('C'), "{} {answer:?}", dialect.name());
    }
}

#[test]
fn context_reaches_the_model_at_session_start_and_with_a_prompt_where_the_agent_takes_it() {
    use hookrail_core::EventName::{BeforeAgent, SessionStart};
    // Neither with a prompt nor at the start: goose, Crush and Vibe have no words for it, Kilo and Auggie drop it.
    let never = ["goose", "crush", "vibe", "kilo", "auggie"];
    // With a prompt only.
    let prompts = ["kimi", "openhands", "opencode"];
    for dialect in hookrail_dialects::all().iter().filter(|dialect| !never.contains(&dialect.name())) {
        for event in [SessionStart, BeforeAgent] {
            if event == SessionStart && prompts.contains(&dialect.name()) {
                continue;
            }
            let native = dialect.native_event(&event).expect("a session and prompts");
            let answer = answer(dialect.name(), native, json!({"hookSpecificOutput": {"additionalContext": "C"}}));
            let written: Value = serde_json::from_str(&answer.stdout).expect("JSON");
            let places = [
                "/hookSpecificOutput/additionalContext",
                "/additionalContext",
                "/additional_context",
                "/contextModification",
                "/context",
            ];
            assert!(
                places.iter().any(|place| written.pointer(place) == Some(&json!("C"))),
                "{} {written}",
                dialect.name()
            );
        }
    }
}

#[test]
fn a_response_in_the_models_place_comes_with_the_refusal_gemini_wants() {
    let response = json!({"candidates": [{"content": {"role": "model", "parts": ["hello"]}}]});
    let output = json!({"hookSpecificOutput": {"llm_response": response}});
    for agent in ["gemini", "llxprt"] {
        let expected = json!({
            "decision": "deny", "reason": "A hook answered in the model's place",
            "hookSpecificOutput": {"hookEventName": "BeforeModel", "llm_response": response},
        });
        check(agent, "BeforeModel", output.clone(), expected);
        let mut blocked = output.clone();
        blocked["decision"] = json!("block");
        blocked["reason"] = json!("R");
        let expected = json!({
            "decision": "deny", "reason": "R",
            "hookSpecificOutput": {"hookEventName": "BeforeModel", "llm_response": response},
        });
        check(agent, "BeforeModel", blocked, expected);
        let expected = json!({"hookSpecificOutput": {"hookEventName": "AfterModel", "llm_response": response}});
        check(agent, "AfterModel", output.clone(), expected);
    }
}

#[test]
fn model_requests_and_tool_choices_are_handed_on() {
    let check = |native: &str, specific: Value| {
        let mut expected = Map::from_iter([("hookEventName".to_owned(), json!(native))]);
        expected.extend(specific.as_object().expect("an object").clone());
        check("gemini", native, json!({"hookSpecificOutput": specific}), json!({"hookSpecificOutput": expected}));
    };
    check("BeforeModel", json!({"llm_request": {"model": "m"}}));
    check("BeforeToolSelection", json!({"toolConfig": {"mode": "ANY", "allowedFunctionNames": ["a"]}}));
    check("AfterAgent", json!({"clearContext": true}));
    check("AfterTool", json!({"tailToolCallRequest": {"name": "n", "args": {}}}));
}

#[test]
fn a_field_of_the_wrong_type_is_not_handed_on() {
    for specific in [json!({"sessionTitle": 5}), json!({"watchPaths": ["/a", 1]}), json!({"reloadSkills": "yes"})] {
        check("claude", "SessionStart", json!({"hookSpecificOutput": specific}), Value::Null);
    }
    let kept = json!({"sessionTitle": "t", "watchPaths": ["/a"], "reloadSkills": false, "initialUserMessage": 1});
    let expected =
        json!({"hookEventName": "SessionStart", "sessionTitle": "t", "watchPaths": ["/a"], "reloadSkills": false});
    check("claude", "SessionStart", json!({"hookSpecificOutput": kept}), json!({"hookSpecificOutput": expected}));
}

#[test]
fn asking_where_a_person_is_there_anyway_is_a_message() {
    let told = json!({"systemMessage": "A hook asks for a person's confirmation: R"});
    for (agent, native) in [
        ("claude", "PermissionRequest"),
        ("claude", "Stop"),
        ("claude", "SubagentStop"),
        ("claude", "TeammateIdle"),
        ("codex", "PermissionRequest"),
        ("codex", "Stop"),
        ("gemini", "AfterAgent"),
    ] {
        check(agent, native, deciding(Decision::Ask, "R"), told.clone());
    }
}

#[test]
fn an_unheard_event_is_answered_with_silence_whatever_hooks_say() {
    for (agent, native) in [("codex", "SessionEnd"), ("claude", "StopFailure"), ("copilot", "SessionEnd")] {
        for decision in [Decision::Ask, Decision::Block, Decision::Stop] {
            let mut output = deciding(decision, "R");
            output["systemMessage"] = json!("M");
            assert_eq!(answer(agent, native, output), EncodedAnswer::silent(), "{agent} {native}");
        }
    }
}

#[test]
fn an_event_made_by_hand_is_answered_under_the_agents_name() {
    let (claude, mut event) = at("claude", "PreToolUse");
    event.native_name.clear();
    let answer = claude.encode(&event, &verdict(&event.name, deciding(Decision::Block, "R")));
    assert!(answer.stdout.contains(r#""hookEventName":"PreToolUse""#), "{answer:?}");
}

#[test]
fn an_event_under_a_foreign_name_is_answered_under_that_name() {
    let (claude, event) = at("claude", "BeforeTool");
    assert_eq!(event.name, hookrail_core::EventName::BeforeTool);
    let answer = claude.encode(&event, &verdict(&event.name, deciding(Decision::Block, "R")));
    assert!(answer.stdout.contains(r#""hookEventName":"BeforeTool","permissionDecision":"deny""#), "{answer:?}");
}

#[test]
fn suppression_is_asked_for_only_where_it_is_understood() {
    let output = json!({"suppressOutput": true});
    check("claude", "PostToolUse", output.clone(), output.clone());
    check("gemini", "AfterTool", output.clone(), output.clone());
    for (agent, native) in [("codex", "PostToolUse"), ("vscode", "PostToolUse"), ("copilot", "PostToolUse")] {
        check(agent, native, output.clone(), Value::Null);
    }
    check("cursor", "postToolUse", output, json!({}));
}
