use crate::{ToolError, ToolResult};
use hookrail_engine::CancelToken;
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Something a model can ask an agent to do.
pub trait Tool: Send + Sync {
    /// What the model calls it, and what matchers of hooks are compared with.
    fn name(&self) -> &str;

    /// A Gemini function declaration: `name`, `description`, `parameters`.
    fn declaration(&self) -> Value;

    /// Whether these arguments are ones the tool can run with; an `Err` tells the model why not. Asked about the model's
    /// arguments before any hook sees them, and again about what hooks made of them.
    fn validate(&self, args: &Map<String, Value>) -> Result<(), ToolError>;

    /// Does it. A tool that can take long looks at `cancel` now and then.
    fn execute(&self, args: &Map<String, Value>, cancel: &CancelToken) -> ToolResult;
}

/// [`Tool::validate`] of a tool that may panic.
pub(super) fn validate(tool: &dyn Tool, args: &Map<String, Value>) -> Result<(), ToolError> {
    let checked = shielded(tool, || tool.validate(args)).and_then(|checked| checked);
    checked.map_err(|why| ToolError(format!("invalid arguments for the tool `{}`: {why}", tool.name())))
}

/// [`Tool::execute`] of a tool that may panic.
pub(super) fn execute(tool: &dyn Tool, args: &Map<String, Value>, cancel: &CancelToken) -> ToolResult {
    shielded(tool, || tool.execute(args, cancel)).unwrap_or_else(|why| ToolResult::failed(&why.0))
}

fn shielded<T>(tool: &dyn Tool, work: impl FnOnce() -> T) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        ToolError(format!("the tool `{}` crashed: {text}", tool.name()))
    })
}
