//! Cursor. A call of a tool may arrive as several events, and no opinion must be said: a hook that is silent has failed.

mod answer;
mod events;

use self::events::{CursorCall, EVENTS, Refusal, Row};
use crate::agent::{Agent, Hearing, HookType, JsonStyle, Target};
use crate::decode::{self, Words};
use crate::detect::Clues;
use crate::format::{Base, Gate, HookFile, HookFormat, Layout, MatcherSyntax, Os, Scope, UnknownEvent};
use crate::opinion::{self, Opinion, Powers};
use crate::tool_table::{InputFields, McpNames, ToolTable};
use crate::{Classify, Dialect, EncodedAnswer, Env, Likelihood, event_table};
use hookrail_core::{Event, EventName, ToolKind, Verdict};
use serde_json::{Map, Value};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Cursor;

const WORDS: Words = Words {
    renamed: &[
        ("tool_output", "tool_response"),
        ("result_json", "tool_response"),
        ("output", "tool_response"),
        ("error_message", "error"),
        ("subagent_id", "agent_id"),
        ("subagent_type", "agent_type"),
        ("summary", "last_assistant_message"),
        ("tool_call_id", "tool_use_id"),
    ],
    copied: &[("conversation_id", "session_id")],
    adjust: |payload| decode::first_root(payload, "workspace_roots"),
};

static TOOLS: ToolTable = ToolTable {
    tools: &[
        ("Shell", InputFields::Shell { command: &["command"], cwd: &["cwd"] }),
        ("Write", InputFields::Write { path: &["file_path"], content: &["content"] }),
        ("TabWrite", InputFields::Edit { paths: &["file_path"], patches: &[] }),
        ("Delete", InputFields::Edit { paths: &["file_path"], patches: &[] }),
        ("Read", InputFields::Read { path: &["file_path"] }),
        ("TabRead", InputFields::Read { path: &["file_path"] }),
        ("Fetch", InputFields::WebFetch { url: &["url"] }),
        ("WebFetch", InputFields::WebFetch { url: &["url"] }),
        ("Task", InputFields::Subagent { agent: &["subagent_type"], prompt: &["prompt"] }),
    ],
    mcp: McpNames::Colon,
};

fn classify(name: &str, input: &Value) -> ToolKind {
    TOOLS.classify(name, input)
}

static AGENT: Agent = Agent {
    name: "cursor",
    aliases: &["cursor-agent"],
    title: "Cursor",
    program: "cursor-agent",
    format: HookFormat {
        files: &[
            HookFile::new(Scope::Managed, Base::Root, "/etc/cursor", "hooks.json").on(Os::Linux),
            HookFile::new(Scope::Managed, Base::Root, "/Library/Application Support/Cursor", "hooks.json")
                .on(Os::MacOs),
            HookFile::new(Scope::Managed, Base::Root, r"C:\ProgramData\Cursor", "hooks.json").on(Os::Windows),
            HookFile::new(Scope::User, Base::Home, ".cursor", "hooks.json"),
            HookFile::new(Scope::Project, Base::Project, ".cursor", "hooks.json"),
            HookFile::tree(Scope::User, Base::Home, ".cursor/plugins"),
        ],
        layout: Layout::Flat,
        root_fields: &[("version", 1)],
        default_timeout: Duration::from_secs(60),
        matcher: MatcherSyntax::Pattern,
        unknown_event: UnknownEvent::RejectsFile,
        gate: Gate::TrustedFolder,
        ..HookFormat::PLAIN
    },
    json: JsonStyle::LOOSE,
    types: &[
        HookType { name: "command", needs: &["command"], takes: &["loop_limit", "failClosed"], not_on: Some(&[]) },
        HookType {
            name: "prompt",
            needs: &["prompt"],
            takes: &["model", "loop_limit", "failClosed"],
            not_on: Some(&[]),
        },
    ],
    type_optional: true,
    hook_keys: &["type", "timeout", "matcher"],
    targets: &[("preToolUse", Target::Tool), ("postToolUse", Target::Tool), ("postToolUseFailure", Target::Tool)],
    tools: &TOOLS,
    other_tools: &["Grep", "List", "ReadLints"],
    project_variables: &["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    hearing: Hearing {
        decisions: &["block"],
        silent_exit_two: true,
        reason_on_stdout: true,
        cuts_endless_stop: true,
        ..Hearing::NOTHING
    },
    headless: Err("it speaks to a model through its own service only"),
    consent: &["Cursor reads hooks of a project only in a workspace you trust."],
    ..Agent::PLAIN
};

