//! Auggie, the agent of Augment Code. It reads exit code 2 and `permissionDecision`, and `decision` nowhere.

use crate::Likelihood;
use crate::agent::{Agent, Hearing, HookType, Target, TurnEnd};
use crate::decode::{self, Words};
use crate::detect::Clues;
use crate::format::{Base, HookFile, HookFormat, MatcherSyntax, Scope, TimeoutUnit};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup, Surface};
use crate::standard::{Context, EventRow, Refusal, Rewrite, StandardDialect, on, other};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use hookrail_core::EventName;
use serde_json::Value;
use std::time::Duration;

pub(super) static AUGGIE: StandardDialect = StandardDialect {
    words: WORDS,
    rewrite: Rewrite::UpdatedInput,
    ..StandardDialect::new(&AGENT, EVENTS, |name, input| TOOLS.classify(name, input), recognise)
};

const WORDS: Words = Words {
    renamed: &[("user_prompt", "prompt")],
    copied: &[("conversation_id", "session_id")],
    adjust: |payload| {
        decode::first_root(payload, "workspace_roots");
        // Before a tool has run, this is a placeholder.
        if payload.get("hook_event_name").and_then(Value::as_str) == Some("PostToolUse")
            && let Some(output) = payload.get("tool_output").cloned()
        {
            payload.insert("tool_response".to_owned(), output);
        }
        if payload.get("is_mcp_tool") == Some(&Value::Bool(true)) {
            decode::lift(payload, &["mcp_metadata", "mcpServerName"], "mcp_server_name");
            payload.entry("mcp_server_name").or_insert_with(|| Value::from("unknown"));
        }
    },
};

static EVENTS: &[EventRow] = &[
    on("PreToolUse", EventName::BeforeTool, Refusal::Permission).context(Context::Reason),
    on("PostToolUse", EventName::AfterTool, Refusal::Feedback).context(Context::Field),
    // It does not wait for the hooks of these three, and drops what they answer.
    on("PromptSubmit", EventName::BeforeAgent, Refusal::Unheard),
    on("SessionStart", EventName::SessionStart, Refusal::Unheard),
    on("Stop", EventName::AfterAgent, Refusal::Unheard),
    on("SessionEnd", EventName::SessionEnd, Refusal::Unheard),
    on("Notification", EventName::Notification, Refusal::Unheard),
    other("PermissionDenied", Refusal::Unheard),
];

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("launch-process", InputFields::Shell { command: &["command"], cwd: &["cwd"] }),
        ("save-file", InputFields::Write { path: &["path"], content: &["file_content"] }),
        ("str-replace-editor", InputFields::Edit { paths: &["path"], patches: &[] }),
        ("apply_patch", InputFields::Edit { paths: &[], patches: &["input", "patch"] }),
        ("remove-files", InputFields::Edit { paths: &["file_paths"], patches: &[] }),
        ("view", InputFields::Read { path: &["path"] }),
        ("web-fetch", InputFields::WebFetch { url: &["url"] }),
    ],
    mcp: McpNames::Unknown,
};

static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "@augmentcode/auggie", version: "0.36.0", beside: &[] },
    args: &["--print", "{prompt}"],
    // Its model is behind a service of its own, which hookrail's scripted model imitates.
    variables: &[
        ("AUGMENT_DISABLE_AUTO_UPDATE", "1"),
        ("AUGMENT_SESSION_AUTH", r#"{"accessToken":"test-key","tenantURL":"{url}/","scopes":["read","write"]}"#),
    ],
    files: &[],
    scope: Scope::User,
    shell: &[("launch-process", r#"{"command":"{command}","wait":true,"max_wait_seconds":20,"cwd":"{project}"}"#)],
    write: Ok(&[("save-file", r#"{"path":"{path}","file_content":"{text}"}"#)]),
    edit: Ok(&[
        ("view", r#"{"path":"{path}","type":"file"}"#),
        (
            "str-replace-editor",
            r#"{"command":"str_replace","path":"{path}","str_replace_entries":[{"old_str":"before","new_str":"{text}","old_str_start_line_number":1,"old_str_end_line_number":1}]}"#,
        ),
    ]),
    patch: Ok(&[("apply_patch", r#"{"input":"*** Begin Patch\n*** Add File: {name}\n+{text}\n*** End Patch\n"}"#)]),
    mcp: Ok(McpSetup {
        args: &[
            "--mcp-config",
            r#"{"mcpServers":{"canary":{"command":"{hookrail}","args":["verify","--","mcp-server"]}}}"#,
        ],
        files: &[],
        calls: &[("note_canary", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup::of(&[(
        "sub-agent-general-purpose",
        r#"{"action":"run","name":"canary","instruction":"{text}"}"#,
    )])),
    lacks: &[
        (Surface::PromptContext, "it drops what a hook answers to a prompt"),
        (Surface::Stop, "it drops what a hook answers to its end"),
    ],
};

static AGENT: Agent = Agent {
    name: "auggie",
    aliases: &["augment"],
    title: "Auggie",
    program: "auggie",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::Managed, Base::Root, "/etc/augment", "settings.json").only_read(),
            HookFile::new(Scope::User, Base::Home, ".augment", "settings.json"),
            HookFile::new(Scope::Project, Base::Project, ".augment", "settings.json"),
            HookFile::new(Scope::Local, Base::Project, ".augment", "settings.local.json"),
            HookFile::tree(Scope::User, Base::Home, ".augment/plugins"),
        ],
        timeout_unit: TimeoutUnit::Milliseconds,
        default_timeout: Duration::from_secs(60),
        matcher: MatcherSyntax::Pattern,
        ..HookFormat::PLAIN
    },
    types: &[HookType { name: "command", needs: &["command"], takes: &["args"], not_on: Some(&[]) }],
    group_keys: &["matcher", "hooks", "metadata"],
    targets: &[
        ("PreToolUse", Target::Tool),
        ("PostToolUse", Target::Tool),
        ("PromptSubmit", Target::Nothing),
        ("Stop", Target::Nothing),
        ("SessionStart", Target::Nothing),
        ("SessionEnd", Target::Nothing),
    ],
    tools: &TOOLS,
    other_tools: &[
        "codebase-retrieval",
        "web-search",
        "read-process",
        "write-process",
        "kill-process",
        "list-processes",
        "view_tasklist",
        "add_tasks",
        "update_tasks",
    ],
    project_variables: &["AUGMENT_PROJECT_DIR"],
    hearing: Hearing { permission_decision: true, ..Hearing::NOTHING },
    turn_end: TurnEnd::Untold,
    headless: Ok(&HEADLESS),
    ..Agent::PLAIN
};

fn recognise(clues: Clues<'_>) -> Likelihood {
    let own = clues.has("conversation_id") && clues.has("workspace_roots");
    // Cursor has the same fields, and events that begin with a small letter.
    let small = decode::spoken_event(clues.payload).starts_with(|c: char| c.is_ascii_lowercase());
    let cursors = clues.has("cursor_version") || clues.has("generation_id") || small;
    if own && !cursors { Likelihood::Certain } else { Likelihood::No }
}
