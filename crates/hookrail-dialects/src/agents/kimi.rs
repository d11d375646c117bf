//! Kimi Code. It reads exit code 2 and Claude Code's `permissionDecision`, and `decision` nowhere.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, Target};
use crate::decode::{self, Words};
use crate::detect::Clues;
use crate::format::{Base, HookFile, HookFormat, Layout, MatcherSyntax, Scope, TableKeys, UnknownEvent};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup};
use crate::standard::{Context, EventRow, Refusal, StandardDialect, on, other};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use serde_json::Value;
use std::time::Duration;

pub(super) static KIMI: StandardDialect = StandardDialect {
    words: WORDS,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

const WORDS: Words = Words {
    renamed: &[("tool_output", "tool_response"), ("tool_result", "tool_response"), ("tool_call_id", "tool_use_id")],
    copied: &[],
    adjust: |payload| {
        // Prompts come as a list of parts.
        if let Some(text) = payload.get("prompt").and_then(decode::joined_text) {
            payload.insert("prompt".to_owned(), Value::from(text));
        }
    },
};

/// `ask`, rewrites and the context of a new session are ignored.
static EVENTS: &[EventRow] = &[
    on("PreToolUse", EventName::BeforeTool, Refusal::Permission).context(Context::Reason),
    on("PostToolUse", EventName::AfterTool, Refusal::Unheard),
    on("PostToolUseFailure", EventName::ToolFailed, Refusal::Unheard),
    on("UserPromptSubmit", EventName::BeforeAgent, Refusal::ExitTwo).context(Context::Field),
    on("SessionStart", EventName::SessionStart, Refusal::Unheard),
    on("SessionEnd", EventName::SessionEnd, Refusal::Unheard),
    on("Stop", EventName::AfterAgent, Refusal::ExitTwo).context(Context::Reason),
    on("SubagentStart", EventName::SubagentStart, Refusal::Unheard),
    on("SubagentStop", EventName::SubagentStop, Refusal::Unheard),
    on("PreCompact", EventName::PreCompress, Refusal::Unheard),
    on("PostCompact", EventName::PostCompress, Refusal::Unheard),
    on("Notification", EventName::Notification, Refusal::Unheard),
    other("StopFailure", Refusal::Unheard),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("Bash", InputFields::Shell { command: &["command"], cwd: &["cwd"] }),
        ("Write", InputFields::Write { path: &["path"], content: &["content"] }),
        ("Edit", InputFields::Edit { paths: &["path"], patches: &[] }),
        ("Read", InputFields::Read { path: &["path"] }),
        ("FetchURL", InputFields::WebFetch { url: &["url"] }),
        ("Agent", InputFields::Subagent { agent: &["subagent_type"], prompt: &["prompt"] }),
        ("Skill", InputFields::Skill { name: &["skill"] }),
        ("AskUserQuestion", InputFields::AskUser { questions: &["questions[].question"] }),
    ],
    mcp: McpNames::Double,
};

static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "@moonshot-ai/kimi-code", version: "2.1.0", beside: &["node@22"] },
    args: &["-p", "{prompt}"],
    variables: &[],
    files: &[(".kimi-code/config.toml", CONFIG)],
    scope: Scope::User,
    shell: &[("Bash", r#"{"command":"{command}","description":"a canary"}"#)],
    write: Ok(&[("Write", r#"{"path":"{path}","content":"{text}\n"}"#)]),
    edit: Ok(&[
        ("Read", r#"{"path":"{path}"}"#),
        ("Edit", r#"{"path":"{path}","old_string":"before","new_string":"{text}"}"#),
    ]),
    patch: Err("no tool takes a patch"),
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(
            ".kimi-code/mcp.json",
            r#"{"mcpServers":{"canary":{"command":"{hookrail}","args":["verify","--","mcp-server"]}}}"#,
        )],
        calls: &[("mcp__canary__note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup::of(&[(
        "Agent",
        r#"{"description":"a canary","subagent_type":"coder","prompt":"{text}"}"#,
    )])),
    lacks: &[],
};

const CONFIG: &str = r#"default_model = "fake"
telemetry = false
[providers.local]
type = "openai"
base_url = "{url}/v1"
api_key = "test-key"
[models.fake]
provider = "local"
model = "fake-model"
max_context_size = 100000
"#;

static AGENT: Agent = Agent {
    name: "kimi",
    aliases: &["kimi-code", "kimi-cli"],
    title: "Kimi Code",
    program: "kimi",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".kimi-code", "config.toml").moved_by("KIMI_CODE_HOME"),
            HookFile::tree(Scope::User, Base::Home, ".kimi-code/plugins").moved_into("KIMI_CODE_HOME", "plugins"),
        ],
        layout: Layout::Tables(TableKeys { event: "event", matcher: "matcher", name: None }),
        default_timeout: Duration::from_secs(30),
        matcher: MatcherSyntax::Pattern,
        unknown_event: UnknownEvent::RejectsFile,
        ..HookFormat::PLAIN
    },
    type_optional: true,
    targets: &[
        ("PreToolUse", Target::Tool),
        ("PostToolUse", Target::Tool),
        ("PostToolUseFailure", Target::Tool),
        ("UserPromptSubmit", Target::Nothing),
        ("Stop", Target::Nothing),
    ],
    tools: &TOOLS,
    other_tools: &["Grep", "Glob", "WebSearch", "TodoList"],
    hearing: Hearing { permission_decision: true, ..Hearing::NOTHING },
    headless: Ok(&HEADLESS),
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    if clues.text("client_type").starts_with("kimi") { Likelihood::Certain } else { Likelihood::No }
}
