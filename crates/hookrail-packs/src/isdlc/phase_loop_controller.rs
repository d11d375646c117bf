use super::delegation::{Scene, is_orchestrators_call};
use super::progress::task_in_progress;
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};

/// Lets a phase be delegated only after its task was started.
///
/// **What it catches.** The main conversation hands a phase to an agent while nothing says that work on the current phase
/// has begun: neither the state, nor a task of the session that is in progress.
///
/// **Why.** Without the task there is no progress to see, and nobody knows what the agent is at.
///
/// **Caught:** `Task software-developer` while `06-implementation` is `pending`.
/// **Not caught:** the same once `phases.06-implementation.status` is `in_progress`; `Task Explore`; calls of a subagent.
#[derive(Debug)]
pub struct PhaseLoopController;

impl NativeHook for PhaseLoopController {
    fn id(&self) -> &'static str {
        "isdlc/phase-loop-controller"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn concerns(&self, event: &Event) -> bool {
        is_orchestrators_call(event)
    }

    fn has_breaker(&self) -> bool {
        false
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let Some(scene) = Scene::read(event, world)? else { return Ok(Outcome::silent()) };
        let Some(workflow) = scene.state.workflow()? else { return Ok(Outcome::silent()) };
        let Some(current) = workflow.current else { return Ok(Outcome::silent()) };
        if scene.state.has_begun(&workflow, current) || task_in_progress(current, event, world)? {
            return Ok(Outcome::silent());
        }
        Ok(Outcome::deny(&format!(
            "Phase delegation without TaskUpdate. Call TaskUpdate to mark the phase task as in_progress before \
             delegating.\nNothing marks the current phase `{current}` as begun. Do not repeat this call until it is marked."
        )))
    }
}
