//! The agent hooks of VS Code.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, JsonStyle, Target};
use crate::detect::Clues;
use crate::format::{Base, Gate, HookFile, HookFormat, Layout, MatcherSyntax, Scope};
use crate::standard::{AcceptedFields, Context, EventRow, Refusal, Rewrite, StandardDialect, on};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use std::time::Duration;

pub(super) static VSCODE: StandardDialect = StandardDialect {
    rewrite: Rewrite::UpdatedInput,
    asks: true,
    allows: true,
    voice: AcceptedFields::Stop,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

static EVENTS: &[EventRow] = &[
    on("PreToolUse", EventName::BeforeTool, Refusal::Permission).context(Context::Field),
    on("PostToolUse", EventName::AfterTool, Refusal::Block).context(Context::Field),
    on("UserPromptSubmit", EventName::BeforeAgent, Refusal::Block).context(Context::Field),
    on("SessionStart", EventName::SessionStart, Refusal::Message).context(Context::Field),
    on("Stop", EventName::AfterAgent, Refusal::BlockTwice).context(Context::Message),
    on("SubagentStart", EventName::SubagentStart, Refusal::Message).context(Context::Field),
    on("SubagentStop", EventName::SubagentStop, Refusal::BlockTwice).context(Context::Message),
    on("PreCompact", EventName::PreCompress, Refusal::Message),
];

/// `editFiles` and `createFile` are the names its documentation uses, the others those of the program.
static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("run_in_terminal", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("create_file", InputFields::Write { path: &["filePath"], content: &["content"] }),
        ("createFile", InputFields::Write { path: &["filePath", "files"], content: &["content"] }),
        ("replace_string_in_file", InputFields::Edit { paths: &["filePath"], patches: &[] }),
        ("multi_replace_string_in_file", InputFields::Edit { paths: &["replacements[].filePath"], patches: &[] }),
        ("insert_edit_into_file", InputFields::Edit { paths: &["filePath"], patches: &[] }),
        ("edit_notebook_file", InputFields::Edit { paths: &["filePath"], patches: &[] }),
        ("editFiles", InputFields::Edit { paths: &["filePath", "files"], patches: &[] }),
        ("apply_patch", InputFields::Edit { paths: &[], patches: &["input"] }),
        ("read_file", InputFields::Read { path: &["filePath"] }),
        ("fetch_webpage", InputFields::WebFetch { url: &["urls"] }),
        ("runSubagent", InputFields::Subagent { agent: &["agentName"], prompt: &["prompt"] }),
        ("vscode_askQuestions", InputFields::AskUser { questions: &["questions[].question"] }),
    ],
    mcp: McpNames::Single,
};

static AGENT: Agent = Agent {
    name: "vscode",
    aliases: &["vs-code", "code"],
    title: "VS Code",
    program: "",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".copilot/hooks", "hookrail.json").among_others(),
            HookFile::new(Scope::Project, Base::Project, ".github/hooks", "hookrail.json").among_others(),
        ],
        layout: Layout::Flat,
        default_timeout: Duration::from_secs(30),
        matcher: MatcherSyntax::Ignored,
        gate: Gate::TrustedFolder,
        ..HookFormat::PLAIN
    },
    json: JsonStyle::COMMENTED,
    types: &[HookType {
        name: "command",
        needs: &["command"],
        takes: &["windows", "linux", "osx", "cwd", "env"],
        not_on: Some(&[]),
    }],
    hook_keys: &["type", "timeout", "matcher"],
    targets: &[
        ("PreToolUse", Target::Nothing),
        ("PostToolUse", Target::Nothing),
        ("UserPromptSubmit", Target::Nothing),
        ("SessionStart", Target::Nothing),
        ("Stop", Target::Nothing),
        ("SubagentStart", Target::Nothing),
        ("SubagentStop", Target::Nothing),
        ("PreCompact", Target::Nothing),
    ],
    tools: &TOOLS,
    other_tools: &["file_search", "grep_search", "list_dir", "semantic_search", "manage_todo_list"],
    hearing: Hearing { permission_decision: true, decisions: &["block"], silent_exit_two: true, ..Hearing::NOTHING },
    headless: Err("it runs inside an editor"),
    consent: &[
        "VS Code runs hooks of a project only in a workspace you trust, and only if `chat.hooks.enabled` is on.",
    ],
    ..Agent::PLAIN
};

/// It shares hook files with Copilot CLI, which sets a variable; without one, and with nothing else to go by, a payload
/// with a time stamp is taken for this agent's: its answers are the ones most others understand, too.
fn recognise(clues: Clues<'_>) -> Likelihood {
    if !clues.has("timestamp") || clues.has("permission_mode") {
        Likelihood::No
    } else if OWN_TOOLS.contains(&clues.text("tool_name")) {
        Likelihood::Certain
    } else if clues.text("source") == "new" && !clues.variable(&["COPILOT_CLI"]) {
        Likelihood::Likely
    } else {
        Likelihood::Possible
    }
}

/// Tools no other agent has.
const OWN_TOOLS: [&str; 8] = [
    "run_in_terminal",
    "create_file",
    "replace_string_in_file",
    "multi_replace_string_in_file",
    "insert_edit_into_file",
    "fetch_webpage",
    "runSubagent",
    "vscode_askQuestions",
];
