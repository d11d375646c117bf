//! What stands around every hook, whoever asks and whatever kind of hook it is: one list, in one place.

use super::scope::EventScope;
use crate::logger::{Level, log};
use crate::trust::{Cleared, Distrust};
use hookrail_core::display::{one_line, quoted};
use hookrail_core::{Decision, Failure, HookAction, HookEntry, HookRun, OnError, RunStatus};
use hookrail_dialects::{MODEL_TEXT_LIMIT, cap_output};

/// Whether a planned hook runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    Run,
    /// Not now, for a reason that goes into the record, and perhaps something the user must know. No failure.
    Skip {
        why: String,
        message: Option<String>,
    },
    /// It cannot do its work, so its `on_error` decides.
    Fail {
        why: String,
    },
}

/// One thing that stands around every hook.
pub(crate) trait Layer: Sync {
    /// Whether the hook may run.
    fn admit(&self, _scope: &EventScope, _hook: &HookEntry) -> Admission {
        Admission::Run
    }

    /// The hook has ended, or was not run; the layers inside of this one have had their say.
    fn settle(&self, _scope: &EventScope, _run: &mut HookRun) {}
}

/// From the outside in. A hook is admitted in this order, and settled in the opposite one; inside of them all are its deadline
/// and the hook itself. A hook whose mode is off is not even planned.
pub(crate) const LAYERS: &[&dyn Layer] = &[
    &Finished,
    &Journal,
    &Caps,
    &ModeLayer,
    &DevelopmentMode,
    &OncePerSession,
    &Trust,
    &Breaker,
    &OnErrorLayer,
    &Misreadings,
    &Status,
    &Started,
];

pub(crate) fn admit(scope: &EventScope, hook: &HookEntry) -> Admission {
    let mut refusals = LAYERS.iter().map(|layer| layer.admit(scope, hook));
    refusals.find(|admission| *admission != Admission::Run).unwrap_or(Admission::Run)
}

pub(crate) fn settle(scope: &EventScope, run: &mut HookRun) {
    LAYERS.iter().rev().for_each(|layer| layer.settle(scope, run));
}

/// Tells whoever watches that a hook is done. It is the outermost layer, so that the watcher sees what the caller will.
struct Finished;

impl Layer for Finished {
    fn settle(&self, scope: &EventScope, run: &mut HookRun) {
        if let Some(observer) = scope.observer() {
            observer.finished(&scope.event().name, run);
        }
    }
}

/// Tells whoever watches that a hook begins. It is the innermost layer: no other layer objects to the hook any more.
struct Started;

impl Layer for Started {
    fn admit(&self, scope: &EventScope, hook: &HookEntry) -> Admission {
        if let Some(observer) = scope.observer() {
            observer.started(&scope.event().name, hook);
        }
        Admission::Run
    }
}

/// One record for every run, skipped ones included.
struct Journal;

impl Layer for Journal {
    fn settle(&self, scope: &EventScope, run: &mut HookRun) {
        if let Some(failure) = run.failure() {
            log(scope.logger(), Level::Warn, || {
                let stderr = run.stderr.trim();
                let stderr = if stderr.is_empty() { String::new() } else { format!("; stderr: {stderr}") };
                format!("hook `{}` ({}) failed: {failure}{stderr}", run.hook.id, run.hook.origin)
            });
        }
        scope.record(run);
    }
}

/// What a model is told by one hook has a limit.
struct Caps;

impl Layer for Caps {
    fn settle(&self, scope: &EventScope, run: &mut HookRun) {
        let limit = run.hook.context_limit.unwrap_or(MODEL_TEXT_LIMIT);
        if let Some(output) = &mut run.output {
            cap_output(output, limit, &mut |text| scope.keep_whole(text));
        }
    }
}

/// Takes the teeth out of a hook that is to warn only.
struct ModeLayer;

impl Layer for ModeLayer {
    fn settle(&self, _: &EventScope, run: &mut HookRun) {
        run.hook.mode.apply(run);
    }
}

/// While a file of the user's choice exists, no hook runs.
struct DevelopmentMode;

impl Layer for DevelopmentMode {
    fn admit(&self, scope: &EventScope, _: &HookEntry) -> Admission {
        match scope.development_mode() {
            Some(why) => Admission::Skip { why, message: None },
            None => Admission::Run,
        }
    }
}

/// Some hooks run once a session.
struct OncePerSession;

