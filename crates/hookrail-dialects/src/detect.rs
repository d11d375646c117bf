//! Which agent wrote a payload.

use crate::{Dialect, agents};
use serde_json::{Map, Value};

/// The environment, as handed in by the caller.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How likely it is that an agent wrote a payload.
///
/// What the payload says counts for more than the environment: an agent started from another agent's shell inherits that
/// one's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likelihood {
    /// The agent never sends such a payload, as far as is known.
    No,
    /// Nothing speaks against it.
    Possible,
    /// The environment, or a lesser mark in the payload, speaks for it.
    Likely,
    /// The payload carries a mark of this agent alone.
    Certain,
}

impl Likelihood {
    /// Agents get new events: one that is not known yet needs a mark beside it, but no more than that.
    pub(crate) fn if_event_known(self, known: bool) -> Self {
        if known || self == Self::Certain { self } else { Self::No }
    }
}

/// Recognises the agent from the payload and the environment. What no agent would write is read like Claude Code's, whose
/// protocol most others follow.
#[must_use]
pub fn detect(payload: &Map<String, Value>, env: Env<'_>) -> &'static dyn Dialect {
    let mut best: (Likelihood, &'static dyn Dialect) = (Likelihood::No, agents::FALLBACK);
    for dialect in agents::all() {
        let likelihood = dialect.recognise(payload, env);
        if likelihood > best.0 {
            best = (likelihood, *dialect);
        }
        // Nothing can beat the mark of one agent alone.
        if likelihood == Likelihood::Certain {
            break;
        }
    }
    best.1
}

/// What the recognisers of several agents look at.
#[derive(Clone, Copy)]
pub(crate) struct Clues<'a> {
    pub payload: &'a Map<String, Value>,
    pub env: Env<'a>,
}

impl Clues<'_> {
    pub(crate) fn has(&self, field: &str) -> bool {
        self.payload.get(field).is_some_and(|value| !value.is_null())
    }

    pub(crate) fn text(&self, field: &str) -> &str {
        self.payload.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// The agent keeps its transcripts below a folder of this name.
    pub(crate) fn transcript_below(&self, folder: &str) -> bool {
        ["transcript_path", "transcriptPath"]
            .iter()
            .any(|field| self.text(field).split(['/', '\\']).any(|part| part == folder))
    }

    pub(crate) fn variable(&self, names: &[&str]) -> bool {
        names.iter().any(|name| (self.env)(name).is_some_and(|value| !value.is_empty()))
    }

    /// A variable names the very session the payload is about.
    pub(crate) fn session_in(&self, variable: &str) -> bool {
        let session = self.text("session_id");
        !session.is_empty() && (self.env)(variable).as_deref() == Some(session)
    }
}

impl std::fmt::Debug for Clues<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clues").field("payload", self.payload).finish_non_exhaustive()
    }
}
