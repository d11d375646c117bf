//! Kilo Code's command line: opencode's plugins, but no context for the model with a prompt.

use super::opencode::{self, INSTALLED, TOOLS};
use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, JsonStyle, TurnEnd};
use crate::detect::Clues;
use crate::flat::{FlatDialect, FlatRow, Honours};
use crate::format::{Base, Gate, HookFile, HookFormat, Layout, MatcherSyntax, Scope, TimeoutUnit, UnknownEvent};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup, Surface};
use hookrail_core::{EventName, ToolKind};
use serde_json::Value;
use std::time::Duration;

pub(super) static KILO: FlatDialect = FlatDialect {
    agent: &AGENT,
    events: EVENTS,
    words: opencode::WORDS,
    answers: opencode::ANSWERS,
    classify,
    spoken_event: opencode::spoken_event,
    recognise,
};

static EVENTS: &[FlatRow] = &[
    FlatRow::on("tool.execute.before", EventName::BeforeTool, Honours::Everything),
    FlatRow::on("tool.execute.after", EventName::AfterTool, Honours::Context),
    FlatRow::on("chat.message", EventName::BeforeAgent, Honours::Nothing),
    FlatRow::on("session.created", EventName::SessionStart, Honours::Nothing),
    FlatRow::on("session.idle", EventName::AfterAgent, Honours::Nothing),
    FlatRow::on("session.compacted", EventName::PostCompress, Honours::Nothing),
    FlatRow::on("session.deleted", EventName::SessionEnd, Honours::Nothing),
];

static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "@kilocode/cli", version: "7.7.7", beside: &[] },
    args: &["run", "--auto", "{prompt}"],
    variables: &[("OPENCODE_DISABLE_AUTOUPDATE", "1"), ("OPENCODE_DISABLE_MODELS_FETCH", "1")],
    files: &[
        (
            ".config/kilo/config.json",
            r#"{"autoupdate":false,"share":"disabled","model":"local/fake-model","small_model":"local/fake-model","provider":{"local":{"npm":"@ai-sdk/openai-compatible","name":"local","options":{"baseURL":"{url}/v1","apiKey":"test-key"},"models":{"fake-model":{"name":"fake","tool_call":true,"limit":{"context":100000,"output":4000}}}}}}"#,
        ),
        (".config/kilo/package-lock.json", INSTALLED),
        (".config/kilo/node_modules/.keep", ""),
    ],
    scope: Scope::User,
    shell: &[("bash", r#"{"command":"{command}","description":"a canary"}"#)],
    write: Ok(&[("write", r#"{"filePath":"{path}","content":"{text}\n"}"#)]),
    edit: Ok(&[
        ("read", r#"{"filePath":"{path}"}"#),
        ("edit", r#"{"filePath":"{path}","oldString":"before","newString":"{text}"}"#),
    ]),
    patch: Err("it offers patches to the models of one maker only"),
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(
            ".config/kilo/config.json",
            r#"{"autoupdate":false,"share":"disabled","model":"local/fake-model","small_model":"local/fake-model","provider":{"local":{"npm":"@ai-sdk/openai-compatible","name":"local","options":{"baseURL":"{url}/v1","apiKey":"test-key"},"models":{"fake-model":{"name":"fake","tool_call":true,"limit":{"context":100000,"output":4000}}}}},"mcp":{"canary":{"type":"local","command":["{hookrail}","verify","--","mcp-server"],"enabled":true}}}"#,
        )],
        calls: &[("canary_note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup {
        calls: &[("task", r#"{"description":"a canary","subagent_type":"general","prompt":"{text}"}"#)],
        end: None,
    }),
    lacks: &[
        (Surface::Stop, "plugins cannot keep it from ending"),
        (Surface::PromptContext, "plugins cannot add to a prompt"),
    ],
};

static AGENT: Agent = Agent {
    name: "kilo",
    aliases: &["kilocode", "kilo-code"],
    title: "Kilo Code",
    program: "kilo",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".config/kilo/plugins", "hookrail.js")
                .moved_into("XDG_CONFIG_HOME", "kilo/plugins")
                .among_others(),
            HookFile::new(Scope::Project, Base::Project, ".kilo/plugins", "hookrail.js").among_others(),
            HookFile::tree(Scope::User, Base::Home, ".config/kilo/plugin").moved_into("XDG_CONFIG_HOME", "kilo/plugin"),
            HookFile::tree(Scope::Project, Base::Project, ".kilo/plugin"),
            HookFile::new(Scope::User, Base::Home, ".config/kilo", "config.json")
                .moved_into("XDG_CONFIG_HOME", "kilo")
                .store(),
        ],
        hooks_at: &["hooks"],
        layout: Layout::Module,
        root_fields: &[],
        managed_fields: &[],
        root_allows: None,
        command_key: "command",
        timeout_key: Some("timeout"),
        timeout_unit: TimeoutUnit::Milliseconds,
        default_timeout: Duration::from_secs(30),
        event_timeouts: &[],
        matcher: MatcherSyntax::Ignored,
        unknown_event: UnknownEvent::Skipped,
        gate: Gate::None,
    },
    json: JsonStyle::LOOSE,
    types: &[HookType { name: "command", needs: &["command"], takes: &[], not_on: Some(&[]) }],
    type_optional: true,
    hook_keys: &["timeout"],
    group_keys: &["hooks"],
    beside_events: &[],
    targets: &[],
    tools: &TOOLS,
    other_tools: opencode::OTHER_TOOLS,
    tool_aliases: &[],
    project_variables: &[],
    hearing: Hearing {
        permission_decision: false,
        decisions: &[],
        silent_exit_two: false,
        reason_on_stdout: false,
        strict: false,
        cuts_endless_stop: false,
    },
    turn_end: TurnEnd::Told,
    headless: Ok(&HEADLESS),
    consent: &[],
};

fn classify(name: &str, input: &Value) -> ToolKind {
    TOOLS.classify(name, input)
}

/// Its payloads are opencode's: the plugin says whose it is.
fn recognise(_: Clues<'_>) -> Likelihood {
    Likelihood::No
}
