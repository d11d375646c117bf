//! Cursor's flat answers.

use super::events::{Refusal, Row};
use crate::EncodedAnswer;
use crate::opinion::{Opinion, Ruling, append, for_model, join, must_stop, objection};
use serde_json::{Map, Value, json};

pub(super) fn write(row: &Row, mut opinion: Opinion, ruling: Ruling) -> EncodedAnswer {
    let mut reply = CursorReply {
        row,
        fields: Map::new(),
        user_message: opinion.message.take(),
        agent_message: None,
        context: opinion.context.take(),
    };
    match ruling {
        Ruling::Pass => reply.set_input(&mut opinion),
        Ruling::Allow(_) => drop(reply.fields.insert("permission".to_owned(), json!("allow"))),
        Ruling::Ask(reason) => {
            reply.set_permission("ask", &reason, &reason);
            reply.set_input(&mut opinion);
        }
        Ruling::Refuse(reason) => reply.refuse(&reason),
        Ruling::Halt(reason) => reply.halt(&reason),
    }
    reply.finish()
}

/// Nothing at all would count as a failed hook.
pub(super) fn no_opinion() -> EncodedAnswer {
    EncodedAnswer { stdout: "{}".to_owned(), ..EncodedAnswer::silent() }
}

struct CursorReply<'a> {
    row: &'a Row,
    fields: Map<String, Value>,
    user_message: Option<String>,
    agent_message: Option<String>,
    context: Option<String>,
}

impl CursorReply<'_> {
    fn refuse(&mut self, reason: &str) {
        match self.row.refusal {
            Refusal::Permission | Refusal::PermissionOrAsk => self.set_permission("deny", reason, reason),
            Refusal::Continue => self.discontinue(reason),
            Refusal::FollowUp => {
                let text = join(reason, &self.context.take().unwrap_or_default());
                self.fields.insert("followup_message".to_owned(), for_model(&text));
            }
            Refusal::Feedback => self.context = Some(join(reason, &self.context.take().unwrap_or_default())),
            Refusal::Message => append(&mut self.user_message, &objection(self.row.native, reason)),
            Refusal::Unheard => {}
        }
    }

    /// Cursor cannot be stopped by a hook; the model is asked to.
    fn halt(&mut self, reason: &str) {
        match self.row.refusal {
            Refusal::Permission | Refusal::PermissionOrAsk => self.set_permission("deny", reason, &must_stop(reason)),
            // Not to be kept working is all it takes.
            Refusal::FollowUp => {}
            Refusal::Feedback => self.context = Some(must_stop(reason)),
            Refusal::Continue | Refusal::Message | Refusal::Unheard => self.refuse(reason),
        }
    }

    fn set_permission(&mut self, permission: &str, for_user: &str, for_agent: &str) {
        self.fields.insert("permission".to_owned(), json!(permission));
        self.tell_user_first(for_user);
        self.agent_message = Some(for_agent.to_owned());
    }

    fn discontinue(&mut self, reason: &str) {
        self.fields.insert("continue".to_owned(), json!(false));
        self.tell_user_first(reason);
        self.context = None;
    }

    fn tell_user_first(&mut self, reason: &str) {
        self.user_message = Some(join(reason, &self.user_message.take().unwrap_or_default()));
    }

    fn set_input(&mut self, opinion: &mut Opinion) {
        if let Some(input) = opinion.rewrite.take().filter(|_| self.accepts("updated_input")) {
            self.fields.insert("updated_input".to_owned(), Value::Object(input));
        }
    }

    fn accepts(&self, key: &str) -> bool {
        self.row.keys.contains(&key)
    }

    fn finish(mut self) -> EncodedAnswer {
        // Context without a field of its own can only stand in the reason.
        if !self.accepts("additional_context") {
            let context = self.context.take().unwrap_or_default();
            self.agent_message = self.agent_message.take().map(|reason| join(&reason, &context));
        }
        let texts = [
            ("user_message", self.user_message.take()),
            ("agent_message", self.agent_message.take()),
            ("additional_context", self.context.take()),
        ];
        for (key, text) in texts {
            if let Some(text) = text.filter(|_| self.accepts(key)) {
                self.fields.insert(key.to_owned(), for_model(&text));
            }
        }
        if self.fields.is_empty() { no_opinion() } else { EncodedAnswer::json(self.fields) }
    }
}
