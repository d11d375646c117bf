use crate::{Decision, DefaultHookOutput, EventName, HookOutput, HookRef, HookRun, Order, create_specific_hook_output};
use std::time::Duration;

/// Two hooks that ran at the same time rewrote the same thing; the later one in plan order won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// What both changed, such as `tool_input.command`.
    pub field: String,
    /// Ids in plan order; the last one's value is in the verdict.
    pub hooks: Vec<String>,
}

/// One hook's contribution to a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason<'a> {
    pub hook: &'a HookRef,
    pub decision: Decision,
    pub message: String,
    pub duration: Duration,
}

/// What all hooks of an event decided together, and every run that led to it.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub event: EventName,
    /// The maximum of all hooks' decisions.
    pub decision: Decision,
    /// Every hook ran without error. Says nothing about policy (HOOK-213).
    pub success: bool,
    /// The merged output; `None` when no hook had one.
    pub final_output: Option<DefaultHookOutput>,
    /// In plan order.
    pub runs: Vec<HookRun>,
    pub conflicts: Vec<Conflict>,
    pub order: Order,
}

impl Verdict {
    /// What an event without applicable hooks gets: success, and nothing else (HOOK-145).
    #[must_use]
    pub fn empty(event: EventName) -> Self {
        Self {
            event,
            decision: Decision::None,
            success: true,
            final_output: None,
            runs: Vec::new(),
            conflicts: Vec::new(),
            order: Order::Parallel,
        }
    }

    pub fn all_outputs(&self) -> impl Iterator<Item = &HookOutput> {
        self.runs.iter().filter_map(|run| run.output.as_ref())
    }

    #[must_use]
    pub fn errors(&self) -> Vec<String> {
        self.runs.iter().filter_map(HookRun::error).collect()
    }

    #[must_use]
    pub fn total_duration(&self) -> Duration {
        self.runs.iter().map(|run| run.duration).sum()
    }

    /// Adds text for the user that no hook said.
    pub fn add_message(&mut self, text: &str) {
        let said = self.final_output.as_ref().and_then(|output| output.output().system_message());
        let message = said.map_or_else(|| text.to_owned(), |said| format!("{said}\n{text}"));
        self.set_message(&message);
    }

    /// Puts this in the place of what hooks have to say to the user.
    pub fn set_message(&mut self, text: &str) {
        let mut output = self.final_output.take().map(|output| output.output().clone()).unwrap_or_default();
        output.set_text("systemMessage", text);
        self.final_output = Some(create_specific_hook_output(&self.event, output));
    }

    #[must_use]
    pub fn is_blocking(&self) -> bool {
        self.final_output.as_ref().is_some_and(DefaultHookOutput::is_blocking_decision)
    }

    #[must_use]
    pub fn should_stop(&self) -> bool {
        self.decision == Decision::Stop
    }

    /// Why this verdict is what it is: who decided what, and who failed.
    #[must_use]
    pub fn reasons(&self) -> Vec<Reason<'_>> {
        self.runs.iter().filter_map(|run| reason(run, &self.event)).collect()
    }

    /// Text for the model, with the hook that gave it.
    pub fn contexts(&self) -> impl Iterator<Item = (&HookRef, &str)> {
        self.runs.iter().filter_map(|run| Some((&run.hook, run.output.as_ref()?.additional_context()?)))
    }

    /// Text for the user, with the hook that gave it.
    pub fn messages(&self) -> impl Iterator<Item = (&HookRef, &str)> {
        self.runs.iter().filter_map(|run| Some((&run.hook, run.output.as_ref()?.system_message()?)))
    }

    /// The hooks that rewrote the operation.
    pub fn rewriters(&self) -> impl Iterator<Item = &HookRef> {
        const REWRITES: [&str; 4] = ["tool_input", "llm_request", "llm_response", "toolConfig"];
        self.runs
            .iter()
            .filter(|run| {
                run.output.as_ref().is_some_and(|out| REWRITES.iter().any(|key| out.specific_object(key).is_some()))
            })
            .map(|run| &run.hook)
    }
}

fn reason<'a>(run: &'a HookRun, event: &EventName) -> Option<Reason<'a>> {
    let output = run.output.as_ref();
    let decision =
        output.map_or(Decision::None, |output| if output.stops() { Decision::Stop } else { output.decision_on(event) });
    let told = output.and_then(|output| match decision {
        Decision::Stop => output.stop_reason().or_else(|| output.reason_on(event)),
        Decision::None | Decision::Allow | Decision::Ask | Decision::Block => output.reason_on(event),
    });
    let message = match (told, run.failure()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(failure)) => failure.to_string(),
        (None, None) if decision == Decision::None => return None,
        (None, None) => String::new(),
    };
    Some(Reason { hook: &run.hook, decision, message, duration: run.duration })
}
