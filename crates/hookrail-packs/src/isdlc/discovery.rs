//! Which calls of an agent are a discovery, and what came of them.

use super::words::{bare_name, first_line, words};
use hookrail_core::{Event, EventName, Outcome, ToolKind, World};
use serde_json::Value;

const ORCHESTRATOR: &str = "discover-orchestrator";

/// Whether a call hands the discovery of a project to an agent. A prompt that merely speaks of something discovered does
/// not (errata E21).
pub(super) fn is_discovery(event: &Event) -> bool {
    let Some(ToolKind::Subagent { agent, prompt }) = event.tool.as_ref().map(|tool| &tool.kind) else { return false };
    let agent = bare_name(agent);
    if !agent.is_empty() && agent != "general-purpose" {
        return is_discoverer(&agent);
    }
    let words = words(first_line(prompt));
    let pairs = words.iter().zip(words.iter().skip(1));
    words.first().is_some_and(|word| word == "discover")
        || words.iter().any(|word| word == "/discover" || word == ORCHESTRATOR)
        || pairs.into_iter().any(|(first, second)| first == "discover" && second == "orchestrator")
}

fn is_discoverer(agent: &str) -> bool {
    agent == "discover" || agent == ORCHESTRATOR
}

/// Whether an event may be the end of an agent's work: a call that came back, or the end of an agent that was started
/// before, perhaps in the background.
pub(super) fn is_end_of_agent(event: &Event) -> bool {
    event.name == EventName::SubagentStop || (event.name == EventName::AfterTool && is_discovery(event))
}

/// Where it is remembered which agents discover a project in the background.
const LAUNCHED: &str = "isdlc/launched-discoveries";
/// How many agents are remembered; the oldest are forgotten first.
const REMEMBERED: usize = 64;

/// A discovery that has ended.
#[derive(Debug)]
pub(super) struct Finished {
    /// What it said last.
    pub answer: String,
    /// The agent's own id, where the client has them.
    agent_id: Option<String>,
    event: EventName,
}

impl Finished {
    /// `None` for everything else: other agents, an agent that was only launched, one that said nothing. A launch is
    /// remembered, so that its end is known for what it is: that event tells the agent's type, but not its task.
    pub fn discovery(event: &Event, world: &dyn World) -> Option<Self> {
        let finished = match event.name {
            EventName::SubagentStop => Self::at_stop(event, world)?,
            _ => Self::at_return(event, world)?,
        };
        (!finished.answer.trim().is_empty()).then_some(finished)
    }

    fn at_return(event: &Event, world: &dyn World) -> Option<Self> {
        let response = event.payload.get("tool_response").unwrap_or(&Value::Null);
        let agent_id = ["agentId", "agent_id"].iter().find_map(|key| response.get(key)?.as_str()).map(str::to_owned);
        if is_only_launched(event, response) {
            if let Some(id) = agent_id {
                add_to(LAUNCHED, &id, world);
            }
            return None;
        }
        Some(Self { answer: response_text(event), agent_id, event: event.name.clone() })
    }

    fn at_stop(event: &Event, world: &dyn World) -> Option<Self> {
        let agent_id = event.text("agent_id").filter(|id| !id.is_empty()).map(str::to_owned);
        let agent = bare_name(event.text("agent_type").unwrap_or_default());
        let launched = || agent_id.as_ref().is_some_and(|id| is_in(LAUNCHED, id, world));
        if !is_discoverer(&agent) && !launched() {
            return None;
        }
        let answer = event.text("last_assistant_message").unwrap_or_default().to_owned();
        Some(Self { answer, agent_id, event: event.name.clone() })
    }

    /// A warning of this hook, once per agent: its end is told twice where its call waited for it. Text for the model at
    /// the end of an agent would make that agent go on, so there it is for the user alone.
    pub fn warn(&self, hook: &str, text: &str, world: &dyn World) -> Outcome {
        if self.agent_id.as_ref().is_some_and(|id| !add_to(&format!("{hook}-warned"), id, world)) {
            return Outcome::silent();
        }
        let outcome = Outcome::silent().with_message(text);
        if self.event == EventName::SubagentStop { outcome } else { outcome.with_context(text) }
    }
}

/// Whether an agent runs in the background and has not answered yet.
fn is_only_launched(event: &Event, response: &Value) -> bool {
    const UNDER_WAY: [&str; 6] = ["async_launched", "launched", "running", "in_progress", "queued", "pending"];
    let status = response.get("status").and_then(Value::as_str);
    let background =
        |value: Option<&Value>, key: &str| value.and_then(|value| value.get(key)) == Some(&Value::Bool(true));
    let by_input = background(event.payload.get("tool_input"), "run_in_background") && status != Some("completed");
    let by_status = status.is_some_and(|status| UNDER_WAY.contains(&status));
    by_status || by_input || (background(Some(response), "isAsync") && status != Some("completed"))
}

/// Adds an id to a remembered list and tells whether it is new. What cannot be remembered is new.
fn add_to(list: &str, id: &str, world: &dyn World) -> bool {
    let mut new = true;
    let remembered = world.remember(list, &mut |known| {
        let mut ids = known.and_then(|known| known.as_array().cloned()).unwrap_or_default();
        new = !ids.iter().any(|known| known == id);
        if new {
            ids.push(Value::from(id));
        }
        ids.drain(..ids.len().saturating_sub(REMEMBERED));
        Some(Value::Array(ids))
    });
    remembered.is_err() || new
}

fn is_in(list: &str, id: &str, world: &dyn World) -> bool {
    let known = world.recall(list).ok().flatten();
    known.as_ref().and_then(Value::as_array).is_some_and(|ids| ids.iter().any(|known| known == id))
}

/// What an agent answered, whichever way its client wraps it: a text, an object, a list of contents.
fn response_text(event: &Event) -> String {
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
    use hookrail_core::ToolCall;
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
