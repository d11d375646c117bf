//! What a panel of hooks shows and switches.

use super::run::{RunOutcome, milliseconds};
use hookrail_core::HookRun;
use hookrail_engine::RegisteredHook;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The answer to `list`.
#[derive(Debug, Serialize)]
pub(super) struct HookList {
    pub hooks: Vec<RegisteredHook>,
}

/// The answer to `setEnabled`.
#[derive(Debug, Serialize)]
pub(super) struct Switched {
    /// How many hooks have the name and can be switched.
    pub switched: usize,
    /// As in the answer to `initialize`, now.
    pub events: Option<Vec<String>>,
}

/// The answer to `describe`.
#[derive(Debug, Serialize)]
pub(super) struct Descriptions {
    pub hooks: Vec<Description>,
}

/// A hook and what became of it so far.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Description {
    #[serde(flatten)]
    hook: RegisteredHook,
    /// How often it was asked in this session.
    runs: u64,
    blocked: u64,
    failed: u64,
    last_outcome: Option<RunOutcome>,
    last_milliseconds: Option<f64>,
    last_error: Option<String>,
}

#[derive(Clone, Debug, Default)]
struct Record {
    runs: u64,
    blocked: u64,
    failed: u64,
    last: Option<(RunOutcome, f64, Option<String>)>,
}

/// What became of the hooks of a session, by where they are configured and what they are called there.
#[derive(Debug, Default)]
pub(super) struct Statistics {
    records: Mutex<HashMap<(String, String), Record>>,
}

impl Statistics {
    pub fn count(&self, run: &HookRun) {
        let outcome = RunOutcome::of(run);
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let record = records.entry((run.hook.origin.to_string(), run.hook.id.to_string())).or_default();
        record.runs += 1;
        record.blocked += u64::from(outcome == RunOutcome::Blocked);
        record.failed += u64::from(run.failure().is_some());
        let error = run.failure().map(ToString::to_string);
        record.last = Some((outcome, milliseconds(run.duration), error));
    }

    pub fn describe(&self, hook: RegisteredHook) -> Description {
        let key = (hook.origin.clone(), hook.hook.clone());
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let Record { runs, blocked, failed, last } = records.get(&key).cloned().unwrap_or_default();
        let (last_outcome, last_milliseconds, last_error) = match last {
            Some((outcome, time, error)) => (Some(outcome), Some(time), error),
            None => (None, None, None),
        };
        Description { hook, runs, blocked, failed, last_outcome, last_milliseconds, last_error }
    }
}
