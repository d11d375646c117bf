//! What a hook run comes to, for the journal and for those who compare with it.

use hookrail_core::{Decision, HookOutput, HookRun, Mode, RunStatus};
use hookrail_store::Outcome;

/// A hook run in the words of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAccount<'a> {
    /// The journal's word for how it ended.
    pub outcome: Outcome,
    /// What the hook decided, also if it was told to warn only.
    pub decision: Decision,
    /// What the hook said.
    pub reason: Option<&'a str>,
    /// Why it did not do its work.
    pub trouble: Option<String>,
}

impl<'a> RunAccount<'a> {
    /// What is worth recording of a run.
    #[must_use]
    pub fn of(run: &'a HookRun) -> Self {
        let said = run.withheld.as_deref().or(run.output.as_ref());
        let decision = said.map_or(Decision::None, HookOutput::verdict);
        let reason = said.and_then(|output| output.spoken_reason().or_else(|| output.system_message()));
        Self { outcome: outcome(run, decision), decision, reason, trouble: trouble(run) }
    }
}

/// A hook that tells its user something without deciding anything has warned.
fn outcome(run: &HookRun, decision: Decision) -> Outcome {
    let speaks = run.output.as_ref().is_some_and(|output| output.system_message().is_some());
    match &run.status {
        RunStatus::Skipped(_) => Outcome::Skipped,
        RunStatus::Failed(_) => Outcome::Failed,
        RunStatus::Succeeded | RunStatus::Blocked if run.hook.mode != Mode::Enforce && run.withheld.is_some() => {
            Outcome::Warned
        }
        RunStatus::Blocked => Outcome::Blocked,
        RunStatus::Succeeded if decision >= Decision::Block => Outcome::Blocked,
        RunStatus::Succeeded if decision == Decision::None && speaks => Outcome::Warned,
        RunStatus::Succeeded => Outcome::Succeeded,
    }
}

fn trouble(run: &HookRun) -> Option<String> {
    match &run.status {
        RunStatus::Skipped(why) => Some(why.clone()),
        RunStatus::Failed(failure) => Some(failure.to_string()),
        RunStatus::Succeeded | RunStatus::Blocked => None,
    }
}
