//! Gemini CLI, whose protocol LLxprt Code shares.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, JsonStyle, Target};
use crate::decode::Words;
use crate::detect::Clues;
use crate::format::{Base, Gate, HookFile, HookFormat, MatcherSyntax, Os, Scope, TimeoutUnit};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup};
use crate::shape::Shape;
use crate::standard::{AcceptedFields, Context, EventRow, Passed, Refusal, Rewrite, StandardDialect, on};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use std::time::Duration;

pub(super) static GEMINI: StandardDialect = StandardDialect {
    words: WORDS,
    rewrite: Rewrite::ToolInput,
    // `decision: "ask"` runs the tool when no person is at the agent, which a hook cannot know.
    asks: false,
    voice: AcceptedFields::Full,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

/// What hooks of other agents know as the last message is here the response to the prompt.
pub(super) const WORDS: Words =
    Words { renamed: Words::PLAIN.renamed, copied: &[("prompt_response", "last_assistant_message")], adjust: |_| {} };

pub(super) static EVENTS: &[EventRow] = &[
    on("BeforeTool", EventName::BeforeTool, Refusal::Deny).context(Context::Reason),
    on("AfterTool", EventName::AfterTool, Refusal::Deny)
        .context(Context::Field)
        .passes(&[Passed::new("tailToolCallRequest", Shape::Object)]),
    on("BeforeAgent", EventName::BeforeAgent, Refusal::Deny).context(Context::Field),
    on("AfterAgent", EventName::AfterAgent, Refusal::Deny)
        .context(Context::Message)
        .passes(&[Passed::new("clearContext", Shape::Flag)]),
    on("BeforeModel", EventName::BeforeModel, Refusal::Deny)
        .passes(&[Passed::new("llm_request", Shape::Object), Passed::new("llm_response", Shape::Object).in_refusal()]),
    on("AfterModel", EventName::AfterModel, Refusal::Replace).passes(&[Passed::new("llm_response", Shape::Object)]),
    on("BeforeToolSelection", EventName::BeforeToolSelection, Refusal::Message)
        .passes(&[Passed::new("toolConfig", Shape::Object)]),
    // What a hook says after `/clear` does not reach the model.
    on("SessionStart", EventName::SessionStart, Refusal::Message)
        .context(Context::Field)
        .context_lost("source", "clear"),
    on("SessionEnd", EventName::SessionEnd, Refusal::Message),
    on("PreCompress", EventName::PreCompress, Refusal::Message),
    on("Notification", EventName::Notification, Refusal::Message),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("run_shell_command", InputFields::Shell { command: &["command"], cwd: &["dir_path"] }),
        ("write_file", InputFields::Write { path: &["file_path"], content: &["content"] }),
        ("replace", InputFields::Edit { paths: &["file_path"], patches: &[] }),
        ("read_file", InputFields::Read { path: &["file_path"] }),
        ("read_many_files", InputFields::Read { path: &["include", "paths"] }),
        ("web_fetch", InputFields::WebFetch { url: &["prompt"] }),
        ("invoke_agent", InputFields::Subagent { agent: &["agent_name"], prompt: &["prompt"] }),
        ("activate_skill", InputFields::Skill { name: &["name"] }),
        ("ask_user", InputFields::AskUser { questions: &["questions[].question"] }),
    ],
    mcp: McpNames::Single,
};

