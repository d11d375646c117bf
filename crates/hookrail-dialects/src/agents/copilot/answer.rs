//! Copilot's flat answers.

use super::events::{Refusal, Row};
use crate::Answer;
use crate::opinion::{Opinion, Ruling, for_model, join, must_stop};
use serde_json::{Map, Value, json};

/// Copilot shows no hook's message to the user: what is said reaches the model or nobody.
pub(super) fn write(row: &Row, mut opinion: Opinion<'_>, ruling: Ruling) -> Answer {
    let mut fields = Map::new();
    let mut context = opinion.context.take().unwrap_or_default();
    let passes = ruling == Ruling::Pass || matches!(ruling, Ruling::Ask(_));
    match (row.refusal, ruling) {
        (_, Ruling::Pass) | (Refusal::Unheard, _) | (Refusal::Block, Ruling::Halt(_)) => {}
        (_, Ruling::Ask(reason)) => set_permission(&mut fields, "ask", &reason),
        (Refusal::Permission, Ruling::Refuse(reason)) => set_permission(&mut fields, "deny", &reason),
        (Refusal::Permission, Ruling::Halt(reason)) => set_permission(&mut fields, "deny", &must_stop(&reason)),
        (Refusal::Behavior, Ruling::Refuse(reason)) => set_behavior(&mut fields, &reason),
        (Refusal::Behavior, Ruling::Halt(reason)) => {
            set_behavior(&mut fields, &reason);
            fields.insert("interrupt".to_owned(), json!(true));
        }
        (Refusal::Block, Ruling::Refuse(reason)) => {
            fields.insert("decision".to_owned(), json!("block"));
            fields.insert("reason".to_owned(), for_model(&join(&reason, &context)));
        }
        (Refusal::Feedback, Ruling::Refuse(reason)) => context = join(&reason, &context),
        (Refusal::Feedback, Ruling::Halt(reason)) => context = must_stop(&reason),
    }
    if passes && let Some(input) = opinion.rewrite.take() {
        fields.insert("modifiedArgs".to_owned(), Value::Object(input));
    }
    if matches!(row.refusal, Refusal::Permission | Refusal::Feedback) && !context.is_empty() {
        fields.insert("additionalContext".to_owned(), for_model(&context));
    }
    for (key, shape) in row.passed {
        if let Some(value) = opinion.specific(key).filter(|value| shape.fits(value)) {
            fields.insert((*key).to_owned(), value.clone());
        }
    }
    Answer::json(fields)
}

fn set_permission(fields: &mut Map<String, Value>, decision: &str, reason: &str) {
    fields.insert("permissionDecision".to_owned(), json!(decision));
    fields.insert("permissionDecisionReason".to_owned(), for_model(reason));
}

fn set_behavior(fields: &mut Map<String, Value>, reason: &str) {
    fields.insert("behavior".to_owned(), json!("deny"));
    fields.insert("message".to_owned(), for_model(reason));
}
