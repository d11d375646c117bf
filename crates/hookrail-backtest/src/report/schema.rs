//! The JSON Schema of a report, for programs that read what `--json` prints.

use super::VERSION;
use serde_json::{Map, Value, json};

/// The schema. Every field is described and none is left open, so that what a report has is what the schema says.
#[must_use]
pub fn schema() -> Value {
    let mut report = report();
    if let Some(fields) = report.as_object_mut() {
        fields.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        fields.insert("title".to_owned(), json!("What `hookrail backtest --json` prints"));
        fields.insert("$defs".to_owned(), definitions());
    }
    report
}

fn report() -> Value {
    object(&[
        (
            "format?",
            json!({ "const": 1 }),
            "The form that all JSON of hookrail has in common; a report within another document has none.",
        ),
        (
            "version",
            json!({ "const": VERSION }),
            "The version of this form. A field may be added within a version; a field that changes or goes makes a new one.",
        ),
        ("made", text(), "When the report was made, ISO 8601."),
        ("configuration", text(), "The configuration that was tried."),
        (
            "source",
            names(&["transcripts", "journal"]),
            "Where the calls are from: transcripts of agents, or the journal (`hookrail replay`).",
        ),
        ("complete", boolean(), "Whether everything was read; false if it was interrupted."),
        ("history", reference("history"), "What was read."),
        ("decisions", reference("decisions"), "What would have been decided."),
        ("score", reference("score"), "Compared with what a person decided then."),
        ("interruptions", reference("interruptions"), "Questions to a person, then and with this configuration."),
        ("pairs", list("pair"), "Every pair of what was decided then and what would be now, that happened."),
        ("agents", list("agent"), "By agent."),
        ("days", list("day"), "By day, UTC, the oldest first; days without calls are left out."),
        ("rules", list("rule"), "By rule or hook, the busiest first."),
        ("projects", list("project"), "By project, the busiest first; at most 200."),
        ("worst", list("call"), "The refused calls that would have done most harm; at most 3."),
        ("worth_a_look", list("call"), "The calls most worth a look, the most doubtful first; at most 10."),
        ("selected?", reference("selected"), "The calls of the rule that `--rule` names."),
        (
            "diff?",
            reference("diff"),
            "What another configuration would have done instead: that of `--diff`, or what was decided then.",
        ),
        ("problems", list("problem"), "What could not be read or decided."),
        (
            "not_started",
            list("counted"),
            "Command hooks that would have been asked and were not started, with the number of calls.",
        ),
    ])
}

