//! What a program that *is* an agent embeds, so that what its users' hooks decide really happens.
//!
//! The smallest useful step is [`execute_tool_with_hooks`] around each tool call. [`ToolScheduler`](scheduler) and
//! [`ChatSession`](chat) apply everything else. All of them talk to the engine through the trigger functions of
//! [`triggers`], which never fail towards their caller.
//!
//! ```
//! use hookrail_engine::Config;
//! use hookrail_host::{ToolResult, execute_tool_with_hooks};
//! use serde_json::json;
//!
//! let hooks = json!({"BeforeTool": [{"matcher": "shell", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]});
//! let config = Config::new("session-1", "/tmp").enable_hooks(true).hooks(&hooks);
//! let input = json!({"command": "make"});
//! let result = execute_tool_with_hooks(&config, "shell", input.as_object().unwrap(), |_| ToolResult::text("made"));
//! assert_eq!(result.llm_content, "no", "the model is told why the tool did not run");
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod chat;
pub mod results;
pub mod rpc;
pub mod scheduler;
mod tool_execution;
mod tool_result;
pub mod translate;
pub mod triggers;

pub use chat::{ChatError, ChatOptions, ChatSession, Display, DisplayTiming, ModelClient, ModelError, TurnEnd};
pub use results::{AfterModelHookResult, BeforeModelHookResult, BeforeToolSelectionHookResult};
pub use scheduler::{
    Tool, ToolCallOutcome, ToolCallRequest, ToolCallStatus, ToolCallUpdate, ToolRestriction, ToolScheduler,
};
pub use tool_execution::{ToolEnding, ToolError, ToolExecution, execute_tool_with_hooks, run_tool_with_hooks};
pub use tool_result::ToolResult;
pub use triggers::{
    fire_after_model_hook, fire_after_tool_hook, fire_before_model_hook, fire_before_tool_hook,
    fire_before_tool_selection_hook, fire_event_hook,
};
