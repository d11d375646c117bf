//! Qwen Code: Claude Code's event names and answers, Gemini CLI's tools.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, JsonStyle, Target};
use crate::detect::Clues;
use crate::format::{Base, Gate, HookFile, HookFormat, MatcherSyntax, Os, Scope, TimeoutUnit};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup};
use crate::standard::{AcceptedFields, Context, EventRow, Refusal, Rewrite, StandardDialect, on, other};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use std::time::Duration;

pub(super) static QWEN: StandardDialect = StandardDialect {
    // Documented, but not read before a tool runs.
    rewrite: Rewrite::Impossible,
    asks: true,
    allows: true,
    voice: AcceptedFields::Full,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

static EVENTS: &[EventRow] = &[
    on("PreToolUse", EventName::BeforeTool, Refusal::Permission).context(Context::Field),
    on("PostToolUse", EventName::AfterTool, Refusal::Block).context(Context::Field),
    on("PostToolUseFailure", EventName::ToolFailed, Refusal::Feedback).context(Context::Field),
    on("PermissionRequest", EventName::PermissionRequest, Refusal::Behavior).context(Context::Reason),
    on("UserPromptSubmit", EventName::BeforeAgent, Refusal::Block).context(Context::Field),
    on("UserPromptExpansion", EventName::PromptExpand, Refusal::Block).context(Context::Field),
    on("SessionStart", EventName::SessionStart, Refusal::Message).context(Context::Field),
    on("SessionEnd", EventName::SessionEnd, Refusal::Message),
    on("Stop", EventName::AfterAgent, Refusal::Block).context(Context::Message),
    on("SubagentStart", EventName::SubagentStart, Refusal::Message).context(Context::Field),
    on("SubagentStop", EventName::SubagentStop, Refusal::Block).context(Context::Message),
    on("PreCompact", EventName::PreCompress, Refusal::Message),
    on("PostCompact", EventName::PostCompress, Refusal::Message),
    on("Notification", EventName::Notification, Refusal::Message).context(Context::Field),
    on("TodoCreated", EventName::TaskCreated, Refusal::Block).context(Context::Field),
    on("TodoCompleted", EventName::TaskCompleted, Refusal::Block).context(Context::Field),
    other("PostToolBatch", Refusal::Block).context(Context::Field),
    other("PermissionDenied", Refusal::Message),
    other("SessionDelete", Refusal::Message),
    other("StopFailure", Refusal::Message),
    other("MessageDisplay", Refusal::Message),
    other("InstructionsLoaded", Refusal::Message),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("run_shell_command", InputFields::Shell { command: &["command"], cwd: &["directory"] }),
        ("write_file", InputFields::Write { path: &["file_path"], content: &["content"] }),
        ("edit", InputFields::Edit { paths: &["file_path"], patches: &[] }),
        ("notebook_edit", InputFields::Edit { paths: &["notebook_path"], patches: &[] }),
        ("read_file", InputFields::Read { path: &["file_path"] }),
        ("web_fetch", InputFields::WebFetch { url: &["url"] }),
        ("agent", InputFields::Subagent { agent: &["subagent_type"], prompt: &["prompt"] }),
        ("task", InputFields::Subagent { agent: &["subagent_type"], prompt: &["prompt"] }),
        ("skill", InputFields::Skill { name: &["skill"] }),
        ("ask_user_question", InputFields::AskUser { questions: &["questions[].question"] }),
    ],
    mcp: McpNames::Double,
};

