use super::{Agent, Hearing, JsonStyle, McpNames};

/// hookrail itself, as the one that runs the command hooks of `hookrail.toml`. Its configuration has a form of its own, so
/// only what is about commands and scripts is told here.
pub(crate) static HOOKRAIL: Agent = Agent {
    name: "hookrail",
    title: "hookrail",
    json: JsonStyle { comments: false, trailing_commas: false, byte_order_mark: false },
    types: &[],
    hook_keys: &[],
    group_keys: &[],
    beside_events: &[],
    targets: &[],
    tools: &[],
    tool_aliases: &[],
    mcp: McpNames { separator: "__" },
    project_variables: &["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "LLXPRT_PROJECT_DIR"],
    hearing: Hearing {
        permission_decision: true,
        decisions: &["allow", "approve", "deny", "block", "ask"],
        silent_exit_two: true,
        reason_on_stdout: false,
        strict: false,
        cuts_endless_stop: false,
    },
};
