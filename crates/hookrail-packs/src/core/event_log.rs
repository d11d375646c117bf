use hookrail_core::{Event, EventName, HookError, HookProfile, Mode, NativeHook, Outcome, World};

/// Records every event and never decides.
///
/// **What it does.** Nothing; but every run of every hook is recorded in the journal, so with this hook every event is,
/// also those no other hook cares about.
///
/// **Why.** To see what an agent really sends before writing a guard for it. Off unless switched on:
/// `[hooks."core/event-log"] mode = "enforce"`.
#[derive(Debug)]
pub struct EventLog;

impl NativeHook for EventLog {
    fn id(&self) -> &'static str {
        "core/event-log"
    }

    fn events(&self) -> &[EventName] {
        EventName::KNOWN
    }

    fn profile(&self) -> HookProfile {
        HookProfile { may_wait: false, default_mode: Some(Mode::Off), has_breaker: false, ..HookProfile::DEFAULT }
    }

    fn check(&self, _: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        Ok(Outcome::silent())
    }
}