impl Dialect for Cursor {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn decode(&self, mut payload: Map<String, Value>) -> Event {
        let native = decode::spoken_event(&payload).to_owned();
        WORDS.translate(&mut payload);
        spell_call(&mut payload, event_table::named(EVENTS, &native).map_or(CursorCall::Spelled, |row| row.call));
        decode::unwrap_json(&mut payload, "tool_response");
        let name = self.event(&native).unwrap_or_else(|| EventName::parse(&native));
        decode::build(payload, name, &native, classify)
    }

    fn encode(&self, event: &Event, verdict: &Verdict) -> EncodedAnswer {
        let row = event_table::for_answer(EVENTS, event);
        let mut opinion = Opinion::read(event, verdict);
        let powers = Powers {
            refuse: row.is_none_or(|row| row.refusal != Refusal::Message),
            ask: self.can_ask(event),
            allow: self.can_allow(event),
            rewrite: row.is_some_and(|row| row.keys.contains(&"updated_input")),
        };
        let ruling = opinion.rule(&event.name, powers);
        match row {
            Some(row) => answer::write(row, opinion, ruling),
            None => opinion::answer_unknown(&ruling).unwrap_or_else(answer::no_opinion),
        }
    }

    fn can_ask(&self, event: &Event) -> bool {
        event_table::for_answer(EVENTS, event).is_some_and(|row| row.refusal == Refusal::PermissionOrAsk)
    }

    fn can_allow(&self, event: &Event) -> bool {
        let permits = |row: &Row| matches!(row.refusal, Refusal::Permission | Refusal::PermissionOrAsk);
        event.name == EventName::BeforeTool && event_table::for_answer(EVENTS, event).is_some_and(permits)
    }

    event_table::by_table!(self, EVENTS);

    fn classify(&self) -> Classify {
        classify
    }

    fn recognise(&self, payload: &Map<String, Value>, env: Env<'_>) -> Likelihood {
        let clues = Clues { payload, env };
        let likelihood = if clues.has("cursor_version") || (clues.has("conversation_id") && clues.has("generation_id"))
        {
            Likelihood::Certain
        } else if clues.variable(&["CURSOR_VERSION", "CURSOR_PROJECT_DIR"]) {
            Likelihood::Likely
        } else {
            Likelihood::Possible
        };
        likelihood.if_event_known(event_table::named(EVENTS, decode::spoken_event(payload)).is_some())
    }
}

/// Puts the tool and its input where other agents have them.
fn spell_call(payload: &mut Map<String, Value>, call: CursorCall) {
    let (name, fields): (String, &[&str]) = match call {
        CursorCall::Spelled => return decode::unwrap_json(payload, "tool_input"),
        CursorCall::Shell => ("Shell".to_owned(), &["command", "cwd"]),
        CursorCall::File(tool) => (tool.to_owned(), &["file_path", "edits"]),
        CursorCall::Mcp => {
            let tool = payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
            let name = format!("MCP:{tool}");
            payload.insert("tool_name".to_owned(), Value::from(name));
            return decode::unwrap_json(payload, "tool_input");
        }
    };
    let input: Map<String, Value> =
        fields.iter().filter_map(|field| Some(((*field).to_owned(), payload.get(*field)?.clone()))).collect();
    payload.insert("tool_name".to_owned(), Value::from(name));
    payload.insert("tool_input".to_owned(), Value::Object(input));
}
