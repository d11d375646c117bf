//! The answer in the shared protocol's JSON.

use super::{AcceptedFields, Context, EventRow, Refusal, Rewrite, Spelling};
use crate::EncodedAnswer;
use crate::opinion::{Opinion, Ruling, append, for_model, join, must_stop, objection, refusing_means_working};
use hookrail_core::EventName;
use serde_json::{Map, Value, json};

/// The reason beside a model response that a hook supplied; agents want a refusal to have one.
const ANSWERED_BY_HOOK: &str = "A hook answered in the model's place";

pub(super) struct StandardReply<'a> {
    row: &'a EventRow,
    native: &'a str,
    voice: AcceptedFields,
    spelling: Spelling,
    stop: Option<String>,
    decision: Option<(&'static str, String)>,
    message: Option<String>,
    context: Option<String>,
    specific: Map<String, Value>,
}

impl<'a> StandardReply<'a> {
    pub(super) fn new(row: &'a EventRow, native: &'a str, voice: AcceptedFields, spelling: Spelling) -> Self {
        Self {
            row,
            native,
            voice,
            spelling,
            stop: None,
            decision: None,
            message: None,
            context: None,
            specific: Map::new(),
        }
    }

    pub(super) fn answer(
        mut self,
        rewrite: Rewrite,
        event: &EventName,
        mut opinion: Opinion,
        ruling: Ruling,
    ) -> EncodedAnswer {
        self.message = opinion.message.take();
        let ruling = self.place_context(event, opinion.context.take(), ruling);
        let refused = matches!(ruling, Ruling::Refuse(_) | Ruling::Halt(_));
        match ruling {
            Ruling::Pass => {}
            Ruling::Allow(reason) => self.allow(&reason),
            Ruling::Ask(reason) => self.set_permission("ask", &reason),
            Ruling::Refuse(reason) if self.row.refusal == Refusal::ExitTwo => return EncodedAnswer::exit_two(&reason),
            Ruling::Refuse(reason) => self.refuse(&reason),
            Ruling::Halt(reason) if refusing_means_working(event) => self.stop(&reason),
            Ruling::Halt(reason) if self.row.refusal == Refusal::ExitTwo => {
                return EncodedAnswer::exit_two(&must_stop(&reason));
            }
            Ruling::Halt(reason) => self.halt(&reason),
        }
        if !refused && let Some(input) = opinion.rewrite.take() {
            self.set_input(rewrite, input);
        }
        self.pass_on(&opinion, refused);
        self.finish(opinion.suppress)
    }

    /// Finds the place for the model's text, if it has one once the ruling is known.
    fn place_context(&mut self, event: &EventName, context: Option<String>, ruling: Ruling) -> Ruling {
        let Some(text) = context else { return ruling };
        match (self.row.context, ruling) {
            // Neither the context of a halted agent nor that of a rejected prompt is used again.
            (_, ruling @ Ruling::Halt(_)) => ruling,
            (Context::Field | Context::Top, ruling @ Ruling::Refuse(_))
                if matches!(event, EventName::BeforeAgent | EventName::PromptExpand) =>
            {
                ruling
            }
            (Context::Field | Context::Top, ruling) => {
                self.context = Some(text);
                ruling
            }
            (Context::Message | Context::Reason, Ruling::Refuse(reason)) => Ruling::Refuse(join(&reason, &text)),
            (Context::Message, ruling) => {
                append(&mut self.message, &text);
                ruling
            }
            (Context::Reason | Context::Nowhere, ruling) => ruling,
        }
    }

    fn allow(&mut self, reason: &str) {
        match self.row.refusal {
            Refusal::Behavior => self.set_behavior(json!({"behavior": "allow"})),
            _ => self.set_permission("allow", reason),
        }
    }

    fn refuse(&mut self, reason: &str) {
        match self.row.refusal {
            Refusal::Permission => self.set_permission("deny", reason),
            Refusal::Behavior => self.set_behavior(json!({"behavior": "deny", "message": for_model(reason)})),
            Refusal::Block => self.decision = Some(("block", reason.to_owned())),
            Refusal::Deny => self.decision = Some(("deny", reason.to_owned())),
            Refusal::Replace => {
                let content = json!({"role": "model", "parts": [for_model(reason)]});
                let response = json!({"candidates": [{"content": content, "finishReason": "STOP"}]});
                self.specific.insert("llm_response".to_owned(), response);
            }
            Refusal::BlockTwice => {
                self.decision = Some(("block", reason.to_owned()));
                self.specific.insert("decision".to_owned(), json!("block"));
                self.specific.insert("reason".to_owned(), for_model(reason));
            }
            Refusal::Decline => {
                self.specific.insert("action".to_owned(), json!("decline"));
                append(&mut self.message, reason);
            }
            Refusal::Stop => self.stop = Some(reason.to_owned()),
            Refusal::Feedback => self.context = Some(join(reason, &self.context.take().unwrap_or_default())),
            Refusal::Message => append(&mut self.message, &objection(self.native, reason)),
            Refusal::ExitTwo | Refusal::Unheard => {}
        }
    }

