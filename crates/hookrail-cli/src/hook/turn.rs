//! What an agent leaves out about a turn, kept in the session from one event to the next.
//!
//! - An agent that takes context and drops it is told it again at the next prompt.
//! - An agent that does not say that a stop was refused before (`stop_hook_active`) would be kept from stopping for ever:
//!   hookrail remembers that it refused, until the turn is over.
//! - An agent that calls every answer of its model the end of a turn is not at its end while tool calls are waiting.

use hookrail_core::{Event, EventName, Verdict};
use hookrail_dialects::{Dialect, TurnEnd};
use hookrail_store::{SessionId, Store};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// Context that the agent dropped.
const LOST_CONTEXT: &str = "turn/lost-context";
/// The stop that was refused in this turn.
const REFUSED_STOP: &str = "turn/refused-stop";
/// Whether the last answer of the model asked for tools.
const PENDING_CALLS: &str = "turn/pending-calls";
/// The name of what is not the end of a turn: no hook waits for it.
const PAUSE: &str = "TurnPause";

/// The memory of one session; of nothing, where there is no place to keep it.
#[derive(Clone)]
pub struct Turn {
    dialect: &'static dyn Dialect,
    store: Option<Arc<dyn Store>>,
    session: SessionId,
    /// Context to repeat with this event's answer.
    repeated: Option<String>,
}

impl Turn {
    /// Completes an event by what is remembered.
    pub fn recall(
        dialect: &'static dyn Dialect,
        store: Option<Arc<dyn Store>>,
        project: &Path,
        event: &mut Event,
    ) -> Self {
        let session = SessionId::new(&event.session_id, project);
        let mut turn = Self { dialect, store, session, repeated: None };
        let untold = dialect.agent().turn_end != TurnEnd::Told;
        match event.name {
            EventName::BeforeAgent => turn.begin(event, untold),
            // An answer may come in pieces; the event of its end forgets it.
            EventName::AfterModel
                if dialect.agent().turn_end == TurnEnd::EveryAnswer
                    && event.payload.get("llm_response").is_some_and(asks_for_tools) =>
            {
                turn.keep(PENDING_CALLS, Some(&json!(true)));
            }
            EventName::AfterAgent if untold => turn.complete_stop(event),
            _ => {}
        }
        turn
    }

    /// A prompt begins a turn, unless it is the reason for which the last one goes on.
    fn begin(&mut self, event: &Event, untold: bool) {
        let known = self.known();
        self.repeated = known.get(LOST_CONTEXT).and_then(Value::as_str).map(str::to_owned);
        if self.repeated.is_some() {
            self.keep(LOST_CONTEXT, None);
        }
        let goes_on = known.get(REFUSED_STOP).is_some_and(|stop| is_reason_of(stop, event));
        if untold && known.contains_key(REFUSED_STOP) && !goes_on {
            self.keep(REFUSED_STOP, None);
        }
    }

    fn complete_stop(&self, event: &mut Event) {
        let known = self.known();
        if self.dialect.agent().turn_end == TurnEnd::EveryAnswer && is_pause(&known, event) {
            event.name = EventName::Other(PAUSE.into());
        }
        if known.contains_key(PENDING_CALLS) {
            self.keep(PENDING_CALLS, None);
        }
        if known.get(REFUSED_STOP).is_some_and(|stop| is_same_turn(stop, event)) {
            event.payload.insert("stop_hook_active".to_owned(), json!(true));
        }
    }

    /// Keeps of a decision what the agent will not say, and adds to it what the agent forgot.
    pub fn conclude(&self, event: &Event, verdict: &mut Verdict) {
        if let Some(context) = &self.repeated {
            verdict.prepend_context(context);
        }
        if self.dialect.loses_context(event)
            && let Some(context) = verdict.final_output().and_then(|output| output.additional_context())
        {
            self.keep(LOST_CONTEXT, Some(&json!(context)));
        }
        if event.name == EventName::AfterAgent {
            self.conclude_stop(event, verdict);
        }
    }

    fn conclude_stop(&self, event: &Event, verdict: &Verdict) {
        let was_refused = event.payload.get("stop_hook_active") == Some(&json!(true));
        match (self.dialect.agent().turn_end, verdict.refusal()) {
            (TurnEnd::Told, _) => {}
            (TurnEnd::Untold | TurnEnd::EveryAnswer, Some(reason)) => {
                let stop = json!({"prompt": event.text("prompt"), "reason": reason});
                self.keep(REFUSED_STOP, Some(&stop));
            }
            // A stop that passes ends the turn, where the event is the end of one.
            (TurnEnd::Untold, None) if was_refused => self.keep(REFUSED_STOP, None),
            (TurnEnd::Untold | TurnEnd::EveryAnswer, None) => {}
        }
    }

    fn known(&self) -> Map<String, Value> {
        let session = self.store.as_ref().and_then(|store| store.read(&self.session).ok());
        let value = |key: &str| Some((key.to_owned(), session.as_ref()?.state.values.get(key)?.clone()));
        [LOST_CONTEXT, REFUSED_STOP, PENDING_CALLS].into_iter().filter_map(value).collect()
    }

    /// What cannot be kept is not worth an error: the agent is then asked once too often.
    fn keep(&self, key: &str, value: Option<&Value>) {
        let Some(store) = &self.store else { return };
        let _ = store.update(&self.session, &mut |state| match value {
            Some(value) => drop(state.values.insert(key.to_owned(), value.clone())),
            None => drop(state.values.remove(key)),
        });
    }
}

/// A final answer has words in it, and asks for no tools.
fn is_pause(known: &Map<String, Value>, event: &Event) -> bool {
    let says_nothing = event.text("prompt_response").is_some_and(|text| text.trim().is_empty());
    says_nothing || known.contains_key(PENDING_CALLS)
}

/// The prompt of a turn that goes on is still that of its beginning, or the reason for which it goes on.
fn is_same_turn(stop: &Value, event: &Event) -> bool {
    let prompt = stop.get("prompt").and_then(Value::as_str);
    prompt == event.text("prompt") || is_reason_of(stop, event)
}

fn is_reason_of(stop: &Value, event: &Event) -> bool {
    let reason = stop.get("reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
    reason.zip(event.text("prompt")).is_some_and(|(reason, prompt)| prompt.contains(reason))
}

/// Whether an answer of the model has tool calls. Answers come in several shapes, so every object in it is looked at.
fn asks_for_tools(response: &Value) -> bool {
    let mut open = vec![response];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                let is_call = fields.get("type").and_then(Value::as_str) == Some("tool_call");
                let has_calls = ["functionCall", "function_call", "functionCalls", "tool_calls"]
                    .iter()
                    .any(|key| fields.get(*key).is_some_and(|calls| *calls != json!([]) && !calls.is_null()));
                if is_call || has_calls {
                    return true;
                }
                open.extend(fields.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}
