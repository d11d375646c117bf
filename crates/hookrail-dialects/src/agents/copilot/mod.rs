//! GitHub Copilot CLI. Its answers are flat, and it knows each event by two names.
//!
//! Configured under the camelCase name it sends a camelCase payload that does not even say which event it is; under the
//! PascalCase name it sends one like Claude Code's. hookrail installs the latter and reads both. Permission requests have a
//! shape of their own under either name, and say `hookName`.

mod answer;
mod events;

use self::events::{EVENTS, Refusal, SIGNS};
use crate::agent::{Agent, Hearing, HookType, Target};
use crate::decode::{self, Words};
use crate::detect::Clues;
use crate::format::{Base, Gate, HookFile, HookFormat, Layout, MatcherSyntax, Os, Scope};
use crate::headless::{Headless, McpSetup, Package, SubagentSetup};
use crate::opinion::{self, Opinion, Powers};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use crate::{Classify, Dialect, EncodedAnswer, Env, Likelihood, event_table};
use hookrail_core::{Event, EventName, ToolKind, Verdict};
use serde_json::{Map, Value};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Copilot;

const WORDS: Words = Words {
    renamed: &[
        ("sessionId", "session_id"),
        ("transcriptPath", "transcript_path"),
        ("toolName", "tool_name"),
        ("toolArgs", "tool_input"),
        ("toolInput", "tool_input"),
        ("permissionSuggestions", "permission_suggestions"),
        ("arguments", "tool_input"),
        ("toolResult", "tool_response"),
        ("tool_result", "tool_response"),
        ("toolCallId", "tool_use_id"),
        ("serverName", "mcp_server_name"),
        ("agentId", "agent_id"),
        ("agentType", "agent_type"),
        ("agentName", "agent_type"),
        ("customInstructions", "custom_instructions"),
        ("response", "last_assistant_message"),
    ],
    copied: &[],
    adjust: |_| {},
};

/// The agent's own names, and Claude Code's, which it sends under PascalCase event names. Its inputs under those are not
/// documented, so either agent's fields count.
static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("bash", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("powershell", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("create", InputFields::Write { path: &["path"], content: &["file_text"] }),
        ("edit", InputFields::Edit { paths: &["path", "file_path"], patches: &[] }),
        ("str_replace_editor", InputFields::Editor),
        ("apply_patch", InputFields::Edit { paths: &[], patches: &["input", "patch", "command"] }),
        ("view", InputFields::Read { path: &["path"] }),
        ("web_fetch", InputFields::WebFetch { url: &["url"] }),
        ("task", InputFields::Subagent { agent: &["agent_type"], prompt: &["prompt"] }),
        ("ask_user", InputFields::AskUser { questions: &["question", "questions[].question"] }),
        ("Bash", InputFields::Shell { command: &["command"], cwd: &[] }),
        ("Write", InputFields::Write { path: &["path", "file_path"], content: &["file_text", "content"] }),
        ("Edit", InputFields::Edit { paths: &["path", "file_path"], patches: &["input", "patch", "command"] }),
        ("Read", InputFields::Read { path: &["path", "file_path"] }),
        ("WebFetch", InputFields::WebFetch { url: &["url"] }),
        ("Agent", InputFields::Subagent { agent: &["agent_type", "subagent_type"], prompt: &["prompt"] }),
        ("AskUserQuestion", InputFields::AskUser { questions: &["question", "questions[].question"] }),
    ],
    mcp: McpNames::Joined,
};

fn classify(name: &str, input: &Value) -> ToolKind {
    TOOLS.classify(name, input)
}

