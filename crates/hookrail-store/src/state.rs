use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What hooks remember about a session from one process to the next.
///
/// Fields that this version does not know are kept, so that an older and a newer hookrail can share a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    /// Counters by name, such as research calls spent.
    pub budgets: BTreeMap<String, u64>,
    /// Circuit breakers by hook id.
    pub breakers: BTreeMap<String, Breaker>,
    /// What happens once a session and has happened.
    pub once: BTreeSet<String>,
    /// Whatever else a pack wants to keep, by a name of its choice.
    pub values: BTreeMap<String, Value>,
    /// Milliseconds since 1970 of the last change. The store sets it.
    pub updated_at: i64,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// What a state begins with, of which the rest is passed over unread.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Outline {
    budgets: BTreeMap<String, u64>,
    breakers: BTreeMap<String, Breaker>,
    once: BTreeSet<String>,
    updated_at: i64,
}

impl From<Outline> for SessionState {
    fn from(outline: Outline) -> Self {
        let Outline { budgets, breakers, once, updated_at } = outline;
        Self { budgets, breakers, once, updated_at, ..Self::default() }
    }
}

/// How often a hook failed in a row, and whether it is still asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Breaker {
    pub consecutive_failures: u32,
    pub open: bool,
    /// The user has been told that it is open.
    pub announced: bool,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn fields_of_a_newer_version_survive_a_round_trip() {
        let newer = json!({
            "budgets": {"research": 3},
            "breakers": {"a/b": {"consecutive_failures": 1, "open": false, "announced": false, "half_open": true}},
            "once": ["greeted"],
            "values": {"planning/phase": {"name": "design"}},
            "updated_at": 5,
            "lease": {"until": 7},
        });
        let state: SessionState = serde_json::from_value(newer.clone()).unwrap();
        assert_eq!(state.budgets["research"], 3);
        assert_eq!(serde_json::to_value(&state).unwrap(), newer);
    }

    #[test]
    fn missing_fields_are_empty() {
        assert_eq!(serde_json::from_value::<SessionState>(json!({})).unwrap(), SessionState::default());
    }

    proptest! {
        #[test]
        fn any_state_reads_back_as_it_was_written(
            budgets in proptest::collection::btree_map(any::<String>(), any::<u64>(), 0..4),
            once in proptest::collection::btree_set(any::<String>(), 0..4),
            failures in proptest::collection::btree_map(any::<String>(), any::<u32>(), 0..4),
            updated_at in any::<i64>(),
        ) {
            let breakers = failures
                .into_iter()
                .map(|(hook, n)| (hook, Breaker { consecutive_failures: n, open: n > 2, ..Breaker::default() }))
                .collect();
            let state = SessionState { budgets, breakers, once, updated_at, ..SessionState::default() };
            let text = serde_json::to_vec(&state).unwrap();
            prop_assert_eq!(serde_json::from_slice::<SessionState>(&text).unwrap(), state);
        }
    }
}
