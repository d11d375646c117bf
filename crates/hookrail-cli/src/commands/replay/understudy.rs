//! Answers in place of hooks that are not run again.

use super::history::PastRun;
use crate::hook::rehearsal::Commands;
use hookrail_core::{Decision, Event, Failure, HookAction, HookEntry, HookOutput, HookRun, RunStatus};
use hookrail_engine::{Admission, Middleware};
use hookrail_store::Outcome;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Why a hook is not run.
const RECORDED: &str = "not run again";

/// Lets native hooks decide. Command hooks say what they said then; one that was not asked then is noted.
#[derive(Debug)]
pub struct Understudy {
    commands: Commands,
    /// Command hooks that nobody said yes to.
    barred: HashMap<String, String>,
    past: Mutex<Vec<PastRun>>,
    unknown: Mutex<BTreeMap<String, u64>>,
    untrusted: Mutex<BTreeMap<String, u64>>,
}

impl Understudy {
    pub fn new(commands: Commands, barred: HashMap<String, String>) -> Self {
        Self { commands, barred, past: Mutex::default(), unknown: Mutex::default(), untrusted: Mutex::default() }
    }

    /// What was said about the event that comes next.
    pub fn learn(&self, past: Vec<PastRun>) {
        *locked(&self.past) = past;
    }

    /// Hooks whose answer nobody knows, with the number of events.
    pub fn unknown(&self) -> BTreeMap<String, u64> {
        locked(&self.unknown).clone()
    }

    /// Hooks that were to be run and are not trusted, with the number of events.
    pub fn untrusted(&self) -> BTreeMap<String, u64> {
        locked(&self.untrusted).clone()
    }

    fn play(&self, event: &Event, run: &mut HookRun) {
        let past = locked(&self.past).iter().find(|past| *past.hook == *run.hook.id).cloned();
        let Some(past) = past.filter(|past| past.outcome != Outcome::Skipped) else {
            *locked(&self.unknown).entry(run.hook.id.to_string()).or_default() += 1;
            return;
        };
        let reason = past.reason.unwrap_or_default();
        (run.status, run.output) = match past.outcome {
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
        };
        // What a failure means, and whether the hook is obeyed, is the configuration's to say.
        run.hook.on_error.apply(run);
        run.hook.mode.apply(run, &event.name);
    }
}

impl Middleware for Understudy {
    fn admit(&self, hook: &HookEntry, _: &Event) -> Admission {
        let skip = |why: &str| Admission::Skip { why: why.to_owned(), message: None };
        match (&hook.action, self.commands) {
            (HookAction::Native(_), _) => Admission::Run,
            (_, Commands::Leave) => skip(RECORDED),
            (_, Commands::Run) => self.barred.get(hook.id()).map_or(Admission::Run, |why| skip(why)),
        }
    }

    fn observe(&self, event: &Event, run: &mut HookRun) {
        match &run.status {
            RunStatus::Skipped(why) if why == RECORDED => self.play(event, run),
            RunStatus::Skipped(_) => *locked(&self.untrusted).entry(run.hook.id.to_string()).or_default() += 1,
            RunStatus::Succeeded | RunStatus::Blocked | RunStatus::Failed(_) => {}
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
