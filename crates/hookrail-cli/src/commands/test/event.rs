//! Events as scenarios write them: short and for any agent, or as an agent really sends them.

use super::sandbox::{SESSION, Sandbox};
use super::scenario::Given;
use super::source::Mistake;
use super::table::Fields;
use hookrail_core::{EventName, ToolKind};
use hookrail_dialects::{Dialect, ToolClass};
use serde_json::{Map, Value, json};

/// Short words for tool calls.
const TOOLS: [&str; 7] = ["shell", "write", "edit", "read", "fetch", "subagent", "skill"];
/// Names under which agents keep what a tool works on.
const KEYS: [&str; 12] = [
    "command",
    "cmd",
    "file_path",
    "path",
    "absolute_path",
    "filePath",
    "url",
    "prompt",
    "subagent_type",
    "agent_name",
    "skill",
    "name",
];

/// The payload of an event, as the agent would send it.
pub fn payload(
    event: &Fields,
    given: &Given,
    dialect: &dyn Dialect,
    sandbox: &Sandbox,
) -> Result<Map<String, Value>, Mistake> {
    let short = event.values.contains_key("event") || TOOLS.iter().any(|tool| event.values.contains_key(*tool));
    let payload = if short { spell_out(event, dialect)? } else { event.values.clone() };
    if payload.is_empty() {
        return Err(event
            .piece
            .mistake(0, "this event is empty")
            .hint("write `event = \"BeforeAgent\"`, or what an agent sends"));
    }
    let Value::Object(payload) = sandbox.fill_value(Value::Object(payload)) else { return Ok(Map::new()) };
    // The document of a pack may take the event for granted; the pack completes it then.
    let nameless = dialect.decode(payload.clone()).name == EventName::Other("".into());
    if nameless && !given.asks_for_hooks() {
        let problem = event.piece.mistake(0, "this names no event");
        return Err(problem.hint("write `event = \"BeforeTool\"`, or `hook_event_name` as the agent does"));
    }
    Ok(payload)
}

fn spell_out(event: &Fields, dialect: &dyn Dialect) -> Result<Map<String, Value>, Mistake> {
    let mut fields = event.values.clone();
    let tool = TOOLS.iter().find(|tool| fields.contains_key(**tool)).copied();
    let name = match event.text("event")? {
        Some(name) => name,
        None if tool.is_some() => "BeforeTool",
        None => return Err(event.piece.mistake(0, "this event has no `event`")),
    };
    let native = native_name(name, dialect)
        .ok_or_else(|| event.mistake(&["event"], format!("agent `{}` has no event `{name}`", dialect.name())))?;
    fields.shift_remove("event");
    let mut payload = Map::new();
    let mut set = |key: &str, value: Value| payload.insert(key.to_owned(), value);
    set("session_id", json!(SESSION));
    set("transcript_path", json!("{{home}}/transcript.jsonl"));
    set("cwd", json!("{{project}}"));
    set("hook_event_name", json!(native));
    if let Some(tool) = tool {
        let (name, input) = tool_call(tool, event, dialect)?;
        set("tool_name", json!(name));
        set("tool_input", input);
        for used in [tool, "content", "old", "new", "prompt", "args"] {
            fields.shift_remove(used);
        }
    }
    payload.extend(fields);
    if let Some(Value::String(cwd)) = payload.get_mut("cwd")
        && !cwd.starts_with(['/', '{'])
    {
        *cwd = format!("{{{{project}}}}/{cwd}");
    }
    Ok(payload)
}

fn native_name(name: &str, dialect: &dyn Dialect) -> Option<String> {
    if let Some(event) = EventName::known(name) {
        return dialect.native_event(&event).map(str::to_owned);
    }
    dialect.event(name).map(|_| name.to_owned())
}

