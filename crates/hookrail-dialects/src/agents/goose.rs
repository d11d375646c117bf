//! goose. Hooks come with plugins; an answer is a `decision` and nothing else.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, Target};
use crate::decode::Words;
use crate::detect::Clues;
use crate::format::{Base, HookFile, HookFormat, MatcherSyntax, Scope};
use crate::standard::{Context, EventRow, Refusal, StandardDialect, on, other};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use std::time::Duration;

pub(super) static GOOSE: StandardDialect = StandardDialect {
    words: WORDS,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
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
        default_timeout: Duration::from_secs(30),
        matcher: MatcherSyntax::Pattern,
        ..HookFormat::PLAIN
    },
    types: &[HookType { name: "command", needs: &["command"], takes: &["on_failure"], not_on: Some(&[]) }],
    targets: &[("PreToolUse", Target::Tool), ("PostToolUse", Target::Tool), ("PostToolUseFailure", Target::Tool)],
    tools: &TOOLS,
    other_tools: &["developer__tree", "developer__analyze", "todo__write"],
    hearing: Hearing { decisions: &["block", "allow"], silent_exit_two: true, ..Hearing::NOTHING },
    consent: &[
        "goose loads plugins of a project when it is started there; `goose plugin list` shows whether `hookrail` is among them.",
    ],
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    if clues.has("hook_event_name") || !clues.has("event") {
        Likelihood::No
    } else if clues.has("working_dir") || clues.payload.contains_key("matcher_context") {
        Likelihood::Certain
    } else {
        Likelihood::Possible
    }
}
