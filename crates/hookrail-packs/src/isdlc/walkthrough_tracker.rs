use super::discovery::{Finished, is_end_of_agent};
use super::project::Project;
use super::state::WorkflowState;
use super::words::bare_name;
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, ToolKind, World};

/// Points out a discovery without its walkthrough of the constitution.
///
/// **What it catches.** The end of a discovery after which the state does not say that the constitution was walked through;
/// and the start of a workflow with `/sdlc` or `/isdlc` while a discovery left that out. It only ever warns. A discovery in
/// the background ends when its agent does, not when the call returns; one that said nothing has not ended.
///
/// **Why.** Later gates hold work to the constitution. A user who has not seen it did not agree to it.
///
/// **Caught:** the end of `Task discover-orchestrator` with `{"discovery_context": {"walkthrough_completed": false}}`.
/// **Not caught:** the same with `true` (the text `"true"` is not it); an agent that reports what it "discovered".
#[derive(Debug)]
pub struct WalkthroughTracker;

const COMMANDS: [&str; 2] = ["sdlc", "isdlc"];

impl NativeHook for WalkthroughTracker {
    fn id(&self) -> &'static str {
        "isdlc/walkthrough-tracker"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::AfterTool, EventName::SubagentStop, EventName::BeforeTool, EventName::PromptExpand]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), has_breaker: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        match event.name {
            EventName::AfterTool | EventName::SubagentStop => is_end_of_agent(event),
            _ => starts_workflow(event),
        }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let discovery = match event.name {
            EventName::AfterTool | EventName::SubagentStop => match Finished::discovery(event, world) {
                Some(discovery) => Some(discovery),
                None => return Ok(Outcome::silent()),
            },
            _ => None,
        };
        let Some(project) = Project::find(event, world)? else { return Ok(Outcome::silent()) };
        let Some((_, state)) = project.read_state(event, world)? else { return Ok(Outcome::silent()) };
        Ok(match discovery {
            Some(_) if state.walkthrough_completed() == Some(true) => Outcome::silent(),
            Some(discovery) => discovery.warn(self.id(), "Discovery completed without constitution walkthrough", world),
            None => before_workflow(&state)
                .map_or_else(Outcome::silent, |text| Outcome::silent().with_message(text).with_context(text)),
        })
    }
}

/// A project that was never discovered has nothing to walk through (errata E18).
fn before_workflow(state: &WorkflowState) -> Option<&'static str> {
    (state.walkthrough_completed() == Some(false)).then_some(
        "The workflow starts without constitution walkthrough. Walk the user through the constitution with /discover first",
    )
}

/// The model called the skill, or the user typed the command.
fn starts_workflow(event: &Event) -> bool {
    let name = match (&event.name, event.tool.as_ref().map(|tool| &tool.kind)) {
        (EventName::PromptExpand, _) => event.text("command_name").map(bare_name),
        (_, Some(ToolKind::Skill { name })) => Some(bare_name(name)),
        _ => None,
    };
    name.is_some_and(|name| COMMANDS.contains(&name.as_str()))
}