/// The agent's own way to call a tool of this kind: the first of its tools, and the first name for what it works on, that
/// the agent's dialect understands as meant.
fn tool_call(tool: &str, event: &Fields, dialect: &dyn Dialect) -> Result<(String, Value), Mistake> {
    let subject = event.text(tool)?.unwrap_or_default().to_owned();
    let text = |key: &str| event.text(key).map(|text| text.unwrap_or_default().to_owned());
    let (content, old, new, prompt, args) =
        (text("content")?, text("old")?, text("new")?, text("prompt")?, text("args")?);
    let classes: &[ToolClass] = match tool {
        "shell" => &[ToolClass::Shell],
        "write" => &[ToolClass::Write, ToolClass::Edit],
        "edit" => &[ToolClass::Edit],
        "read" => &[ToolClass::Read],
        "fetch" => &[ToolClass::WebFetch],
        "subagent" => &[ToolClass::Subagent],
        _ => &[ToolClass::Skill],
    };
    let patch = |verb: &str, body: &str| format!("*** Begin Patch\n*** {verb} File: {subject}\n{body}\n*** End Patch");
    let extra = match tool {
        "write" => json!({"content": content}),
        "edit" => json!({"old_string": old, "new_string": new}),
        "subagent" => json!({"prompt": prompt, "description": "scenario"}),
        "skill" => json!({"args": args}),
        _ => json!({}),
    };
    let understood = |kind: &ToolKind| match kind {
        ToolKind::Shell { command, .. } => tool == "shell" && *command == subject,
        ToolKind::Write { path, .. } => tool == "write" && *path == subject,
        ToolKind::Edit { paths } => matches!(tool, "edit" | "write") && *paths == [subject.clone()],
        ToolKind::Read { path } => tool == "read" && *path == subject,
        ToolKind::WebFetch { url } => tool == "fetch" && *url == subject,
        ToolKind::Subagent { agent, .. } => tool == "subagent" && *agent == subject,
        ToolKind::Skill { name } => tool == "skill" && *name == subject,
        ToolKind::Mcp { .. } | ToolKind::AskUser { .. } | ToolKind::Other => false,
    };
    for name in classes.iter().flat_map(|class| dialect.tool_names(*class)) {
        let plain = KEYS.iter().map(|key| with(&extra, key, &subject));
        let patches = ["command", "input", "patch"].iter().map(|key| {
            let text = if tool == "write" {
                patch("Add", &plus(&content))
            } else {
                patch("Update", &format!("@@\n-{old}\n+{new}"))
            };
            with(&json!({}), key, &text)
        });
        let mut inputs = plain.chain(patches);
        if let Some(input) = inputs.find(|input| understood(&dialect.classify()(name, input))) {
            return Ok((name.to_owned(), input));
        }
    }
    let problem = format!("agent `{}` has no tool for `{tool}`", dialect.name());
    Err(event.mistake(&[tool], problem).hint("write `tool_name` and `tool_input` as the agent does"))
}

fn with(extra: &Value, key: &str, subject: &str) -> Value {
    let mut input = json!({ key: subject });
    if let (Some(fields), Some(extra)) = (input.as_object_mut(), extra.as_object()) {
        fields.extend(extra.iter().filter(|(name, _)| *name != key).map(|(name, value)| (name.clone(), value.clone())));
    }
    input
}

fn plus(content: &str) -> String {
    content.lines().map(|line| format!("+{line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::test::source::{Piece, Source};
    use hookrail_dialects::dialect;
    use std::sync::Arc;

    fn event(toml: &str) -> Fields {
        let source = Arc::new(Source { path: "s.md".into(), text: toml.to_owned() });
        Fields::toml(&Piece { source, range: 0..toml.len() }).unwrap()
    }

    #[test]
    fn a_short_event_means_the_same_to_every_agent() {
        for agent in ["claude", "gemini", "llxprt", "codex", "qwen", "droid"] {
            let dialect = dialect(agent).unwrap();
            for (short, expected) in [
                ("shell = 'ls'", ToolKind::Shell { command: "ls".to_owned(), cwd: None }),
                ("edit = 'a.rs'\nold = 'x'\nnew = 'y'", ToolKind::Edit { paths: vec!["a.rs".to_owned()] }),
            ] {
                let event = dialect.decode(spell_out(&event(short), dialect).unwrap());
                assert_eq!(event.name, EventName::BeforeTool, "{agent} {short}");
                assert_eq!(event.tool.unwrap().kind, expected, "{agent} {short}");
                assert_eq!(event.session_id, SESSION, "{agent}");
            }
            let written = dialect.decode(spell_out(&event("write = 'a.rs'\ncontent = 'x'"), dialect).unwrap());
            assert_eq!(written.tool.unwrap().touched_paths(), ["a.rs"], "{agent}");
            let prompt = dialect.decode(spell_out(&event("event = 'BeforeAgent'\nprompt = 'hi'"), dialect).unwrap());
            assert_eq!((prompt.name.clone(), prompt.text("prompt")), (EventName::BeforeAgent, Some("hi")), "{agent}");
        }
    }
}
