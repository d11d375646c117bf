//! The JSON Schema of rules, for editors.

use crate::condition::Key;
use crate::example::CALL_KEYS;
use crate::read::{MODES, words};
use crate::refusal::PLACEHOLDERS;
use crate::rule::{Period, RuleDecision};
use serde_json::{Map, Value, json};

/// One `[[rule]]`.
#[must_use]
pub fn rule_schema() -> Value {
    let decisions: Vec<&str> = RuleDecision::ALL.iter().map(|decision| decision.name()).collect();
    let periods: Vec<&str> = Period::ALL.iter().map(|period| period.name()).collect();
    let placeholders = PLACEHOLDERS.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(" ");
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "when", "decide"],
        "properties": {
            "id": text("the name by which refusals, exceptions and the journal know it"),
            "when": condition(ConditionKind::Now, "which effects of a call it is about; all selectors must hold"),
            "decide": described(json!({ "enum": decisions }), "deny, ask, warn (a message, no decision), or allow"),
            "say": text(&format!("what is said when it holds; may have {placeholders}")),
            "instead": text("a command that does what was probably meant; it must not be refused itself"),
            "reason": text("why the rule is there"),
            "mode": described(json!({ "enum": MODES }), "enforce, warn (report, do not act), shadow (record, do not report) or off"),
            "after": condition(ConditionKind::Past, "it holds only if this happened earlier in the session"),
            "unless": {
                "type": "object",
                "description": "it does not hold if something happened",
                "additionalProperties": false,
                "required": ["happened"],
                "properties": {
                    "happened": condition(ConditionKind::Past, "what must have happened, the last time it was tried"),
                    "since": condition(ConditionKind::Past, "it only counts after this happened last"),
                },
            },
            "limit": {
                "type": "object",
                "description": "it holds only for what goes beyond a number of times",
                "additionalProperties": false,
                "required": ["count", "per"],
                "properties": { "count": { "type": "integer", "minimum": 0 }, "per": { "enum": periods } },
            },
            "until": text("the last day on which it holds, such as 2026-12-31"),
            "examples": examples(),
        },
    })
}

/// One `[[exception]]`.
#[must_use]
pub fn exception_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["rule", "when"],
        "properties": {
            "rule": text("the id of the rule that does not hold; rules of packs are pack/name"),
            "when": condition(ConditionKind::Now, "which effects it is about; they must be covered for certain"),
            "reason": text("why"),
            "until": text("the last day on which it holds, such as 2026-12-31"),
        },
    })
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn described(mut schema: Value, about: &str) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".to_owned(), json!(about));
    }
    schema
}

/// What rules and exceptions refer to; the schema that has them must have these as its `$defs`.
#[must_use]
pub fn schema_definitions() -> Map<String, Value> {
    let entries = Key::ALL.iter().map(|key| (format!("selector_{}", key.name()), entry(*key)));
    let conditions =
        [ConditionKind::Now, ConditionKind::Past].map(|condition| (condition.name().to_owned(), selectors(condition)));
    entries.chain(conditions).chain([("example_calls".to_owned(), example_calls())]).collect()
}

/// What a table of selectors speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConditionKind {
    /// The call that is being decided.
    Now,
    /// A call of the past, which has an outcome.
    Past,
}

impl ConditionKind {
    fn name(self) -> &'static str {
        match self {
            Self::Now => "condition",
            Self::Past => "past_condition",
        }
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn condition(condition: ConditionKind, about: &str) -> Value {
    // The type is for readers that look no further.
    let mut schema = described(reference(condition.name()), about);
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("type".to_owned(), json!("object"));
    }
    schema
}

fn selectors(condition: ConditionKind) -> Value {
    let mut properties: Map<String, Value> =
        Key::ALL.iter().map(|key| (key.name().to_owned(), selector(*key))).collect();
    if condition == ConditionKind::Past {
        let schema = json!({ "enum": ["ok", "failed"], "description": "how it must have ended; anyhow if not given" });
        properties.insert("outcome".to_owned(), schema);
    }
    json!({
        "type": "object",
        "additionalProperties": false,
        "minProperties": 1,
        "properties": properties,
    })
}

/// One text; known words are offered, and patterns and negations accepted.
fn entry(key: Key) -> Value {
    let words = words(key);
    match key {
        Key::Tool => json!({ "anyOf": [{ "enum": TOOL_KINDS }, { "type": "string" }] }),
        _ if words.is_empty() => json!({ "type": "string", "minLength": 1 }),
        _ => json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": "^!|[*?\\[:]" }] }),
    }
}

/// A text or a list of texts.
fn selector(key: Key) -> Value {
    let entry = reference(&format!("selector_{}", key.name()));
    let list = json!({ "type": "array", "items": entry, "minItems": 1 });
    let forms = if key == Key::Gap { json!([{ "const": true }, entry, list]) } else { json!([entry, list]) };
    json!({ "description": key.about(), "anyOf": forms })
}

const TOOL_KINDS: &[&str] = &["shell", "write", "edit", "read", "web", "mcp", "subagent", "skill"];

fn example_calls() -> Value {
    let mut call: Map<String, Value> =
        CALL_KEYS.iter().map(|key| ((*key).to_owned(), json!({ "type": "string" }))).collect();
    call.insert("input".to_owned(), json!({ "type": "object" }));
    call.insert("after".to_owned(), json!({ "type": "array", "items": { "type": "string" } }));
    let call = json!({ "type": "object", "additionalProperties": false, "properties": call });
    json!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, call] } })
}

fn examples() -> Value {
    let groups = ["deny", "ask", "warn", "allow", "none"];
    let properties: Map<String, Value> =
        groups.iter().map(|group| ((*group).to_owned(), reference("example_calls"))).collect();
    json!({
        "type": "object",
        "description": "calls and what the rule says about them, checked when it is loaded; none is nothing",
        "additionalProperties": false,
        "properties": properties,
    })
}