static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "@google/gemini-cli", version: "0.61.0", beside: &[] },
    args: &["-m", "gemini-2.5-flash", "-p", "{prompt}", "--yolo", "-o", "json"],
    variables: &[
        ("GEMINI_API_KEY", "test-key"),
        ("GOOGLE_GEMINI_BASE_URL", "{url}"),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
        ("GEMINI_TELEMETRY_ENABLED", "false"),
    ],
    files: &[(
        ".gemini/settings.json",
        r#"{"privacy":{"usageStatisticsEnabled":false},"general":{"disableAutoUpdate":true,"enableAutoUpdate":false},"security":{"auth":{"selectedType":"gemini-api-key"}}}"#,
    )],
    scope: Scope::User,
    shell: &[("run_shell_command", r#"{"command":"{command}","description":"a canary"}"#)],
    write: Ok(&[("write_file", r#"{"file_path":"{path}","content":"{text}\n"}"#)]),
    edit: Ok(&[(
        "replace",
        r#"{"file_path":"{path}","old_string":"before","new_string":"{text}","instruction":"a canary"}"#,
    )]),
    patch: Err("no tool takes a patch"),
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(
            ".gemini/settings.json",
            r#"{"privacy":{"usageStatisticsEnabled":false},"general":{"disableAutoUpdate":true,"enableAutoUpdate":false},"security":{"auth":{"selectedType":"gemini-api-key"}},"mcpServers":{"canary":{"command":"{hookrail}","args":["verify","--","mcp-server"],"trust":true}}}"#,
        )],
        calls: &[("mcp_canary_note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup {
        calls: &[("invoke_agent", r#"{"agent_name":"generalist","prompt":"{text}"}"#)],
        end: Some(("complete_task", r#"{"result":"done"}"#)),
    }),
    lacks: &[],
};

static AGENT: Agent = Agent {
    name: "gemini",
    aliases: &["gemini-cli"],
    title: "Gemini CLI",
    program: "gemini",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::Managed, Base::Root, "/etc/gemini-cli", "settings.json")
                .on(Os::Linux)
                .replaced_by("GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
            HookFile::new(Scope::User, Base::Home, ".gemini", "settings.json"),
            HookFile::new(Scope::Project, Base::Project, ".gemini", "settings.json"),
            HookFile::new(Scope::Managed, Base::Root, "/etc/gemini-cli", "system-defaults.json")
                .on(Os::Linux)
                .only_read(),
            HookFile::tree(Scope::User, Base::Home, ".gemini/extensions"),
            HookFile::tree(Scope::Project, Base::Project, ".gemini/extensions"),
            HookFile::new(Scope::User, Base::Home, ".gemini", "trustedFolders.json").store(),
        ],
        managed_fields: &[("hooksConfig", r#"{"enabled":true}"#)],
        timeout_unit: TimeoutUnit::Milliseconds,
        default_timeout: Duration::from_secs(60),
        matcher: MatcherSyntax::Pattern,
        gate: Gate::TrustedFolder,
        ..HookFormat::PLAIN
    },
    json: JsonStyle::COMMENTED,
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
    tools: &TOOLS,
    other_tools: &[
        "glob",
        "grep_search",
        "list_directory",
        "google_web_search",
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
    project_variables: &["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    hearing: Hearing {
        decisions: &["allow", "approve", "deny", "block", "ask"],
        reason_on_stdout: true,
        ..Hearing::NOTHING
    },
    headless: Ok(&HEADLESS),
    consent: &[
        "Gemini CLI runs hooks only in a folder you trust, hooks of your user settings included: answer its question when you start it there, or type `/permissions`. Hooks need a version that has them switched on; 0.61.0 was tried.",
    ],
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    // LLxprt Code sets this variable and none of Gemini CLI's.
    if clues.variable(&["LLXPRT_PROJECT_DIR"]) && !clues.variable(&["GEMINI_PROJECT_DIR"]) {
        return Likelihood::No;
    }
    if clues.transcript_below(".gemini") || clues.session_in("GEMINI_SESSION_ID") {
        Likelihood::Certain
    } else if !clues.has("timestamp") {
        Likelihood::No
    } else if clues.variable(&["GEMINI_SESSION_ID", "GEMINI_CWD"]) {
        Likelihood::Likely
    } else {
        Likelihood::Possible
    }
}

pub(super) const TYPES: &[HookType] =
    &[HookType { name: "command", needs: &["command"], takes: &["name", "description", "env"], not_on: Some(&[]) }];
pub(super) const HOOK_KEYS: &[&str] = &["type", "timeout"];
pub(super) const GROUP_KEYS: &[&str] = &["matcher", "sequential", "hooks"];
pub(super) const BESIDE_EVENTS: &[&str] = &["enabled", "disabled", "notifications"];
