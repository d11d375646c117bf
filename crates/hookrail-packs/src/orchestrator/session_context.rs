use super::active::ActivePlan;
use super::config::{Config, Switch};
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

/// Tells an agent that lost its memory what it is in the middle of.
///
/// **What it catches.** The start of a session after `/clear`, a resume, a fork or a compaction while a plan is active: the
/// model gets the plan's title and path, the progress, team, slug and worktrees.
///
/// **Why.** Otherwise the user has to explain it again. Agents take no text for the model before a compaction (errata X9,
/// D13), so what `precompact_state` asks for is done here as well, right after it.
///
/// **Caught:** `source: "clear"` with an active plan.
/// **Not caught:** `source: "startup"`; a session without an active plan.
#[derive(Debug)]
pub struct SessionContext;

impl NativeHook for SessionContext {
    fn id(&self) -> &'static str {
        "orchestrator/session-context"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::SessionStart]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), may_wait: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        matches!(event.text("source"), Some("clear" | "resume" | "compact" | "compress" | "fork"))
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let config = Config::find(event, world)?;
        let mut switch = config.flag("session_context");
        if switch == Switch::Off && matches!(event.text("source"), Some("compact" | "compress")) {
            switch = config.flag("precompact_state");
        }
        match switch {
            Switch::Off => return Ok(Outcome::silent()),
            Switch::Mistaken(mistake) => return Ok(Outcome::silent().with_message(&mistake)),
            Switch::On(()) => {}
        }
        let Some(active) = ActivePlan::find(event, world)? else { return Ok(Outcome::silent()) };
        let (Some((name, path)), Some(progress)) = (active.name_and_path(), active.progress()) else {
            return Ok(Outcome::silent());
        };
        let described = active.plan.as_ref().is_some_and(|plan| plan.describes_worktrees);
        let worktrees = if described { " Worktrees are configured — check the design doc for paths." } else { "" };
        Ok(Outcome::silent().with_context(&format!(
            "Active implementation: {name} ({path}). Progress: {progress}{worktrees} Read the design doc for full details: \
             {path}\n{}",
            active.team()
        )))
    }
}
