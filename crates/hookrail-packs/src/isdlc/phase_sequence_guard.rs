use super::delegation::{Scene, is_orchestrators_call};
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};

/// Keeps phases in the order of the workflow.
///
/// **What it catches.** The main conversation hands over a phase that is not the current one, be it later or earlier.
///
/// **Why.** A phase builds on what the one before it left; skipping ahead works on guesses.
///
/// **Caught:** `Task software-developer` while the current phase is `03-architecture`.
/// **Not caught:** the agent of `03-architecture`; agents of `setup` and `all`; agents that belong to no phase.
#[derive(Debug)]
pub struct PhaseSequenceGuard;

impl NativeHook for PhaseSequenceGuard {
    fn id(&self) -> &'static str {
        "isdlc/phase-sequence-guard"
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
        let target = &scene.target;
        Ok(match workflow.current {
            Some(current) if !current.eq_ignore_ascii_case(target) => Outcome::deny(&format!(
                "Out-of-order phase delegation. Current phase is {current}, but attempting to delegate to {target}.\n\
                 Delegate {current} now; do not retry {target} until the workflow has reached it. To redo a phase, ask the \
                 user to make it the current one."
            )),
            Some(_) | None => Outcome::silent(),
        })
    }
}
