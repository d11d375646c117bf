use hookrail_core::{EventName, HookEntry, HookRun};
use std::fmt::Debug;

/// Watches the hooks of an event, for a program that shows its user what runs. It changes nothing, and it is called on the
/// thread that runs the hooks: one that takes long holds them up.
pub trait HookObserver: Debug + Send + Sync {
    /// A hook is about to run. One that is skipped is only reported as finished.
    fn started(&self, event: &EventName, hook: &HookEntry);

    /// A hook is done, and everything that stands around hooks has had its say.
    fn finished(&self, event: &EventName, run: &HookRun);
}
