//! Pack `orchestrator`: keeps a team of agents that implements a plan honest.
//!
//! A plan is active while the project has a state file ([`OrchestratorState`]); each hook is switched on in the project's
//! `project.yml` ([`Config`]). The scope guard needs no switch: it waits for a scope file.
//!
//! ```text
//! Event ─Project→ folders ─Config→ switched on? ─State→ active plan ─Plan→ tasks ─hook→ Outcome
//! ```

mod active;
mod changes;
mod config;
mod contract;
mod evidence;
mod named_files;
mod plan;
mod precompact_state;
mod project;
mod scope;
mod scope_protection;
mod session_context;
mod state;
mod stop_guard;
mod task_completed;
mod task_file;
mod test_runs;
mod verification;

pub use active::ActivePlan;
pub use config::{Config, Switch, Verification};
pub use contract::OrchestratorContract;
pub use plan::{Plan, PlanTask, Status, Tasks};
pub use precompact_state::PrecompactState;
pub use project::Project;
pub use scope_protection::ScopeProtection;
pub use session_context::SessionContext;
pub use state::{OrchestratorState, StateError, begin, end, find_state};
pub use stop_guard::StopGuard;
pub use task_completed::TaskCompleted;

use crate::PluginHook;

/// What the plugin registers: the four hooks with a switch. The scope guard is asked at every write, so it is registered by
/// those who use it. After a compaction context is given at the start of the session (errata D13).
pub(crate) const PLUGIN: &[PluginHook] = &[
    PluginHook { event: "TaskCompleted", matcher: None, timeout_seconds: 10, prompt: None },
    PluginHook { event: "Stop", matcher: None, timeout_seconds: 5, prompt: None },
    PluginHook { event: "SessionStart", matcher: Some("clear|resume|compact|fork"), timeout_seconds: 5, prompt: None },
    PluginHook { event: "PreCompact", matcher: None, timeout_seconds: 5, prompt: None },
];
