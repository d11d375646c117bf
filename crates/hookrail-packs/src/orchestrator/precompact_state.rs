use super::active::ActivePlan;
use super::config::{Config, Switch};
use crate::limits::QUICK;
use hookrail_core::display::one_line;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

/// Hands the state of the active plan to a compaction.
///
/// **What it catches.** A compaction while a plan is active: title, path, progress, team, slug and worktrees, with the wish
/// to keep them.
///
/// **Why.** A summary of a long conversation loses who works on what. Most agents do not take text here (errata X9); for
/// them [`SessionContext`](super::SessionContext) says the same right after the compaction.
///
/// **Caught:** `PreCompact` with an active plan.
/// **Not caught:** `PreCompact` without one.
#[derive(Debug)]
pub struct PrecompactState;

impl NativeHook for PrecompactState {
    fn id(&self) -> &'static str {
        "orchestrator/precompact-state"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::PreCompress]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        match Config::find(event, world)?.flag("precompact_state") {
            Switch::Off => return Ok(Outcome::silent()),
            Switch::Mistaken(mistake) => return Ok(Outcome::silent().with_message(&mistake)),
            Switch::On(()) => {}
        }
        let Some(active) = ActivePlan::find(event, world)? else { return Ok(Outcome::silent()) };
        let (Some((name, path)), Some(progress), Some(plan)) =
            (active.name_and_path(), active.progress(), active.plan.as_ref())
        else {
            return Ok(Outcome::silent());
        };
        let tasks = &plan.tasks;
        Ok(Outcome::silent().with_context(&format!(
            "ORCHESTRATION STATE — preserve this across compaction. Plan: {name} ({path}). Team: {}. Progress: {}/{} tasks \
             complete. Read the design doc after compaction to restore full context.\nIn detail: {progress} {}",
            one_line(&active.state.team),
            tasks.complete,
            tasks.total(),
            active.team(),
        )))
    }
}
