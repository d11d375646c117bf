//! goose. Hooks come with plugins; an answer is a `decision` and nothing else.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, JsonStyle, Target, TurnEnd};
use crate::decode::Words;
use crate::detect::Clues;
use crate::format::{Base, Gate, HookFile, HookFormat, Layout, MatcherSyntax, Scope, TimeoutUnit, UnknownEvent};
use crate::standard::{AcceptedFields, Context, EventRow, Refusal, Rewrite, Spelling, StandardDialect, on, other};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::{EventName, ToolKind};
use serde_json::Value;
use std::time::Duration;

pub(super) static GOOSE: StandardDialect = StandardDialect {
    agent: &AGENT,
    events: EVENTS,
    words: WORDS,
    classify,
    rewrite: Rewrite::Impossible,
    asks: false,
    allows: false,
    voice: AcceptedFields::Mute,
    spelling: Spelling::Camel,
    recognise,
};

const WORDS: Words = Words {
    renamed: &[
        ("event", "hook_event_name"),
        ("working_dir", "cwd"),
        ("tool_output", "tool_response"),
        ("tool_call_id", "tool_use_id"),
        ("message", "prompt"),
    ],
    copied: &[],
    adjust: |_| {},
};

/// Anything but a decision on stdout is no answer to goose.
static EVENTS: &[EventRow] = &[
    on("PreToolUse", EventName::BeforeTool, Refusal::Block).context(Context::Reason),
    on("PostToolUse", EventName::AfterTool, Refusal::Unheard),
    on("PostToolUseFailure", EventName::ToolFailed, Refusal::Unheard),
    on("UserPromptSubmit", EventName::BeforeAgent, Refusal::Unheard),
    on("SessionStart", EventName::SessionStart, Refusal::Unheard),
    on("SessionEnd", EventName::SessionEnd, Refusal::Unheard),
    on("Stop", EventName::AfterAgent, Refusal::Unheard),
    other("PreToolUseResult", Refusal::Unheard),
    other("BeforeReadFile", Refusal::Unheard),
    other("AfterFileEdit", Refusal::Unheard),
    other("BeforeShellExecution", Refusal::Unheard),
    other("AfterShellExecution", Refusal::Unheard),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("developer__shell", InputFields::Shell { command: &["command"], cwd: &["working_dir"] }),
        ("developer__text_editor", InputFields::Editor),
        ("developer__write", InputFields::Write { path: &["path"], content: &["content"] }),
        ("developer__edit", InputFields::Edit { paths: &["path"], patches: &[] }),
        ("shell", InputFields::Shell { command: &["command"], cwd: &["working_dir"] }),
        ("text_editor", InputFields::Editor),
        ("write", InputFields::Write { path: &["path"], content: &["content"] }),
        ("edit", InputFields::Edit { paths: &["path"], patches: &[] }),
    ],
    mcp: McpNames::Unknown,
};

static AGENT: Agent = Agent {
    name: "goose",
    aliases: &["block-goose"],
    title: "goose",
    program: "goose",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".agents/plugins/hookrail/hooks", "hooks.json"),
            HookFile::new(Scope::Project, Base::Project, ".agents/plugins/hookrail/hooks", "hooks.json"),
            HookFile::tree(Scope::User, Base::Home, ".agents/plugins"),
            HookFile::tree(Scope::Project, Base::Project, ".agents/plugins"),
        ],
        hooks_at: &["hooks"],
        layout: Layout::Groups,
        root_fields: &[],
        managed_fields: &[],
        root_allows: None,
        command_key: "command",
        timeout_key: Some("timeout"),
        timeout_unit: TimeoutUnit::Seconds,
        default_timeout: Duration::from_secs(30),
        event_timeouts: &[],
        matcher: MatcherSyntax::Pattern,
        unknown_event: UnknownEvent::Skipped,
        gate: Gate::None,
    },
    json: JsonStyle::PLAIN,
    types: &[HookType { name: "command", needs: &["command"], takes: &["on_failure"], not_on: Some(&[]) }],
    type_optional: false,
    hook_keys: &["type", "timeout"],
    group_keys: &["matcher", "hooks"],
    beside_events: &[],
    targets: &[("PreToolUse", Target::Tool), ("PostToolUse", Target::Tool), ("PostToolUseFailure", Target::Tool)],
    tools: &TOOLS,
    other_tools: &["developer__tree", "developer__analyze", "todo__write"],
    tool_aliases: &[],
    project_variables: &[],
    hearing: Hearing {
        permission_decision: false,
        decisions: &["block", "allow"],
        silent_exit_two: true,
        reason_on_stdout: false,
        strict: false,
        cuts_endless_stop: false,
    },
    turn_end: TurnEnd::Told,
    headless: Err("hookrail does not know yet how to lead it to a scripted model"),
    consent: &[
        "goose loads plugins of a project when it is started there; `goose plugin list` shows whether `hookrail` is among them.",
    ],
};

fn classify(name: &str, input: &Value) -> ToolKind {
    TOOLS.classify(name, input)
}

fn recognise(clues: Clues<'_>) -> Likelihood {
    if clues.has("hook_event_name") || !clues.has("event") {
        Likelihood::No
    } else if clues.has("working_dir") || clues.payload.contains_key("matcher_context") {
        Likelihood::Certain
    } else {
        Likelihood::Possible
    }
}
