use super::{Agent, Hearing, HookType, JsonStyle, McpNames, Target};

pub(super) static CODEX: Agent = Agent {
    name: "codex",
    title: "Codex",
    json: JsonStyle { comments: false, trailing_commas: false, byte_order_mark: false },
    types: &[
        HookType {
            name: "command",
            needs: &["command"],
            takes: &["commandWindows", "command_windows", "async", "additionalContextLimit"],
            not_on: Some(&[]),
        },
        HookType { name: "mcp_tool", needs: &["server", "tool"], takes: &["input"], not_on: Some(&[]) },
        HookType { name: "prompt", needs: &["prompt"], takes: &["model"], not_on: None },
        HookType { name: "agent", needs: &["prompt"], takes: &["model"], not_on: None },
    ],
    hook_keys: &["type", "timeout", "statusMessage"],
    group_keys: &["matcher", "hooks"],
    // `state` is where Codex keeps what its user approved; the others have no published form yet.
    beside_events: &["state", "PreModelRequest", "PostModelRequest"],
    targets: &[
        ("PreToolUse", Target::Tool),
        ("PostToolUse", Target::Tool),
        ("PermissionRequest", Target::Tool),
        ("UserPromptSubmit", Target::Nothing),
        ("Stop", Target::Nothing),
        ("Interrupt", Target::Nothing),
        ("SessionStart", Target::Words(&["startup", "resume", "clear", "compact", "fork"])),
        ("SessionEnd", Target::Words(&["other"])),
        ("PreCompact", Target::Words(&["manual", "auto"])),
        ("PostCompact", Target::Words(&["manual", "auto"])),
    ],
    tools: &["Bash", "apply_patch", "spawn_agent", "request_permissions", "update_plan", "view_image"],
    tool_aliases: &[("Write", "apply_patch"), ("Edit", "apply_patch"), ("Agent", "spawn_agent")],
    mcp: McpNames { separator: "__" },
    project_variables: &[],
    hearing: Hearing {
        permission_decision: true,
        decisions: &["block"],
        silent_exit_two: false,
        reason_on_stdout: false,
        strict: true,
        cuts_endless_stop: false,
    },
};
