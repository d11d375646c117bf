//! A hook run, for a caller in any language.

use hookrail_core::{Decision, Failure, HookOutput, HookRun, RunStatus};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// How much of what a hook printed an answer repeats.
const PRINTED_BYTES: usize = 64 << 10;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunWire {
    hook: String,
    kind: &'static str,
    /// Whose configuration the hook is from.
    source: &'static str,
    /// Where it is configured.
    origin: String,
    outcome: RunOutcome,
    /// The hook did its work. An exit code 2 is not a success by the protocol (HOOK-070), and no failure either.
    success: bool,
    milliseconds: f64,
    /// Absent if a signal ended the hook, or if it is not a process (errata B11).
    exit_code: Option<i32>,
    signal: Option<String>,
    stdout: String,
    stderr: String,
    /// It printed more than is told here.
    truncated: bool,
    error: Option<String>,
    /// What it said, in the words of the hook protocol.
    output: Option<Value>,
}

/// How a hook ended, with its opinion if it objected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum RunOutcome {
    Succeeded,
    Blocked,
    /// It objected, and is configured to warn only.
    Warned,
    /// It was not asked.
    Skipped,
    Failed,
    TimedOut,
    Cancelled,
}

impl RunWire {
    pub fn new(run: &HookRun) -> Self {
        let (stdout, stderr) = (beginning(&run.stdout), beginning(&run.stderr));
        let cut = stdout.len() < run.stdout.len() || stderr.len() < run.stderr.len();
        Self {
            hook: run.hook.id.to_string(),
            kind: run.hook.kind,
            source: run.hook.source.as_str(),
            origin: run.hook.origin.to_string(),
            outcome: RunOutcome::of(run),
            success: run.success(),
            milliseconds: milliseconds(run.duration),
            exit_code: run.exit_code,
            signal: run.signal().map(str::to_owned),
            truncated: run.truncated || cut,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            error: match &run.status {
                RunStatus::Failed(failure) => Some(failure.to_string()),
                RunStatus::Skipped(why) => Some(why.clone()),
                RunStatus::Succeeded | RunStatus::Blocked => None,
            },
            output: run.raw.clone().or_else(|| run.output.as_ref().map(HookOutput::to_json)),
        }
    }
}

impl RunOutcome {
    pub fn of(run: &HookRun) -> Self {
        let objects = |output: &HookOutput| output.verdict() >= Decision::Block;
        match &run.status {
            RunStatus::Failed(Failure::TimedOut(_)) => Self::TimedOut,
            RunStatus::Failed(Failure::Cancelled) => Self::Cancelled,
            RunStatus::Failed(_) => Self::Failed,
            RunStatus::Skipped(_) => Self::Skipped,
            RunStatus::Succeeded | RunStatus::Blocked => {
                if run.withheld.as_deref().is_some_and(objects) {
                    Self::Warned
                } else if run.output.as_ref().is_some_and(objects) {
                    Self::Blocked
                } else {
                    Self::Succeeded
                }
            }
        }
    }
}

/// A time as the wire has it.
pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(PRINTED_BYTES)).unwrap_or_default()
}
