//! Codex. It drops a whole answer, and goes on, for one key it does not expect at that event.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, Target};
use crate::detect::Clues;
use crate::format::{Base, EventTimeout, Gate, HookFile, HookFormat, MatcherSyntax, Os, Scope};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup};
use crate::standard::{AcceptedFields, Context, EventRow, Refusal, Rewrite, StandardDialect, on, other};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use std::time::Duration;

pub(super) static CODEX: StandardDialect = StandardDialect {
    rewrite: Rewrite::UpdatedInputWithAllow,
    voice: AcceptedFields::Stop,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

static EVENTS: &[EventRow] = &[
    on("PreToolUse", EventName::BeforeTool, Refusal::Permission).context(Context::Field).voice(AcceptedFields::Message),
    on("PermissionRequest", EventName::PermissionRequest, Refusal::Behavior)
        .context(Context::Reason)
        .voice(AcceptedFields::Message),
    on("PostToolUse", EventName::AfterTool, Refusal::Block).context(Context::Field),
    on("PreCompact", EventName::PreCompress, Refusal::Stop),
    on("PostCompact", EventName::PostCompress, Refusal::Message),
    on("SessionStart", EventName::SessionStart, Refusal::Message).context(Context::Field),
    on("SessionEnd", EventName::SessionEnd, Refusal::Unheard),
    on("UserPromptSubmit", EventName::BeforeAgent, Refusal::Block).context(Context::Field),
    on("SubagentStart", EventName::SubagentStart, Refusal::Message).context(Context::Field),
    on("SubagentStop", EventName::SubagentStop, Refusal::Block).context(Context::Message),
    on("Stop", EventName::AfterAgent, Refusal::Block).context(Context::Message),
    other("Interrupt", Refusal::Message).voice(AcceptedFields::Message),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("Bash", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("apply_patch", InputFields::Edit { paths: &[], patches: &["command", "input", "patch"] }),
        ("request_user_input", InputFields::AskUser { questions: &["questions[].question", "question"] }),
        ("spawn_agent", InputFields::Subagent { agent: &["agent_type"], prompt: &["message"] }),
    ],
    mcp: McpNames::Double,
};

const CONFIG: &str = r#"model = "gpt-5.5"
model_provider = "local"
check_for_update_on_startup = false
[model_providers.local]
name = "local"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[analytics]
enabled = false
[feedback]
enabled = false
[features]
plugins = false
"#;

static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "@openai/codex", version: "0.166.0", beside: &[] },
    args: &[
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "{prompt}",
    ],
    variables: &[("OPENAI_API_KEY", "test-key")],
    files: &[(".codex/config.toml", CONFIG)],
    scope: Scope::User,
    shell: &[("exec_command", r#"{"cmd":"{command}"}"#)],
    write: Err("files are written by patches"),
    edit: Ok(&[(
        "apply_patch",
        r#""*** Begin Patch\n*** Update File: {name}\n@@\n-before\n+{text}\n*** End Patch\n""#,
    )]),
    patch: Ok(&[("apply_patch", r#""*** Begin Patch\n*** Add File: {name}\n+{text}\n*** End Patch\n""#)]),
    mcp: Ok(McpSetup {
        args: &[
            "-c",
            "mcp_servers.canary.command='{hookrail}'",
            "-c",
            "mcp_servers.canary.args=['verify', '--', 'mcp-server']",
        ],
        files: &[],
        calls: &[("mcp__canary/note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup::of(&[("multi_agent_v1/spawn_agent", r#"{"message":"{text}"}"#)])),
    lacks: &[],
};

static AGENT: Agent = Agent {
    name: "codex",
    aliases: &["codex-cli"],
    title: "Codex",
    program: "codex",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".codex", "hooks.json").moved_by("CODEX_HOME"),
            HookFile::new(Scope::Project, Base::Project, ".codex", "hooks.json"),
            HookFile::new(Scope::User, Base::Home, ".codex", "config.toml").moved_by("CODEX_HOME").only_read(),
            HookFile::new(Scope::Project, Base::Project, ".codex", "config.toml").only_read(),
            // Beside its system configuration Codex reads hooks as beside every other; those count as managed.
            HookFile::new(Scope::Managed, Base::Root, "/etc/codex", "hooks.json").on(Os::Linux),
            HookFile::new(Scope::Managed, Base::Root, "/etc/codex", "requirements.toml")
                .on(Os::Linux)
                .store()
                .switch(&["features", "hooks"]),
            HookFile::new(Scope::Managed, Base::Root, "/etc/codex", "config.toml").on(Os::Linux).only_read(),
            HookFile::tree(Scope::User, Base::Home, ".codex/plugins").moved_into("CODEX_HOME", "plugins"),
        ],
        root_allows: Some(&["description", "hooks"]),
        default_timeout: Duration::from_secs(600),
        event_timeouts: &[EventTimeout {
            event: EventName::SessionEnd,
            default: Duration::from_secs(1),
            at_most: Some(Duration::from_secs(3)),
        }],
        matcher: MatcherSyntax::Names,
        gate: Gate::Approval("/hooks"),
        ..HookFormat::PLAIN
    },
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
    tools: &TOOLS,
    other_tools: &["request_permissions", "update_plan", "view_image"],
    tool_aliases: &[("Write", "apply_patch"), ("Edit", "apply_patch"), ("Agent", "spawn_agent")],
    hearing: Hearing { permission_decision: true, decisions: &["block"], strict: true, ..Hearing::NOTHING },
    headless: Ok(&HEADLESS),
    consent: &[
        "Start Codex, type `/hooks` and approve the hooks of hookrail. Until then Codex does not run them, and after each change of an entry it asks again.",
    ],
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    let rollout = clues.text("transcript_path").rsplit(['/', '\\']).next().unwrap_or_default().starts_with("rollout-");
    if rollout || clues.transcript_below(".codex") || (clues.has("turn_id") && clues.has("model")) {
        Likelihood::Certain
    } else if clues.has("timestamp") || clues.has("prompt_id") {
        Likelihood::No
    } else if clues.variable(&["CODEX_MANAGED_BY_NPM", "CODEX_MANAGED_PACKAGE_ROOT"]) || started(clues) {
        Likelihood::Likely
    } else {
        Likelihood::Possible
    }
}

/// At the start of a session only Codex tells the permission mode beside the model.
fn started(clues: Clues<'_>) -> bool {
    clues.text("hook_event_name") == "SessionStart" && clues.has("model") && clues.has("permission_mode")
}
