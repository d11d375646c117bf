//! A verdict fitted to what an agent can do at an event.

use crate::{EncodedAnswer, cap};
use hookrail_core::{Decision, Event, EventName, HookOutput, HookRun, NO_REASON, Reason, Verdict};
use serde_json::{Map, Value};

/// What an agent can do at an event when a hook wants it to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Powers {
    /// Not do it, or tell the model that it should not have been done.
    pub refuse: bool,
    /// Ask a person before it goes on.
    pub ask: bool,
    /// Run the tool with another input.
    pub rewrite: bool,
    /// Go on without asking a person.
    pub allow: bool,
}

/// What the agent is to do. Reasons are never blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// Go on.
    Pass,
    /// Go on, and do not ask a person.
    Allow(String),
    Ask(String),
    Refuse(String),
    /// Refuse, and do not go on with anything else.
    Halt(String),
}

/// What a verdict says, besides its decision.
#[derive(Clone, Debug)]
pub(crate) struct Opinion {
    decision: Decision,
    reason: String,
    /// For the user.
    pub message: Option<String>,
    /// For the model.
    pub context: Option<String>,
    /// The whole input a tool is to run with, if hooks changed it.
    pub rewrite: Option<Map<String, Value>>,
    pub suppress: bool,
    /// A hook that may approve did.
    approved: bool,
    /// The question is that of a rule, which a person can make an exception to.
    excepts: bool,
    specific: Map<String, Value>,
}

impl Opinion {
    pub(crate) fn read(event: &Event, verdict: &Verdict) -> Self {
        let output = verdict.final_output();
        let said = |text: Option<&str>| text.filter(|text| !is_blank(text)).map(str::to_owned);
        let stop_reason = output.and_then(|output| said(output.stop_reason()));
        let reason = output.and_then(|output| said(output.reason()));
        let reason = match verdict.decision() {
            // What another hook refused, and why, is kept beside the reason of the stop.
            Decision::Stop => match (stop_reason, reason) {
                (Some(stop), Some(refusal)) if output.is_some_and(|output| output.decision >= Decision::Ask) => {
                    Some(join(&stop, &refusal))
                }
                (stop, reason) => stop.or(reason),
            },
            Decision::Block | Decision::Ask | Decision::Allow | Decision::None => reason,
        };
        Self {
            decision: verdict.decision(),
            reason: reason.unwrap_or_else(|| unexplained(verdict)),
            message: output.and_then(|output| said(output.system_message())),
            context: output.and_then(|output| said(output.additional_context())),
            rewrite: rewrite(event, verdict),
            suppress: output.and_then(|output| output.suppress).unwrap_or_default(),
            approved: verdict.is_approved(),
            excepts: verdict.runs().iter().any(|run| asks(run) && run.record.contains_key("rule")),
            specific: output.map(HookOutput::specific_json).unwrap_or_default(),
        }
    }

    /// A field of the merged `hookSpecificOutput`.
    pub(crate) fn specific(&self, key: &str) -> Option<&Value> {
        self.specific.get(key)
    }

    /// Decides what the agent is told, within its powers.
    pub(crate) fn rule(&mut self, event: &EventName, powers: Powers) -> Ruling {
        match self.decision {
            Decision::Stop => Ruling::Halt(self.reason.clone()),
            Decision::Block => Ruling::Refuse(self.reason.clone()),
            Decision::Ask | Decision::Allow | Decision::None if self.rewrite.is_some() && !powers.rewrite => {
                Ruling::Refuse(self.wanted_input())
            }
            Decision::Allow if self.approved && powers.allow && self.rewrite.is_none() => {
                Ruling::Allow(self.reason.clone())
            }
            Decision::Allow | Decision::None => Ruling::Pass,
            Decision::Ask if powers.ask => Ruling::Ask(self.reason.clone()),
            // A rule's question is the one that the person is being asked.
            Decision::Ask if *event == EventName::PermissionRequest && self.excepts => Ruling::Pass,
            Decision::Ask if hands_over(event) || !powers.refuse => {
                let request = format!("A hook asks for a person's confirmation: {}", self.reason);
                append(&mut self.message, &request);
                Ruling::Pass
            }
            Decision::Ask => {
                let way = if self.excepts { ALLOWED_BY_PERSON } else { "" };
                let reason = &self.reason;
                Ruling::Refuse(format!("A person must confirm this, and a hook cannot ask one here: {reason}{way}"))
            }
        }
    }

