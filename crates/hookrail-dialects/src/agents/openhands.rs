//! OpenHands. It reads `decision` at the top, not `permissionDecision`.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, Target, TurnEnd};
use crate::decode::Words;
use crate::detect::Clues;
use crate::format::{Base, HookFile, HookFormat, MatcherSyntax, Scope};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup, Surface};
use crate::standard::{Context, EventRow, Refusal, StandardDialect, on};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use serde_json::Value;
use std::time::Duration;

pub(super) static OPENHANDS: StandardDialect = StandardDialect {
    words: WORDS,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

const WORDS: Words = Words {
    renamed: &[("event_type", "hook_event_name"), ("working_dir", "cwd"), ("message", "prompt")],
    copied: &[],
    adjust: |payload| {
        // Fields that mean nothing at an event are there, and null.
        for field in ["tool_name", "tool_input", "tool_response", "message"] {
            if payload.get(field).is_some_and(Value::is_null) {
                payload.shift_remove(field);
            }
        }
    },
};

static EVENTS: &[EventRow] = &[
    on("PreToolUse", EventName::BeforeTool, Refusal::Deny).context(Context::Reason),
    on("PostToolUse", EventName::AfterTool, Refusal::Unheard),
    on("UserPromptSubmit", EventName::BeforeAgent, Refusal::Deny).context(Context::Top),
    on("Stop", EventName::AfterAgent, Refusal::Deny).context(Context::Reason),
    on("SessionStart", EventName::SessionStart, Refusal::Unheard),
    on("SessionEnd", EventName::SessionEnd, Refusal::Unheard),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("terminal", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("execute_bash", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("file_editor", InputFields::Editor),
        ("str_replace_editor", InputFields::Editor),
        ("apply_patch", InputFields::Edit { paths: &[], patches: &["patch", "input"] }),
        ("task", InputFields::Subagent { agent: &["subagent_type"], prompt: &["prompt"] }),
    ],
    mcp: McpNames::Unknown,
};

static HEADLESS: Headless = Headless {
    package: Package::PyPi { name: "openhands", version: "1.16.0", python: "3.12", unpinned: &[] },
    args: &["--headless", "--json", "--override-with-envs", "-t", "{prompt}"],
    variables: &[
        ("LLM_API_KEY", "test-key"),
        ("LLM_BASE_URL", "{url}/v1"),
        ("LLM_MODEL", "openai/fake-model"),
        ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
        ("OPENHANDS_SUPPRESS_BANNER", "1"),
    ],
    files: &[],
    scope: Scope::User,
    shell: &[("terminal", r#"{"command":"{command}","security_risk":"LOW"}"#)],
    write: Ok(&[(
        "file_editor",
        r#"{"command":"create","path":"{path}","file_text":"{text}\n","security_risk":"LOW"}"#,
    )]),
    edit: Ok(&[(
        "file_editor",
        r#"{"command":"str_replace","path":"{path}","old_str":"before","new_str":"{text}","security_risk":"LOW"}"#,
    )]),
    patch: Err("its models are offered no tool that takes a patch"),
    mcp: Ok(McpSetup {
        args: &[],
        files: &[(
            ".openhands/mcp.json",
            r#"{"mcpServers":{"canary":{"command":"{hookrail}","args":["verify","--","mcp-server"],"transport":"stdio"}}}"#,
        )],
        calls: &[("note", r#"{"path":"{path}","text":"{text}","security_risk":"LOW"}"#)],
    }),
    subagent: Ok(SubagentSetup {
        calls: &[("task", r#"{"prompt":"{text}","subagent_type":"general-purpose","security_risk":"LOW"}"#)],
        end: Some(("finish", r#"{"message":"the task is done"}"#)),
    }),
    lacks: &[(Surface::Rewrite, "it takes no input from hooks; hookrail refuses a call that must not run as it is")],
};

static AGENT: Agent = Agent {
    name: "openhands",
    title: "OpenHands",
    program: "openhands",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::User, Base::Home, ".openhands", "hooks.json"),
            HookFile::new(Scope::Project, Base::Project, ".openhands", "hooks.json"),
        ],
        default_timeout: Duration::from_secs(60),
        matcher: MatcherSyntax::Names,
        ..HookFormat::PLAIN
    },
    types: &[HookType { name: "command", needs: &["command"], takes: &["async", "name"], not_on: Some(&[]) }],
    type_optional: true,
    targets: &[
        ("PreToolUse", Target::Tool),
        ("PostToolUse", Target::Tool),
        ("UserPromptSubmit", Target::Nothing),
        ("Stop", Target::Nothing),
        ("SessionStart", Target::Nothing),
        ("SessionEnd", Target::Nothing),
    ],
    tools: &TOOLS,
    other_tools: &["finish", "think", "task_tracker", "browser"],
    project_variables: &["OPENHANDS_PROJECT_DIR"],
    hearing: Hearing { decisions: &["deny", "allow"], silent_exit_two: true, ..Hearing::NOTHING },
    turn_end: TurnEnd::Untold,
    headless: Ok(&HEADLESS),
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    if clues.has("event_type") && clues.has("working_dir") { Likelihood::Certain } else { Likelihood::No }
}
