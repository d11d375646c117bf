//! From a payload to an event. What differs between agents is handed in.

use crate::{Classify, Dialect};
use hookrail_core::{Event, EventName, NATIVE_NAME_FIELD, ToolCall, ToolKind};
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// An agent's own words for fields that hookrail's vocabulary names differently.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    /// `(theirs, ours)`: moved, unless our name is taken. Of several with the same target the first present counts.
    pub renamed: &'static [(&'static str, &'static str)],
    /// `(theirs, ours)`: the same, but their name stays, because the hook protocol has it as well.
    pub copied: &'static [(&'static str, &'static str)],
    /// What more it takes, before the names are changed.
    pub adjust: fn(&mut Map<String, Value>),
}

impl Words {
    /// `tool_result` is what some scripts and agents call `tool_response` (errata X7).
    pub(crate) const PLAIN: Self = Self { renamed: &[("tool_result", "tool_response")], copied: &[], adjust: |_| {} };

    pub(crate) fn translate(&self, payload: &mut Map<String, Value>) {
        (self.adjust)(payload);
        for (theirs, ours) in self.renamed {
            if !payload.contains_key(*ours)
                && let Some(value) = payload.shift_remove(*theirs)
            {
                payload.insert((*ours).to_owned(), value);
            }
        }
        for (theirs, ours) in self.copied {
            if !payload.contains_key(*ours)
                && let Some(value) = payload.get(*theirs).cloned()
            {
                payload.insert((*ours).to_owned(), value);
            }
        }
    }
}

/// The event a payload says it is, as the agent spells it; empty if it does not say.
pub(crate) fn spoken_event(payload: &Map<String, Value>) -> &str {
    let fields = ["hook_event_name", "event_type", "event"];
    fields.iter().find_map(|field| payload.get(*field)?.as_str()).unwrap_or_default()
}

/// Takes the first folder of a list for the working directory, where the payload names none.
pub(crate) fn first_root(payload: &mut Map<String, Value>, field: &str) {
    if let Some(root) = payload.get(field).and_then(|roots| roots.get(0)).cloned() {
        payload.entry("cwd").or_insert(root);
    }
}

/// Copies a value from within another to the top, where there is none.
pub(crate) fn lift(payload: &mut Map<String, Value>, path: &[&str], to: &str) {
    let Some((first, rest)) = path.split_first() else { return };
    let found = payload.get(*first).and_then(|value| rest.iter().try_fold(value, |value, key| value.get(key)));
    if let Some(value) = found.filter(|value| !value.is_null()).cloned() {
        payload.entry(to).or_insert(value);
    }
}

/// The texts of a list of parts, one below the other.
pub(crate) fn joined_text(parts: &Value) -> Option<String> {
    let texts: Vec<&str> = parts.as_array()?.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    Some(texts.join("\n"))
}

/// The event that [`Event::to_input`] was made of, or as much of it as is left. The agent's way to read tools is asked for,
/// not its words: those were translated when the event arrived.
#[must_use]
pub fn restore(mut input: Map<String, Value>, dialect: &dyn Dialect) -> Event {
    let name = EventName::parse(&take_text(&mut input, "hook_event_name"));
    let native = take_text(&mut input, NATIVE_NAME_FIELD);
    build(input, name, &native, dialect.classify())
}

/// Builds the event from a payload in our words.
pub(crate) fn build(mut payload: Map<String, Value>, name: EventName, native: &str, classify: Classify) -> Event {
    let session_id = take_text(&mut payload, "session_id");
    let cwd = PathBuf::from(take_text(&mut payload, "cwd"));
    let transcript_path = take_text(&mut payload, "transcript_path");
    let timestamp = take_timestamp(&mut payload);
    take_text(&mut payload, "hook_event_name");
    unwrap_json(&mut payload, "tool_input");
    let tool = tool(&payload, classify);
    Event { name, native_name: native.to_owned(), session_id, cwd, timestamp, transcript_path, tool, payload }
}

