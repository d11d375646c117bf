use super::delegation::{DelegationCheck, starts_agent};
use super::phase_key::number_of;
use super::progress::{Progress, progress};
use crate::limits::THOROUGH;
use hookrail_core::display::{one_line, quoted};
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

/// Lets a phase be delegated only after its task was started.
///
/// **What it catches.** A phase is handed to an agent while nothing says that work on the current phase has begun: neither
/// the state, nor a task of the session that is in progress and whose subject names the phase.
///
/// **Why.** Without the task there is no progress to see, and it is unclear what the agent is working on.
///
/// **Caught:** `Task software-developer` while `06-implementation` is `pending`.
/// **Not caught:** the same once `phases.06-implementation.status` is `in_progress`; `Task Explore`; calls of an
/// agent of a phase that name none.
#[derive(Debug)]
pub struct PhaseLoopController;

impl NativeHook for PhaseLoopController {
    fn id(&self) -> &'static str {
        "isdlc/phase-loop-controller"
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
        let Some(current) = workflow.current else { return Ok(Outcome::silent()) };
        if scene.state.has_begun(&workflow, current) {
            return Ok(Outcome::silent());
        }
        Ok(match progress(current, event, world)? {
            Progress::Begun => Outcome::silent(),
            Progress::Unnamed { id, subject } => Outcome::deny(&refusal(current, Some((&id, &subject)))),
            Progress::None => Outcome::deny(&refusal(current, None)),
        })
    }
}

/// The document's sentence, and how a task comes to count as that of the phase: a task in progress whose subject does not
/// name it does not, and the model cannot guess why.
fn refusal(current: &str, unnamed: Option<(&str, &str)>) -> String {
    let subject = number_of(current)
        .map_or_else(String::new, |number| format!(" or {}", quoted(&format!("Phase {number}: <what is done>"))));
    let example = quoted(&format!("{current}: <what is done>"));
    let next = match unnamed {
        Some((id, text)) => format!(
            "Task #{} {} is in progress, but its subject names no phase: give it such a subject with TaskUpdate.",
            one_line(id),
            quoted(text)
        ),
        None => "If there is none, call TaskCreate with such a subject first, then TaskUpdate with its id and \
                 `status: \"in_progress\"`."
            .to_owned(),
    };
    format!(
        "Phase delegation without TaskUpdate. Call TaskUpdate to mark the phase task as in_progress before delegating.\n\
         Nothing marks the current phase {} as begun. The task's subject must name the phase: {example}{subject}. {next} Do \
         not repeat this call until it is marked.",
        quoted(current)
    )
}
