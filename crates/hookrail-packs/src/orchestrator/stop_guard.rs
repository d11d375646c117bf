use super::active::ActivePlan;
use super::config::{Config, Switch};
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};
use serde_json::Value;

/// Keeps the lead from leaving while its team has work left.
///
/// **What it catches.** The first stop while tasks of the active plan are pending or in progress. A second stop passes; the
/// user is told that the team goes on without its lead. Blocked and escalated tasks wait for a person and hold nobody up.
///
/// **Why.** A team whose lead has stopped runs on uncoordinated, and nobody notices.
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
        let tasks = if left == 1 { "1 task is" } else { &format!("{left} tasks are") };
        // Context would make the agent go on (errata D7): the warning is for the user.
        if event.payload.get("stop_hook_active") == Some(&Value::Bool(true)) {
            return Ok(Outcome::silent().with_message(&format!(
                "Stopped although {tasks} unfinished in '{name}'. Implementers that still run go on without a lead"
            )));
        }
        Ok(Outcome::deny(&format!(
            "{tasks} unfinished in '{name}' ({}). Go on with the implementation: look after the tasks that are pending or \
             in progress and bring their status in the plan up to date. If you have to stop all the same, stop again",
            active.state.active_plan
        )))
    }
}
