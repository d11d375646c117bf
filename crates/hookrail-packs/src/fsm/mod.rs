//! Pack `fsm`: skills that bring their task list.
//!
//! A skill may have an `fsm.json` beside it, a list of tasks that depend on each other. When the skill is invoked, its tasks
//! appear in the agent's task list.
//!
//! ```text
//! Event ─request→ who, where ─locator→ fsm.json ─definition→ tasks ─hydration→ task files ─change→ the list
//! ```
//!
//! Everything is read and checked before anything is changed; [`change`] makes the change whole or not at all.

mod change;
mod contract;
mod definition;
mod drawing;
mod error;
mod folders;
mod graph;
mod hydrate_tasks;
mod hydration;
mod locator;
mod registry;
mod request;
mod skill_name;
mod task_list;

pub use change::{hydrate, recover};
pub use contract::FsmContract;
pub use definition::{Definition, DefinitionError, FsmFile};
pub use drawing::{draw_dot, draw_mermaid, draw_text};
pub use error::FsmError;
pub(crate) use folders::Folders;
pub use graph::Graph;
pub use hydrate_tasks::HydrateTasks;
pub use hydration::{FileForm, Hydration, Scope};

use crate::PluginHook;

/// What the plugin registers: skills that the model invokes, and those a user types as commands.
pub(crate) const PLUGIN: &[PluginHook] = &[
    PluginHook { event: "PostToolUse", matcher: Some("Skill"), timeout_seconds: 30, prompt: None },
    PluginHook { event: "UserPromptExpansion", matcher: None, timeout_seconds: 30, prompt: None },
];
