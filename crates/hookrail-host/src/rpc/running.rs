use super::reply::RpcReply;
use super::request::RequestId;
use hookrail_engine::CancelToken;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The requests whose hooks are at work, and whether there may be more.
#[derive(Default)]
pub(super) struct Running {
    state: Mutex<RunningState>,
    changed: Condvar,
}

#[derive(Default)]
struct RunningState {
    phase: Phase,
    requests: HashMap<u64, RunningRequest>,
    last_number: u64,
    /// How many tickets there are: the requests, and those that are just being answered.
    tickets: usize,
    /// Answered when everything else is.
    shutdown: Option<RpcReply>,
}

struct RunningRequest {
    id: Option<RequestId>,
    cancel: CancelToken,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Serving,
    /// What runs may finish, nothing new is accepted.
    Closing,
    /// What runs was cancelled.
    Stopped,
}

/// An accepted request. The server is not finished until this is dropped.
pub(super) struct Ticket {
    pub number: u64,
    pub cancel: CancelToken,
    running: Arc<Running>,
}

impl Running {
    /// Accepts a request, unless none are accepted any more.
    pub fn accept(self: &Arc<Self>, id: Option<&RequestId>) -> Option<Ticket> {
        let mut state = self.state();
        if state.phase != Phase::Serving {
            return None;
        }
        state.tickets += 1;
        state.last_number += 1;
        let (number, cancel) = (state.last_number, CancelToken::new());
        state.requests.insert(number, RunningRequest { id: id.cloned(), cancel: cancel.clone() });
        Some(Ticket { number, cancel, running: Arc::clone(self) })
    }

    /// Ends the hooks of every running request with this id; returns the tickets' numbers.
    pub fn cancel(&self, id: &Value) -> Vec<u64> {
        let state = self.state();
        let meant = state.requests.iter().filter(|(_, entry)| entry.id.as_ref().is_some_and(|own| own.is(id)));
        meant.inspect(|(_, entry)| entry.cancel.cancel()).map(|(number, _)| *number).collect()
    }

    /// Accepts nothing from now on; `reply` is for the end. Gives it back if this was said before.
    pub fn close(&self, reply: RpcReply) -> Result<(), RpcReply> {
        let mut state = self.state();
        if state.phase != Phase::Serving {
            return Err(reply);
        }
        state.phase = Phase::Closing;
        state.shutdown = Some(reply);
        self.changed.notify_all();
        Ok(())
    }

    /// Accepts nothing from now on and ends every hook that runs.
    pub fn stop(&self) {
        let mut state = self.state();
        state.phase = Phase::Stopped;
        state.requests.values().for_each(|entry| entry.cancel.cancel());
        self.changed.notify_all();
    }

    pub fn is_accepting(&self) -> bool {
        self.state().phase == Phase::Serving
    }

    pub fn len(&self) -> usize {
        self.state().requests.len()
    }

    /// Waits until nothing runs and nothing more will; returns the reply that was kept for this moment.
    pub fn wait_for_end(&self) -> Option<RpcReply> {
        let goes_on = |state: &mut RunningState| state.phase == Phase::Serving || state.tickets > 0;
        let mut state = self.changed.wait_while(self.state(), goes_on).unwrap_or_else(PoisonError::into_inner);
        state.shutdown.take()
    }

    fn state(&self) -> MutexGuard<'_, RunningState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// The work is done and only the answer is missing. Said before the answer is given, so that no caller that has an answer
    /// finds its request still running.
    pub fn finish(&self) {
        self.running.state().requests.remove(&self.number);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.running.state();
        state.requests.remove(&self.number);
        state.tickets -= 1;
        if state.phase != Phase::Serving {
            self.running.changed.notify_all();
        }
    }
}
