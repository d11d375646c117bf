//! What an agent honours at one event.

use crate::event_table::EventLine;
use crate::shape::Shape;
use hookrail_core::EventName;

/// How the agent is told that something must not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// `hookSpecificOutput.permissionDecision: "deny"` with `permissionDecisionReason`
    Permission,
    /// `hookSpecificOutput.decision: {"behavior": "deny", "message"}`
    Behavior,
    /// `decision: "block"` with `reason`
    Block,
    /// `decision: "deny"` with `reason`
    Deny,
    /// `decision: "block"` with `reason`, at the top and in `hookSpecificOutput`: documentation and program disagree.
    BlockTwice,
    /// `hookSpecificOutput.llm_response`: the model's answer is replaced by the reason.
    Replace,
    /// `hookSpecificOutput.action: "decline"`; the reason goes to the user.
    Decline,
    /// `continue: false`
    Stop,
    /// Exit code 2, the reason on stderr.
    ExitTwo,
    /// It happened already; the model is told why it should not have.
    Feedback,
    /// It cannot be refused; the user is told.
    Message,
    /// Nothing the hook says is read.
    Unheard,
}

/// Where text for the model goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// `hookSpecificOutput.additionalContext`
    Field,
    /// `additionalContext` at the top.
    Top,
    /// The user reads it; when the agent is kept working it stands in the reason, which arrives as a user message.
    Message,
    /// There is no room for it, except in the reason of a refusal.
    Reason,
    /// It has no reader.
    Nowhere,
}

/// Which of the common fields an agent accepts. Each level includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AcceptedFields {
    Mute,
    /// `systemMessage`
    Message,
    /// `continue` and `stopReason`
    Stop,
    /// `suppressOutput`
    Full,
}

/// A field of `hookSpecificOutput` that the agent takes as a hook wrote it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub key: &'static str,
    pub shape: Shape,
    /// The agent looks at it only in a refusal.
    pub in_refusal: bool,
}

impl Passed {
    pub(crate) const fn new(key: &'static str, shape: Shape) -> Self {
        Self { key, shape, in_refusal: false }
    }

    pub(crate) const fn in_refusal(mut self) -> Self {
        self.in_refusal = true;
        self
    }
}

#[derive(Debug)]
pub(crate) struct EventRow {
    pub native: &'static str,
    /// `None`: hookrail has no name for it and keeps the agent's.
    pub event: Option<EventName>,
    pub refusal: Refusal,
    pub context: Context,
    pub voice: AcceptedFields,
    pub passed: &'static [Passed],
    /// The field and the value of it with which the agent drops the context.
    pub lost: Option<(&'static str, &'static str)>,
}

/// An event hookrail has a name for.
pub(crate) const fn on(native: &'static str, event: EventName, refusal: Refusal) -> EventRow {
    EventRow::new(native, Some(event), refusal)
}

/// An event only this agent has.
pub(crate) const fn other(native: &'static str, refusal: Refusal) -> EventRow {
    EventRow::new(native, None, refusal)
}

impl EventLine for EventRow {
    fn native(&self) -> &'static str {
        self.native
    }

    fn event(&self) -> Option<&EventName> {
        self.event.as_ref()
    }
}

impl EventRow {
    const fn new(native: &'static str, event: Option<EventName>, refusal: Refusal) -> Self {
        Self { native, event, refusal, context: Context::Nowhere, voice: AcceptedFields::Full, passed: &[], lost: None }
    }

    pub(crate) const fn context(mut self, context: Context) -> Self {
        self.context = context;
        self
    }

    pub(crate) const fn context_lost(mut self, field: &'static str, value: &'static str) -> Self {
        self.lost = Some((field, value));
        self
    }

    pub(crate) const fn voice(mut self, voice: AcceptedFields) -> Self {
        self.voice = voice;
        self
    }

    pub(crate) const fn passes(mut self, passed: &'static [Passed]) -> Self {
        self.passed = passed;
        self
    }
}
