//! Pack `core`: what hookrail does for itself.

mod event_log;
mod protected_paths;
mod self_protection;

pub use event_log::EventLog;
pub use protected_paths::ProtectedPaths;

use crate::PluginHook;

/// The tools of Claude Code that write or run something.
const WRITERS: Option<&str> = Some("Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit");

/// What the plugin registers. `event-log` is off by default and not part of it.
pub(crate) const PLUGIN: &[PluginHook] = &[
    PluginHook { event: "PreToolUse", matcher: WRITERS, timeout_seconds: 15, prompt: None },
    PluginHook { event: "PermissionRequest", matcher: WRITERS, timeout_seconds: 15, prompt: None },
];
