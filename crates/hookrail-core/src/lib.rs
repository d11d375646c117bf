//! The vocabulary of agent hooks and the pure steps from event to verdict.
//!
//! An [`Event`] happens in an agent. The [`planner`] picks the [`HookEntry`]s that apply and orders them into a
//! [`Plan`]; somebody runs them and brings back [`HookRun`]s; the [`aggregator`] merges these into one [`Verdict`].
//! Between two hooks of a sequential plan, [`chaining`] hands the changes of the first on to the second.
//!
//! Nothing here touches files, processes, the environment or a clock: the same inputs give the same verdict.

pub mod aggregator;
pub mod chaining;
mod decision;
pub mod display;
mod entry;
mod event;
pub mod js_regex;
pub mod llm;
mod matcher;
mod mode;
pub mod native;
mod on_error;
mod output;
mod output_class;
pub mod planner;
pub mod process_result;
pub mod redaction;
mod run;
mod tool;
mod verdict;

pub use decision::Decision;
pub use entry::{ConfigSource, DEFAULT_TIMEOUT, HookAction, HookEntry, HttpAction, Origin, PromptAction};
pub use event::{Event, EventName, MatchTarget, MergeRule};
pub use llm::Translator;
pub use matcher::{Matcher, MatcherProblem, MatcherStyle};
pub use mode::Mode;
pub use native::{FileKind, Held, HookError, NativeHook, Outcome, Relocation, World};
pub use on_error::OnError;
pub use output::{HookOutput, NO_REASON};
pub use output_class::{DefaultHookOutput, OutputClass, create_hook_output, create_specific_hook_output};
pub use planner::{Order, Plan};
pub use run::{Failure, HookRef, HookRun, RunStatus};
pub use tool::{ToolCall, ToolKind};
pub use verdict::{Conflict, Reason, Verdict};
