//! What happened earlier in a session, as far as rules ask.
//!
//! A happening of a rule is a fact of fixed size: how often, when last, how it ended then. Facts are learned when a call has
//! ended, so that what a call does has not happened while it is judged. A limit counts what was used and what is held: a
//! call holds its share from before it runs until its end is known, so that calls at the same time cannot both take the
//! last one.

mod day;
mod limits;
mod outcome;
mod status;

pub use day::DayFile;
pub use limits::{Exceeded, Reservation};
pub use outcome::{Ended, call_id};

use crate::call::{Call, Hit};
use crate::codec::Writer;
use crate::condition::{Condition, Sense};
use crate::rule::{CallOutcome, PastCondition, Unless};
use crate::set::{FNV_START, RuleSet, fnv};
use crate::wire::write_condition;
use hookrail_effects::Sure;
use limits::Count;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Under this key a session keeps it.
pub const MEMORY_KEY: &str = "rules";
/// So many effects of a call are told apart in time.
const STEPS: u64 = 1 << 12;

/// The facts of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// How many calls were learned from: the clock of facts.
    calls: u64,
    /// How many prompts there were.
    turn: u64,
    /// Whether the agent ever told of the end of a call.
    told: bool,
    facts: BTreeMap<String, Fact>,
    limits: BTreeMap<String, Count>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Fact {
    count: u64,
    last: u64,
    /// How it ended last; `None` if that is not known.
    ok: Option<bool>,
}

impl Memory {
    /// What a session remembers; what cannot be read is nothing.
    #[must_use]
    pub fn read(value: Option<Value>) -> Self {
        value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
    }

    #[must_use]
    pub fn to_value(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    /// Whether something happened, the last time in the way that is asked for. What may have happened counts.
    pub(crate) fn has_happened(&self, happening: &PastCondition) -> bool {
        self.last(happening, Sense::Forbids).is_some()
    }

    /// Whether something that keeps a rule from holding happened, for certain, after what it must follow.
    pub(crate) fn keeps(&self, unless: &Unless) -> bool {
        let Some(happened) = self.last(&unless.happened, Sense::Permits) else { return false };
        let since = unless.since.as_ref().and_then(|since| self.last(since, Sense::Forbids));
        since.is_none_or(|since| happened > since)
    }

    fn last(&self, happening: &PastCondition, sense: Sense) -> Option<u64> {
        let fact = self.facts.get(&key(&happening.when, sense)).filter(|fact| fact.count > 0)?;
        let ended = match happening.outcome {
            None => true,
            Some(CallOutcome::Ok) => fact.ok == Some(true),
            Some(CallOutcome::Failed) => fact.ok == Some(false),
            Some(CallOutcome::Unknown) => fact.ok.is_none(),
        };
        ended.then_some(fact.last)
    }

    /// Learns from a call that has ended.
    pub fn learn(&mut self, sets: &[&RuleSet], call: &Call<'_>, ended: &Ended) {
        self.calls += 1;
        self.told = true;
        for rule in sets.iter().flat_map(|set| set.with_memory()) {
            let after = rule.after.iter().map(|happening| (happening, Sense::Forbids));
            let unless = rule.unless.iter().flat_map(|unless| {
                let since = unless.since.iter().map(|since| (since, Sense::Forbids));
                std::iter::once((&unless.happened, Sense::Permits)).chain(since)
            });
            for (happening, sense) in after.chain(unless) {
                self.note(&happening.when, sense, call, ended);
            }
        }
    }

    fn note(&mut self, when: &Condition, sense: Sense, call: &Call<'_>, ended: &Ended) {
        let sure = |hit: &Hit| match hit {
            Hit::Effect(index) if sense == Sense::Permits => {
                call.effects.list.get(*index).is_some_and(|effect| effect.sure == Sure::Certain)
            }
            Hit::Effect(_) | Hit::Gap(_) | Hit::Call => true,
        };
        let hits: Vec<Hit> = call.hits(when, sense).into_iter().filter(sure).collect();
        let Some(last) = hits.last().copied() else { return };
        let step = match last {
            Hit::Effect(index) => (index as u64).min(STEPS - 1),
            Hit::Gap(_) | Hit::Call => STEPS - 1,
        };
        let at = self.calls * STEPS + step;
        let fact = self.facts.entry(key(when, sense)).or_default();
        // Rules may share a fact, which is learned once a call.
        if fact.last == at {
            return;
        }
        fact.count += hits.len() as u64;
        fact.last = at;
        fact.ok = match ended.outcome_of(last, call) {
            CallOutcome::Ok => Some(true),
            CallOutcome::Failed => Some(false),
            CallOutcome::Unknown => None,
        };
    }

    /// Whether anything was learned.
    #[must_use]
    pub fn has_facts(&self) -> bool {
        !self.facts.is_empty()
    }

    /// A prompt was given: what was counted for the turn is over. No call is running any more; one whose end
    /// was not told did not run, if the agent tells of ends at all.
    pub fn end_turn(&mut self) {
        self.turn += 1;
        let told = self.told;
        self.limits.values_mut().for_each(|count| count.forget_held(told));
    }
}

/// The name of a fact: what it is about, so that it outlives a change of other rules.
fn key(when: &Condition, sense: Sense) -> String {
    let mut writer = Writer::default();
    write_condition(&mut writer, when);
    let sense: u8 = match sense {
        Sense::Forbids => b'f',
        Sense::Permits => b'p',
    };
    format!("{:016x}", fnv(fnv(FNV_START, &writer.0), &[sense]))
}
