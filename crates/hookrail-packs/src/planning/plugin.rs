use crate::PluginHook;
use serde_json::{Map, Value};

/// Research servers by their name, with whatever prefix a plugin gives them.
const RESEARCH: &str = "mcp__(.*_)?context7__.*|mcp__(.*_)?[Rr]ef__.*|mcp__(.*_)?tavily__.*";

/// A group of entries in the plugin's `hooks.json`.
struct Row {
    hook: PluginHook,
    /// Each is an entry of its own.
    calls: &'static [&'static str],
}

const fn row(event: &'static str, matcher: Option<&'static str>, seconds: u32, calls: &'static [&'static str]) -> Row {
    Row { hook: PluginHook { event, matcher, timeout_seconds: seconds, prompt: None }, calls }
}

/// As the document lists them: each hook has its own entry, so that each can be switched by itself.
const ROWS: [Row; 12] = [
    row("SessionStart", None, 10, &["setup-planning-env", "preserve-planning-context"]),
    row("UserPromptSubmit", None, 5, &["inject-planning-context"]),
    row("PreToolUse", Some("AskUserQuestion"), 5, &["guard-immutable-decisions"]),
    row(
        "PreToolUse",
        Some("Write|Edit|MultiEdit|NotebookEdit"),
        5,
        &["enforce-planning-lock", "protect-spec-immutability"],
    ),
    row("PreToolUse", Some(RESEARCH), 5, &["research-budget-tracker"]),
    row("PostToolUse", Some("Write|Edit|MultiEdit"), 5, &["checkpoint-logger"]),
    row("SubagentStop", Some("^product-planning:tech-lead$"), 10, &["validate-tech-lead-output"]),
    row("SubagentStop", Some("^product-planning:software-architect$"), 25, &["validate-architect-output"]),
    row("SubagentStop", Some("^product-planning:qa-strategist$"), 10, &["validate-qa-strategist-output"]),
    row("SubagentStop", Some("^product-planning:"), 10, &["validate-agent-generic"]),
    row("Stop", None, 5, &["check-required-artifacts", "check-workflow-completeness"]),
    row("PreCompact", None, 5, &["preserve-planning-context"]),
];

/// What the plugin registers.
pub(crate) const PLUGIN: &[PluginHook] = &{
    let mut hooks = [ROWS[0].hook; ROWS.len()];
    let mut at = 0;
    while at < ROWS.len() {
        hooks[at] = ROWS[at].hook;
        at += 1;
    }
    hooks
};

/// The hooks that an entry calls.
pub(super) fn called_by(entry: &PluginHook) -> Vec<&'static str> {
    let is_meant = |row: &&Row| row.hook.event == entry.event && row.hook.matcher == entry.matcher;
    ROWS.iter().find(is_meant).map(|row| row.calls.to_vec()).unwrap_or_default()
}

/// Adds what the document's own test inputs leave out, because its scripts never look at it: which event it is, which tool, and
/// for the hooks of one agent which agent.
pub(super) fn complete(payload: &mut Map<String, Value>, hook: &str) {
    let Some(name) = hook.strip_prefix("planning/") else { return };
    let Some(row) = ROWS.iter().rev().find(|row| row.calls.contains(&name)) else { return };
    let event = if payload.contains_key("source") { "SessionStart" } else { row.hook.event };
    add(payload, "hook_event_name", event);
    let tool = match name {
        "guard-immutable-decisions" => Some("AskUserQuestion"),
        "enforce-planning-lock" | "protect-spec-immutability" | "checkpoint-logger" => Some("Write"),
        _ => None,
    };
    if let Some(tool) = tool {
        add(payload, "tool_name", tool);
    }
    let agent = row.hook.matcher.and_then(|matcher| matcher.strip_prefix('^')?.strip_suffix('$'));
    let is_named = payload.contains_key("agent_name") || payload.get("tool_input").is_some();
    if let Some(agent) = agent.filter(|_| row.hook.event == "SubagentStop" && !is_named) {
        add(payload, "agent_type", agent);
    }
}

fn add(payload: &mut Map<String, Value>, key: &str, value: &str) {
    if payload.get(key).is_none_or(Value::is_null) {
        payload.insert(key.to_owned(), Value::from(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_hook_of_the_pack_has_an_entry_of_its_own() {
        let pack = crate::find("planning").unwrap();
        for hook in pack.hooks {
            let name = hook.id().strip_prefix("planning/").unwrap();
            assert!(ROWS.iter().any(|row| row.calls.contains(&name)), "{name}");
        }
        for call in ROWS.iter().flat_map(|row| row.calls) {
            assert!(crate::hook(&format!("planning/{call}")).is_some(), "{call}");
        }
    }

    #[test]
    fn what_the_documents_inputs_leave_out_is_added_and_nothing_is_replaced() {
        for (hook, input, expected) in [
            (
                "planning/enforce-planning-lock",
                json!({"tool_input": {"file_path": "x"}}),
                json!({"tool_input": {"file_path": "x"}, "hook_event_name": "PreToolUse", "tool_name": "Write"}),
            ),
            (
                "planning/validate-tech-lead-output",
                json!({}),
                json!({"hook_event_name": "SubagentStop", "agent_type": "product-planning:tech-lead"}),
            ),
            (
                "planning/validate-tech-lead-output",
                json!({"hook_event_name": "SubagentStop", "agent_type": "x"}),
                json!({"hook_event_name": "SubagentStop", "agent_type": "x"}),
            ),
            (
                "planning/validate-agent-generic",
                json!({"tool_input": {"agent_name": "product-planning:researcher"}}),
                json!({"tool_input": {"agent_name": "product-planning:researcher"}, "hook_event_name": "SubagentStop"}),
            ),
            ("planning/preserve-planning-context", json!({}), json!({"hook_event_name": "PreCompact"})),
            ("planning/check-required-artifacts", json!({}), json!({"hook_event_name": "Stop"})),
        ] {
            let mut payload = input.as_object().unwrap().clone();
            complete(&mut payload, hook);
            assert_eq!(Value::Object(payload), expected, "{hook}");
        }
    }
}
