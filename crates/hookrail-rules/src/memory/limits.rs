//! How often something may happen.

use super::Memory;
use crate::codec::Writer;
use crate::rule::{Limit, Period, Rule};
use crate::set::{FNV_START, fnv};
use crate::wire::write_condition;
use serde::{Deserialize, Serialize};

/// So many calls at once hold a share; a session that has more open is not counted any finer.
const MAX_HELD: usize = 256;

/// What was used of a limit, and what calls that have not ended hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Count {
    turn: u64,
    used: u64,
    held: Vec<Held>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Held {
    call: String,
    share: u64,
}

/// A call that wants its share of a limit.
#[derive(Clone, Copy, Debug)]
pub struct Reservation<'a> {
    pub rule: &'a Rule,
    pub limit: Limit,
    /// Which call it is, see [`super::call_id`].
    pub call: &'a str,
    /// How many of its effects count.
    pub share: u64,
}

/// A limit is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// How often it happened, what is under way included.
    pub used: u64,
}

impl Count {
    fn total(&self) -> u64 {
        self.used + self.held.iter().map(|held| held.share).sum::<u64>()
    }

    pub(super) fn reserve(&mut self, wanted: &Reservation<'_>, turn: u64) -> Result<(), Exceeded> {
        if wanted.limit.per == Period::Turn && self.turn != turn {
            *self = Self { turn, ..Self::default() };
        }
        // The same call may be judged twice: as it was, and as a hook rewrote it.
        self.held.retain(|held| held.call != wanted.call);
        if self.total() + wanted.share > u64::from(wanted.limit.count) {
            return Err(Exceeded { used: self.total() });
        }
        if self.held.len() >= MAX_HELD {
            self.used += self.held.remove(0).share;
        }
        self.held.push(Held { call: wanted.call.to_owned(), share: wanted.share });
        Ok(())
    }

    pub(super) fn settle(&mut self, call: &str) {
        let used: u64 = self.held.iter().filter(|held| held.call == call).map(|held| held.share).sum();
        self.used += used;
        self.release(call);
    }

    pub(super) fn release(&mut self, call: &str) {
        self.held.retain(|held| held.call != call);
    }

    /// What is still held when nothing runs any more did not happen, if ends are told, and did otherwise.
    pub(super) fn forget_held(&mut self, told: bool) {
        let held = std::mem::take(&mut self.held);
        if !told {
            self.used += held.iter().map(|held| held.share).sum::<u64>();
        }
    }
}

impl Memory {
    /// Takes a share of a limit of the turn or the session, if there is enough left.
    pub fn reserve(&mut self, wanted: &Reservation<'_>) -> Result<(), Exceeded> {
        let turn = self.turn;
        self.limits.entry(key(wanted.rule)).or_default().reserve(wanted, turn)
    }

    /// A call has ended: what it held is used.
    pub fn settle(&mut self, call: &str) {
        self.told = true;
        self.limits.values_mut().for_each(|count| count.settle(call));
    }

    /// A call did not happen: what it held is free again.
    pub fn release(&mut self, call: &str) {
        self.limits.values_mut().for_each(|count| count.release(call));
    }
}

/// The name of a limit: its rule and what that is about.
pub(super) fn key(rule: &Rule) -> String {
    let mut writer = Writer::default();
    writer.text(&rule.id);
    write_condition(&mut writer, &rule.when);
    format!("{:016x}", fnv(FNV_START, &writer.0))
}
