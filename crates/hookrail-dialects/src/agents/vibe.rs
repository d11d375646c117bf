//! Mistral Vibe. Three events, `decision` at the top, everything else in snake case.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, Target, TurnEnd};
use crate::decode::Words;
use crate::detect::Clues;
use crate::format::{Base, Gate, HookFile, HookFormat, Layout, MatcherSyntax, Scope, TableKeys};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup, Surface};
use crate::standard::{Context, EventRow, Refusal, Rewrite, Spelling, StandardDialect, on};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use std::time::Duration;

pub(super) static VIBE: StandardDialect = StandardDialect {
    words: WORDS,
    rewrite: Rewrite::ToolInput,
    spelling: Spelling::Snake,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

const WORDS: Words = Words {
    renamed: &[("tool_output", "tool_response"), ("tool_call_id", "tool_use_id")],
    copied: &[],
    adjust: |_| {},
};

static EVENTS: &[EventRow] = &[
    on("pre_tool", EventName::BeforeTool, Refusal::Deny).context(Context::Reason),
    on("post_tool", EventName::AfterTool, Refusal::Deny).context(Context::Field),
    on("post_agent", EventName::AfterAgent, Refusal::Deny).context(Context::Reason),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("file_system.bash", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("file_system.write_file", InputFields::Write { path: &["file_path", "path"], content: &["content"] }),
        ("file_system.search_replace", InputFields::Edit { paths: &["file_path", "path"], patches: &[] }),
        ("file_system.edit", InputFields::Edit { paths: &["file_path", "path"], patches: &[] }),
        ("file_system.read_file", InputFields::Read { path: &["file_path", "path"] }),
        ("process.start", InputFields::Shell { command: &["command"], cwd: &["cwd"] }),
        // What is typed into a process that runs, which may be a shell.
        ("process.write", InputFields::Shell { command: &["text"], cwd: &[] }),
        ("agents.spawn", InputFields::Subagent { agent: &["config_name", "name"], prompt: &["message"] }),
        ("agents.send_message", InputFields::Subagent { agent: &["agent_path"], prompt: &["message"] }),
        ("bash", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("write_file", InputFields::Write { path: &["file_path", "path"], content: &["content"] }),
        ("search_replace", InputFields::Edit { paths: &["file_path", "path"], patches: &[] }),
        ("read_file", InputFields::Read { path: &["file_path", "path"] }),
        ("task", InputFields::Subagent { agent: &["agent"], prompt: &["task"] }),
        ("ask_user_question", InputFields::AskUser { questions: &["questions[].question"] }),
    ],
    mcp: McpNames::Dotted,
};

/// As a macro, because `concat!` takes no constants.
macro_rules! config {
    () => {
        r#"active_model = "fake"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false
enable_notifications = false
enable_connectors = false
[[providers]]
name = "local"
api_base = "{url}/v1"
api_key_env_var = "OPENAI_API_KEY"
[models.fake]
name = "fake-model"
provider = "local"
alias = "fake"
"#
    };
}

const CONFIG: &str = config!();

const MCP_CONFIG: &str = concat!(
    config!(),
    r#"[[mcp_servers]]
name = "canary"
transport = "stdio"
command = "{hookrail}"
args = ["verify", "--", "mcp-server"]
"#
);

static HEADLESS: Headless = Headless {
    // Of a pin that no registry has, any version will do.
    package: Package::PyPi { name: "mistral-vibe", version: "3.0.3", python: "3.12", unpinned: &["certifi"] },
    args: &["--auto-approve", "--trust", "-p", "{prompt}"],
    variables: &[("OPENAI_API_KEY", "test-key")],
    files: &[(".vibe/config.toml", CONFIG)],
    scope: Scope::User,
    shell: &[("bash", r#"{"command":"{command}"}"#)],
    write: Ok(&[("write_file", r#"{"path":"{path}","content":"{text}\n"}"#)]),
    edit: Ok(&[
        ("read_file", r#"{"path":"{path}"}"#),
        ("edit", r#"{"file_path":"{path}","old_string":"before","new_string":"{text}"}"#),
    ]),
    patch: Err("no tool takes a patch"),
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(".vibe/config.toml", MCP_CONFIG)],
        calls: &[(
            "run_typescript",
            r#"{"code":"async function main() { return await tools.mcp_canary.note({path: '{path}', text: '{text}'}); }"}"#,
        )],
    }),
    subagent: Ok(SubagentSetup::of(&[(
        "run_typescript",
        r#"{"code":"async function main() { return await tools.agents.spawn({name: 'helper', message: '{text}'}); }"}"#,
    )])),
    lacks: &[(Surface::PromptContext, "it fires no event for the prompt")],
};

static AGENT: Agent = Agent {
    name: "vibe",
    aliases: &["mistral-vibe"],
    title: "Mistral Vibe",
    program: "vibe",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".vibe", "hooks.toml").moved_by("VIBE_HOME"),
            HookFile::new(Scope::Project, Base::Project, ".vibe", "hooks.toml"),
            // Which folders its user trusts.
            HookFile::new(Scope::User, Base::Home, ".vibe", "trusted_folders.toml").moved_by("VIBE_HOME").store(),
        ],
        layout: Layout::Tables(TableKeys { event: "type", matcher: "match", name: Some("name") }),
        default_timeout: Duration::from_secs(60),
        matcher: MatcherSyntax::Glob,
        gate: Gate::TrustedFolder,
        ..HookFormat::PLAIN
    },
    types: &[HookType {
        name: "command",
        needs: &["command"],
        takes: &["name", "description", "strict"],
        not_on: Some(&[]),
    }],
    type_optional: true,
    targets: &[("pre_tool", Target::Tool), ("post_tool", Target::Tool), ("post_agent", Target::Nothing)],
    tools: &TOOLS,
    other_tools: &["grep", "todo"],
    hearing: Hearing { decisions: &["deny"], ..Hearing::NOTHING },
    turn_end: TurnEnd::Untold,
    headless: Ok(&HEADLESS),
    consent: &["Mistral Vibe reads hooks of a project only in a folder you trust; it asks when you start it there."],
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    if clues.transcript_below(".vibe") {
        Likelihood::Certain
    } else if clues.has("parent_session_id") {
        Likelihood::Likely
    } else {
        Likelihood::Possible
    }
}
