//! What happens around every hook, whatever kind it is.

use hookrail_core::{Event, HookEntry, HookRun};
use std::fmt::Debug;

/// Whether a planned hook runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    Run,
    /// Not now, for a reason that goes into the record, and perhaps something the user must know.
    Skip {
        why: String,
        message: Option<String>,
    },
}

/// Stands around every hook run: decides whether it takes place, and sees how it ended.
pub trait Middleware: Debug + Send + Sync {
    fn admit(&self, hook: &HookEntry, event: &Event) -> Admission;

    /// The run is complete; `on_error` and mode have had their say. What is changed here is final.
    fn observe(&self, event: &Event, run: &mut HookRun);
}

/// For hosts that want none: every hook runs, nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMiddleware;

impl Middleware for NoMiddleware {
    fn admit(&self, _: &HookEntry, _: &Event) -> Admission {
        Admission::Run
    }

    fn observe(&self, _: &Event, _: &mut HookRun) {}
}
