//! The event in the forms hooks take it, made at most once for all of them.

use hookrail_core::{Event, ToolKind, Wording};
use hookrail_dialects::dialect;
use serde_json::{Map, Value, json};
use std::cell::OnceCell;
use std::sync::Arc;

pub(super) struct Input<'a> {
    event: &'a Event,
    protocol: OnceCell<Arc<[u8]>>,
    claude: OnceCell<Arc<[u8]>>,
    shared: OnceCell<Arc<Event>>,
}

impl<'a> Input<'a> {
    pub fn new(event: &'a Event) -> Self {
        Self { event, protocol: OnceCell::new(), claude: OnceCell::new(), shared: OnceCell::new() }
    }

    /// For an event that is shared already.
    pub fn shared(event: &'a Arc<Event>) -> Self {
        let input = Self::new(event);
        input.shared.get_or_init(|| Arc::clone(event));
        input
    }

    /// What a process or a service reads.
    pub fn bytes(&self, wording: Wording) -> Arc<[u8]> {
        let encode = |input: Map<String, Value>| serde_json::to_vec(&input).unwrap_or_default().into();
        match wording {
            Wording::Protocol => Arc::clone(self.protocol.get_or_init(|| encode(self.event.to_input()))),
            Wording::Claude => Arc::clone(self.claude.get_or_init(|| encode(in_claude_words(self.event)))),
        }
    }

    pub fn shared_event(&self) -> Arc<Event> {
        Arc::clone(self.shared.get_or_init(|| Arc::new(self.event.clone())))
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
