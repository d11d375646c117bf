//! The event in the forms hooks take it, made at most once for all of them.

use super::process::Stdin;
use hookrail_core::{Event, ToolKind, Wording, World};
use hookrail_dialects::dialect;
use hookrail_effects::json::{FIELD, knowledge};
use serde_json::{Map, Value, json};
use std::cell::OnceCell;
use std::sync::Arc;

/// How an event is told.
type Words = fn(&Event) -> Map<String, Value>;

pub(super) struct Input {
    /// Shared with the native hooks, so that they and the others understand the call together, once.
    event: Arc<Event>,
    world: Arc<dyn World>,
    protocol: OnceCell<Stdin>,
    claude: OnceCell<Stdin>,
}

impl Input {
    pub fn new(event: &Arc<Event>, world: &Arc<dyn World>) -> Self {
        let (event, world) = (Arc::clone(event), Arc::clone(world));
        Self { event, world, protocol: OnceCell::new(), claude: OnceCell::new() }
    }

    /// What a process or a service reads.
    pub fn stdin(&self, wording: Wording) -> Stdin {
        let (cell, words) = match wording {
            Wording::Protocol => (&self.protocol, Event::to_input as Words),
            Wording::Claude => (&self.claude, in_claude_words as Words),
        };
        let (event, world) = (&self.event, &self.world);
        let made = || {
            let (event, world) = (Arc::clone(event), Arc::clone(world));
            Stdin::made_by(move || encode(words(&event), &event, &*world))
        };
        cell.get_or_init(made).clone()
    }

    pub fn shared_event(&self) -> Arc<Event> {
        Arc::clone(&self.event)
    }
}

/// What hookrail knows stands beside the agent's own fields. An event that brings such a field has it replaced.
fn encode(mut input: Map<String, Value>, event: &Event, world: &dyn World) -> Arc<[u8]> {
    input.insert(FIELD.to_owned(), knowledge(event, world));
    serde_json::to_vec(&input).unwrap_or_default().into()
}

/// The event as Claude Code would tell it: its names of events and tools, and of what stands in a tool's input. What the host
/// calls these things stays beside them.
fn in_claude_words(event: &Event) -> Map<String, Value> {
    let mut input = event.to_input();
    let native = dialect("claude").and_then(|claude| claude.native_event(&event.name));
    if let Some(native) = native {
        input.insert("hook_event_name".to_owned(), json!(native));
    }
    let Some(tool) = &event.tool else { return input };
    if let Some(name) = tool.kind.claude_name() {
        input.insert("tool_name".to_owned(), json!(name));
        let own = event.tool_input().and_then(Value::as_object).cloned().unwrap_or_default();
        let mut fields = claude_fields(&tool.kind);
        fields.retain(|key, _| !own.contains_key(key));
        fields.extend(own);
        input.insert("tool_input".to_owned(), Value::Object(fields));
    }
    input
}

fn claude_fields(kind: &ToolKind) -> Map<String, Value> {
    let fields = match kind {
        ToolKind::Shell { command, .. } => json!({ "command": command }),
        ToolKind::Write { path, content } => json!({ "file_path": path, "content": content }),
        ToolKind::Edit { paths } => json!({ "file_path": paths.first() }),
        ToolKind::Read { path } => json!({ "file_path": path }),
        ToolKind::WebFetch { url } => json!({ "url": url }),
        ToolKind::Subagent { agent, prompt } => json!({ "subagent_type": agent, "prompt": prompt }),
        ToolKind::Skill { name } => json!({ "skill": name }),
        ToolKind::AskUser { questions } => {
            let questions: Vec<Value> = questions.iter().map(|question| json!({ "question": question })).collect();
            json!({ "questions": questions })
        }
        ToolKind::Mcp { .. } | ToolKind::Other => json!({}),
    };
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
