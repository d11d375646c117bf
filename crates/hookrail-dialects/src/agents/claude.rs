//! Claude Code.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, JsonStyle, Target};
use crate::detect::Clues;
use crate::format::{Base, EventTimeout, Gate, HookFile, HookFormat, MatcherSyntax, Os, Scope};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup};
use crate::shape::Shape;
use crate::standard::{AcceptedFields, Context, EventRow, Passed, Refusal, Rewrite, StandardDialect, on, other};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use std::time::Duration;

pub(super) static CLAUDE: StandardDialect = StandardDialect {
    rewrite: Rewrite::UpdatedInput,
    asks: true,
    allows: true,
    voice: AcceptedFields::Full,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

/// Events that the exit code alone is known to refuse say [`Refusal::ExitTwo`]. At the end of a turn `additionalContext`
/// exists, but makes the agent go on; there it is a message. Fields that would grant something (`retry`, `action`,
/// `updatedPermissions`) are not passed on.
static EVENTS: &[EventRow] = &[
    on("PreToolUse", EventName::BeforeTool, Refusal::Permission).context(Context::Field),
    on("PostToolUse", EventName::AfterTool, Refusal::Block).context(Context::Field).passes(&[
        Passed::new("updatedToolOutput", Shape::Any),
        Passed::new("updatedMCPToolOutput", Shape::Any),
        Passed::new("classifierContext", Shape::Text),
    ]),
    on("PostToolUseFailure", EventName::ToolFailed, Refusal::Feedback).context(Context::Field),
    on("PermissionRequest", EventName::PermissionRequest, Refusal::Behavior).context(Context::Reason),
    on("UserPromptSubmit", EventName::BeforeAgent, Refusal::Block)
        .context(Context::Field)
        .passes(&[Passed::new("sessionTitle", Shape::Text), Passed::new("suppressOriginalPrompt", Shape::Flag)]),
    on("UserPromptExpansion", EventName::PromptExpand, Refusal::ExitTwo)
        .context(Context::Field)
        .passes(&[Passed::new("suppressOriginalPrompt", Shape::Flag)]),
    on("SessionStart", EventName::SessionStart, Refusal::Message).context(Context::Field).passes(&[
        Passed::new("initialUserMessage", Shape::Text),
        Passed::new("sessionTitle", Shape::Text),
        Passed::new("watchPaths", Shape::Texts),
        Passed::new("reloadSkills", Shape::Flag),
    ]),
    on("SessionEnd", EventName::SessionEnd, Refusal::Message),
    on("Stop", EventName::AfterAgent, Refusal::Block).context(Context::Message),
    on("SubagentStart", EventName::SubagentStart, Refusal::Message).context(Context::Field),
    on("SubagentStop", EventName::SubagentStop, Refusal::Block).context(Context::Message),
    on("PreCompact", EventName::PreCompress, Refusal::ExitTwo),
    on("PostCompact", EventName::PostCompress, Refusal::Message),
    on("Notification", EventName::Notification, Refusal::Message).context(Context::Field),
    on("TaskCreated", EventName::TaskCreated, Refusal::ExitTwo).context(Context::Reason),
    on("TaskCompleted", EventName::TaskCompleted, Refusal::ExitTwo).context(Context::Reason),
    on("TeammateIdle", EventName::TeammateIdle, Refusal::ExitTwo).context(Context::Message),
    other("PostToolBatch", Refusal::ExitTwo).context(Context::Field),
    other("PermissionDenied", Refusal::Message),
    other("Setup", Refusal::Message).context(Context::Field),
    other("StopFailure", Refusal::Unheard),
    other("PreModelSwitch", Refusal::Permission).context(Context::Reason),
    other("PostModelSwitch", Refusal::Message).context(Context::Field),
    other("Elicitation", Refusal::Decline),
    other("ElicitationResult", Refusal::Decline),
    other("ConfigChange", Refusal::ExitTwo),
    other("InstructionsLoaded", Refusal::Message),
    // Whatever a hook prints here is taken for the path of the new worktree.
    other("WorktreeCreate", Refusal::ExitTwo)
        .voice(AcceptedFields::Mute)
        .passes(&[Passed::new("worktreePath", Shape::Text)]),
    other("WorktreeRemove", Refusal::Message),
    other("CwdChanged", Refusal::Message).passes(&[Passed::new("watchPaths", Shape::Texts)]),
    other("FileChanged", Refusal::Message).passes(&[Passed::new("watchPaths", Shape::Texts)]),
    other("DirectoryAdded", Refusal::Message),
    other("MessageDisplay", Refusal::Message).passes(&[Passed::new("displayContent", Shape::Text)]),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("Bash", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("PowerShell", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("Write", InputFields::Write { path: &["file_path"], content: &["content"] }),
        ("Edit", InputFields::Edit { paths: &["file_path"], patches: &[] }),
        ("MultiEdit", InputFields::Edit { paths: &["file_path"], patches: &[] }),
        ("NotebookEdit", InputFields::Edit { paths: &["notebook_path"], patches: &[] }),
        ("Read", InputFields::Read { path: &["file_path"] }),
        ("WebFetch", InputFields::WebFetch { url: &["url"] }),
        ("Agent", InputFields::Subagent { agent: &["subagent_type"], prompt: &["prompt"] }),
        ("Task", InputFields::Subagent { agent: &["subagent_type"], prompt: &["prompt"] }),
        ("Skill", InputFields::Skill { name: &["skill"] }),
        ("AskUserQuestion", InputFields::AskUser { questions: &["questions[].question"] }),
    ],
    mcp: McpNames::Double,
};

static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "@anthropic-ai/claude-code", version: "2.1.325", beside: &[] },
    args: &[
        "-p",
        "{prompt}",
        "--model",
        "claude-sonnet-4-5",
        "--allowedTools",
        "Bash,Read,Write,Edit,Agent,Task,mcp__canary__note",
        "--output-format",
        "json",
    ],
    variables: &[
        ("ANTHROPIC_BASE_URL", "{url}"),
        ("ANTHROPIC_API_KEY", "test-key"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
    ],
    files: &[],
    scope: Scope::User,
    shell: &[("Bash", r#"{"command":"{command}","description":"a canary"}"#)],
    write: Ok(&[("Write", r#"{"file_path":"{path}","content":"{text}\n"}"#)]),
    // It changes only files that it has read.
    edit: Ok(&[
        ("Read", r#"{"file_path":"{path}"}"#),
        ("Edit", r#"{"file_path":"{path}","old_string":"before","new_string":"{text}"}"#),
    ]),
    patch: Err("no tool takes a patch"),
    mcp: Ok(McpSetup {
        args: &["--mcp-config", "{home}/mcp.json"],
        files: &[(
            "mcp.json",
            r#"{"mcpServers":{"canary":{"command":"{hookrail}","args":["verify","--","mcp-server"]}}}"#,
        )],
        calls: &[("mcp__canary__note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup::of(&[(
        "Agent",
        r#"{"description":"a canary","subagent_type":"general-purpose","prompt":"{text}"}"#,
    )])),
    lacks: &[],
};

static AGENT: Agent = Agent {
    name: "claude",
    aliases: &["claude-code"],
    title: "Claude Code",
    program: "claude",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::Managed, Base::Root, "/etc/claude-code", "managed-settings.json").on(Os::Linux),
            HookFile::new(
                Scope::Managed,
                Base::Root,
                "/Library/Application Support/ClaudeCode",
                "managed-settings.json",
            )
            .on(Os::MacOs),
            HookFile::new(Scope::Managed, Base::Root, r"C:\Program Files\ClaudeCode", "managed-settings.json")
                .on(Os::Windows),
            HookFile::new(Scope::User, Base::Home, ".claude", "settings.json").moved_by("CLAUDE_CONFIG_DIR"),
            HookFile::new(Scope::Project, Base::Project, ".claude", "settings.json"),
            HookFile::new(Scope::Local, Base::Project, ".claude", "settings.local.json"),
            HookFile::new(Scope::Managed, Base::Root, "/etc/claude-code/managed-settings.d", "hookrail.json")
                .on(Os::Linux)
                .among_others()
                .only_read(),
            HookFile::new(
                Scope::Managed,
                Base::Root,
                "/Library/Application Support/ClaudeCode/managed-settings.d",
                "hookrail.json",
            )
            .on(Os::MacOs)
            .among_others()
            .only_read(),
            HookFile::tree(Scope::User, Base::Home, ".claude/plugins").moved_into("CLAUDE_CONFIG_DIR", "plugins"),
            HookFile::tree(Scope::User, Base::Home, ".claude/plugins").moved_by("CLAUDE_CODE_PLUGIN_CACHE_DIR"),
            // Which folders its user trusts.
            HookFile::new(Scope::User, Base::Home, "", ".claude.json").moved_by("CLAUDE_CONFIG_DIR").store(),
        ],
        default_timeout: Duration::from_secs(600),
        event_timeouts: &[
            EventTimeout { event: EventName::BeforeAgent, default: Duration::from_secs(30), at_most: None },
            EventTimeout {
                event: EventName::SessionEnd,
                default: Duration::from_millis(1500),
                at_most: Some(Duration::from_secs(60)),
            },
        ],
        matcher: MatcherSyntax::Names,
        gate: Gate::TrustedFolder,
        ..HookFormat::PLAIN
    },
    json: JsonStyle { comments: false, trailing_commas: false, byte_order_mark: true },
    types: &[
        HookType {
            name: "command",
            needs: &["command"],
            takes: &["args", "shell", "onFailure", "async", "asyncRewake", "rewakeMessage", "rewakeSummary", "cloud"],
            not_on: Some(&[]),
        },
        HookType {
            name: "http",
            needs: &["url"],
            takes: &["headers", "allowedEnvVars", "onFailure"],
            not_on: Some(&[]),
        },
        HookType { name: "mcp_tool", needs: &["server", "tool"], takes: &["input"], not_on: Some(&[]) },
        HookType {
            name: "prompt",
            needs: &["prompt"],
            takes: &["model", "continueOnBlock"],
            not_on: Some(NO_CONVERSATION),
        },
        HookType {
            name: "agent",
            needs: &["prompt"],
            takes: &["model"],
            not_on: Some(&["SessionStart", "Setup", "SubagentStart", "PermissionRequest"]),
        },
    ],
    hook_keys: &["type", "if", "timeout", "statusMessage", "once"],
    targets: &[
        ("PreToolUse", Target::Tool),
        ("PostToolUse", Target::Tool),
        ("PostToolUseFailure", Target::Tool),
        ("PermissionRequest", Target::Tool),
        ("PermissionDenied", Target::Tool),
        ("PostToolBatch", Target::Nothing),
        ("UserPromptSubmit", Target::Nothing),
        ("Stop", Target::Nothing),
        ("TaskCreated", Target::Nothing),
        ("TaskCompleted", Target::Nothing),
        ("TeammateIdle", Target::Nothing),
        ("WorktreeCreate", Target::Nothing),
        ("WorktreeRemove", Target::Nothing),
        ("CwdChanged", Target::Nothing),
        ("MessageDisplay", Target::Nothing),
        ("SessionStart", Target::Words(&["startup", "resume", "clear", "compact", "fork"])),
        ("SessionEnd", Target::Words(&["clear", "resume", "logout", "prompt_input_exit", "other"])),
        ("Setup", Target::Words(&["init", "maintenance"])),
        ("PreCompact", Target::Words(&["manual", "auto"])),
        ("PostCompact", Target::Words(&["manual", "auto"])),
        (
            "ConfigChange",
            Target::Words(&["user_settings", "project_settings", "local_settings", "policy_settings", "skills"]),
        ),
        (
            "InstructionsLoaded",
            Target::Words(&["session_start", "nested_traversal", "path_glob_match", "include", "compact"]),
        ),
    ],
    tools: &TOOLS,
    other_tools: &[
        "Glob",
        "Grep",
        "WebSearch",
        "TaskCreate",
        "TaskUpdate",
        "TaskGet",
        "TaskList",
        "TaskStop",
        "TodoWrite",
        "ListAgents",
        "SendUserMessage",
        "ListMcpResourcesTool",
        "ReadMcpResourceTool",
        "ReadMcpResourceDirTool",
        "EnterPlanMode",
        "ExitPlanMode",
        "EnterWorktree",
        "ExitWorktree",
        "CronCreate",
        "CronDelete",
        "CronList",
        "Monitor",
        "ScheduleWakeup",
        "PushNotification",
        "RemoteTrigger",
        "Workflow",
        "Artifact",
    ],
    tool_aliases: &[
        ("KillShell", "TaskStop"),
        ("KillBash", "TaskStop"),
        ("ListPeers", "ListAgents"),
        ("Brief", "SendUserMessage"),
        ("ListMcpResources", "ListMcpResourcesTool"),
        ("ReadMcpResource", "ReadMcpResourceTool"),
        ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
    ],
    project_variables: &["CLAUDE_PROJECT_DIR"],
    hearing: Hearing {
        permission_decision: true,
        decisions: &["block", "approve"],
        silent_exit_two: true,
        cuts_endless_stop: true,
        ..Hearing::NOTHING
    },
    headless: Ok(&HEADLESS),
    consent: &[
        "Claude Code runs hooks only in a folder you trust: answer its question when you start it there. In a session that is running, `/hooks` shows whether they are loaded.",
    ],
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    let own_prompt = clues.has("prompt_id") && !clues.has("timestamp");
    if own_prompt || clues.transcript_below(".claude") || clues.session_in("CLAUDE_CODE_SESSION_ID") {
        Likelihood::Certain
    } else if clues.has("timestamp") {
        Likelihood::No
    } else if clues.variable(&["CLAUDECODE"]) {
        Likelihood::Likely
    } else {
        Likelihood::Possible
    }
}

/// Where there is no conversation yet that a model could be asked about.
const NO_CONVERSATION: &[&str] = &["SessionStart", "Setup", "SubagentStart"];
