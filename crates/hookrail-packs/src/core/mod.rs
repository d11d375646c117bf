//! Pack `core`: what hookrail does for itself.

mod event_log;
mod ground;
mod listed;
mod protected_paths;
mod redact_output;
mod secret_paths;
mod self_protection;
mod unclear;

pub use event_log::EventLog;
pub use protected_paths::ProtectedPaths;
pub use redact_output::RedactOutput;

use crate::PluginHook;

/// The tools of Claude Code that write, run or read something. Those of MCP servers are added to every list.
const TOOLS: Option<&str> = Some("Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|Read|Grep|Glob|WebFetch");

/// What the plugin registers. `event-log` is off by default and not part of it.
pub(crate) const PLUGIN: &[PluginHook] = &[
    PluginHook { event: "PreToolUse", matcher: TOOLS, timeout_seconds: 15, prompt: None },
    PluginHook { event: "PermissionRequest", matcher: TOOLS, timeout_seconds: 15, prompt: None },
];
