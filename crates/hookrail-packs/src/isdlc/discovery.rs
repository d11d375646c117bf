//! Which calls of an agent are a discovery, and what came of them.

use super::words::{bare_name, first_line, words};
use hookrail_core::{Event, ToolKind};
use serde_json::Value;

const ORCHESTRATOR: &str = "discover-orchestrator";

/// Whether a call hands the discovery of a project to an agent. A prompt that merely speaks of something discovered does
/// not (errata E21).
pub(super) fn is_discovery(event: &Event) -> bool {
    let Some(ToolKind::Subagent { agent, prompt }) = event.tool.as_ref().map(|tool| &tool.kind) else { return false };
    let agent = bare_name(agent);
    if !agent.is_empty() && agent != "general-purpose" {
        return agent == "discover" || agent == ORCHESTRATOR;
    }
    let words = words(first_line(prompt));
    let pairs = words.iter().zip(words.iter().skip(1));
    words.first().is_some_and(|word| word == "discover")
        || words.iter().any(|word| word == "/discover" || word == ORCHESTRATOR)
        || pairs.into_iter().any(|(first, second)| first == "discover" && second == "orchestrator")
}

/// What an agent answered, whichever way its client wraps it: a text, an object, a list of contents.
pub(super) fn response_text(event: &Event) -> String {
    let mut text = String::new();
    collect(event.payload.get("tool_response").unwrap_or(&Value::Null), &mut text);
    text
}

fn collect(value: &Value, text: &mut String) {
    match value {
        Value::String(part) => {
            text.push_str(part);
            text.push('\n');
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, text)),
        Value::Object(fields) => {
            for key in ["content", "text", "result", "output", "message"] {
                fields.get(key).into_iter().for_each(|part| collect(part, text));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_core::{EventName, ToolCall};
    use serde_json::json;

    fn event(agent: &str, prompt: &str, response: &Value) -> Event {
        let classify = |_: &str, input: &Value| {
            let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
            ToolKind::Subagent { agent: text("agent"), prompt: text("prompt") }
        };
        Event {
            name: EventName::AfterTool,
            native_name: String::new(),
            session_id: String::new(),
            cwd: "/".into(),
            timestamp: String::new(),
            transcript_path: String::new(),
            tool: Some(ToolCall::new("Task", &json!({"agent": agent, "prompt": prompt}), classify)),
            payload: json!({"tool_response": response}).as_object().unwrap().clone(),
        }
    }

    #[test]
    fn a_discovery_is_asked_for_not_mentioned() {
        let cases = [
            ("discover-orchestrator", "", true),
            ("isdlc:discover-orchestrator", "", true),
            ("", "/discover", true),
            ("general-purpose", "Discover this project", true),
            ("general-purpose", "Delegate to the discover orchestrator", true),
            ("general-purpose", "Run /discover now", true),
            ("general-purpose", "I discovered a bug", false),
            ("general-purpose", "Fix it.\nThen /discover", false),
            ("software-developer", "/discover", false),
            ("", "", false),
        ];
        for (agent, prompt, expected) in cases {
            assert_eq!(is_discovery(&event(agent, prompt, &Value::Null)), expected, "{agent}: {prompt}");
        }
    }

    #[test]
    fn a_response_is_read_however_it_is_wrapped() {
        let cases = [
            (json!("a"), "a\n"),
            (json!({"content": "a"}), "a\n"),
            (json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), "a\nb\n"),
            (json!([{"type": "text", "text": "a"}]), "a\n"),
            (json!({"result": {"output": "a"}, "durationMs": 5}), "a\n"),
            (json!(null), ""),
            (json!(7), ""),
        ];
        for (response, expected) in cases {
            assert_eq!(response_text(&event("", "", &response)), expected, "{response}");
        }
    }
}
