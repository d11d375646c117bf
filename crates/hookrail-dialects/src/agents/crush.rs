//! Crush. Flat answers; silence is no opinion, and `allow` would skip its own question.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, JsonStyle, Target, TurnEnd};
use crate::decode::{self, Words};
use crate::detect::Clues;
use crate::flat::{FlatDialect, FlatRow, FlatValue, FlatWords, Honours};
use crate::format::{Base, Gate, HookFile, HookFormat, Layout, MatcherSyntax, Scope, TimeoutUnit, UnknownEvent};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::{EventName, ToolKind};
use serde_json::Value;
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
    classify,
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
        hooks_at: &["hooks"],
        layout: Layout::Flat,
        root_fields: &[],
        managed_fields: &[],
        root_allows: None,
        command_key: "command",
        timeout_key: Some("timeout"),
        timeout_unit: TimeoutUnit::Seconds,
        default_timeout: Duration::from_secs(30),
        event_timeouts: &[],
        matcher: MatcherSyntax::Pattern,
        unknown_event: UnknownEvent::RejectsFile,
        gate: Gate::None,
    },
    json: JsonStyle::LOOSE,
    types: &[HookType { name: "command", needs: &["command"], takes: &[], not_on: Some(&[]) }],
    type_optional: true,
    hook_keys: &["type", "timeout", "name"],
    group_keys: &["matcher", "hooks"],
    beside_events: &[],
    targets: &[
        ("PreToolUse", Target::Tool),
        ("PostToolUse", Target::Tool),
        ("PostToolUseFailure", Target::Tool),
        ("PermissionRequest", Target::Tool),
        ("PermissionResult", Target::Tool),
    ],
    tools: &TOOLS,
    other_tools: &["glob", "grep", "ls", "sourcegraph", "job_output", "job_kill", "diagnostics", "references", "todos"],
    tool_aliases: &[],
    project_variables: &["CRUSH_PROJECT_DIR"],
    hearing: Hearing {
        permission_decision: false,
        decisions: &["allow", "deny"],
        silent_exit_two: true,
        reason_on_stdout: false,
        strict: false,
        cuts_endless_stop: false,
    },
    turn_end: TurnEnd::Told,
    headless: Err("hookrail does not know yet how to lead it to a scripted model"),
    consent: &[],
};

fn classify(name: &str, input: &Value) -> ToolKind {
    TOOLS.classify(name, input)
}

fn recognise(clues: Clues<'_>) -> Likelihood {
    if clues.has("hook_event_name") || !clues.has("event") || clues.has("working_dir") {
        Likelihood::No
    } else if clues.variable(&["CRUSH", "CRUSH_PROJECT_DIR"]) || clues.has("cwd") {
        Likelihood::Certain
    } else {
        Likelihood::Possible
    }
}
