use super::active::ActivePlan;
use super::config::{Config, Switch};
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};

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

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        match Config::find(event, world)?.flag("precompact_state") {
            Switch::Off => return Ok(Outcome::silent()),
            Switch::Mistaken(mistake) => return Ok(Outcome::silent().with_message(&mistake)),
            Switch::On(()) => {}
        }
        let summary = ActivePlan::find(event, world)?.and_then(|active| active.summary());
        Ok(summary.map_or_else(Outcome::silent, |summary| {
            Outcome::silent().with_context(&format!(
                "ORCHESTRATION STATE: preserve this across compaction. {summary} Read the plan again afterwards"
            ))
        }))
    }
}
