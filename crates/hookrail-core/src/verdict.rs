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
    /// Whose contribution it is.
    pub hook: &'a HookRef,
    /// What this hook decided, which may be less than the verdict.
    pub decision: Decision,
    /// What it said, or how it failed; empty if it decided without a word.
    pub message: String,
    /// How long it took.
    pub duration: Duration,
}

/// What all hooks of an event decided together, and every run that led to it.
///
/// Only the [`aggregator`] makes one, so that its decision is the maximum of its runs' decisions and its reasons are theirs.
#[derive(Clone, Debug)]
#[must_use = "an unused verdict forbids nothing"]
pub struct Verdict {
    pub(crate) event: EventName,
    pub(crate) decision: Decision,
    pub(crate) success: bool,
    pub(crate) final_output: Option<HookOutput>,
    pub(crate) runs: Vec<HookRun>,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) order: Order,
    pub(crate) notices: Vec<String>,
    /// Text for the user that no hook said; it is part of the merged output's message.
    pub(crate) added: Vec<String>,
}

impl Verdict {
    /// What an event without applicable hooks gets: success, and nothing else (HOOK-145).
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
            added: Vec::new(),
        }
    }

    /// The event that was decided on.
    #[must_use]
    pub fn event(&self) -> &EventName {
        &self.event
    }

    /// The maximum of all hooks' decisions.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Every hook ran without error. Says nothing about policy (HOOK-213).
    #[must_use]
    pub fn success(&self) -> bool {
        self.success
    }

    /// The merged output; `None` when no hook had one.
    #[must_use]
    pub fn final_output(&self) -> Option<&HookOutput> {
        self.final_output.as_ref()
    }

    /// The merged output alone, for a caller that needs nothing else.
    #[must_use]
    pub fn into_final_output(self) -> Option<HookOutput> {
        self.final_output
    }

    /// Every run, in plan order.
    #[must_use]
    pub fn runs(&self) -> &[HookRun] {
        &self.runs
    }

    /// What parallel hooks rewrote differently.
    #[must_use]
    pub fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    /// How the hooks ran.
    #[must_use]
    pub fn order(&self) -> Order {
        self.order
    }

    /// What hookrail has to say about its own work: a journal that could not be written, a field that is not understood. For a
    /// log or stderr; it never changes a decision.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Adds to what hookrail has to say about its own work.
    pub fn add_notices(&mut self, notices: impl IntoIterator<Item = String>) {
        self.notices.extend(notices);
    }

    /// What every hook said that said anything, in plan order.
    pub fn all_outputs(&self) -> impl Iterator<Item = &HookOutput> {
        self.runs.iter().filter_map(|run| run.output.as_ref())
    }

    /// The failures that are not reported elsewhere; see [`Failure::error_text`](crate::Failure::error_text).
    #[must_use]
    pub fn errors(&self) -> Vec<String> {
        self.runs.iter().filter_map(HookRun::error).collect()
    }

    /// How long all runs took together. Parallel hooks count as if they had run one after the other.
    #[must_use]
    pub fn total_duration(&self) -> Duration {
        self.runs.iter().map(|run| run.duration).sum()
    }

    /// Puts text for the model before what hooks say.
    pub fn prepend_context(&mut self, text: &str) {
        let output = self.final_output.get_or_insert_default();
        output.context = Some(match output.context.take() {
            Some(said) => format!("{text}\n{said}"),
            None => text.to_owned(),
        });
    }

    /// Adds text for the user that no hook said.
    pub fn add_message(&mut self, text: &str) {
        self.final_output.get_or_insert_default().add_message(text);
        self.added.push(text.to_owned());
    }

    /// Changes what the merged output says, for instance because it is too long. What it decides stays as it was.
    pub fn edit_texts(&mut self, edit: impl FnOnce(&mut HookOutput)) {
        if let Some(output) = &mut self.final_output {
            let (decision, stop) = (output.decision, output.stop);
            edit(output);
            (output.decision, output.stop) = (decision, stop);
        }
    }

    /// Whether a hook refused the operation. A stop is told apart; [`Verdict::refusal`] is about both.
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
    #[expect(clippy::disallowed_methods, reason = "what was merged is merged again, by the same rule")]
    pub fn after(&self, count: usize) -> Self {
        let runs = self.runs.iter().take(count).cloned().collect();
        aggregator::aggregate_results(&self.event, runs, self.order)
    }

    /// Takes the words of hooks that failed out of the verdict, and returns them: they are for the user and the model to
    /// know, and must not change what the operation comes to (HOOK-031). What their `on_error` decided stays, and so does
    /// every text but the message, which may have been shortened since it was merged.
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
            self.runs = merged.runs;
            let said = merged.final_output.and_then(|output| output.message);
            let messages: Vec<&str> = said.iter().chain(&self.added).map(String::as_str).collect();
            if let Some(output) = &mut self.final_output {
                output.message = (!messages.is_empty()).then(|| messages.join("\n"));
            }
        }
        remarks
    }

    /// Whether the call is approved: nothing speaks against it, and a hook that may approve did.
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.decision == Decision::Allow && self.runs.iter().any(HookRun::approves)
    }

    /// Lets pass what rules ask a person about, where no person can be asked and the user wants that. The user is told. What
    /// any other hook asks or refuses stays.
    #[expect(clippy::disallowed_methods, reason = "what was merged is merged again, by the same rule")]
    pub fn pass_unanswered(&mut self) {
        let asks = |run: &HookRun| run.output.as_ref().is_some_and(|output| output.verdict() == Decision::Ask);
        let of_rules = self.runs.iter().filter(|run| asks(run)).all(|run| run.record.contains_key("rule"));
        if self.decision != Decision::Ask || !of_rules {
            return;
        }
        for run in self.runs.iter_mut().filter(|run| asks(run)) {
            let question = run.output.as_ref().and_then(HookOutput::reason).unwrap_or_default();
            let told = HookOutput::message(&format!("no person could be asked, and it went on: {question}"));
            run.withheld = run.output.replace(told).map(Box::new);
        }
        let mut merged = aggregator::aggregate_results(&self.event, std::mem::take(&mut self.runs), self.order);
        self.added.iter().for_each(|text| merged.add_message(text));
        merged.notices = std::mem::take(&mut self.notices);
        *self = merged;
    }

    /// Whether the agent must not go on at all.
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