    fn stop(&mut self, reason: &str) {
        if self.voice >= AcceptedFields::Stop {
            self.stop = Some(reason.to_owned());
        }
    }

    /// Stops the agent and refuses in the same answer, because some agents run the tool before they stop.
    fn halt(&mut self, reason: &str) {
        if self.voice < AcceptedFields::Stop {
            return self.refuse(&must_stop(reason));
        }
        self.stop = Some(reason.to_owned());
        match self.row.refusal {
            Refusal::Behavior => {
                self.set_behavior(json!({"behavior": "deny", "message": for_model(reason), "interrupt": true}));
            }
            Refusal::Permission | Refusal::Block | Refusal::Deny | Refusal::BlockTwice | Refusal::Decline => {
                self.refuse(reason);
            }
            // Stopping says it all.
            Refusal::Stop
            | Refusal::Replace
            | Refusal::Feedback
            | Refusal::Message
            | Refusal::ExitTwo
            | Refusal::Unheard => {}
        }
    }

    fn set_behavior(&mut self, decision: Value) {
        self.specific.insert("decision".to_owned(), decision);
    }

    fn set_permission(&mut self, decision: &str, reason: &str) {
        self.specific.insert("permissionDecision".to_owned(), json!(decision));
        self.specific.insert("permissionDecisionReason".to_owned(), for_model(reason));
    }

    fn set_input(&mut self, rewrite: Rewrite, input: Map<String, Value>) {
        let key = match rewrite {
            Rewrite::UpdatedInput => "updatedInput",
            Rewrite::UpdatedInputWithAllow => {
                self.specific.insert("permissionDecision".to_owned(), json!("allow"));
                "updatedInput"
            }
            Rewrite::ToolInput => "tool_input",
            Rewrite::Impossible => return,
        };
        self.specific.insert(key.to_owned(), Value::Object(input));
    }

    /// Hands on what hooks said in the agent's own words.
    fn pass_on(&mut self, opinion: &Opinion, refused: bool) {
        for passed in self.row.passed {
            let Some(value) = opinion.specific(passed.key).filter(|value| passed.shape.fits(value)) else { continue };
            // A refusal that takes this very field stands.
            if refused && self.specific.contains_key(passed.key) {
                continue;
            }
            self.specific.insert(passed.key.to_owned(), value.clone());
            if passed.in_refusal && !refused {
                self.refuse(ANSWERED_BY_HOOK);
            }
        }
    }

    fn finish(mut self, suppress: bool) -> EncodedAnswer {
        if self.row.refusal == Refusal::Unheard {
            return EncodedAnswer::silent();
        }
        let mut fields = Map::new();
        if let Some(reason) = self.stop {
            fields.insert("continue".to_owned(), json!(false));
            fields.insert("stopReason".to_owned(), for_model(&reason));
        }
        if let Some((decision, reason)) = self.decision {
            fields.insert("decision".to_owned(), json!(decision));
            fields.insert("reason".to_owned(), for_model(&reason));
        }
        if let Some(message) = self.message.filter(|_| self.voice >= AcceptedFields::Message) {
            fields.insert("systemMessage".to_owned(), json!(message));
        }
        if suppress && self.voice >= AcceptedFields::Full {
            fields.insert("suppressOutput".to_owned(), json!(true));
        }
        if self.row.context == Context::Top
            && let Some(context) = self.context.take()
        {
            fields.insert("additionalContext".to_owned(), for_model(&context));
        }
        if let Some(context) = self.context {
            let key = match self.spelling {
                Spelling::Camel => "additionalContext",
                Spelling::Snake => "additional_context",
            };
            self.specific.insert(key.to_owned(), for_model(&context));
        }
        if !self.specific.is_empty() && self.spelling == Spelling::Snake {
            fields.insert("hook_specific_output".to_owned(), Value::Object(std::mem::take(&mut self.specific)));
        }
        if !self.specific.is_empty() {
            let mut specific = Map::from_iter([("hookEventName".to_owned(), json!(self.native))]);
            specific.extend(self.specific);
            fields.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
        }
        EncodedAnswer::json(fields)
    }
}
