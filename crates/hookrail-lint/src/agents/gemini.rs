use super::{Agent, Hearing, HookType, JsonStyle, McpNames, Target};

pub(super) static GEMINI: Agent = Agent {
    name: "gemini",
    title: "Gemini CLI",
    // It does not even start with a trailing comma or a byte order mark in its settings.
    json: JsonStyle { comments: true, trailing_commas: false, byte_order_mark: false },
    types: TYPES,
    hook_keys: HOOK_KEYS,
    group_keys: GROUP_KEYS,
    beside_events: BESIDE_EVENTS,
    targets: &[
        ("BeforeTool", Target::Tool),
        ("AfterTool", Target::Tool),
        ("BeforeAgent", Target::Nothing),
        ("AfterAgent", Target::Nothing),
        ("BeforeModel", Target::Nothing),
        ("AfterModel", Target::Nothing),
        ("BeforeToolSelection", Target::Nothing),
        ("Notification", Target::Nothing),
        ("SessionStart", Target::ExactWords(&["startup", "resume", "clear"])),
        ("SessionEnd", Target::ExactWords(&["exit", "clear", "logout", "prompt_input_exit", "other"])),
        ("PreCompress", Target::ExactWords(&["manual", "auto"])),
    ],
    tools: &[
        "run_shell_command",
        "write_file",
        "replace",
        "read_file",
        "read_many_files",
        "glob",
        "grep_search",
        "list_directory",
        "web_fetch",
        "google_web_search",
        "invoke_agent",
        "activate_skill",
        "ask_user",
        "write_todos",
        "complete_task",
        "enter_plan_mode",
        "exit_plan_mode",
        "get_internal_docs",
        "list_mcp_resources",
        "read_mcp_resource",
        "take_snapshot",
        "tracker_add_dependency",
        "tracker_create_task",
        "tracker_get_task",
        "tracker_list_tasks",
        "tracker_update_task",
        "tracker_visualize",
        "update_topic",
    ],
    tool_aliases: &[("search_file_content", "grep_search")],
    mcp: McpNames { separator: "_" },
    project_variables: &["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    hearing: Hearing {
        permission_decision: false,
        decisions: &["allow", "approve", "deny", "block", "ask"],
        silent_exit_two: false,
        reason_on_stdout: true,
        strict: false,
        cuts_endless_stop: false,
    },
};

pub(super) const TYPES: &[HookType] =
    &[HookType { name: "command", needs: &["command"], takes: &["name", "description", "env"], not_on: Some(&[]) }];
pub(super) const HOOK_KEYS: &[&str] = &["type", "timeout"];
pub(super) const GROUP_KEYS: &[&str] = &["matcher", "sequential", "hooks"];
pub(super) const BESIDE_EVENTS: &[&str] = &["enabled", "disabled", "notifications"];
