//! What becomes of hooks that are not code of this process.

use super::Prepared;
use hookrail_core::{HookEntry, HookOutput, RunStatus};
use std::fmt::Debug;
use std::sync::Arc;

/// Whether commands are started, and questions asked, by whoever runs hooks: part of the world a caller chooses.
#[derive(Clone, Debug, Default)]
pub enum External {
    /// They do what they do.
    #[default]
    Run,
    /// They are not started, for this reason.
    Leave(&'static str),
    /// They say what they said before.
    Replay(Arc<dyn PastAnswers>),
}

/// What hooks said when an event happened.
pub trait PastAnswers: Debug + Send + Sync {
    /// How a hook ended then, and what it said; `Err` says why that is not known.
    fn recall(&self, hook: &HookEntry) -> Result<(RunStatus, Option<HookOutput>), NotRecorded>;
}

/// Why it is not known what a hook said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotRecorded(pub String);

impl External {
    pub(super) fn instead_of_running(&self, hook: &HookEntry) -> Option<Prepared> {
        match self {
            Self::Run => None,
            Self::Leave(why) => Some(Prepared::Skipped { why: (*why).to_owned(), message: None }),
            Self::Replay(past) => Some(match past.recall(hook) {
                Ok((status, output)) => Prepared::Answered(status, Box::new(output)),
                Err(NotRecorded(why)) => Prepared::Skipped { why, message: None },
            }),
        }
    }

    /// Whether an approval is worth asking for.
    pub(crate) fn needs_trust(&self) -> bool {
        !matches!(self, Self::Replay(_))
    }
}
