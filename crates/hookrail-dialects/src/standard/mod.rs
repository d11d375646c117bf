//! The protocol most agents share: Claude Code's and Gemini CLI's branches of it differ in words, not in grammar.
//!
//! An answer is an object with `continue`, `stopReason`, `decision`, `reason`, `systemMessage`, `suppressOutput` and
//! `hookSpecificOutput`. Which of these an agent honours at which event is a table in that agent's file.

mod reply;
mod row;

pub(crate) use row::{AcceptedFields, Context, EventRow, Passed, Refusal, on, other};

use self::reply::StandardReply;
use crate::decode::{self, Words};
use crate::detect::Clues;
use crate::opinion::{self, Opinion, Powers};
use crate::{Agent, Classify, Dialect, EncodedAnswer, Env, Likelihood, event_table};
use hookrail_core::{Event, EventName, Verdict};
use serde_json::{Map, Value};

/// How an agent is told to run a tool with another input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rewrite {
    /// `updatedInput`, and the agent's own permission check still follows.
    UpdatedInput,
    /// `updatedInput` beside `permissionDecision: "allow"`, without which the agent drops the whole answer. The allow is
    /// part of the spelling: alone it is refused, so it grants nothing.
    UpdatedInputWithAllow,
    /// `tool_input`
    ToolInput,
    /// The agent cannot, whatever its documentation says.
    Impossible,
}

/// How the fields of `hookSpecificOutput` are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    Camel,
    /// `hook_specific_output`, without the event's name.
    Snake,
}

/// An agent of the shared protocol, as data.
#[derive(Debug)]
pub(crate) struct StandardDialect {
    pub agent: &'static Agent,
    pub events: &'static [EventRow],
    pub words: Words,
    /// The agent's table of tools, as a function.
    pub classify: Classify,
    pub rewrite: Rewrite,
    /// `permissionDecision: "ask"` asks, and blocks where no person can be asked.
    pub asks: bool,
    /// `permissionDecision: "allow"` skips the agent's own question.
    pub allows: bool,
    /// What the agent listens to at most; an event's row may allow less.
    pub voice: AcceptedFields,
    pub spelling: Spelling,
    /// Weighs a payload, taking its event for one this agent has.
    pub recognise: fn(Clues<'_>) -> Likelihood,
}

impl StandardDialect {
    /// An agent that a hook can refuse a call of, and nothing more: it takes no rewrite, no question, no approval and no message.
    pub(crate) const fn new(
        agent: &'static Agent,
        events: &'static [EventRow],
        classify: Classify,
        recognise: fn(Clues<'_>) -> Likelihood,
    ) -> Self {
        Self {
            agent,
            events,
            words: Words::PLAIN,
            classify,
            rewrite: Rewrite::Impossible,
            asks: false,
            allows: false,
            voice: AcceptedFields::Mute,
            spelling: Spelling::Camel,
            recognise,
        }
    }

    fn powers(&self, row: Option<&EventRow>) -> Powers {
        Powers {
            refuse: row.is_none_or(|row| row.refusal != Refusal::Message),
            ask: self.asks && row.is_some_and(|row| row.refusal == Refusal::Permission),
            rewrite: self.rewrite != Rewrite::Impossible,
            allow: row.is_some_and(|row| match row.refusal {
                Refusal::Permission => self.allows && row.event == Some(EventName::BeforeTool),
                Refusal::Behavior => true,
                _ => false,
            }),
        }
    }
}

impl Dialect for StandardDialect {
    fn agent(&self) -> &'static Agent {
        self.agent
    }

    fn decode(&self, mut payload: Map<String, Value>) -> Event {
        self.words.translate(&mut payload);
        let native = decode::spoken_event(&payload).to_owned();
        let name = self.event(&native).unwrap_or_else(|| EventName::parse(&native));
        decode::build(payload, name, &native, self.classify)
    }

    fn encode(&self, event: &Event, verdict: &Verdict) -> EncodedAnswer {
        let row = event_table::for_answer(self.events, event);
        let mut opinion = Opinion::read(event, verdict);
        let ruling = opinion.rule(&event.name, self.powers(row));
        match row {
            Some(row) => {
                let native = if event.native_name.is_empty() { row.native } else { &event.native_name };
                StandardReply::new(row, native, row.voice.min(self.voice), self.spelling).answer(
                    self.rewrite,
                    &event.name,
                    opinion,
                    ruling,
                )
            }
            None => opinion::answer_unknown(&ruling).unwrap_or_else(EncodedAnswer::silent),
        }
    }

    fn can_ask(&self, event: &Event) -> bool {
        self.powers(event_table::for_answer(self.events, event)).ask
    }

    fn can_allow(&self, event: &Event) -> bool {
        self.powers(event_table::for_answer(self.events, event)).allow
    }

    fn loses_context(&self, event: &Event) -> bool {
        let lost = event_table::for_answer(self.events, event).and_then(|row| row.lost);
        lost.is_some_and(|(field, value)| event.text(field) == Some(value))
    }

    fn companions(&self, event: &EventName) -> &'static [EventName] {
        let loses = event_table::of(self.events, event).is_some_and(|row| row.lost.is_some());
        if loses { &[EventName::BeforeAgent] } else { self.agent.turn_companions(event) }
    }

    event_table::by_table!(self, self.events);

    fn classify(&self) -> Classify {
        self.classify
    }

    fn recognise(&self, payload: &Map<String, Value>, env: Env<'_>) -> Likelihood {
        let known = event_table::named(self.events, decode::spoken_event(payload)).is_some();
        (self.recognise)(Clues { payload, env }).if_event_known(known)
    }
}
