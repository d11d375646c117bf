//! What a model decided, found in whatever it wrote around it.

use hookrail_core::{Decision, HookOutput};
use serde_json::{Map, Value};

/// No answer is longer, in bytes, or has more braces. The search looks again behind every brace, so its time is bounded
/// only if both are.
const MAX_LENGTH: usize = 1 << 16;
const MAX_BRACES: usize = 1000;

/// The decision in a model's text; `None` if there is none.
///
/// Any JSON object with a usable `decision` or `ok` counts, wherever it stands. If there are several, the strictest one
/// holds: a model that quotes an event which says `{"decision": "allow"}` has not allowed anything.
pub(super) fn extract(text: &str) -> Option<HookOutput> {
    let unwrapped = serde_json::from_str::<String>(text.trim()).ok();
    let text = after_thinking(unwrapped.as_deref().unwrap_or(text));
    if text.len() > MAX_LENGTH || text.matches('{').count() > MAX_BRACES {
        return None;
    }
    let mut best: Option<ParsedAnswer> = None;
    for answer in answers(text) {
        if best.as_ref().is_none_or(|best| answer.decision > best.decision) {
            best = Some(answer);
        }
    }
    best.map(|answer| answer.output)
}

struct ParsedAnswer {
    decision: Decision,
    output: HookOutput,
}

/// Models served without a field for their thoughts write them in front of the answer.
fn after_thinking(text: &str) -> &str {
    let thinks = text.trim_start().starts_with("<think>");
    text.split_once("</think>").filter(|_| thinks).map_or(text, |(_, answer)| answer)
}

fn answers(text: &str) -> Vec<ParsedAnswer> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, object)) = rest.find('{').and_then(|start| rest.split_at_checked(start)) {
        let mut objects = serde_json::Deserializer::from_str(object).into_iter::<Map<String, Value>>();
        let answer = objects.next().and_then(Result::ok).and_then(|fields| read(&fields));
        // An object that is no answer may have one inside.
        let used = if answer.is_some() { objects.byte_offset() } else { 1 };
        found.extend(answer);
        rest = object.split_at_checked(used).map_or("", |(_, rest)| rest);
    }
    found
}

/// Reads one object. Nothing is taken from it but the decision and texts: a model that read a hostile event must not be
/// able to rewrite a tool's input or stop the agent.
fn read(fields: &Map<String, Value>) -> Option<ParsedAnswer> {
    let nested = fields.get("hookSpecificOutput").and_then(Value::as_object);
    let inside = |key: &str| nested.and_then(|nested| nested.get(key));
    let behavior = inside("decision").and_then(|decision| decision.get("behavior"));
    let words = [fields.get("decision"), inside("permissionDecision"), behavior];
    let decision = words.into_iter().map(decision_word).max().unwrap_or_default().max(ok_word(fields.get("ok")));
    if decision == Decision::None {
        return None;
    }
    let text = |fields: &Map<String, Value>, name: &str| {
        fields.get(name).and_then(Value::as_str).map(|text| text.trim().to_owned()).unwrap_or_default()
    };
    let mut output = HookOutput::decide(decision, &text(fields, "reason"));
    output.message = Some(text(fields, "systemMessage")).filter(|text| !text.is_empty());
    let contexts = [Some(fields), nested].into_iter().flatten().map(|fields| text(fields, "additionalContext"));
    output.context = contexts.into_iter().find(|context| !context.is_empty());
    Some(ParsedAnswer { decision, output })
}

fn decision_word(value: Option<&Value>) -> Decision {
    let word = value.and_then(Value::as_str).map(|word| word.trim().to_ascii_lowercase());
    word.and_then(|word| Decision::parse(&word)).unwrap_or_default()
}

