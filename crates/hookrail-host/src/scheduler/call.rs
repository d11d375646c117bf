use crate::{ToolEnding, ToolResult};
use serde_json::{Map, Value};

/// A tool call as the model made it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCallRequest {
    /// The model's own id for the call, where it gives one.
    pub id: Option<String>,
    /// The tool, as the model spelled it.
    pub name: String,
    /// An object, if the model keeps to the rules.
    pub args: Value,
}

impl ToolCallRequest {
    /// A call without an id.
    #[must_use]
    pub fn new(name: impl Into<String>, args: Value) -> Self {
        Self { id: None, name: name.into(), args }
    }
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolCallStatus {
    /// Is there such a tool, may it be called, are these arguments for it?
    Validating,
    /// Its hooks are asked and the tool runs.
    Executing,
    /// Done. Nothing happens to this call any more.
    Idle,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCallOutcome {
    /// What the model asked for.
    pub call: ToolCallRequest,
    /// What the model is told, and what the user is shown.
    pub result: ToolResult,
    /// How far the call came.
    pub ending: ToolEnding,
    /// The arguments the tool ran with, or would have; hooks may have changed them.
    pub args: Map<String, Value>,
    /// The agent's loop must end, for this reason.
    pub stop: Option<String>,
    /// For the model, beside the result.
    pub warnings: Vec<String>,
    /// Every status the call had, in order.
    pub statuses: Vec<ToolCallStatus>,
}

impl ToolCallOutcome {
    /// Whether the model is to read the result as something that did not work out.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.ending != ToolEnding::Ran || self.result.error.is_some()
    }
}

/// What a scheduler tells while it works.
#[derive(Clone, Copy, Debug)]
pub enum ToolCallUpdate<'a> {
    /// A call enters a status.
    Status {
        /// Which call.
        call: &'a ToolCallRequest,
        /// Its new status.
        status: ToolCallStatus,
    },
    /// The result is final, and so are those of all calls before this one.
    Published(&'a ToolCallOutcome),
}
