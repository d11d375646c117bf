//! Copilot's flat answers.

use super::events::{Refusal, Row};
use crate::EncodedAnswer;
use crate::event_table::EventLine;
use crate::opinion::{Opinion, Ruling, for_model, join, must_stop, objection};
use serde_json::{Map, Value, json};

/// Copilot shows no hook's message to the user: it reaches the model or is lost.
pub(super) fn write(row: &Row, mut opinion: Opinion, ruling: Ruling) -> EncodedAnswer {
    let mut reply = CopilotReply { row, fields: Map::new(), context: opinion.context.take().unwrap_or_default() };
    match ruling {
        Ruling::Pass => reply.set_input(&mut opinion),
        Ruling::Allow(_) if row.refusal == Refusal::Behavior => reply.set("behavior", json!("allow")),
        Ruling::Allow(reason) => reply.set_permission("allow", &reason),
        Ruling::Ask(reason) => {
            reply.set_permission("ask", &reason);
            reply.set_input(&mut opinion);
        }
        Ruling::Refuse(reason) => reply.refuse(&reason),
        Ruling::Halt(reason) => reply.halt(&reason),
    }
    reply.finish(&opinion)
}

struct CopilotReply<'a> {
    row: &'a Row,
    fields: Map<String, Value>,
    context: String,
}

impl CopilotReply<'_> {
    fn refuse(&mut self, reason: &str) {
        match self.row.refusal {
            Refusal::Permission => self.set_permission("deny", reason),
            Refusal::Behavior => {
                self.set("behavior", json!("deny"));
                self.set("message", for_model(&join(reason, &self.context)));
            }
            Refusal::Block => {
                self.set("decision", json!("block"));
                self.set("reason", for_model(&join(reason, &self.context)));
            }
            Refusal::Feedback => self.context = join(reason, &self.context),
            Refusal::Objection => self.context = join(&objection(self.row.native(), reason), &self.context),
            Refusal::Unheard => {}
        }
    }

    /// Only a permission request can stop the agent; elsewhere the model is asked to.
    fn halt(&mut self, reason: &str) {
        match self.row.refusal {
            Refusal::Permission | Refusal::Feedback | Refusal::Objection => self.refuse(&must_stop(reason)),
            Refusal::Behavior => {
                self.refuse(reason);
                self.set("interrupt", json!(true));
            }
            // Not to be kept working is all it takes.
            Refusal::Block | Refusal::Unheard => {}
        }
    }

    fn set(&mut self, key: &str, value: Value) {
        self.fields.insert(key.to_owned(), value);
    }

    fn set_permission(&mut self, decision: &str, reason: &str) {
        self.set("permissionDecision", json!(decision));
        self.set("permissionDecisionReason", for_model(reason));
    }

    fn set_input(&mut self, opinion: &mut Opinion) {
        if let Some(input) = opinion.rewrite.take() {
            self.set("modifiedArgs", Value::Object(input));
        }
    }

    fn finish(mut self, opinion: &Opinion) -> EncodedAnswer {
        let takes_context = match self.row.refusal {
            Refusal::Permission | Refusal::Feedback | Refusal::Objection => true,
            Refusal::Behavior | Refusal::Block | Refusal::Unheard => false,
        };
        if takes_context && !self.context.is_empty() {
            self.set("additionalContext", for_model(&self.context));
        }
        for (key, shape) in self.row.passed {
            if let Some(value) = opinion.specific(key).filter(|value| shape.fits(value)) {
                self.set(key, value.clone());
            }
        }
        EncodedAnswer::json(self.fields)
    }
}
