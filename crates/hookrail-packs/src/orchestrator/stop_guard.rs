use super::active::ActivePlan;
use super::config::{Config, Switch};
use crate::limits::QUICK;
use hookrail_core::display::{one_line, quoted};
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};
use serde_json::Value;

/// How the warning about a stop that is not refused begins.
pub(super) const FORCED_STOP: &str = "Force-stopping with";

/// Keeps the lead from leaving while its team has work left.
///
/// **What it catches.** The first stop while tasks of the active plan are pending or in progress. A second stop passes; the
/// user is told that the team goes on without its lead. Blocked and escalated tasks wait for a person and do not delay a stop.
///
/// **Why.** A team whose lead has stopped continues without coordination, and that is easily overlooked.
///
/// **Caught:** a stop with `| 3 | Add the route | in-progress |` in the plan's table.
/// **Not caught:** a stop when all tasks are complete, blocked or escalated; any stop without an active plan.
#[derive(Debug)]
pub struct StopGuard;

impl NativeHook for StopGuard {
    fn id(&self) -> &'static str {
        "orchestrator/stop-guard"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::AfterAgent]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), may_wait: false, ..HookProfile::DEFAULT }
    }

    /// Whoever is not the lead may stop when its own work is done.
    fn concerns(&self, event: &Event) -> bool {
        ["teammate_name", "agent_id"].iter().all(|key| event.text(key).is_none_or(str::is_empty))
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        match Config::find(event, world)?.flag("stop_guard") {
            Switch::Off => return Ok(Outcome::silent()),
            Switch::Mistaken(mistake) => return Ok(Outcome::silent().with_message(&mistake)),
            Switch::On(()) => {}
        }
        let Some(active) = ActivePlan::find(event, world)? else { return Ok(Outcome::silent()) };
        let Some(plan) = &active.plan else { return Ok(Outcome::silent()) };
        let (left, name) = (plan.tasks.unfinished(), plan.name(&active.path));
        if left == 0 {
            return Ok(Outcome::silent());
        }
        let name = one_line(&name).into_owned();
        // Context would make the agent go on (errata D7): the warning is for the user.
        if event.payload.get("stop_hook_active") == Some(&Value::Bool(true)) {
            return Ok(Outcome::silent().with_message(&format!(
                "{FORCED_STOP} {left} incomplete tasks. Running implementers will continue without lead coordination. Plan: \
                 '{name}'."
            )));
        }
        Ok(Outcome::deny(&format!(
            "{left} tasks still incomplete in '{name}'. Complete implementation or stop again to force-stop. Look after the \
             tasks that are pending or in progress and bring their status in {} up to date.",
            quoted(&active.state.active_plan)
        )))
    }
}