static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "@qwen-code/qwen-code", version: "0.24.4", beside: &[] },
    args: &["-p", "{prompt}", "--yolo", "-o", "json"],
    variables: &[("OPENAI_API_KEY", "test-key"), ("OPENAI_BASE_URL", "{url}/v1"), ("OPENAI_MODEL", "fake-model")],
    files: &[(
        ".qwen/settings.json",
        r#"{"privacy":{"usageStatisticsEnabled":false},"general":{"disableAutoUpdate":true,"enableAutoUpdate":false},"security":{"auth":{"selectedType":"openai"}}}"#,
    )],
    scope: Scope::User,
    shell: &[("run_shell_command", r#"{"command":"{command}","description":"a canary","is_background":false}"#)],
    write: Ok(&[("write_file", r#"{"file_path":"{path}","content":"{text}\n"}"#)]),
    edit: Ok(&[
        ("read_file", r#"{"file_path":"{path}"}"#),
        ("edit", r#"{"file_path":"{path}","old_string":"before","new_string":"{text}"}"#),
    ]),
    patch: Err("no tool takes a patch"),
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(
            ".qwen/settings.json",
            r#"{"privacy":{"usageStatisticsEnabled":false},"general":{"disableAutoUpdate":true,"enableAutoUpdate":false},"security":{"auth":{"selectedType":"openai"}},"mcpServers":{"canary":{"command":"{hookrail}","args":["verify","--","mcp-server"],"trust":true}}}"#,
        )],
        calls: &[("mcp__canary__note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup::of(&[(
        "agent",
        r#"{"description":"a canary","subagent_type":"general-purpose","prompt":"{text}"}"#,
    )])),
    lacks: &[],
};

static AGENT: Agent = Agent {
    name: "qwen",
    aliases: &["qwen-code"],
    title: "Qwen Code",
    program: "qwen",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".qwen", "settings.json"),
            HookFile::new(Scope::Project, Base::Project, ".qwen", "settings.json"),
            HookFile::new(Scope::Managed, Base::Root, "/etc/qwen-code", "settings.json").on(Os::Linux).only_read(),
            HookFile::tree(Scope::User, Base::Home, ".qwen/extensions"),
            HookFile::tree(Scope::Project, Base::Project, ".qwen/extensions"),
            HookFile::new(Scope::User, Base::Home, ".qwen", "trustedFolders.json").store(),
        ],
        timeout_unit: TimeoutUnit::SecondsOrMillis,
        default_timeout: Duration::from_secs(60),
        matcher: MatcherSyntax::Names,
        gate: Gate::TrustedFolder,
        ..HookFormat::PLAIN
    },
    json: JsonStyle::COMMENTED,
    types: &[
        HookType {
            name: "command",
            needs: &["command"],
            takes: &["name", "description", "env", "async", "shell", "statusMessage", "once"],
            not_on: Some(&[]),
        },
        HookType {
            name: "http",
            needs: &["url"],
            takes: &["headers", "allowedEnvVars", "name", "description", "statusMessage", "once"],
            not_on: Some(&[]),
        },
        HookType {
            name: "prompt",
            needs: &["prompt"],
            takes: &["model", "name", "description", "statusMessage", "once"],
            not_on: Some(&[]),
        },
    ],
    group_keys: &["matcher", "sequential", "hooks"],
    beside_events: &["enabled", "disabled", "notifications"],
    targets: &[
        ("PreToolUse", Target::Tool),
        ("PostToolUse", Target::Tool),
        ("UserPromptSubmit", Target::Nothing),
        ("Stop", Target::Nothing),
        ("PostToolUseFailure", Target::Tool),
        ("PermissionRequest", Target::Tool),
        ("PermissionDenied", Target::Tool),
    ],
    tools: &TOOLS,
    other_tools: &[
        "list_directory",
        "glob",
        "grep_search",
        "todo_write",
        "web_search",
        "exit_plan_mode",
        "save_memory",
        "lsp",
    ],
    project_variables: &["QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    hearing: Hearing {
        permission_decision: true,
        decisions: &["allow", "approve", "deny", "block", "ask"],
        ..Hearing::NOTHING
    },
    headless: Ok(&HEADLESS),
    consent: &["Qwen Code runs hooks of a project only in a folder you trust, where folder trust is enabled."],
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    if clues.transcript_below(".qwen") || matches!(clues.text("permission_mode"), "auto_edit" | "yolo") {
        Likelihood::Certain
    } else if !clues.has("timestamp") {
        Likelihood::No
    } else if clues.variable(&["QWEN_PROJECT_DIR"]) || clues.has("permission_mode") {
        Likelihood::Likely
    } else {
        Likelihood::No
    }
}
