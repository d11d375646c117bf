//! Crush. Flat answers; silence is no opinion, and `allow` would skip its own question.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, JsonStyle, Target};
use crate::decode::{self, Words};
use crate::detect::Clues;
use crate::flat::{FlatDialect, FlatRow, FlatValue, FlatWords, Honours};
use crate::format::{Base, HookFile, HookFormat, Layout, MatcherSyntax, Scope, UnknownEvent};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use std::time::Duration;

pub(super) static CRUSH: FlatDialect = FlatDialect {
    agent: &AGENT,
    events: EVENTS,
    words: Words {
        renamed: &[("event", "hook_event_name"), ("tool_output", "tool_response"), ("tool_call_id", "tool_use_id")],
        copied: &[],
        adjust: |_| {},
    },
    answers: FlatWords {
        deny: Some(("decision", FlatValue::Word("deny"))),
        allow: Some(("decision", FlatValue::Word("allow"))),
        reason: "reason",
        halt: Some("halt"),
        deny_ends: false,
        context: Some("context"),
        rewrite: Some("updated_input"),
    },
    classify: |name, input| TOOLS.classify(name, input),
    spoken_event: |payload| decode::spoken_event(payload).to_owned(),
    recognise,
};

static EVENTS: &[FlatRow] = &[
    FlatRow::on("PreToolUse", EventName::BeforeTool, Honours::Everything),
    FlatRow::on("PostToolUse", EventName::AfterTool, Honours::Context),
    FlatRow::on("PostToolUseFailure", EventName::ToolFailed, Honours::Context),
    FlatRow::on("SessionStart", EventName::SessionStart, Honours::Nothing),
    FlatRow::on("SessionEnd", EventName::SessionEnd, Honours::Nothing),
    FlatRow::on("TurnEnd", EventName::AfterAgent, Honours::Nothing),
    FlatRow::on("PreCompact", EventName::PreCompress, Honours::Nothing),
    FlatRow::on("PostCompact", EventName::PostCompress, Honours::Nothing),
    FlatRow::other("TurnStart"),
    FlatRow::other("PermissionRequest"),
    FlatRow::other("PermissionResult"),
    FlatRow::other("StopFailure"),
    FlatRow::other("Interrupt"),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("bash", InputFields::Shell { command: &["command"], cwd: &["working_dir"] }),
        ("write", InputFields::Write { path: &["file_path"], content: &["content"] }),
        ("edit", InputFields::Edit { paths: &["file_path"], patches: &[] }),
        ("multiedit", InputFields::Edit { paths: &["file_path"], patches: &[] }),
        ("view", InputFields::Read { path: &["file_path"] }),
        ("fetch", InputFields::WebFetch { url: &["url"] }),
        ("agentic_fetch", InputFields::WebFetch { url: &["url"] }),
        ("download", InputFields::Write { path: &["file_path"], content: &["url"] }),
        ("agent", InputFields::Subagent { agent: &["agent"], prompt: &["prompt"] }),
    ],
    mcp: McpNames::Single,
};

static AGENT: Agent = Agent {
    name: "crush",
    aliases: &["charm-crush"],
    title: "Crush",
    program: "crush",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".config/crush", "crush.json")
                .moved_into("XDG_CONFIG_HOME", "crush"),
            HookFile::new(Scope::Project, Base::Project, "", "crush.json"),
            HookFile::new(Scope::Project, Base::Project, "", ".crush.json").only_read(),
            HookFile::new(Scope::User, Base::Home, ".local/share/crush", "crush.json").only_read(),
        ],
        layout: Layout::Flat,
        default_timeout: Duration::from_secs(30),
        matcher: MatcherSyntax::Pattern,
        unknown_event: UnknownEvent::RejectsFile,
        ..HookFormat::PLAIN
    },
    json: JsonStyle::LOOSE,
    type_optional: true,
    hook_keys: &["type", "timeout", "name"],
    targets: &[
        ("PreToolUse", Target::Tool),
        ("PostToolUse", Target::Tool),
        ("PostToolUseFailure", Target::Tool),
        ("PermissionRequest", Target::Tool),
        ("PermissionResult", Target::Tool),
    ],
    tools: &TOOLS,
    other_tools: &["glob", "grep", "ls", "sourcegraph", "job_output", "job_kill", "diagnostics", "references", "todos"],
    project_variables: &["CRUSH_PROJECT_DIR"],
    hearing: Hearing { decisions: &["allow", "deny"], silent_exit_two: true, ..Hearing::NOTHING },
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    if clues.has("hook_event_name") || !clues.has("event") || clues.has("working_dir") {
        Likelihood::No
    } else if clues.variable(&["CRUSH", "CRUSH_PROJECT_DIR"]) || clues.has("cwd") {
        Likelihood::Certain
    } else {
        Likelihood::Possible
    }
}
