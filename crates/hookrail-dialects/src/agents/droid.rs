//! Factory's Droid. It reads less of Claude Code's protocol than its documentation says.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, Target};
use crate::detect::Clues;
use crate::format::{Base, Gate, HookFile, HookFormat, MatcherSyntax, Scope};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup, Surface};
use crate::standard::{AcceptedFields, Context, EventRow, Refusal, Rewrite, StandardDialect, on};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use std::time::Duration;

pub(super) static DROID: StandardDialect = StandardDialect {
    rewrite: Rewrite::UpdatedInput,
    // `ask` is logged, and the tool runs.
    asks: false,
    allows: true,
    voice: AcceptedFields::Full,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

static EVENTS: &[EventRow] = &[
    on("PreToolUse", EventName::BeforeTool, Refusal::Permission).context(Context::Reason),
    on("PostToolUse", EventName::AfterTool, Refusal::Feedback).context(Context::Field),
    on("Notification", EventName::Notification, Refusal::Message),
    on("UserPromptSubmit", EventName::BeforeAgent, Refusal::ExitTwo).context(Context::Field),
    on("Stop", EventName::AfterAgent, Refusal::Block).context(Context::Message),
    on("SubagentStop", EventName::SubagentStop, Refusal::Message).context(Context::Message),
    on("PreCompact", EventName::PreCompress, Refusal::ExitTwo),
    on("SessionStart", EventName::SessionStart, Refusal::Message).context(Context::Field),
    on("SessionEnd", EventName::SessionEnd, Refusal::Message),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("Execute", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("Create", InputFields::Write { path: &["file_path"], content: &["content"] }),
        ("Edit", InputFields::Edit { paths: &["file_path"], patches: &[] }),
        ("ApplyPatch", InputFields::Edit { paths: &["file_path"], patches: &["input", "patch", "command"] }),
        ("Read", InputFields::Read { path: &["file_path"] }),
        ("AskUser", InputFields::AskUser { questions: &["questionnaire", "questions[].question"] }),
        ("FetchUrl", InputFields::WebFetch { url: &["url"] }),
        ("Task", InputFields::Subagent { agent: &["subagent_type"], prompt: &["prompt"] }),
        ("Skill", InputFields::Skill { name: &["skill"] }),
    ],
    mcp: McpNames::Triple,
};

static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "droid", version: "0.215.0", beside: &[] },
    args: &["exec", "--auto", "high", "-m", "custom:fake", "{prompt}"],
    variables: &[("FACTORY_AIRGAP_ENABLED", "true"), ("FACTORY_API_KEY", "fk-test")],
    files: &[(
        ".factory/settings.json",
        r#"{"customModels":[{"model":"fake","id":"custom:fake","displayName":"fake","baseUrl":"{url}/v1","apiKey":"test-key","provider":"generic-chat-completion-api","maxOutputTokens":4000}]}"#,
    )],
    scope: Scope::User,
    shell: &[(
        "Execute",
        r#"{"command":"{command}","summary":"Write a canary file","riskLevel":"low","riskLevelReason":"It writes one file."}"#,
    )],
    write: Ok(&[("Create", r#"{"file_path":"{path}","content":"{text}\n"}"#)]),
    edit: Ok(&[
        ("Read", r#"{"file_path":"{path}"}"#),
        ("Edit", r#"{"file_path":"{path}","old_str":"before","new_str":"{text}"}"#),
    ]),
    patch: Err("it offers patches to the models of one maker only"),
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(
            ".factory/mcp.json",
            r#"{"mcpServers":{"canary":{"type":"stdio","command":"{hookrail}","args":["verify","--","mcp-server"],"disabled":false}}}"#,
        )],
        calls: &[("canary___note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup::of(&[(
        "Task",
        r#"{"subagent_type":"worker","description":"a canary","prompt":"{text}"}"#,
    )])),
    lacks: &[(Surface::PromptContext, "`droid exec` fires no event for the prompt")],
};

static AGENT: Agent = Agent {
    name: "droid",
    aliases: &["factory"],
    title: "Factory Droid",
    program: "droid",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".factory", "hooks.json"),
            HookFile::new(Scope::Project, Base::Project, ".factory", "hooks.json"),
            HookFile::new(Scope::User, Base::Home, ".factory", "settings.json").hooks_at(&["hooks"]).fallback(),
            HookFile::new(Scope::Project, Base::Project, ".factory", "settings.json").hooks_at(&["hooks"]).fallback(),
            HookFile::new(Scope::Local, Base::Project, ".factory", "settings.local.json")
                .hooks_at(&["hooks"])
                .only_read(),
            HookFile::tree(Scope::User, Base::Home, ".factory/plugins"),
            HookFile::tree(Scope::Project, Base::Project, ".factory/plugins"),
        ],
        // Its settings, which it reads as long as there is no such file, have them below `hooks`.
        hooks_at: &[],
        default_timeout: Duration::from_secs(60),
        matcher: MatcherSyntax::Pattern,
        gate: Gate::TrustedFolder,
        ..HookFormat::PLAIN
    },
    types: &[HookType { name: "command", needs: &["command"], takes: &["preserveRiskLevel"], not_on: Some(&[]) }],
    group_keys: &["matcher", "commandRegex", "hooks"],
    targets: &[
        ("PreToolUse", Target::Tool),
        ("PostToolUse", Target::Tool),
        ("UserPromptSubmit", Target::Nothing),
        ("Stop", Target::Nothing),
        ("Notification", Target::Nothing),
        ("SubagentStop", Target::Nothing),
        ("SessionStart", Target::Words(&["startup", "resume", "clear", "compact"])),
        ("PreCompact", Target::Words(&["manual", "auto"])),
    ],
    tools: &TOOLS,
    other_tools: &["LS", "Grep", "Glob", "WebSearch", "TodoWrite", "ExitSpecMode", "GenerateDroid"],
    project_variables: &["FACTORY_PROJECT_DIR"],
    hearing: Hearing {
        permission_decision: true,
        decisions: &["block", "approve"],
        silent_exit_two: true,
        ..Hearing::NOTHING
    },
    headless: Ok(&HEADLESS),
    consent: &[
        "Factory Droid shows hooks it has loaded with `/hooks`; one that was changed while it runs is asked about there.",
    ],
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    let own_mode = matches!(clues.text("permission_mode"), "off" | "spec" | "auto-low" | "auto-medium" | "auto-high");
    if own_mode || clues.transcript_below(".factory") {
        Likelihood::Certain
    } else if clues.variable(&["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"]) && !clues.has("timestamp") {
        Likelihood::Likely
    } else {
        Likelihood::No
    }
}
