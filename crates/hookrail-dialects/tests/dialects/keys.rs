//! Answers hold only what the agent accepts at that event.

use crate::fixtures;
use crate::verdicts::{deciding, payload, verdict};
use hookrail_core::Decision;
use hookrail_dialects::{EncodedAnswer, dialect};
use serde_json::{Value, json};

fn fields<'a>(answer: &'a Value, place: &str) -> Vec<&'a str> {
    let object = if place.is_empty() { Some(answer) } else { answer.pointer(place) };
    object.and_then(Value::as_object).map(|fields| fields.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// Why Codex would drop an answer.
pub fn codex_complaint(keys: &Value, native: &str, answer: &EncodedAnswer) -> Option<String> {
    let Ok(written) = serde_json::from_str::<Value>(&answer.stdout) else {
        return (!answer.stdout.is_empty()).then(|| "not JSON".to_owned());
    };
    for (place, list) in
        [("", "top"), ("/hookSpecificOutput", "specific"), ("/hookSpecificOutput/decision", "decision")]
    {
        let allowed = keys[native][list].as_array().cloned().unwrap_or_default();
        if let Some(key) = fields(&written, place).into_iter().find(|key| !allowed.contains(&json!(key))) {
            return Some(format!("key {place}/{key}"));
        }
    }
    let specific = &written["hookSpecificOutput"];
    if specific.is_object() && specific["hookEventName"] != native {
        return Some("hookEventName".to_owned());
    }
    let blank = |text: &Value| text.as_str().is_none_or(|text| text.trim().is_empty());
    match specific["permissionDecision"].as_str() {
        None if specific.get("updatedInput").is_some() => return Some("updatedInput without allow".to_owned()),
        None if specific.get("permissionDecisionReason").is_some() => {
            return Some("reason without decision".to_owned());
        }
        Some("allow") if specific.get("updatedInput").is_none() => {
            return Some("allow without updatedInput".to_owned());
        }
        Some("deny") if blank(&specific["permissionDecisionReason"]) => return Some("blank reason".to_owned()),
        Some("ask") => return Some("ask".to_owned()),
        _ => {}
    }
    match written["decision"].as_str() {
        None if written.get("reason").is_some() => Some("reason without decision".to_owned()),
        Some("block") if blank(&written["reason"]) => Some("blank reason".to_owned()),
        Some("block") | None => None,
        Some(other) => Some(format!("decision {other}")),
    }
}

/// Everything a hook can answer at once, in the fields of every agent.
fn everything(decision: Decision, reason: &str) -> Value {
    let mut output = deciding(decision, reason);
    let rest = json!({
        "systemMessage": "M", "suppressOutput": true, "terminalSequence": "x", "unknown": 1,
        "hookSpecificOutput": {
            "hookEventName": "Wrong", "additionalContext": "C", "tool_input": {"command": "true"},
            "updatedToolOutput": "o", "updatedMCPToolOutput": {}, "classifierContext": "c", "sessionTitle": "t",
            "suppressOriginalPrompt": true, "initialUserMessage": "i", "watchPaths": ["/w"], "reloadSkills": true,
            "worktreePath": "/w", "displayContent": "d", "retry": true, "action": "accept", "content": {},
            "updatedPermissions": [], "llm_request": {}, "llm_response": {}, "toolConfig": {}, "clearContext": true,
            "tailToolCallRequest": {}, "unknown": 1,
        },
    });
    output.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
    output
}

fn each_answer(agent: &str, mut check: impl FnMut(&str, &EncodedAnswer)) {
    let dialect = dialect(agent).expect(agent);
    for native in dialect.native_events() {
        let event = dialect.decode(payload(dialect, native));
        for decision in [Decision::None, Decision::Allow, Decision::Ask, Decision::Block, Decision::Stop] {
            for output in [deciding(decision, ""), deciding(decision, "R"), everything(decision, "R")] {
                check(native, &dialect.encode(&event, &verdict(&event.name, output)));
            }
        }
    }
}

#[test]
fn codex_is_never_given_a_reason_to_drop_an_answer() {
    let keys = fixtures::read("codex-keys.json");
    let mut spoken = 0;
    each_answer("codex", |native, answer| {
        assert_eq!(codex_complaint(&keys, native, answer), None, "{native} {answer:?}");
        spoken += usize::from(!answer.stdout.is_empty());
    });
    assert!(spoken > 50, "only {spoken} answers said anything");
}

#[test]
fn every_event_codex_has_is_known() {
    let keys = fixtures::read("codex-keys.json");
    let mut known: Vec<&str> = keys.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut ours = dialect("codex").expect("codex").native_events();
    known.sort_unstable();
    ours.sort_unstable();
    assert_eq!(ours, known);
}

#[test]
fn every_event_claude_code_has_is_known() {
    let keys = fixtures::read("claude-keys.json");
    let mut known: Vec<&str> = keys.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut ours = dialect("claude").expect("claude").native_events();
    known.sort_unstable();
    ours.sort_unstable();
    assert_eq!(ours, known);
}

#[test]
fn claude_codes_answers_name_their_event_and_hold_only_its_fields() {
    const TOP: [&str; 7] =
        ["continue", "stopReason", "decision", "reason", "systemMessage", "suppressOutput", "hookSpecificOutput"];
    let keys = fixtures::read("claude-keys.json");
    each_answer("claude", |native, answer| {
        let Ok(written) = serde_json::from_str::<Value>(&answer.stdout) else {
            return assert_eq!(answer.stdout, "", "{native}");
        };
        assert!(fields(&written, "").iter().all(|key| TOP.contains(key)), "{native} {answer:?}");
        if let Some(specific) = written.get("hookSpecificOutput") {
            assert_eq!(specific["hookEventName"], native, "{answer:?}");
        }
        let allowed = keys[native].as_array().expect(native);
        for key in fields(&written, "/hookSpecificOutput") {
            assert!(allowed.contains(&json!(key)), "{native}: {key}");
        }
        assert!(matches!(written["decision"].as_str(), None | Some("block")), "{native} {answer:?}");
    });
}

#[test]
fn every_answer_of_the_shared_protocol_names_the_event_as_the_agent_does() {
    for agent in ["claude", "gemini", "llxprt", "codex", "qwen", "vscode", "droid"] {
        let mut named = 0;
        each_answer(agent, |native, answer| {
            let written = serde_json::from_str::<Value>(&answer.stdout).unwrap_or_default();
            if let Some(specific) = written.get("hookSpecificOutput") {
                assert_eq!(specific["hookEventName"], native, "{agent} {answer:?}");
                named += 1;
            }
        });
        assert!(named > 0, "{agent}");
    }
}

#[test]
fn flat_answers_hold_only_what_the_event_takes() {
    let cursor = json!({
        "preToolUse": ["permission", "user_message", "agent_message", "updated_input", "additional_context"],
        "postToolUse": ["additional_context"], "postToolUseFailure": ["additional_context"],
        "beforeShellExecution": ["permission", "user_message", "agent_message"],
        "beforeMCPExecution": ["permission", "user_message", "agent_message"],
        "beforeReadFile": ["permission", "user_message"], "beforeTabFileRead": ["permission"],
        "beforeSubmitPrompt": ["continue", "user_message", "additional_context"],
        "sessionStart": ["continue", "user_message", "additional_context"],
        "stop": ["followup_message"], "subagentStop": ["followup_message", "additional_context"],
        "subagentStart": ["permission", "user_message", "additional_context"], "preCompact": ["user_message"],
    });
    let copilot = json!({
        "PreToolUse": ["permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext"],
        "PostToolUse": ["modifiedResult", "additionalContext"], "PostToolUseFailure": ["additionalContext"],
        "PermissionRequest": ["behavior", "message", "interrupt"], "UserPromptSubmit": ["additionalContext"],
        "SessionStart": ["additionalContext"], "Stop": ["decision", "reason"], "SubagentStart": ["additionalContext"],
        "SubagentStop": ["decision", "reason", "modifiedResponse"], "Notification": ["additionalContext"],
        "userPromptTransformed": ["modifiedTransformedPrompt"],
    });
    for (agent, keys) in [("cursor", cursor), ("copilot", copilot)] {
        each_answer(agent, |native, answer| {
            let installed = dialect(agent).and_then(|dialect| dialect.native_event(&dialect.event(native)?));
            let list = keys.get(native).or_else(|| keys.get(installed.filter(|_| agent == "copilot")?));
            let allowed = list.and_then(Value::as_array).cloned().unwrap_or_default();
            let written = serde_json::from_str::<Value>(&answer.stdout).unwrap_or_default();
            for key in fields(&written, "") {
                assert!(allowed.contains(&json!(key)), "{agent} {native}: {key}");
            }
        });
    }
}