/// Takes a text out of the payload. A value of another type stays where it is.
fn take_text(payload: &mut Map<String, Value>, key: &str) -> String {
    match payload.get_mut(key).map(Value::take) {
        None => String::new(),
        Some(Value::Null) => {
            payload.shift_remove(key);
            String::new()
        }
        Some(Value::String(text)) => {
            payload.shift_remove(key);
            text
        }
        Some(other) => {
            payload.insert(key.to_owned(), other);
            String::new()
        }
    }
}

/// ISO 8601 as it came, or made from milliseconds since 1970.
fn take_timestamp(payload: &mut Map<String, Value>) -> String {
    let millis = payload.get("timestamp").and_then(Value::as_i64);
    match millis.and_then(|millis| Timestamp::from_millisecond(millis).ok()) {
        Some(time) => {
            payload.shift_remove("timestamp");
            time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
        }
        None => take_text(payload, "timestamp"),
    }
}

fn tool(payload: &Map<String, Value>, classify: Classify) -> Option<ToolCall> {
    let name = match payload.get("tool_name") {
        Some(Value::String(name)) => name.as_str(),
        // A call whose tool has no readable name is still a call.
        _ if payload.contains_key("tool_input") => "",
        _ => return None,
    };
    let mut call = ToolCall::new(name, payload.get("tool_input").unwrap_or(&Value::Null), classify);
    if let Some((server, tool)) = mcp_origin(payload, name) {
        call.kind = ToolKind::Mcp { server, tool };
    }
    Some(call)
}

/// The MCP server and tool behind a call, where the payload tells them; a tool's name alone may be ambiguous.
#[must_use]
pub fn mcp_origin(payload: &Map<String, Value>, name: &str) -> Option<(String, String)> {
    let inner = |field: &str, key: &str| payload.get(field)?.get(key)?.as_str();
    if let (Some(server), Some(tool)) = (inner("mcp_context", "server_name"), inner("mcp_context", "tool_name")) {
        return Some((server.to_owned(), tool.to_owned()));
    }
    if let Some(server) = inner("mcp_server", "name") {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
        let prefix = format!("mcp__{}__", server.chars().map(plain).collect::<String>());
        return name.strip_prefix(&prefix).map(|tool| (server.to_owned(), tool.to_owned()));
    }
    let server = payload.get("mcp_server_name")?.as_str()?;
    let tool = name.strip_prefix("MCP:").unwrap_or(name);
    Some((server.to_owned(), tool.to_owned()))
}

/// Unwraps JSON that an agent sent as text, so that hooks see what is in it. Other text stays text.
pub(crate) fn unwrap_json(payload: &mut Map<String, Value>, key: &str) {
    let Some(slot) = payload.get_mut(key) else { return };
    let inner = slot.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    if let Some(inner) = inner.filter(|inner| inner.is_object() || inner.is_array()) {
        *slot = inner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_is_restored_from_what_hooks_were_given_of_it() {
        let payloads = [
            (
                "claude",
                json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "a", "content": "b"}}),
            ),
            ("claude", json!({"hook_event_name": "NewEvent", "x": [1]})),
            (
                "gemini",
                json!({"hook_event_name": "AfterTool", "tool_name": "mcp_s_t", "mcp_context": {"server_name": "s", "tool_name": "t"}}),
            ),
            ("codex", json!({"hook_event_name": "UserPromptSubmit", "prompt": "p", "timestamp": 5})),
            ("cursor", json!({"hook_event_name": "beforeShellExecution", "command": "ls", "workspace_roots": ["/w"]})),
            ("copilot", json!({"hookEventName": "preToolUse", "toolName": "bash", "toolArgs": "{\"command\":\"ls\"}"})),
        ];
        for (agent, payload) in payloads {
            let dialect = crate::dialect(agent).unwrap();
            let Value::Object(fields) = payload.clone() else { panic!("an event is an object") };
            let event = dialect.decode(fields);
            let restored = restore(event.to_input(), dialect);
            assert_eq!(restored.to_input(), event.to_input(), "{payload}");
            assert_eq!(restored.name, event.name, "{payload}");
            let kind = |event: &Event| event.tool.as_ref().map(|tool| tool.kind.clone());
            assert_eq!(kind(&restored), kind(&event), "{payload}");
        }
    }
}
