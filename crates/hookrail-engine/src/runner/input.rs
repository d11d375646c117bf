//! The event in the forms hooks take it, made at most once for all of them.

use hookrail_core::{Event, ToolKind, Wording, World};
use hookrail_dialects::dialect;
use hookrail_effects::json::{FIELD, knowledge};
use serde_json::{Map, Value, json};
use std::cell::OnceCell;
use std::sync::Arc;

pub(super) struct Input<'a> {
    /// Shared with the native hooks, so that they and the others understand the call together, once.
    event: &'a Arc<Event>,
    world: &'a dyn World,
    protocol: OnceCell<Arc<[u8]>>,
    claude: OnceCell<Arc<[u8]>>,
}

impl<'a> Input<'a> {
    pub fn new(event: &'a Arc<Event>, world: &'a dyn World) -> Self {
        Self { event, world, protocol: OnceCell::new(), claude: OnceCell::new() }
    }

    /// What a process or a service reads.
    pub fn bytes(&self, wording: Wording) -> Arc<[u8]> {
        let bytes = match wording {
            Wording::Protocol => self.protocol.get_or_init(|| self.encode(self.event.to_input())),
            Wording::Claude => self.claude.get_or_init(|| self.encode(in_claude_words(self.event))),
        };
        Arc::clone(bytes)
    }

    /// What hookrail knows stands beside the agent's own fields. An event that brings such a field has it replaced.
    fn encode(&self, mut input: Map<String, Value>) -> Arc<[u8]> {
        input.insert(FIELD.to_owned(), knowledge(self.event, self.world));
        serde_json::to_vec(&input).unwrap_or_default().into()
    }

    pub fn shared_event(&self) -> Arc<Event> {
        Arc::clone(self.event)
    }
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