fn definitions() -> Value {
    json!({
        "history": history(),
        "decisions": object(&[
            ("deny", count(), "Refused."),
            ("ask", count(), "A person would be asked."),
            ("allow", count(), "Approved without a question."),
            ("none", count(), "No opinion: the agent does what it would do without hookrail."),
        ]),
        "score": score(),
        "interruptions": object(&[
            ("before", count(), "Then, as far as is recorded."),
            ("after", count(), "With this configuration."),
            ("before_per_day", amount(), "Then, by day with calls."),
            ("after_per_day", amount(), "With this configuration, by day with calls."),
        ]),
        "pair": object(&[
            ("then", past_decision(), "What was decided then."),
            ("now", answer(), "What would be decided now."),
            ("calls", count(), "How often."),
        ]),
        "agent": object(&[
            ("agent", text(), "Its name, as `--agent` takes it."),
            ("title", text(), "What people call it."),
            ("files", count(), "Files that were read."),
            ("bytes", count(), "Their bytes."),
            ("sessions", count(), "Sessions with at least one call."),
            ("decisions", reference("decisions"), "What would have been decided."),
            ("notes_approvals", boolean(), "Whether its transcripts tell what a person approved."),
        ]),
        "day": object(&[
            ("day", json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" }), "The day, such as `2026-11-14`."),
            ("decisions", reference("decisions"), "What would have been decided."),
            ("asked_then", count(), "Questions to a person then, as far as is recorded."),
            ("asked_now", count(), "Questions to a person with this configuration."),
        ]),
        "rule": rule(),
        "project": object(&[
            ("project", text(), "Its folder."),
            ("decisions", reference("decisions"), "What would have been decided."),
            ("asked_then", count(), "Questions to a person then, as far as is recorded."),
        ]),
        "call": call(),
        "selected": object(&[
            ("rule", text(), "The rule."),
            ("calls", list("call"), "The newest of its calls; at most 200."),
            ("left_off", count(), "How many more there are."),
        ]),
        "diff": diff(),
        "shift": object(&[
            ("from", answer(), "With the configuration of the report."),
            ("to", answer(), "With the other one."),
            ("calls", count(), "How often."),
        ]),
        "changed_call": object(&[
            ("call", reference("call"), "The call under the configuration of the report."),
            ("other", answer(), "What the other one would decide."),
            ("other_rules", texts(), "The rules and hooks that decide so there."),
        ]),
        "problem": object(&[
            ("agent", text(), "The agent; empty where it is about no one agent."),
            ("kind", names(&PROBLEMS), "What it is."),
            ("count", count(), "How often."),
            ("examples", texts(), "Where, for the first ones, and what is wrong."),
        ]),
        "counted": object(&[("name", text(), "Its name."), ("count", count(), "How often.")]),
        "answer": names(&["none", "allow", "ask", "deny"]),
        "past_decision": names(&["approved", "refused", "asked", "auto_approved", "blocked", "unknown"]),
    })
}

const PROBLEMS: [&str; 11] = [
    "broken_line",
    "unreadable_file",
    "untested_version",
    "unknown_form",
    "unknown_configuration",
    "not_kept",
    "too_large",
    "unknown_event",
    "cut_event",
    "untrusted_command",
    "unlisted_events",
];

fn history() -> Value {
    object(&[
        ("sessions", count(), "Sessions with at least one call of their own."),
        ("calls", count(), "Calls, each counted once."),
        ("other_events", count(), "Events that are no calls; of the journal only."),
        ("repeated", count(), "Calls that stood in several transcripts, because a session was resumed or forked."),
        ("of_subagents", count(), "Calls of sub-agents, which are among the calls."),
        ("files", count(), "Files that were read."),
        ("bytes", count(), "Their bytes."),
        ("first", text_or_null(), "The time of the first call, ISO 8601."),
        ("last", text_or_null(), "The time of the last call, ISO 8601."),
        ("days", count(), "Days with at least one call."),
        ("projects", count(), "Projects with at least one call."),
        (
            "may_differ",
            count(),
            "Calls whose decision rests on files or a repository as they are today; then it may have been another.",
        ),
    ])
}

fn score() -> Value {
    object(&[
        ("approved", count(), "Calls that a person approved then."),
        ("approved_denied", count(), "Of these, calls that would be refused now."),
        ("approved_asked", count(), "Of these, calls that a person would be asked about again."),
        ("approved_allowed", count(), "Of these, calls that would be approved without a question."),
        ("refused", count(), "Calls that a person refused then."),
        ("refused_stopped", count(), "Of these, calls that would be refused or asked about now."),
        ("refused_allowed", count(), "Of these, calls that would be approved without a question."),
        ("ran", count(), "Calls that ran, as far as is known without a question."),
        ("ran_denied", count(), "Of these, calls that would be refused now."),
    ])
}

fn rule() -> Value {
    object(&[
        ("rule", text(), "Its name, as `--rule` takes it."),
        ("calls", count(), "Calls that it had an opinion on."),
        ("said", reference("decisions"), "What it said, whether or not that decided."),
        ("withheld", boolean(), "It is in mode `shadow` or `warn`, and decides nothing."),
        ("approved_then", count(), "Of the calls that it would stop, those that a person approved then."),
        ("refused_then", count(), "Of the calls that it would stop, those that a person refused then."),
        ("example", json!({ "anyOf": [{ "$ref": "#/$defs/call" }, { "type": "null" }] }), "A call to look at."),
    ])
}

fn call() -> Value {
    object(&[
        (
            "call",
            text(),
            "What names it: for `hookrail backtest --scenario`, `hookrail try --call` and `hookrail explain --call`.",
        ),
        ("agent", text(), "The agent."),
        ("session", text(), "The session."),
        ("project", text(), "The folder of the project."),
        ("time", text(), "When, ISO 8601."),
        ("tool", text(), "The tool."),
        (
            "subject",
            text(),
            "What it was about: the command, the file, the address. Without secrets that are recognised, and shortened.",
        ),
        ("now", answer(), "What would be decided now."),
        ("then", past_decision(), "What was decided then."),
        ("rules", texts(), "The rules and hooks that decide so now."),
        ("reason", text_or_null(), "Why, without secrets that are recognised."),
        ("effect", text_or_null(), "The effect that counts, and its place."),
        ("may_differ", boolean(), "Its decision rests on files or a repository as they are today."),
        ("cannot_ask", boolean(), "The agent cannot ask a person, so that what would be asked is refused."),
        ("times", count(), "How many calls like this there were."),
    ])
}

fn diff() -> Value {
    object(&[
        ("other", text(), "The other configuration."),
        ("decisions", reference("decisions"), "What it would have decided."),
        ("asked", count(), "Questions to a person with it."),
        ("changed", count(), "Calls about which the two differ."),
        ("shifts", list("shift"), "How often one decision would become another, the most frequent first."),
        (
            "calls",
            list("changed_call"),
            "The calls that changed, those that a person decided about first; at most 200.",
        ),
    ])
}

/// An object with exactly these fields; the name of one that may be missing ends with `?`.
fn object(fields: &[(&str, Value, &str)]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, schema, about) in fields {
        let mut schema = schema.clone();
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".to_owned(), json!(about));
        }
        if !name.ends_with('?') {
            required.push(json!(name));
        }
        properties.insert(name.trim_end_matches('?').to_owned(), schema);
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn list(name: &str) -> Value {
    json!({ "type": "array", "items": reference(name) })
}

fn answer() -> Value {
    reference("answer")
}

fn past_decision() -> Value {
    reference("past_decision")
}

fn names(names: &[&str]) -> Value {
    json!({ "enum": names })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn texts() -> Value {
    json!({ "type": "array", "items": text() })
}

fn text_or_null() -> Value {
    json!({ "type": ["string", "null"] })
}

fn boolean() -> Value {
    json!({ "type": "boolean" })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn amount() -> Value {
    json!({ "type": "number", "minimum": 0 })
}