impl Layer for OncePerSession {
    fn admit(&self, scope: &EventScope, hook: &HookEntry) -> Admission {
        if hook.once && !scope.once(&format!("ran {}", hook.reference().key())) {
            return Admission::Skip { why: "it runs once a session, and has".to_owned(), message: None };
        }
        Admission::Run
    }
}

/// What comes with a project and is not approved does not run. What was approved and has changed since is a guard that cannot
/// do its work: its `on_error` decides, or that of what was approved if that is stricter.
struct Trust;

impl Layer for Trust {
    fn admit(&self, scope: &EventScope, hook: &HookEntry) -> Admission {
        let key = hook.reference().key().into_owned();
        match scope.clear(hook) {
            Ok(()) => Admission::Run,
            Err(Distrust::Unknown(why)) => {
                let message = scope.once(&format!("barred {key}")).then(|| why.clone());
                Admission::Skip { why, message }
            }
            Err(Distrust::Changed { why, on_error }) => {
                scope.note_change(key, on_error);
                Admission::Fail { why }
            }
        }
    }

    fn settle(&self, scope: &EventScope, run: &mut HookRun) {
        let key = run.hook.key().into_owned();
        if let Some(cleared) = scope.cleared(&key).filter(|_| !matches!(run.status, RunStatus::Skipped(_))) {
            withdraw_if_changed(&cleared, run);
        }
        let Some(approved) = scope.changed(&key) else { return };
        if approved != run.hook.on_error && approved == approved.stricter(run.hook.on_error) {
            approved.apply(run);
        }
        if let Some(why) = run.failure().map(ToString::to_string).filter(|_| scope.once(&format!("changed {key}"))) {
            run.output.get_or_insert_default().add_message(&why);
        }
    }
}

/// What a command said while its files were exchanged is not what was approved. A refusal stays one, whoever said it.
fn withdraw_if_changed(cleared: &Cleared, run: &mut HookRun) {
    let Some(path) = cleared.changed() else { return };
    if run.output.as_ref().is_some_and(|output| output.decision >= Decision::Block) {
        return;
    }
    let path = quoted(&path.to_string_lossy());
    let why = format!("{path} changed while the hook ran, so what it said does not count");
    (run.status, run.output) = (RunStatus::Failed(Failure::Error(why)), None);
    cleared.on_error.stricter(run.hook.on_error).apply(run);
}

/// A hook that keeps failing is not tried again in this session. One whose failure means no keeps saying no: it only
/// takes no time any more.
struct Breaker;

impl Layer for Breaker {
    fn admit(&self, scope: &EventScope, hook: &HookEntry) -> Admission {
        if !hook.breaker || !scope.has_open_breaker(hook) {
            return Admission::Run;
        }
        let why = "it failed too often in this session".to_owned();
        match hook.on_error {
            OnError::Allow => Admission::Skip { why, message: None },
            OnError::Ask | OnError::Deny => Admission::Fail { why },
        }
    }

    fn settle(&self, scope: &EventScope, run: &mut HookRun) {
        // What was not started because it changed has not failed: once it is approved again, it runs.
        let started = !matches!(run.status, RunStatus::Skipped(_)) && scope.changed(&run.hook.key()).is_none();
        if run.hook.breaker && started {
            scope.count_failures(run);
        }
    }
}

/// What a hook that could not do its work decides.
struct OnErrorLayer;

impl Layer for OnErrorLayer {
    fn settle(&self, _: &EventScope, run: &mut HookRun) {
        run.hook.on_error.apply(run);
    }
}

/// A hook whose failure must not pass unnoticed, and of which the decision is unknown, has failed. What others
/// said that means nothing is told.
struct Misreadings;

impl Layer for Misreadings {
    fn settle(&self, scope: &EventScope, run: &mut HookRun) {
        let fatal = run.misread.iter().find(|misread| misread.decisive).map(ToString::to_string);
        if let Some(why) = fatal.filter(|_| run.hook.on_error != OnError::Allow && run.success()) {
            run.status = RunStatus::Failed(Failure::Unreadable(why));
        }
        for misread in &run.misread {
            scope.notice(one_line(&format!("hook {}: {misread}", quoted(&run.hook.id))).into_owned());
        }
    }
}

/// What the user is shown while the hook runs. Inside of all others, so that nothing is shown of a hook that does not.
struct Status;

impl Layer for Status {
    fn admit(&self, scope: &EventScope, hook: &HookEntry) -> Admission {
        scope.show_status(hook);
        Admission::Run
    }
}

/// Whether a hook is code of this process.
pub(crate) fn is_native(hook: &HookEntry) -> bool {
    matches!(hook.action, HookAction::Native(_))
}