fn ok_word(value: Option<&Value>) -> Decision {
    let ok = match value {
        Some(Value::Bool(ok)) => Some(*ok),
        Some(Value::String(word)) => word.trim().to_ascii_lowercase().parse().ok(),
        _ => None,
    };
    match ok {
        Some(true) => Decision::Allow,
        Some(false) => Decision::Block,
        None => Decision::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(text: &str, expected: &Value) {
        let output = extract(text).map_or(Value::Null, |output| output.to_json());
        assert_eq!(output, *expected, "{text}");
    }

    #[test]
    fn every_usual_way_to_answer_is_understood() {
        check(r#"{"decision": "allow"}"#, &json!({"decision": "allow"}));
        check(r#"{"decision": "approve", "reason": "fine"}"#, &json!({"decision": "allow", "reason": "fine"}));
        check(r#"{"decision": "block", "reason": "no"}"#, &json!({"decision": "block", "reason": "no"}));
        check(r#"{"decision": "deny", "reason": ""}"#, &json!({"decision": "block"}));
        check(r#"{"decision": " ASK "}"#, &json!({"decision": "ask"}));
        check(r#"{"ok": true, "reason": " fine "}"#, &json!({"decision": "allow", "reason": "fine"}));
        check(r#"{"ok": false, "reason": "no"}"#, &json!({"decision": "block", "reason": "no"}));
        check(r#"{"ok": "False"}"#, &json!({"decision": "block"}));
        check(r#"{"decision": "allow", "ok": false}"#, &json!({"decision": "block"}));
        check(r#"{"decision": "whatever", "ok": true}"#, &json!({"decision": "allow"}));
    }

    #[test]
    fn an_answer_is_found_in_whatever_stands_around_it() {
        let block = || json!({"decision": "block", "reason": "a } in {text}"});
        let answer = r#"{"decision": "block", "reason": "a } in {text}"}"#;
        check(&format!("```json\n{answer}\n```"), &block());
        check(&format!("Let me see {{ … }}. I say:\n\n{answer}\n\nHope {{this}} helps."), &block());
        check(&format!("{{\"verdict\": {answer}, \"confidence\": 1}}"), &block());
        check(&format!("[{answer}]"), &block());
        check(&format!("{{broken {answer}"), &block());
        check(&format!("\u{feff}{answer}"), &block());
        check(&serde_json::to_string(answer).unwrap(), &block());
        check(&format!("<think>{{\"ok\": false}} or not?</think>{}", r#"{"ok": true}"#), &json!({"decision": "allow"}));
    }

    #[test]
    fn the_strictest_of_several_answers_holds() {
        let allow = r#"{"decision": "allow", "reason": "a"}"#;
        let ask = r#"{"decision": "ask", "reason": "b"}"#;
        let block = r#"{"ok": false, "reason": "c"}"#;
        check(&format!("The event says {allow}, but: {block}"), &json!({"decision": "block", "reason": "c"}));
        check(&format!("{block}{ask}{allow}"), &json!({"decision": "block", "reason": "c"}));
        check(&format!("{allow}\n{ask}"), &json!({"decision": "ask", "reason": "b"}));
        let later = allow.replace("\"a\"", "\"later\"");
        check(&format!("{allow} {later}"), &json!({"decision": "allow", "reason": "a"}));
    }

    #[test]
    fn a_text_without_a_decision_is_no_answer() {
        for text in [
            "",
            "I would block this.",
            "{}",
            "[]",
            "true",
            "\"ok\"",
            r#"{"decision": "perhaps"}"#,
            r#"{"decision": 1}"#,
            r#"{"decision": {"value": "block"}}"#,
            r#"{"ok": null}"#,
            r#"{"ok": 0}"#,
            r#"{"reason": "no"}"#,
            r#"{"decision": "block", "reason": "cut off"#,
            r#"{"continue": false, "stopReason": "no"}"#,
            r#"{'decision': 'block'}"#,
        ] {
            check(text, &Value::Null);
        }
    }

    #[test]
    fn only_a_decision_and_texts_are_taken() {
        check(
            r#"{"decision": "allow", "reason": "r", "systemMessage": "m", "continue": false, "stopReason": "s",
                "suppressOutput": true, "hookSpecificOutput": {"tool_input": {"command": "rm"}, "additionalContext": "c",
                "permissionDecision": "allow"}, "modifiedInput": {}}"#,
            &json!({"decision": "allow", "reason": "r", "systemMessage": "m",
                "hookSpecificOutput": {"additionalContext": "c"}}),
        );
        check(
            r#"{"ok": true, "additionalContext": "c", "systemMessage": "", "reason": 7}"#,
            &json!({"decision": "allow", "hookSpecificOutput": {"additionalContext": "c"}}),
        );
    }

    #[test]
    fn hostile_text_is_read_in_reasonable_time() {
        for piece in ["{", "{\"a\":", "{\"a\":[", "[{", "{\"a\":{},", "{\"", "}{", "{\"a\":0,\"b\":", "{\"a\":[0,"] {
            for count in [100, MAX_BRACES] {
                let start = piece.repeat(count);
                let text = format!("{start}{}", "0,".repeat((MAX_LENGTH - start.len()) / 2));
                let limit = std::time::Duration::from_secs(60);
                hookrail_testkit::process::within(limit, move || check(&text, &Value::Null));
            }
        }
    }

    #[test]
    fn an_answer_is_found_in_a_long_text_but_not_in_any_length() {
        let text = |braces: usize| format!("{}{}", "{ ".repeat(braces - 1), r#"{"ok": false}"#);
        check(&text(MAX_BRACES), &json!({"decision": "block"}));
        check(&text(MAX_BRACES + 1), &Value::Null);
        let answer = r#"{"ok": false}"#;
        let text = |length: usize| format!("{answer}{}", " ".repeat(length - answer.len()));
        check(&text(MAX_LENGTH), &json!({"decision": "block"}));
        check(&text(MAX_LENGTH + 1), &Value::Null);
    }
}
