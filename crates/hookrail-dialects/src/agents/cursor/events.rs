//! Cursor's events, and what it honours at each.

use crate::event_table::EventLine;
use hookrail_core::EventName;

/// How the agent is told that something must not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// `permission: "deny"`
    Permission,
    /// `permission: "deny"`, and `"ask"` really asks.
    PermissionOrAsk,
    /// `continue: false`
    Continue,
    /// `followup_message` keeps the agent working.
    FollowUp,
    /// It happened already; the model is told.
    Feedback,
    /// It cannot be refused; the user is told.
    Message,
    /// Nothing the hook says is read.
    Unheard,
}

/// How a payload says which tool is meant.
#[derive(Clone, Copy, Debug)]
pub(super) enum CursorCall {
    /// In `tool_name` and `tool_input`, or not at all.
    Spelled,
    /// `command` of the shell tool.
    Shell,
    /// `tool_name` of an MCP server, its input as JSON text.
    Mcp,
    /// `file_path` of this tool.
    File(&'static str),
}

#[derive(Debug)]
pub(super) struct Row {
    pub native: &'static str,
    event: Option<EventName>,
    pub refusal: Refusal,
    /// What an answer may hold besides; any other key could make it invalid, and an invalid one blocks.
    pub keys: &'static [&'static str],
    pub call: CursorCall,
}

impl Row {
    const fn on(native: &'static str, event: EventName, refusal: Refusal, keys: &'static [&'static str]) -> Self {
        Self { native, event: Some(event), refusal, keys, call: CursorCall::Spelled }
    }

    const fn other(native: &'static str) -> Self {
        Self { native, event: None, refusal: Refusal::Unheard, keys: &[], call: CursorCall::Spelled }
    }

    const fn call(mut self, call: CursorCall) -> Self {
        self.call = call;
        self
    }
}

impl EventLine for Row {
    fn native(&self) -> &'static str {
        self.native
    }

    fn event(&self) -> Option<&EventName> {
        self.event.as_ref()
    }
}

/// For each of hookrail's events the first row is the one to install.
pub(super) static EVENTS: &[Row] = &[
    Row::on(
        "preToolUse",
        EventName::BeforeTool,
        Refusal::Permission,
        &["user_message", "agent_message", "updated_input", "additional_context"],
    ),
    Row::on("postToolUse", EventName::AfterTool, Refusal::Feedback, &["additional_context"]),
    Row::on("postToolUseFailure", EventName::ToolFailed, Refusal::Feedback, &["additional_context"]),
    Row::on("beforeShellExecution", EventName::BeforeTool, Refusal::PermissionOrAsk, MESSAGES).call(CursorCall::Shell),
    Row::on("afterShellExecution", EventName::AfterTool, Refusal::Unheard, &[]).call(CursorCall::Shell),
    Row::on("beforeMCPExecution", EventName::BeforeTool, Refusal::PermissionOrAsk, MESSAGES).call(CursorCall::Mcp),
    Row::on("afterMCPExecution", EventName::AfterTool, Refusal::Unheard, &[]).call(CursorCall::Mcp),
    Row::on("beforeReadFile", EventName::BeforeTool, Refusal::Permission, &["user_message"])
        .call(CursorCall::File("Read")),
    Row::on("afterFileEdit", EventName::AfterTool, Refusal::Unheard, &[]).call(CursorCall::File("Write")),
    Row::on("beforeTabFileRead", EventName::BeforeTool, Refusal::Permission, &[]).call(CursorCall::File("TabRead")),
    Row::on("afterTabFileEdit", EventName::AfterTool, Refusal::Unheard, &[]).call(CursorCall::File("TabWrite")),
    Row::on("beforeSubmitPrompt", EventName::BeforeAgent, Refusal::Continue, &["user_message", "additional_context"]),
    Row::on("sessionStart", EventName::SessionStart, Refusal::Continue, &["user_message", "additional_context"]),
    Row::on("sessionEnd", EventName::SessionEnd, Refusal::Unheard, &[]),
    Row::on("stop", EventName::AfterAgent, Refusal::FollowUp, &[]),
    Row::on("subagentStart", EventName::SubagentStart, Refusal::Permission, &["user_message", "additional_context"]),
    Row::on("subagentStop", EventName::SubagentStop, Refusal::FollowUp, &["additional_context"]),
    Row::on("preCompact", EventName::PreCompress, Refusal::Message, &["user_message"]),
    Row::other("afterAgentResponse"),
    Row::other("afterAgentThought"),
    Row::other("workspaceOpen"),
];

const MESSAGES: &[&str] = &["user_message", "agent_message"];
