//! Copilot's events, and what it honours at each.

use crate::event_table::EventLine;
use crate::shape::Shape;
use hookrail_core::EventName;

/// How the agent is told that something must not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// `permissionDecision: "deny"`; it can also ask and take another input.
    Permission,
    /// `behavior: "deny"`
    Behavior,
    /// `decision: "block"` keeps the agent working.
    Block,
    /// It happened already; the model is told in `additionalContext`.
    Feedback,
    /// It cannot be refused; the model is told that a hook would.
    Objection,
    /// Nothing of the kind is read.
    Unheard,
}

#[derive(Debug)]
pub(super) struct Row {
    camel: &'static str,
    pascal: Option<&'static str>,
    event: Option<EventName>,
    pub refusal: Refusal,
    pub passed: &'static [(&'static str, Shape)],
}

impl Row {
    const fn new(camel: &'static str, pascal: &'static str, event: EventName, refusal: Refusal) -> Self {
        Self { camel, pascal: Some(pascal), event: Some(event), refusal, passed: &[] }
    }

    const fn passes(mut self, passed: &'static [(&'static str, Shape)]) -> Self {
        self.passed = passed;
        self
    }

    const fn other(camel: &'static str, pascal: &'static str) -> Self {
        Self { camel, pascal: Some(pascal), event: None, refusal: Refusal::Unheard, passed: &[] }
    }
}

impl EventLine for Row {
    fn native(&self) -> &'static str {
        self.pascal.unwrap_or(self.camel)
    }

    fn is_named(&self, native: &str) -> bool {
        self.camel == native || self.pascal == Some(native)
    }

    /// Both, where it has two.
    fn names(&self) -> Vec<&'static str> {
        self.pascal.into_iter().chain([self.camel]).collect()
    }

    fn event(&self) -> Option<&EventName> {
        self.event.as_ref()
    }
}

pub(super) static EVENTS: &[Row] = &[
    Row::new("preToolUse", "PreToolUse", EventName::BeforeTool, Refusal::Permission),
    Row::new("postToolUse", "PostToolUse", EventName::AfterTool, Refusal::Feedback)
        .passes(&[("modifiedResult", Shape::Object)]),
    Row::new("postToolUseFailure", "PostToolUseFailure", EventName::ToolFailed, Refusal::Feedback),
    Row::new("permissionRequest", "PermissionRequest", EventName::PermissionRequest, Refusal::Behavior),
    Row::new("userPromptSubmitted", "UserPromptSubmit", EventName::BeforeAgent, Refusal::Objection),
    Row::new("sessionStart", "SessionStart", EventName::SessionStart, Refusal::Objection),
    Row::new("sessionEnd", "SessionEnd", EventName::SessionEnd, Refusal::Unheard),
    Row::new("agentStop", "Stop", EventName::AfterAgent, Refusal::Block),
    Row::new("subagentStart", "SubagentStart", EventName::SubagentStart, Refusal::Objection),
    Row::new("subagentStop", "SubagentStop", EventName::SubagentStop, Refusal::Block)
        .passes(&[("modifiedResponse", Shape::Text)]),
    Row::new("preCompact", "PreCompact", EventName::PreCompress, Refusal::Unheard),
    Row::new("notification", "Notification", EventName::Notification, Refusal::Objection),
    Row {
        camel: "userPromptTransformed",
        pascal: None,
        event: Some(EventName::PromptExpand),
        refusal: Refusal::Unheard,
        passed: &[("modifiedTransformedPrompt", Shape::Text)],
    },
    Row::other("preMcpToolCall", "PreMcpToolCall"),
    Row::other("errorOccurred", "ErrorOccurred"),
];

/// What a camelCase payload must hold to be an event; the first that fits counts.
pub(super) const SIGNS: &[(&[&str], &str)] = &[
    (&["transformedPrompt"], "userPromptTransformed"),
    (&["serverName", "toolName"], "preMcpToolCall"),
    (&["toolName", "toolResult"], "postToolUse"),
    (&["toolName", "error"], "postToolUseFailure"),
    (&["toolName"], "preToolUse"),
    (&["error"], "errorOccurred"),
    (&["agentName", "stopReason"], "subagentStop"),
    (&["agentId"], "subagentStop"),
    (&["agentName"], "subagentStart"),
    (&["stopReason"], "agentStop"),
    (&["stop_hook_active"], "agentStop"),
    (&["trigger"], "preCompact"),
    (&["notification_type"], "notification"),
    (&["prompt"], "userPromptSubmitted"),
    (&["source"], "sessionStart"),
    (&["reason"], "sessionEnd"),
];
