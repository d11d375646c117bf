//! What Claude Code, Codex and Gemini CLI were seen to do with the answer to a pre-tool hook.
//!
//! [`effect`] says it in code. The measured table holds it to the facts; then every refusal the dialects write has to pass it.

use crate::verdicts::{deciding, payload, verdict};
use hookrail_core::Decision;
use hookrail_dialects::{EncodedAnswer, dialect};
use serde_json::{Map, Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The tool did not run.
    Blocked,
    /// The tool ran, whatever the hook wanted.
    Ran,
}

use Effect::{Blocked, Ran};

pub const MEASURED: [(&str, &str); 3] = [("claude", "PreToolUse"), ("codex", "PreToolUse"), ("gemini", "BeforeTool")];

/// What an agent without a user does with the answer.
pub fn effect(agent: &str, answer: &EncodedAnswer) -> Effect {
    let blocked = match agent {
        "claude" => claude_blocks(answer),
        "codex" => codex_blocks(answer),
        "gemini" => gemini_blocks(answer),
        other => panic!("{other} was not measured"),
    };
    if blocked { Blocked } else { Ran }
}

/// stdout, if it is an object from its first byte on.
fn object(answer: &EncodedAnswer) -> Option<Map<String, Value>> {
    serde_json::from_str(&answer.stdout).ok()
}

fn claude_blocks(answer: &EncodedAnswer) -> bool {
    if answer.exit_code == 2 {
        return true;
    }
    let Some(fields) = object(answer) else { return false };
    let specific = fields.get("hookSpecificOutput");
    if specific.is_some_and(|specific| specific["hookEventName"] != "PreToolUse") {
        return false;
    }
    let permission = specific.map(|specific| specific["permissionDecision"].clone()).unwrap_or_default();
    fields.get("decision") == Some(&json!("block")) || permission == "deny" || permission == "ask"
}

fn codex_blocks(answer: &EncodedAnswer) -> bool {
    const TOP: [&str; 4] = ["decision", "reason", "systemMessage", "hookSpecificOutput"];
    const SPECIFIC: [&str; 5] =
        ["hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"];
    if answer.exit_code == 2 {
        return !answer.stderr.trim().is_empty();
    }
    let Some(fields) = object(answer).filter(|_| answer.exit_code == 0) else { return false };
    let specific = fields.get("hookSpecificOutput").and_then(Value::as_object).cloned().unwrap_or_default();
    let known = fields.keys().all(|key| TOP.contains(&key.as_str()))
        && specific.keys().all(|key| SPECIFIC.contains(&key.as_str()));
    let named = specific.is_empty() || specific.get("hookEventName") == Some(&json!("PreToolUse"));
    let said = |text: Option<&Value>| text.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
    let denies =
        specific.get("permissionDecision") == Some(&json!("deny")) && said(specific.get("permissionDecisionReason"));
    let blocks = fields.get("decision") == Some(&json!("block")) && said(fields.get("reason"));
    known && named && (denies || blocks)
}

fn gemini_blocks(answer: &EncodedAnswer) -> bool {
    let text = if answer.stdout.is_empty() { &answer.stderr } else { &answer.stdout };
    match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(fields) => {
            let decision = fields.get("decision").and_then(Value::as_str);
            matches!(decision, Some("block" | "deny")) || fields.get("continue") == Some(&json!(false))
        }
        Err(_) => !text.trim().is_empty() && !matches!(answer.exit_code, 0 | 1),
    }
}

fn exit(exit_code: i32, stdout: &str, stderr: &str) -> EncodedAnswer {
    let mut answer = EncodedAnswer::silent();
    answer.exit_code = exit_code;
    answer.stdout = stdout.to_owned();
    answer.stderr = stderr.to_owned();
    answer
}

fn says(value: &Value) -> EncodedAnswer {
    exit(0, &value.to_string(), "")
}

