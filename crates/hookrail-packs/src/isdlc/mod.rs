//! Pack `isdlc`: a phased development workflow that keeps its promises.
//!
//! The workflow's own files say what is promised: `.isdlc/state.json` names the phases and the current one,
//! `skills-manifest.json` the agents of each phase. Three guards look at delegations, one at commits; three observers point
//! out state, walkthroughs and menus that are not what they claim. Whatever cannot be read blocks nothing.
//!
//! ```text
//! Event ─delegation→ phase ┐
//! Event ─effects→ branch   ├─ guard ─→ Outcome
//! Project ─state→ workflow ┘
//! ```

mod branch_guard;
mod contract;
mod delegation;
mod discover_menu_guard;
mod discovery;
mod manifest;
mod menu;
mod phase_key;
mod phase_loop_controller;
mod phase_sequence_guard;
mod plan_surfacer;
mod progress;
mod project;
mod state;
mod state_write_validator;
mod walkthrough_tracker;
mod words;

use crate::PluginHook;

pub use branch_guard::BranchGuard;
pub use contract::IsdlcContract;
pub use discover_menu_guard::DiscoverMenuGuard;
pub use phase_loop_controller::PhaseLoopController;
pub use phase_sequence_guard::PhaseSequenceGuard;
pub use plan_surfacer::PlanSurfacer;
pub use state_write_validator::StateWriteValidator;
pub use walkthrough_tracker::WalkthroughTracker;

/// What the plugin registers: the guards before a call, the observers after it (errata X8, E25). An agent that runs in the
/// background ends with `SubagentStop`.
pub const PLUGIN: &[PluginHook] = &[
    PluginHook { event: "PreToolUse", matcher: Some("Task|Agent|Bash|Skill"), timeout_seconds: 10, prompt: None },
    PluginHook {
        event: "PostToolUse",
        matcher: Some("Task|Agent|Bash|PowerShell|Write|Edit|MultiEdit"),
        timeout_seconds: 5,
        prompt: None,
    },
    PluginHook { event: "SubagentStop", matcher: None, timeout_seconds: 5, prompt: None },
    PluginHook { event: "UserPromptExpansion", matcher: None, timeout_seconds: 5, prompt: None },
];
