//! The vocabulary of agent hooks and the pure steps from event to verdict.
//!
//! An [`Event`] happens in an agent. The [`planner`] picks the [`HookEntry`]s that apply and orders them into a
//! [`Plan`]; a runner (`hookrail-engine` has one) turns each of them into a [`HookRun`]; the [`aggregator`] merges the runs
//! into one [`Verdict`]. Between two hooks of a sequential plan, [`chaining`] hands the changes of the first on to the
//! second.
//!
//! What a hook says is read once, into a [`HookOutput`], and merged as a type:
//!
//! ```
//! use hookrail_core::{Decision, EventName, HookOutput};
//! use serde_json::json;
//!
//! let said = json!({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "not today"}});
//! let output = HookOutput::from_json(&EventName::BeforeTool, said).unwrap();
//! assert_eq!((output.decision, output.reason()), (Decision::Block, Some("not today")));
//! ```
//!
//! Nothing here touches files, processes, the environment or a clock: the same inputs give the same verdict.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod aggregator;
pub mod chaining;
mod condition;
mod decision;
pub mod display;
mod entry;
mod event;
pub mod js_regex;
pub mod lenient_json;
pub mod llm;
mod matcher;
mod mode;
pub mod native;
mod on_error;
mod output;
pub mod planner;
pub mod process_result;
pub mod redaction;
mod run;
mod shared_bytes;
pub mod spelling;
pub mod tidy_path;
mod tool;
mod verdict;

pub use condition::Condition;
pub use decision::Decision;
pub use entry::{
    CommandStart, ConfigSource, DEFAULT_TIMEOUT, HookAction, HookEntry, HttpAction, Origin, PromptAction, Shell,
    Wording,
};
pub use event::{Event, EventName, MatchTarget, MergeRule, NATIVE_NAME_FIELD};
pub use llm::Translator;
pub use matcher::{Matcher, MatcherProblem, MatcherStyle};
pub use mode::Mode;
pub use native::{
    FileKind, FileStamp, Held, HookError, HookPack, HookProfile, NativeHook, Outcome, Relocation, SeeLine, World,
};
pub use on_error::OnError;
pub use output::{
    DefaultHookOutput, ElicitationAction, Extra, HookOutput, InputRewrite, Misread, NO_REASON, Reading, Requests,
    Rewrite, create_hook_output, create_specific_hook_output,
};
pub use planner::{Occasion, Order, Plan};
pub use run::{Failure, HookRef, HookRun, RunStatus};
pub use shared_bytes::SharedBytes;
pub use tool::{ToolCall, ToolClassifier, ToolKind};
pub use verdict::{Conflict, Reason, Verdict};
