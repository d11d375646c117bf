//! The hooks around a prompt, for an agent that does what they say.

use hookrail_core::{DefaultHookOutput, EventName, Verdict};
use hookrail_engine::Config;
use hookrail_host::{TurnEnd, fire_event_hook};
use serde_json::{Map, Value};

/// The events whose hooks [`hookrail_host::ChatSession`] tells and does not ask (HOOK-203).
pub const EVENTS: [EventName; 6] = [
    EventName::SessionStart,
    EventName::PromptExpand,
    EventName::BeforeAgent,
    EventName::AfterAgent,
    EventName::PreCompress,
    EventName::SessionEnd,
];

/// Asks hooks of [`EVENTS`] and waits for what they say.
#[derive(Debug)]
pub struct TurnHooks {
    /// Has these hooks and no others; the session's own has the others and not these, so that no hook is asked twice.
    config: Config,
}

/// What hooks made of an event.
#[derive(Debug, Default)]
pub struct TurnVerdict {
    /// For the model.
    pub context: Option<String>,
    /// The prompt is not worked on, or the agent does not stop yet.
    pub objection: Option<String>,
    /// The agent must end.
    pub stop: Option<String>,
}

impl TurnHooks {
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    pub fn ask(&self, event: EventName, fields: &[(&str, Value)]) -> TurnVerdict {
        let payload: Map<String, Value> =
            fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let output = fire_event_hook(&self.config, event, &payload).and_then(Verdict::into_final_output);
        output.as_ref().map(TurnVerdict::read).unwrap_or_default()
    }
}

impl TurnVerdict {
    fn read(output: &DefaultHookOutput) -> Self {
        let reason = || output.get_effective_reason().to_owned();
        let texts = [output.additional_context(), output.system_message()];
        let mut texts: Vec<&str> = texts.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        // For agents without a place for context the same text is there twice.
        texts.dedup();
        Self {
            context: (!texts.is_empty()).then(|| texts.join("\n")),
            objection: output.is_blocking_decision().then(reason),
            stop: output.should_stop_execution().then(reason),
        }
    }

    /// How a turn ends that is not to begin.
    pub fn refusal(&self) -> Option<TurnEnd> {
        let stopped = self.stop.clone().map(|reason| TurnEnd::Stopped { reason });
        stopped.or_else(|| self.objection.clone().map(|reason| TurnEnd::Blocked { reason }))
    }
}
