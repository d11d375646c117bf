//! The model behind the server: records what it is asked and answers from the script.

use crate::http::{Body, HttpAnswer, Request};
use crate::recorded::Recorded;
use crate::route::{Delivery, Endpoint, Operation};
use crate::script::{Script, StreamEnd, Turn, TurnOutcome};
use crate::wire::{Event, INPUT_TOKENS, Wire, WireReply};
use serde_json::{Value, json};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Debug)]
pub(crate) struct ScriptedModel {
    script: Script,
    state: Mutex<ScriptState>,
    stop_bell: Condvar,
}

#[derive(Debug, Default)]
struct ScriptState {
    requests: Vec<Arc<Recorded>>,
    turns_taken: usize,
    is_stopped: bool,
    has_failed: bool,
}

impl ScriptedModel {
    pub fn new(script: Script) -> Self {
        Self { script, state: Mutex::default(), stop_bell: Condvar::new() }
    }

    pub fn requests(&self) -> Vec<Recorded> {
        self.state().requests.iter().map(|request| Recorded::clone(request)).collect()
    }

    pub fn turns_left(&self) -> usize {
        self.script.turns.len() - self.state().turns_taken
    }

    /// Ends every delay.
    pub fn stop(&self) {
        self.state().is_stopped = true;
        self.stop_bell.notify_all();
    }

    pub fn is_stopped(&self) -> bool {
        self.state().is_stopped
    }

    /// Whether a rule of the script panicked: then the test expected something that was not so.
    pub fn has_failed(&self) -> bool {
        self.state().has_failed
    }

    /// Answers a request, after the delay that the script asks for.
    pub fn answer(&self, request: Request) -> HttpAnswer {
        let request = Arc::new(Recorded::new(request));
        let Some(Endpoint { provider, operation, .. }) = &request.endpoint else {
            self.record(&request);
            let message = format!("no such endpoint: {} {}", request.method, request.path);
            return HttpAnswer::json(404, &plain_error(404, &message));
        };
        let wire = provider.wire();
        match (operation, complaint(wire, &request.body)) {
            (Operation::CountTokens, _) => {
                self.record(&request);
                HttpAnswer::json(200, &wire.token_count(INPUT_TOKENS))
            }
            (Operation::Describe, _) => {
                self.record(&request);
                HttpAnswer::json(200, &wire.describe(&request.path))
            }
            (Operation::Generate(_), Some(complaint)) => {
                self.record(&request);
                HttpAnswer::json(400, &wire.error(400, &complaint))
            }
            (Operation::Generate(delivery), None) => self.generate(&request, wire, *delivery),
        }
    }

    fn generate(&self, request: &Arc<Recorded>, wire: &dyn Wire, delivery: Delivery) -> HttpAnswer {
        let rule = self.find_rule(request);
        let (number, turn) = self.record_and_take_turn(request, rule);
        self.pause(turn.delay);
        match &turn.outcome {
            TurnOutcome::Fail { status, message } => HttpAnswer::json(*status, &wire.error(*status, message)),
            TurnOutcome::Speak(speech, ending) => {
                let reply = WireReply { number, request, speech, piece_length: self.script.piece_length };
                speak(wire, &reply, delivery, *ending)
            }
        }
    }

    /// Watchers and rules run outside the lock, because they are the user's own code and may take their time.
    fn find_rule(&self, request: &Recorded) -> Option<Turn> {
        let found = panic::catch_unwind(AssertUnwindSafe(|| {
            self.script.show(request);
            self.script.rule_for(request)
        }));
        found.unwrap_or_else(|_| {
            self.state().has_failed = true;
            Some(Turn::error(500, "a rule of the script panicked"))
        })
    }

    fn record(&self, request: &Arc<Recorded>) {
        self.state().requests.push(Arc::clone(request));
    }

    /// One step, so that turns are taken in the order in which the requests are recorded.
    fn record_and_take_turn(&self, request: &Arc<Recorded>, rule: Option<Turn>) -> (usize, Turn) {
        let mut state = self.state();
        state.requests.push(Arc::clone(request));
        let number = state.requests.len();
        if let Some(turn) = rule {
            return (number, turn);
        }
        match self.script.turns.get(state.turns_taken) {
            Some(turn) => {
                state.turns_taken += 1;
                (number, turn.clone())
            }
            None => (number, self.script.otherwise.clone()),
        }
    }

    fn pause(&self, duration: Duration) {
        let going_on = |state: &mut ScriptState| !state.is_stopped;
        drop(self.stop_bell.wait_timeout_while(self.state(), duration, going_on));
    }

    fn state(&self) -> MutexGuard<'_, ScriptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of an error that belongs to no provider.
pub(crate) fn plain_error(status: u16, message: &str) -> Value {
    json!({"error": {"code": status, "message": message}})
}

fn complaint(wire: &dyn Wire, body: &Value) -> Option<String> {
    let Some(fields) = body.as_object() else {
        return Some("the body is not a JSON object".to_owned());
    };
    let missing = wire.required_fields().iter().find(|field| !fields.contains_key(**field))?;
    Some(format!("`{missing}` is required"))
}

fn speak(wire: &dyn Wire, reply: &WireReply, delivery: Delivery, ending: StreamEnd) -> HttpAnswer {
    let (content_type, body) = match delivery {
        Delivery::Whole => ("application/json", Body::Whole(wire.whole(reply).to_string())),
        Delivery::Events => {
            let events = events_until(ending, wire.events(reply));
            let frames = events.iter().map(|event| event.frame(wire.line_end())).collect();
            ("text/event-stream", Body::Chunks(frames))
        }
        Delivery::Lines => {
            let events = events_until(ending, wire.events(reply));
            let lines = events.iter().map(|event| format!("{}\n", event.data)).collect();
            ("application/json", Body::Chunks(lines))
        }
        Delivery::Array => {
            let events = events_until(ending, wire.events(reply));
            ("application/json", Body::Chunks(array_chunks(&events, ending)))
        }
    };
    HttpAnswer { status: 200, content_type, body, ending }
}

fn events_until(ending: StreamEnd, mut events: Vec<Event>) -> Vec<Event> {
    if ending == StreamEnd::Cut {
        let spoken = events.iter().rposition(|event| event.speaks).map_or(0, |last| last + 1);
        events.truncate(spoken);
    }
    events
}

fn array_chunks(events: &[Event], ending: StreamEnd) -> Vec<String> {
    let separators = std::iter::once("[").chain(std::iter::repeat(",\r\n"));
    let elements = separators.zip(events).map(|(separator, event)| format!("{separator}{}", event.data));
    let end = (ending == StreamEnd::Complete).then(|| "]".to_owned());
    elements.chain(end).collect()
}
