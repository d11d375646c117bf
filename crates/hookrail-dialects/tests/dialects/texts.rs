use crate::verdicts::{deciding, verdict};
use hookrail_core::{Decision, Event, EventName};
use hookrail_dialects::{MODEL_TEXT_LIMIT, cap, cap_output, dialect};
use serde_json::{Value, json};
use std::borrow::Cow;

fn count(text: &str) -> usize {
    text.chars().count()
}

#[test]
fn a_text_within_the_limit_is_left_alone() {
    for text in ["", "short", &"ä".repeat(MODEL_TEXT_LIMIT)] {
        assert!(matches!(cap(text, None), Cow::Borrowed(same) if same == text));
    }
}

#[test]
fn a_longer_text_is_cut_to_the_limit_and_says_so() {
    let text = "ä".repeat(MODEL_TEXT_LIMIT + 1);
    let plain = cap(&text, None);
    assert_eq!(count(&plain), MODEL_TEXT_LIMIT);
    assert!(plain.ends_with("\n[cut: this text has 10001 characters]"), "{}", &plain[plain.len() - 60..]);
    let placed = cap(&text, Some("/state/spill/1.txt"));
    assert_eq!(count(&placed), MODEL_TEXT_LIMIT);
    assert!(placed.ends_with("all of it is in /state/spill/1.txt]"));
    assert_eq!(count(&cap(&text, Some(&text))), MODEL_TEXT_LIMIT);
}

#[test]
fn every_text_for_a_model_is_offered_for_keeping_before_it_is_cut() {
    let long = "x".repeat(MODEL_TEXT_LIMIT * 2);
    let output = json!({
        "decision": "block", "reason": long, "continue": false, "stopReason": long, "systemMessage": long,
        "hookSpecificOutput": {"additionalContext": long, "tool_input": {"content": long}},
    });
    let mut verdict = verdict(&EventName::BeforeTool, output);
    let mut kept = Vec::new();
    verdict.edit_texts(|output| {
        cap_output(output, MODEL_TEXT_LIMIT, &mut |whole| {
            kept.push(whole.to_owned());
            Some(format!("/spill/{}", kept.len()))
        });
    });
    assert_eq!(kept, vec![long.clone(); 4]);
    let output = verdict.final_output().expect("an output");
    let texts = [output.reason(), output.stop_reason(), output.system_message(), output.additional_context()];
    for (place, text) in (1..).zip(texts) {
        let text = text.expect("a text");
        assert_eq!(count(text), MODEL_TEXT_LIMIT);
        assert!(text.ends_with(&format!("in /spill/{place}]")));
    }
    assert_eq!(output.modified_tool_input().expect("an input")["content"], json!(long), "an input is no text");
}

#[test]
fn short_texts_are_not_offered_for_keeping() {
    let mut verdict = verdict(&EventName::BeforeTool, deciding(Decision::Block, "R"));
    verdict.edit_texts(|output| cap_output(output, MODEL_TEXT_LIMIT, &mut |_| panic!("nothing to keep")));
    assert_eq!(verdict.final_output().expect("an output").reason(), Some("R"));
}

#[test]
fn an_answer_is_cut_even_if_nobody_capped_the_verdict() {
    fn longest(value: &Value) -> usize {
        match value {
            Value::String(text) => count(text),
            Value::Object(fields) => fields.values().map(longest).max().unwrap_or_default(),
            _ => 0,
        }
    }
    let long = "x".repeat(MODEL_TEXT_LIMIT * 2);
    for dialect in hookrail_dialects::all() {
        for native in dialect.native_events() {
            let event = event(dialect.name(), native);
            let output =
                json!({"decision": "block", "reason": long, "hookSpecificOutput": {"additionalContext": long}});
            let answer = dialect.encode(&event, &verdict(&event.name, output));
            let written = serde_json::from_str(&answer.stdout).map_or(0, |answer: Value| match answer {
                Value::Object(mut fields) => {
                    fields.shift_remove("systemMessage");
                    longest(&Value::Object(fields))
                }
                other => longest(&other),
            });
            assert!(written.max(count(&answer.stderr)) <= MODEL_TEXT_LIMIT, "{} {native}", dialect.name());
        }
    }
}

fn event(agent: &str, native: &str) -> Event {
    let dialect = dialect(agent).expect(agent);
    dialect.decode(crate::verdicts::payload(dialect, native))
}

#[test]
fn a_refusal_without_a_reason_names_the_hook() {
    for reason in ["", "  \n\t"] {
        let output = json!({"decision": "block", "reason": reason});
        let event = event("codex", "PreToolUse");
        let answer = dialect("codex").expect("codex").encode(&event, &verdict(&event.name, output));
        let answer: Value = serde_json::from_str(&answer.stdout).expect("JSON");
        assert_eq!(
            answer["hookSpecificOutput"]["permissionDecisionReason"],
            json!("No reason provided by `pack/hook`")
        );
    }
}
