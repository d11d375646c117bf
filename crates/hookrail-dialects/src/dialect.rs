use crate::{Agent, EncodedAnswer, Env, HookFormat, Likelihood, ToolClass};
use hookrail_core::{Event, EventName, ToolKind, Verdict};
use serde_json::{Map, Value};
use std::fmt::Debug;

/// Reads what a tool call does from the agent's name for the tool and its input.
pub type Classify = fn(&str, &Value) -> ToolKind;

/// One agent's hook protocol.
pub trait Dialect: Debug + Sync {
    /// What is known of the agent besides its protocol.
    fn agent(&self) -> &'static Agent;

    /// What `--agent` calls it.
    fn name(&self) -> &'static str {
        self.agent().name
    }

    /// Reads a hook's stdin. Total: what is not understood is kept in the event's payload.
    ///
    /// Not every agent sends the time; the event's timestamp is empty then.
    fn decode(&self, payload: Map<String, Value>) -> Event;

    /// Writes the answer in the form this agent honours for certain.
    ///
    /// `event` is the event as it was decoded, not as hooks of a sequential plan changed it: a rewrite that leaves the
    /// input as it is in `event` is none.
    fn encode(&self, event: &Event, verdict: &Verdict) -> EncodedAnswer;

    /// Whether the agent asks a person at this event when a hook wants it to. Where it does not, a question is a refusal.
    fn can_ask(&self, _event: &Event) -> bool {
        false
    }

    /// Whether an approval reaches the agent at this event, so that it asks no one.
    fn can_allow(&self, _event: &Event) -> bool {
        false
    }

    /// Whether the agent takes context at this event and then drops it, so that it has to be said again at the next prompt.
    fn loses_context(&self, _event: &Event) -> bool {
        false
    }

    /// Events that hookrail has to see as well, so that it can answer this one.
    fn companions(&self, event: &EventName) -> &'static [EventName] {
        self.agent().turn_companions(event)
    }

    /// This agent's spelling of an event, for its configuration. `None` if it has no such event.
    fn native_event(&self, event: &EventName) -> Option<&'static str>;

    /// Every event this agent may be configured for, in its own spelling.
    fn native_events(&self) -> Vec<&'static str>;

    /// The event an agent's own name for it stands for. `None` if the agent has no such event.
    fn event(&self, native: &str) -> Option<EventName>;

    fn classify(&self) -> Classify;

    /// This agent's tools of one class, for writing matchers. MCP tools have no fixed names.
    fn tool_names(&self, class: ToolClass) -> Vec<&'static str> {
        self.agent().tools_of(class)
    }

    /// How and where this agent's hooks are configured.
    fn format(&self) -> &'static HookFormat {
        &self.agent().format
    }

    /// How likely it is that this agent wrote the payload.
    fn recognise(&self, payload: &Map<String, Value>, env: Env<'_>) -> Likelihood;
}
