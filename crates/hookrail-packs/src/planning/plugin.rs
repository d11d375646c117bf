use super::validate_architect_output::PROMPT;
use crate::PluginHook;

const fn on(event: &'static str, matcher: Option<&'static str>, timeout_seconds: u32) -> PluginHook {
    PluginHook { event, matcher, timeout_seconds, prompt: None }
}

/// What the plugin registers. Claude Code judges the architect with its own model, so hookrail is not asked about that agent
/// there: two judges would not agree.
pub(crate) const PLUGIN: &[PluginHook] = &[
    on("SessionStart", None, 10),
    on("UserPromptSubmit", None, 5),
    on("PreToolUse", Some("AskUserQuestion"), 5),
    on("PreToolUse", Some("Write|Edit|MultiEdit|NotebookEdit"), 5),
    on("PreToolUse", Some("mcp__(.*_)?context7__.*|mcp__(.*_)?[Rr]ef__.*|mcp__(.*_)?tavily__.*"), 5),
    on("PostToolUse", Some("Write|Edit|MultiEdit"), 5),
    on("SubagentStop", Some("^product-planning:(?!software-architect$)"), 10),
    PluginHook { prompt: Some(PROMPT), ..on("SubagentStop", Some("^product-planning:software-architect$"), 20) },
    on("Stop", None, 5),
    on("PreCompact", None, 5),
];
