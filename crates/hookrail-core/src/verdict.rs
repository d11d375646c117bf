use crate::{Decision, EventName, HookOutput, HookRef, HookRun, Order, aggregator};
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
    pub final_output: Option<HookOutput>,
    /// In plan order.
    pub runs: Vec<HookRun>,
    pub conflicts: Vec<Conflict>,
    pub order: Order,
    /// What hookrail has to say about its own work: a journal that could not be written, a field nobody understands. For a
    /// log or stderr; it never changes a decision.
    pub notices: Vec<String>,
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
            notices: Vec::new(),
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
        self.final_output.get_or_insert_default().add_message(text);
    }

    #[must_use]
    pub fn is_blocking(&self) -> bool {
        self.final_output.as_ref().is_some_and(HookOutput::is_blocking_decision)
    }

    /// Why the operation must not happen; `None` if no hook refused it. Never empty: a deny needs no reason to be one.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        let output = self.final_output.as_ref().filter(|_| self.decision >= Decision::Block)?;
        Some(output.get_effective_reason())
    }

    /// The verdict as it was after the first `count` hooks.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "what was merged is merged again, by the same rule")]
    pub fn after(&self, count: usize) -> Self {
        let runs = self.runs.iter().take(count).cloned().collect();
        aggregator::aggregate_results(&self.event, runs, self.order)
    }

    /// Takes the words of hooks that failed out of the verdict, and returns them: they are for the user and the model to
    /// know, and must not change what the operation comes to (HOOK-031). What their `on_error` decided stays.
    #[expect(clippy::disallowed_methods, reason = "what was merged is merged again, by the same rule")]
    pub fn take_remarks_of_failed(&mut self) -> Vec<String> {
        let mut remarks = Vec::new();
        for run in self.runs.iter_mut().filter(|run| run.failure().is_some()) {
            remarks
                .extend(run.output.as_mut().and_then(|output| output.message.take()).filter(|text| !text.is_empty()));
        }
        if !remarks.is_empty() {
            let runs = std::mem::take(&mut self.runs);
            let merged = aggregator::aggregate_results(&self.event, runs, self.order);
            (self.runs, self.final_output, self.decision) = (merged.runs, merged.final_output, merged.decision);
        }
        remarks
    }

    /// Whether the call is approved: nothing speaks against it, and a hook that may approve did.
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.decision == Decision::Allow && self.runs.iter().any(HookRun::approves)
    }

    /// Lets pass what rules ask a person about, where nobody can be asked and the user wants that. The user is told. What
    /// any other hook asks or refuses stays.
    pub fn pass_unanswered(&mut self) {
        let asks = |run: &&HookRun| run.output.as_ref().is_some_and(|output| output.verdict() == Decision::Ask);
        let of_rules = self.runs.iter().filter(asks).all(|run| run.record.contains_key("rule"));
        let Some(output) = self.final_output.as_mut().filter(|_| self.decision == Decision::Ask && of_rules) else {
            return;
        };
        let question = output.reason.take().unwrap_or_default();
        output.decision = Decision::None;
        output.add_message(&format!("nobody could be asked, and it went on: {question}"));
        self.decision = Decision::None;
    }

    #[must_use]
    pub fn should_stop(&self) -> bool {
        self.decision == Decision::Stop
    }

    /// Why this verdict is what it is: who decided what, and who failed.
    #[must_use]
    pub fn reasons(&self) -> Vec<Reason<'_>> {
        self.runs.iter().filter_map(reason).collect()
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
        let rewrote = |run: &&HookRun| run.output.as_ref().is_some_and(|output| !output.rewrite.is_empty());
        self.runs.iter().filter(rewrote).map(|run| &run.hook)
    }
}

fn reason(run: &HookRun) -> Option<Reason<'_>> {
    let output = run.output.as_ref();
    let decision = output.map_or(Decision::None, HookOutput::verdict);
    let message = match (output.and_then(HookOutput::spoken_reason), run.failure()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(failure)) => failure.to_string(),
        (None, None) if decision == Decision::None => return None,
        (None, None) => String::new(),
    };
    Some(Reason { hook: &run.hook, decision, message, duration: run.duration })
}