/// VS Code reads the same files. Of the several names Copilot accepts for a field these are the ones both know.
static HEADLESS: Headless = Headless {
    package: Package::Npm { name: "@github/copilot", version: "1.0.102", beside: &[] },
    args: &["-p", "{prompt}", "--allow-all-tools", "--allow-all-paths", "--trust-folder"],
    variables: &[
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
        ("COPILOT_PROVIDER_API_KEY", "test-key"),
        ("COPILOT_MODEL", "fake-model"),
    ],
    files: &[],
    scope: Scope::User,
    shell: &[("bash", r#"{"command":"{command}","description":"a canary"}"#)],
    write: Ok(&[("create", r#"{"path":"{path}","file_text":"{text}\n"}"#)]),
    edit: Ok(&[("edit", r#"{"path":"{path}","old_str":"before","new_str":"{text}"}"#)]),
    patch: Err("its models are offered no tool that takes a patch"),
    mcp: Ok(McpSetup {
        args: &["--additional-mcp-config", "@{home}/mcp.json"],
        files: &[(
            "mcp.json",
            r#"{"mcpServers":{"canary":{"type":"local","command":"{hookrail}","args":["verify","--","mcp-server"],"tools":["*"]}}}"#,
        )],
        calls: &[("canary-note", r#"{"path":"{path}","text":"{text}"}"#)],
    }),
    subagent: Ok(SubagentSetup::of(&[(
        "task",
        r#"{"name":"canary","description":"a canary","agent_type":"general-purpose","prompt":"{text}"}"#,
    )])),
    lacks: &[],
};

static AGENT: Agent = Agent {
    name: "copilot",
    aliases: &["copilot-cli", "github-copilot"],
    title: "GitHub Copilot CLI",
    program: "copilot",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::Managed, Base::Root, "/etc/github-copilot/policy.d", "hookrail.json")
                .on(Os::Linux)
                .among_others(),
            HookFile::new(Scope::Managed, Base::Root, r"C:\ProgramData\GitHub\Copilot\policy.d", "hookrail.json")
                .on(Os::Windows)
                .among_others(),
            HookFile::new(Scope::User, Base::Home, ".copilot/hooks", "hookrail.json")
                .moved_into("COPILOT_HOME", "hooks")
                .among_others(),
            HookFile::new(Scope::Project, Base::Project, ".github/hooks", "hookrail.json").among_others(),
            HookFile::new(Scope::User, Base::Home, ".copilot", "settings.json").moved_by("COPILOT_HOME").only_read(),
            HookFile::new(Scope::Project, Base::Project, ".github/copilot", "settings.json").only_read(),
            HookFile::new(Scope::Local, Base::Project, ".github/copilot", "settings.local.json").only_read(),
            HookFile::tree(Scope::User, Base::Home, ".copilot/installed-plugins")
                .moved_into("COPILOT_HOME", "installed-plugins"),
            // Which folders its user trusts.
            HookFile::new(Scope::User, Base::Home, ".copilot", "config.json").moved_by("COPILOT_HOME").store(),
        ],
        layout: Layout::Flat,
        root_fields: &[("version", 1)],
        default_timeout: Duration::from_secs(30),
        matcher: MatcherSyntax::Anchored,
        gate: Gate::TrustedFolder,
        ..HookFormat::PLAIN
    },
    types: &[
        HookType {
            name: "command",
            needs: &[],
            takes: &["command", "bash", "powershell", "exec", "cwd", "env", "timeoutSec"],
            not_on: Some(&[]),
        },
        HookType { name: "http", needs: &["url"], takes: &["headers", "timeoutSec"], not_on: Some(&[]) },
        HookType { name: "prompt", needs: &["prompt"], takes: &[], not_on: Some(&[]) },
    ],
    type_optional: true,
    hook_keys: &["type", "timeout", "matcher"],
    targets: &[
        ("PreToolUse", Target::Tool),
        ("PostToolUse", Target::Tool),
        ("PostToolUseFailure", Target::Tool),
        ("PermissionRequest", Target::Tool),
        ("preToolUse", Target::Tool),
        ("postToolUse", Target::Tool),
        ("postToolUseFailure", Target::Tool),
        ("permissionRequest", Target::Tool),
    ],
    tools: &TOOLS,
    other_tools: &[
        "grep",
        "rg",
        "glob",
        "web_search",
        "update_todo",
        "report_intent",
        "Grep",
        "Glob",
        "WebSearch",
        "TodoWrite",
    ],
    project_variables: &["COPILOT_PROJECT_DIR"],
    hearing: Hearing {
        permission_decision: true,
        decisions: &["block"],
        silent_exit_two: true,
        cuts_endless_stop: true,
        ..Hearing::NOTHING
    },
    headless: Ok(&HEADLESS),
    consent: &[
        "Copilot CLI runs hooks of a project only in a folder you trust: answer its question when you start it there.",
    ],
    ..Agent::PLAIN
};

/// The event's name, said or recognised by its fields.
fn native_name(payload: &Map<String, Value>) -> String {
    let named = || payload.get("hookName").and_then(Value::as_str).unwrap_or_default();
    let spoken = Some(decode::spoken_event(payload)).filter(|spoken| !spoken.is_empty()).unwrap_or_else(named);
    if !spoken.is_empty() {
        return spoken.to_owned();
    }
    let fits = |fields: &[&str]| fields.iter().all(|field| payload.get(*field).is_some_and(|value| !value.is_null()));
    SIGNS.iter().find(|(fields, _)| fits(fields)).map(|(_, native)| (*native).to_owned()).unwrap_or_default()
}

impl Dialect for Copilot {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn decode(&self, mut payload: Map<String, Value>) -> Event {
        let native = native_name(&payload);
        WORDS.translate(&mut payload);
        decode::unwrap_json(&mut payload, "tool_input");
        let name = self.event(&native).unwrap_or_else(|| EventName::parse(&native));
        decode::build(payload, name, &native, classify)
    }

    fn encode(&self, event: &Event, verdict: &Verdict) -> EncodedAnswer {
        let row = event_table::for_answer(EVENTS, event);
        let mut opinion = Opinion::read(event, verdict);
        let able = self.can_ask(event);
        let powers = Powers { refuse: true, ask: able, rewrite: able, allow: self.can_allow(event) };
        let ruling = opinion.rule(&event.name, powers);
        match row {
            Some(row) => answer::write(row, opinion, ruling),
            None => opinion::answer_unknown(&ruling).unwrap_or_else(EncodedAnswer::silent),
        }
    }

    fn can_ask(&self, event: &Event) -> bool {
        event_table::for_answer(EVENTS, event).is_some_and(|row| row.refusal == Refusal::Permission)
    }

    fn can_allow(&self, event: &Event) -> bool {
        let row = event_table::for_answer(EVENTS, event);
        row.is_some_and(|row| matches!(row.refusal, Refusal::Permission | Refusal::Behavior))
    }

    event_table::by_table!(self, EVENTS);

    fn classify(&self) -> Classify {
        classify
    }

    fn recognise(&self, payload: &Map<String, Value>, env: Env<'_>) -> Likelihood {
        let clues = Clues { payload, env };
        let own_result = payload.get("tool_result").is_some_and(|result| result.get("result_type").is_some());
        let likelihood = if own_result || (clues.has("sessionId") && !clues.has("session_id")) {
            Likelihood::Certain
        } else if clues.has("timestamp") && clues.variable(&["COPILOT_CLI", "COPILOT_PROJECT_DIR"]) {
            Likelihood::Likely
        } else {
            Likelihood::No
        };
        likelihood.if_event_known(event_table::named(EVENTS, &native_name(payload)).is_some())
    }
}
