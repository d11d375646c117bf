//! How many research calls a session has made.

use super::config::Config;
use super::phase::Phase;
use hookrail_core::{HookError, World};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Under this name the counters are kept in the session's state, which is locked while they change (errata C31).
const KEY: &str = "planning/research-budget";

/// The counters of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Budget {
    pub session_total: u64,
    pub phase_total: u64,
    /// The phase that `phase_total` belongs to; empty if it is not known yet.
    pub current_phase: String,
    pub per_server: BTreeMap<String, u64>,
    /// The calls that were counted, so that a retry is not counted again.
    pub call_hashes: BTreeSet<String>,
}

/// How many calls are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    pub session: u64,
    pub phase: u64,
    /// Percent of a limit from which on the user is warned.
    pub warn_at: u64,
}

/// A call to be counted.
#[derive(Clone, Debug)]
pub(super) struct CountedCall {
    pub server: &'static str,
    /// The same for calls that ask the same.
    pub hash: String,
    /// The current phase, if it is known.
    pub phase: Option<Phase>,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spending {
    /// It is within the limits, and counted.
    Counted {
        session: u64,
        phase: u64,
    },
    /// It was counted before.
    Repeated,
    SessionExhausted {
        used: u64,
    },
    PhaseExhausted {
        used: u64,
    },
}

impl Limits {
    /// What the file does not say, or has in a form that makes no sense, has a default (errata C29).
    pub fn of(config: &Config) -> Self {
        let count = |key: &str| config.count(&format!("/research_mcp/budget/{key}"));
        Self {
            session: count("total_calls_per_session").unwrap_or(25),
            phase: count("total_calls_per_phase").unwrap_or(10),
            warn_at: count("warn_at_percentage").filter(|percent| *percent <= 100).unwrap_or(80),
        }
    }

    /// Whether so many calls are worth a warning (errata C32).
    pub fn warns(&self, used: u64, limit: u64) -> bool {
        used.saturating_mul(100) >= limit.saturating_mul(self.warn_at)
    }
}

impl Budget {
    /// Counts a call if there is room for it. Check and count are one step, whoever else counts at the same time. The second
    /// value says that the counters were of no use and began anew.
    pub fn spend(call: &CountedCall, limits: Limits, world: &dyn World) -> Result<(Spending, bool), HookError> {
        let mut result = (Spending::Repeated, false);
        world.remember(KEY, &mut |before| {
            let (mut budget, reset) = Self::read(before);
            result = (budget.count(call, limits), reset);
            Some(json!(budget))
        })?;
        Ok(result)
    }

    /// A new phase has its own calls. A phase the counters know already is not new: no calls are gained by writing down the
    /// same phase again (errata C38). Says whether there was something to renew.
    pub fn begin_phase(phase: &Phase, world: &dyn World) -> Result<bool, HookError> {
        if world.recall(KEY)?.is_none_or(|before| Self::read(Some(before)).0.current_phase == phase.as_str()) {
            return Ok(false);
        }
        world.remember(KEY, &mut |before| {
            let (budget, _) = Self::read(before);
            Some(json!(Self { phase_total: 0, current_phase: phase.to_string(), ..budget }))
        })?;
        Ok(true)
    }

    /// Counters that make no sense are as good as none.
    fn read(before: Option<Value>) -> (Self, bool) {
        let Some(value) = before else { return (Self::default(), false) };
        let read = if value.is_object() { serde_json::from_value(value).ok() } else { None };
        read.map_or_else(|| (Self::default(), true), |budget| (budget, false))
    }

    fn count(&mut self, call: &CountedCall, limits: Limits) -> Spending {
        if self.call_hashes.contains(&call.hash) {
            return Spending::Repeated;
        }
        if self.session_total >= limits.session {
            return Spending::SessionExhausted { used: self.session_total };
        }
        if self.phase_total >= limits.phase {
            return Spending::PhaseExhausted { used: self.phase_total };
        }
        self.session_total += 1;
        self.phase_total += 1;
        *self.per_server.entry(call.server.to_owned()).or_default() += 1;
        self.call_hashes.insert(call.hash.clone());
        if self.current_phase.is_empty() {
            self.current_phase = call.phase.as_ref().map(ToString::to_string).unwrap_or_default();
        }
        Spending::Counted { session: self.session_total, phase: self.phase_total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_testkit::world::FakeWorld;

    const LIMITS: Limits = Limits { session: 4, phase: 2, warn_at: 80 };

    fn call(hash: &str) -> CountedCall {
        CountedCall { server: "ref", hash: hash.to_owned(), phase: Phase::new("RESEARCH") }
    }

    fn spend(hash: &str, world: &FakeWorld) -> Spending {
        Budget::spend(&call(hash), LIMITS, world).unwrap().0
    }

    fn phase(name: &str) -> Phase {
        Phase::new(name).unwrap()
    }

    #[test]
    fn calls_are_counted_until_phase_or_session_has_none_left() {
        // covers: H03
        let world = FakeWorld::new();
        assert_eq!(spend("a", &world), Spending::Counted { session: 1, phase: 1 });
        assert_eq!(spend("a", &world), Spending::Repeated);
        assert_eq!(spend("b", &world), Spending::Counted { session: 2, phase: 2 });
        assert_eq!(spend("c", &world), Spending::PhaseExhausted { used: 2 });
        assert_eq!(spend("b", &world), Spending::Repeated, "what was paid for is not paid for again");
        assert_eq!(Budget::begin_phase(&phase("RESEARCH"), &world), Ok(false), "the phase is the same");
        assert_eq!(spend("c", &world), Spending::PhaseExhausted { used: 2 });
        assert_eq!(Budget::begin_phase(&phase("VALIDATION"), &world), Ok(true));
        assert_eq!(spend("c", &world), Spending::Counted { session: 3, phase: 1 });
        assert_eq!(spend("d", &world), Spending::Counted { session: 4, phase: 2 });
        assert_eq!(spend("e", &world), Spending::SessionExhausted { used: 4 });
        let kept = world.recall(KEY).unwrap().unwrap();
        assert_eq!((&kept["per_server"], &kept["current_phase"]), (&json!({"ref": 4}), &json!("VALIDATION")));
    }

    #[test]
    fn counters_that_make_no_sense_begin_anew() {
        // covers: H03
        for broken in [json!("x"), json!({"session_total": "many"}), json!({"session_total": -1}), json!([])] {
            let world = FakeWorld::new();
            world.remember(KEY, &mut |_| Some(broken.clone())).unwrap();
            let spent = Budget::spend(&call("a"), LIMITS, &world);
            assert_eq!(spent, Ok((Spending::Counted { session: 1, phase: 1 }, true)), "{broken}");
        }
    }

    #[test]
    fn a_warning_comes_with_the_call_that_reaches_the_percentage() {
        // covers: H03
        for (used, limit, warn_at, expected) in [
            (19, 25, 80, false),
            (20, 25, 80, true),
            (21, 25, 80, true),
            (7, 10, 80, false),
            (8, 10, 80, true),
            (1, 3, 34, false),
        ] {
            let limits = Limits { session: limit, phase: limit, warn_at };
            assert_eq!(limits.warns(used, limit), expected, "{used}/{limit} {warn_at}%");
        }
    }
}
