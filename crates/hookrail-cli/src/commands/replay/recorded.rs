//! What command hooks said then, for those that are not run again.

use super::history::PastRun;
use hookrail_core::{Decision, Failure, HookEntry, HookOutput, RunStatus};
use hookrail_engine::{NotRecorded, PastAnswers};
use hookrail_store::Outcome;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The answers of one event at a time. A hook that was not asked then is noted.
#[derive(Debug, Default)]
pub struct Recorded {
    past: Mutex<Vec<PastRun>>,
    unknown: Mutex<BTreeMap<String, u64>>,
}

impl Recorded {
    /// What was said about the event that comes next.
    pub fn learn(&self, past: Vec<PastRun>) {
        *locked(&self.past) = past;
    }

    /// Hooks whose answer is unknown, with the number of events.
    pub fn unknown(&self) -> BTreeMap<String, u64> {
        locked(&self.unknown).clone()
    }
}

impl PastAnswers for Recorded {
    fn recall(&self, hook: &HookEntry) -> Result<(RunStatus, Option<HookOutput>), NotRecorded> {
        let past = locked(&self.past).iter().find(|past| past.hook == hook.id()).cloned();
        let Some(past) = past.filter(|past| past.outcome != Outcome::Skipped) else {
            *locked(&self.unknown).entry(hook.id().to_owned()).or_default() += 1;
            return Err(NotRecorded("it was not asked then".to_owned()));
        };
        let reason = past.reason.unwrap_or_default();
        Ok(match past.outcome {
            Outcome::Failed => {
                let failure = Failure::Error(past.error.unwrap_or_else(|| "it failed".to_owned()));
                (RunStatus::Failed(failure), None)
            }
            Outcome::Warned if past.decision == Decision::None => {
                (RunStatus::Succeeded, Some(HookOutput::message(&reason)))
            }
            Outcome::Succeeded | Outcome::Blocked | Outcome::Warned | Outcome::Skipped | Outcome::Unknown => {
                let output = HookOutput::decide(past.decision, &reason);
                (RunStatus::Succeeded, Some(output).filter(|_| past.decision != Decision::None))
            }
        })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
