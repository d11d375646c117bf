//! Cline. One executable per event; `cancel` is the only refusal, and ends the run.

use crate::Likelihood;
use crate::agent::Agent;
use crate::decode::{self, Words};
use crate::detect::Clues;
use crate::flat::{FlatDialect, FlatRow, FlatValue, FlatWords, Honours};
use crate::format::{Base, HookFile, HookFormat, Layout, MatcherSyntax, Scope};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup, Surface};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use std::time::Duration;

pub(super) static CLINE: FlatDialect = FlatDialect {
    agent: &AGENT,
    events: EVENTS,
    words: Words {
        renamed: &[("taskId", "session_id")],
        copied: &[],
        adjust: |payload| {
            decode::first_root(payload, "workspaceRoots");
            for (tool, input) in [("tool_call", "input"), ("tool_result", "input")] {
                decode::lift(payload, &[tool, "name"], "tool_name");
                decode::lift(payload, &[tool, input], "tool_input");
                decode::lift(payload, &[tool, "id"], "tool_use_id");
            }
            decode::lift(payload, &["tool_result", "output"], "tool_response");
            // The form of earlier versions.
            for tool in ["preToolUse", "postToolUse"] {
                decode::lift(payload, &[tool, "toolName"], "tool_name");
                decode::lift(payload, &[tool, "parameters"], "tool_input");
            }
            decode::lift(payload, &["postToolUse", "result"], "tool_response");
            decode::lift(payload, &["userPromptSubmit", "prompt"], "prompt");
            decode::lift(payload, &["turn", "outputText"], "last_assistant_message");
        },
    },
    answers: FlatWords {
        allow: None,
        deny: Some(("cancel", FlatValue::True)),
        reason: "errorMessage",
        halt: None,
        deny_ends: true,
        context: Some("contextModification"),
        rewrite: Some("overrideInput"),
    },
    classify: |name, input| TOOLS.classify(name, input),
    spoken_event: |payload| {
        let fields = ["hookName", "hook_event_name"];
        fields.iter().find_map(|field| payload.get(*field)?.as_str()).unwrap_or_default().to_owned()
    },
    recognise,
};

/// The file's name, and what the payload calls the event.
static EVENTS: &[FlatRow] = &[
    FlatRow::on("PreToolUse", EventName::BeforeTool, Honours::Everything).spoken("tool_call"),
    FlatRow::on("PostToolUse", EventName::AfterTool, Honours::Context).spoken("tool_result"),
    FlatRow::on("UserPromptSubmit", EventName::BeforeAgent, Honours::Refusal).spoken("prompt_submit"),
    FlatRow::on("TaskStart", EventName::SessionStart, Honours::Context).spoken("agent_start"),
    FlatRow::on("TaskComplete", EventName::AfterAgent, Honours::Nothing).spoken("agent_end"),
    FlatRow::on("SessionShutdown", EventName::SessionEnd, Honours::Nothing).spoken("session_shutdown"),
    FlatRow::on("PreCompact", EventName::PreCompress, Honours::Nothing).spoken("pre_compact"),
    FlatRow::other("TaskResume").spoken("agent_resume"),
    FlatRow::other("TaskCancel").spoken("agent_abort"),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("run_commands", InputFields::Commands { commands: &["commands", "commands[].command", "command"] }),
        ("execute_command", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("editor", InputFields::Edit { paths: &["path"], patches: &[] }),
        ("write_to_file", InputFields::Write { path: &["path", "absolutePath"], content: &["content"] }),
        ("replace_in_file", InputFields::Edit { paths: &["path", "absolutePath"], patches: &[] }),
        ("apply_patch", InputFields::Edit { paths: &[], patches: &["input", "patch"] }),
        ("read_files", InputFields::Read { path: &["file_paths", "paths", "files[].path"] }),
        ("read_file", InputFields::Read { path: &["path"] }),
        ("fetch_web_content", InputFields::WebFetch { url: &["url", "requests[].url"] }),
        ("web_fetch", InputFields::WebFetch { url: &["url"] }),
        ("skills", InputFields::Skill { name: &["skill"] }),
        ("spawn_agent", InputFields::Subagent { agent: &["agent"], prompt: &["task", "prompt"] }),
        ("ask_question", InputFields::AskUser { questions: &["question"] }),
        ("ask_followup_question", InputFields::AskUser { questions: &["question"] }),
    ],
    mcp: McpNames::Unknown,
};

static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "cline", version: "3.0.65", beside: &[] },
    args: &["--json", "{prompt}"],
    variables: &[],
    files: &[(
        ".cline/data/settings/providers.json",
        r#"{"version":1,"lastUsedProvider":"openai-compatible","modes":{},"providers":{"openai-compatible":{"settings":{"provider":"openai-compatible","apiKey":"test-key","model":"fake-model","baseUrl":"{url}/v1"},"updatedAt":"2026-01-01T00:00:00.000Z","tokenSource":"manual"}}}"#,
    )],
    scope: Scope::User,
    shell: &[("run_commands", r#"{"commands":["{command}"]}"#)],
    write: Ok(&[("editor", r#"{"path":"{path}","new_text":"{text}\n"}"#)]),
    edit: Ok(&[("editor", r#"{"path":"{path}","old_text":"before","new_text":"{text}"}"#)]),
    patch: Err("it offers patches to the models of one maker only"),
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(
            ".cline/data/settings/cline_mcp_settings.json",
            r#"{"mcpServers":{"canary":{"command":"{hookrail}","args":["verify","--","mcp-server"],"disabled":false,"autoApprove":["note"]}}}"#,
        )],
        calls: &[("canary__note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup::of(&[("spawn_agent", r#"{"systemPrompt":"You are a canary.","task":"{text}"}"#)])),
    lacks: &[
        (Surface::PromptContext, "it fires no event for the prompt"),
        (Surface::Stop, "hooks cannot keep it from ending"),
    ],
};

static AGENT: Agent = Agent {
    name: "cline",
    title: "Cline",
    program: "cline",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".cline/hooks", "PreToolUse")
                .moved_into("CLINE_DIR", "hooks")
                .among_others(),
            HookFile::new(Scope::Project, Base::Project, ".clinerules/hooks", "PreToolUse").among_others(),
            HookFile::tree(Scope::User, Base::Home, "Documents/Cline/Hooks"),
            HookFile::tree(Scope::Project, Base::Project, ".cline/hooks"),
            HookFile::tree(Scope::User, Base::Home, ".cline/plugins"),
        ],
        layout: Layout::Scripts,
        timeout_key: None,
        default_timeout: Duration::from_secs(30),
        matcher: MatcherSyntax::Ignored,
        ..HookFormat::PLAIN
    },
    type_optional: true,
    hook_keys: &["type"],
    group_keys: &["hooks"],
    tools: &TOOLS,
    other_tools: &["search_codebase", "use_mcp_tool", "access_mcp_resource", "attempt_completion"],
    headless: Ok(&HEADLESS),
    consent: &["Cline runs hooks only if they are switched on: `cline config`, tab Hooks."],
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    if clues.has("taskId") && clues.has("hookName") { Likelihood::Certain } else { Likelihood::No }
}
