//! Agents whose answers are flat objects with words of their own, as data.

use crate::decode::{self, Words};
use crate::detect::Clues;
use crate::event_table::{self, EventLine};
use crate::opinion::{Opinion, Powers, Ruling, for_model, join, must_stop, objection};
use crate::{Agent, Classify, Dialect, EncodedAnswer, Env, Likelihood};
use hookrail_core::{Event, EventName, Verdict};
use serde_json::{Map, Value, json};

/// The words an agent's answers are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatWords {
    /// The field that refuses, and what it says.
    pub deny: Option<(&'static str, FlatValue)>,
    /// The field that skips the agent's own question, and what it says.
    pub allow: Option<(&'static str, FlatValue)>,
    /// The field of the reason of a refusal.
    pub reason: &'static str,
    /// The field that ends the turn beside a refusal; `None` if the agent has none.
    pub halt: Option<&'static str>,
    /// A refusal ends the run, so that a model need not be asked to stop.
    pub deny_ends: bool,
    pub context: Option<&'static str>,
    pub rewrite: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FlatValue {
    True,
    Word(&'static str),
}

impl FlatValue {
    fn to_json(self) -> Value {
        match self {
            Self::True => json!(true),
            Self::Word(word) => json!(word),
        }
    }
}

/// What an agent honours at one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Honours {
    /// A refusal, a rewrite and context.
    Everything,
    /// A refusal and context.
    Refusal,
    Context,
    Nothing,
}

#[derive(Debug)]
pub(crate) struct FlatRow {
    pub native: &'static str,
    /// What the payload calls it, where that is another name.
    pub spoken: &'static str,
    pub event: Option<EventName>,
    pub honours: Honours,
}

impl FlatRow {
    pub(crate) const fn on(native: &'static str, event: EventName, honours: Honours) -> Self {
        Self { native, spoken: native, event: Some(event), honours }
    }

    pub(crate) const fn other(native: &'static str) -> Self {
        Self { native, spoken: native, event: None, honours: Honours::Nothing }
    }

    pub(crate) const fn spoken(mut self, name: &'static str) -> Self {
        self.spoken = name;
        self
    }
}

impl EventLine for FlatRow {
    fn native(&self) -> &'static str {
        self.native
    }

    fn is_named(&self, native: &str) -> bool {
        self.native == native || self.spoken == native
    }

    fn event(&self) -> Option<&EventName> {
        self.event.as_ref()
    }
}

/// An undocumented event.
static UNKNOWN: FlatRow = FlatRow { native: "", spoken: "", event: None, honours: Honours::Refusal };

/// An agent with flat answers.
#[derive(Debug)]
pub(crate) struct FlatDialect {
    pub agent: &'static Agent,
    pub events: &'static [FlatRow],
    pub words: Words,
    pub answers: FlatWords,
    pub classify: Classify,
    /// The event a payload is about, as the agent spells it.
    pub spoken_event: fn(&Map<String, Value>) -> String,
    pub recognise: fn(Clues<'_>) -> Likelihood,
}

impl Dialect for FlatDialect {
    fn agent(&self) -> &'static Agent {
        self.agent
    }

    fn decode(&self, mut payload: Map<String, Value>) -> Event {
        let spoken = (self.spoken_event)(&payload);
        self.words.translate(&mut payload);
        let native = event_table::named(self.events, &spoken).map_or(spoken.as_str(), |row| row.native);
        let name = self.event(native).unwrap_or_else(|| EventName::parse(native));
        decode::build(payload, name, native, self.classify)
    }

    fn encode(&self, event: &Event, verdict: &Verdict) -> EncodedAnswer {
        let row = event_table::for_answer(self.events, event);
        let honours = row.map_or(Honours::Nothing, |row| row.honours);
        let refuses = matches!(honours, Honours::Everything | Honours::Refusal);
        let rewrites = honours == Honours::Everything && self.answers.rewrite.is_some();
        let mut opinion = Opinion::read(event, verdict);
        let powers =
            Powers { refuse: refuses || row.is_none(), ask: false, rewrite: rewrites, allow: self.can_allow(event) };
        let ruling = opinion.rule(&event.name, powers);
        // Not all of these agents read exit codes, so an undocumented event is refused in their words as well.
        self.answers.write(row.unwrap_or(&UNKNOWN), opinion, ruling)
    }

    fn can_allow(&self, event: &Event) -> bool {
        self.answers.allow.is_some() && event.name == EventName::BeforeTool
    }

    event_table::by_table!(self, self.events);

    fn classify(&self) -> Classify {
        self.classify
    }

    fn recognise(&self, payload: &Map<String, Value>, env: Env<'_>) -> Likelihood {
        let known = event_table::named(self.events, &(self.spoken_event)(payload)).is_some();
        (self.recognise)(Clues { payload, env }).if_event_known(known)
    }
}

impl FlatWords {
    fn write(&self, row: &FlatRow, mut opinion: Opinion, ruling: Ruling) -> EncodedAnswer {
        let refuses = matches!(row.honours, Honours::Everything | Honours::Refusal);
        let mut context = opinion.context.take().unwrap_or_default();
        let mut fields = Map::new();
        match ruling {
            Ruling::Pass | Ruling::Ask(_) => {
                if let (Some(key), Some(input)) = (self.rewrite, opinion.rewrite.take()) {
                    fields.insert(key.to_owned(), Value::Object(input));
                }
            }
            Ruling::Allow(_) => {
                if let Some((key, value)) = self.allow {
                    fields.insert(key.to_owned(), value.to_json());
                }
            }
            Ruling::Refuse(reason) if refuses => self.refuse(&join(&reason, &context), &mut fields),
            Ruling::Halt(reason) if refuses => self.halt(&reason, &mut fields),
            Ruling::Refuse(reason) | Ruling::Halt(reason) => context = join(&objection(row.native, &reason), &context),
        }
        let takes_context = row.honours != Honours::Nothing && !fields.contains_key(self.reason);
        if let (Some(key), true, false) = (self.context, takes_context, context.is_empty()) {
            fields.insert(key.to_owned(), for_model(&context));
        }
        EncodedAnswer::json(fields)
    }

    fn refuse(&self, reason: &str, fields: &mut Map<String, Value>) {
        if let Some((key, value)) = self.deny {
            fields.insert(key.to_owned(), value.to_json());
        }
        fields.insert(self.reason.to_owned(), for_model(reason));
    }

    fn halt(&self, reason: &str, fields: &mut Map<String, Value>) {
        match self.halt {
            Some(key) => {
                self.refuse(reason, fields);
                fields.insert(key.to_owned(), json!(true));
            }
            None if self.deny_ends => self.refuse(reason, fields),
            None => self.refuse(&must_stop(reason), fields),
        }
    }
}