    fn wanted_input(&self) -> String {
        let input = Value::Object(self.rewrite.clone().unwrap_or_default());
        format!(
            "A hook changed the input of this call, which cannot be applied here. Call again with this input: {input}"
        )
    }
}

/// How a person answers a question that an agent cannot ask.
const ALLOWED_BY_PERSON: &str = "\nTo allow it, a person runs `hookrail allow` in a terminal of their own.";

fn asks(run: &HookRun) -> bool {
    run.output.as_ref().is_some_and(|output| output.verdict() == Decision::Ask)
}

/// Refusing these does not prevent anything: it keeps the agent working.
pub(crate) fn refusing_means_working(event: &EventName) -> bool {
    matches!(event, EventName::AfterAgent | EventName::SubagentStop | EventName::TeammateIdle)
}

/// The agent is about to face a person, or to stop: neither needs a hook to ask.
fn hands_over(event: &EventName) -> bool {
    *event == EventName::PermissionRequest || refusing_means_working(event)
}

/// The answer at an undocumented event: exit code 2 with a reason is understood by all agents, and an answer without
/// fields has none that could be wrong.
pub(crate) fn answer_unknown(ruling: &Ruling) -> Option<EncodedAnswer> {
    match ruling {
        Ruling::Refuse(reason) => Some(EncodedAnswer::exit_two(reason)),
        Ruling::Halt(reason) => Some(EncodedAnswer::exit_two(&must_stop(reason))),
        Ruling::Pass | Ruling::Allow(_) | Ruling::Ask(_) => None,
    }
}

/// A halt for agents that can refuse but not stop.
pub(crate) fn must_stop(reason: &str) -> String {
    join(reason, "Do not go on: stop here and hand over to the user.")
}

/// A refusal for agents that do not let hooks refuse an event, as a message.
pub(crate) fn objection(native: &str, reason: &str) -> String {
    format!("A hook objects to {native}, which hooks cannot refuse: {reason}")
}

/// The merged changes laid over the input the agent sent; agents replace the input by what they are given.
fn rewrite(event: &Event, verdict: &Verdict) -> Option<Map<String, Value>> {
    // At a permission request agents take another input only together with a grant, which a hook that rewrites does not give.
    let output = verdict.final_output().filter(|_| event.name == EventName::BeforeTool)?;
    output.modified_tool_input()?;
    let original = event.tool_input().and_then(Value::as_object).cloned().unwrap_or_default();
    Some(output.apply_tool_input(&original)).filter(|input| *input != original)
}

fn unexplained(verdict: &Verdict) -> String {
    let decided = |reason: &Reason<'_>| reason.decision == verdict.decision();
    let hooks: Vec<String> =
        verdict.reasons().into_iter().filter(decided).map(|reason| format!("`{}`", reason.hook.id)).collect();
    if hooks.is_empty() { NO_REASON.to_owned() } else { format!("{NO_REASON} by {}", hooks.join(", ")) }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Two texts as one, each on lines of its own; a blank one leaves no gap.
pub(crate) fn join(first: &str, second: &str) -> String {
    match (is_blank(first), is_blank(second)) {
        (_, true) => first.to_owned(),
        (true, false) => second.to_owned(),
        (false, false) => format!("{first}\n{second}"),
    }
}

/// Appends a text on a line of its own.
pub(crate) fn append(target: &mut Option<String>, text: &str) {
    if !is_blank(text) {
        *target = Some(join(target.as_deref().unwrap_or_default(), text));
    }
}

/// A text on its way to a model, as JSON.
pub(crate) fn for_model(text: &str) -> Value {
    Value::String(cap(text, None).into_owned())
}
