use super::delegation::{DelegationCheck, starts_agent};
use crate::limits::THOROUGH;
use hookrail_core::display::one_line;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

/// Keeps phases in the order of the workflow.
///
/// **What it catches.** A delegation of a phase that is not the current one, be it later or earlier: by the agent's entry in
/// the manifest, or by a `Phase key:` or `PHASE:` in the prompt, which decides whoever delegates and to whom.
///
/// **Why.** A phase builds on what the one before it left; skipping ahead works on guesses.
///
/// **Caught:** `Task software-developer` while the current phase is `03-architecture`.
/// **Not caught:** the agent of `03-architecture`, also if it serves other phases as well; agents that belong to no phase
/// and calls from within an agent of a phase, as long as they name none.
#[derive(Debug)]
pub struct PhaseSequenceGuard;

impl NativeHook for PhaseSequenceGuard {
    fn id(&self) -> &'static str {
        "isdlc/phase-sequence-guard"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(THOROUGH), may_wait: false, has_breaker: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        starts_agent(event)
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let Some(scene) = DelegationCheck::read(event, world)? else { return Ok(Outcome::silent()) };
        let Some(workflow) = scene.state.workflow()? else { return Ok(Outcome::silent()) };
        let target = one_line(&scene.target);
        Ok(match workflow.current.map(one_line) {
            Some(current) if !current.eq_ignore_ascii_case(&target) => Outcome::deny(&format!(
                "Out-of-order phase delegation. Current phase is {current}, but attempting to delegate to {target}.\n\
                 Delegate {current} now; do not retry {target} until the workflow has reached it. To redo a phase, ask the \
                 user to make it the current one. An agent that serves several phases is told which by a line \
                 `Phase key: {current}` in its prompt."
            )),
            Some(_) | None => Outcome::silent(),
        })
    }
}
