use crate::PluginHook;
use serde_json::{Map, Value};

/// Web tools, and research servers by their name, with whatever prefix a plugin gives them.
const RESEARCH: &str = "^WebFetch$|^WebSearch$|mcp__(.*_)?context7__.*|mcp__(.*_)?[Rr]ef__.*|mcp__(.*_)?tavily__.*";
/// The tools that can change files. What a tool of an MCP server does is not told by its name.
const CHANGES: &str = "^(Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*)$";

/// The hooks that a group of entries calls, each by an entry of its own.
type Calls = &'static [&'static str];

const fn on(event: &'static str, matcher: Option<&'static str>, timeout_seconds: u32) -> PluginHook {
    PluginHook { event, matcher, timeout_seconds, prompt: None }
}

/// What the plugin registers, as the document lists it.
pub(crate) const PLUGIN: &[PluginHook] = &[
    on("SessionStart", None, 10),
    on("UserPromptSubmit", None, 5),
    on("PreToolUse", Some("AskUserQuestion"), 5),
    on("PreToolUse", Some(CHANGES), 5),
    on("PreToolUse", Some(RESEARCH), 5),
    on("PostToolUse", Some("Write|Edit|MultiEdit"), 5),
    on("SubagentStop", Some("^product-planning:tech-lead$"), 10),
    on("SubagentStop", Some("^product-planning:software-architect$"), 25),
    on("SubagentStop", Some("^product-planning:qa-strategist$"), 10),
    on("SubagentStop", Some("^product-planning:"), 10),
    on("Stop", None, 5),
    on("PreCompact", None, 5),
];

/// What each of these calls, in the same order.
const CALLS: [Calls; PLUGIN.len()] = [
    &["setup-planning-env", "preserve-planning-context"],
    &["inject-planning-context"],
    &["guard-immutable-decisions"],
    &["enforce-planning-lock", "protect-spec-immutability"],
    &["research-budget-tracker"],
    &["checkpoint-logger"],
    &["validate-tech-lead-output"],
    &["validate-architect-output"],
    &["validate-qa-strategist-output"],
    &["validate-agent-generic"],
    &["check-required-artifacts", "check-workflow-completeness"],
    &["preserve-planning-context"],
];

fn rows() -> impl DoubleEndedIterator<Item = (&'static PluginHook, Calls)> {
    PLUGIN.iter().zip(CALLS)
}

/// The hooks that an entry calls.
pub(super) fn called_by(entry: &PluginHook) -> Vec<&'static str> {
    let is_meant = |hook: &PluginHook| hook.event == entry.event && hook.matcher == entry.matcher;
    rows().find(|(hook, _)| is_meant(hook)).map(|(_, calls)| calls.to_vec()).unwrap_or_default()
}

/// Adds what the document's own test inputs leave out, because its scripts never look at it: which event it is, which tool, and
/// for the hooks of one agent which agent.
pub(super) fn complete(payload: &mut Map<String, Value>, hook: &str) {
    let Some(name) = hook.strip_prefix("planning/") else { return };
    // Of several entries the last is the one the document has.
    let Some((entry, _)) = rows().rev().find(|(_, calls)| calls.contains(&name)) else { return };
    let event = if payload.contains_key("source") { "SessionStart" } else { entry.event };
    add(payload, "hook_event_name", event);
    let tool = match name {
        "guard-immutable-decisions" => Some("AskUserQuestion"),
        "enforce-planning-lock" | "protect-spec-immutability" | "checkpoint-logger" => Some("Write"),
        _ => None,
    };
    if let Some(tool) = tool {
        add(payload, "tool_name", tool);
    }
    let agent = entry.matcher.and_then(|matcher| matcher.strip_prefix('^')?.strip_suffix('$'));
    let is_named = payload.contains_key("agent_name") || payload.get("tool_input").is_some();
    if let Some(agent) = agent.filter(|_| entry.event == "SubagentStop" && !is_named) {
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
            assert!(rows().any(|(_, calls)| calls.contains(&name)), "{name}");
        }
        for call in CALLS.into_iter().flatten() {
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
