use crate::fixtures;
use crate::verdicts::{deciding, payload, verdict};
use hookrail_core::Decision;
use hookrail_dialects::{Dialect, EncodedAnswer};
use serde_json::{Value, json};

/// What hooks may say, by a short name. `R` is a reason, `M` a message for the user, `C` context for the model.
fn opinions() -> Vec<(&'static str, Value)> {
    vec![
        ("none", json!({})),
        ("allow", deciding(Decision::Allow, "R")),
        ("ask", deciding(Decision::Ask, "R")),
        ("block", deciding(Decision::Block, "R")),
        ("stop", deciding(Decision::Stop, "R")),
        ("message", json!({"systemMessage": "M"})),
        ("context", json!({"hookSpecificOutput": {"additionalContext": "C"}})),
        ("rewrite", json!({"hookSpecificOutput": {"tool_input": {"command": "true"}}})),
        (
            "block+context",
            json!({"decision": "block", "reason": "R", "hookSpecificOutput": {"additionalContext": "C"}}),
        ),
    ]
}

fn cells(answer: &EncodedAnswer) -> String {
    format!("{} | {} | {}", answer.exit_code, answer.stdout, answer.stderr.replace('\n', "\\n"))
}

/// One line per answer; opinions that are answered alike share it.
fn lines(dialect: &dyn Dialect, native: &str) -> String {
    let event = dialect.decode(payload(dialect, native));
    let mut answers: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, output) in opinions() {
        let cells = cells(&dialect.encode(&event, &verdict(&event.name, output)));
        match answers.iter_mut().find(|(known, _)| *known == cells) {
            Some((_, names)) => names.push(name),
            None => answers.push((cells, vec![name])),
        }
    }
    let line = |(cells, names): &(String, Vec<&str>)| {
        format!("{} | {native} | {} | {}\n", dialect.name(), names.join(", "), cells).replace(" \n", "\n")
    };
    answers.iter().map(line).collect()
}

#[test]
fn every_decision_at_every_event_is_written_as_the_reviewed_table_says() {
    let mut table = "agent | event | decision | exit | stdout | stderr\n".to_owned();
    for dialect in hookrail_dialects::all() {
        for native in dialect.native_events() {
            table.push_str(&lines(*dialect, native));
        }
        table.push_str(&lines(*dialect, "AnEventNobodyKnows"));
    }
    fixtures::check_snapshot("encoded.txt", &table);
}