#[test]
fn the_model_of_the_agents_agrees_with_every_measured_row() {
    let deny = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "R"});
    let mut nameless = deny.clone();
    nameless.as_object_mut().expect("an object").shift_remove("hookEventName");
    let logged = |value: Value| exit(0, &format!("checking\n{value}"), "");
    let rows = [
        ("exit 2 with a reason", exit(2, "", "R"), [Blocked, Blocked, Blocked]),
        ("decision block", says(&json!({"decision": "block", "reason": "R"})), [Blocked, Blocked, Blocked]),
        ("permissionDecision deny", says(&json!({"hookSpecificOutput": deny})), [Blocked, Blocked, Ran]),
        ("decision deny", says(&json!({"decision": "deny", "reason": "R"})), [Ran, Ran, Blocked]),
        ("exit 2, silent", exit(2, "", ""), [Blocked, Ran, Ran]),
        (
            "deny without a reason",
            says(&json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}})),
            [Blocked, Ran, Ran],
        ),
        ("decision deny without a reason", says(&json!({"decision": "deny"})), [Ran, Ran, Blocked]),
        ("deny without hookEventName", says(&json!({"hookSpecificOutput": nameless})), [Ran, Ran, Ran]),
        ("a log line before the JSON", logged(json!({"hookSpecificOutput": deny})), [Ran, Ran, Ran]),
        ("a log line before a decision", logged(json!({"decision": "block", "reason": "R"})), [Ran, Ran, Ran]),
        ("deny and an unknown key", says(&json!({"hookSpecificOutput": deny, "x": 1})), [Blocked, Ran, Ran]),
        (
            "decision and suppressOutput",
            says(&json!({"decision": "block", "reason": "R", "suppressOutput": true})),
            [Blocked, Ran, Blocked],
        ),
        ("exit 1", exit(1, "", "R"), [Ran, Ran, Ran]),
        ("garbage", exit(0, "no!", ""), [Ran, Ran, Ran]),
        ("continue false", says(&json!({"continue": false, "stopReason": "R"})), [Ran, Ran, Blocked]),
        (
            "ask",
            says(
                &json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "R"}}),
            ),
            [Blocked, Ran, Ran],
        ),
        ("silence", EncodedAnswer::silent(), [Ran, Ran, Ran]),
    ];
    for (name, answer, expected) in rows {
        assert_eq!(MEASURED.map(|(agent, _)| effect(agent, &answer)), expected, "{name}");
    }
}

/// Things hooks say beside a decision, each of which has suppressed a deny in practice.
fn extras() -> Vec<Value> {
    vec![
        json!({}),
        json!({"systemMessage": "M", "suppressOutput": true}),
        json!({"hookSpecificOutput": {"hookEventName": "Wrong", "additionalContext": "C", "unknown": 1}}),
        json!({"hookSpecificOutput": {"tool_input": {"command": "true"}}, "unknown": {"deep": []}}),
    ]
}

fn each_answer(decision: Decision, mut check: impl FnMut(&str, &EncodedAnswer, String)) {
    for (agent, native) in MEASURED {
        let dialect = dialect(agent).expect(agent);
        let event = dialect.decode(payload(dialect, native));
        for reason in ["R", "", " \n ", "a\nb \"quoted\" { }", &"long ".repeat(4000)] {
            for extra in extras() {
                let mut output = deciding(decision, reason);
                output.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
                let answer = dialect.encode(&event, &verdict(&event.name, output.clone()));
                check(agent, &answer, format!("{agent} {:.200} → {answer:?}", output.to_string()));
            }
        }
    }
}

#[test]
fn a_block_before_a_tool_blocks_in_every_measured_agent() {
    each_answer(Decision::Block, |agent, answer, what| assert_eq!(effect(agent, answer), Blocked, "{what}"));
}

#[test]
fn a_stop_before_a_tool_blocks_that_tool_in_every_measured_agent() {
    each_answer(Decision::Stop, |agent, answer, what| assert_eq!(effect(agent, answer), Blocked, "{what}"));
}

#[test]
fn an_ask_never_runs_the_tool_where_nobody_can_be_asked() {
    each_answer(Decision::Ask, |agent, answer, what| assert_eq!(effect(agent, answer), Blocked, "{what}"));
}

#[test]
fn no_opinion_and_allow_block_nothing_and_grant_nothing() {
    for decision in [Decision::None, Decision::Allow] {
        each_answer(decision, |agent, answer, what| {
            assert_eq!(effect(agent, answer), Ran, "{what}");
            let fields = object(answer).unwrap_or_default();
            assert!(!fields.contains_key("decision"), "{what}");
            let permission = fields.get("hookSpecificOutput").and_then(|specific| specific.get("permissionDecision"));
            let spells_rewrite = agent == "codex" && answer.stdout.contains("updatedInput");
            assert!(permission.is_none() || spells_rewrite, "{what}");
        });
    }
}

#[test]
fn a_stop_also_stops_the_agents_that_can_be_stopped() {
    each_answer(Decision::Stop, |agent, answer, what| {
        let stops = object(answer).expect("JSON").get("continue") == Some(&json!(false));
        assert_eq!(stops, agent != "codex", "{what}");
    });
}
