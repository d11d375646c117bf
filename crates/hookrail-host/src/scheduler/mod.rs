//! Tool calls as their hooks want them: all calls of a turn at the same time, their results in the order of the calls.
//!
//! A call goes from [`Validating`](ToolCallStatus::Validating) to [`Executing`](ToolCallStatus::Executing), which is
//! where its hooks are asked and the tool runs, and ends as [`Idle`](ToolCallStatus::Idle). A call that a hook blocks
//! takes the same way and ends there too: its result, the reason, is buffered and published like any other, and
//! it is not tried again; what comes next is the model's decision (HOOK-129, HOOK-130, HOOK-204).
//!
//! Every call gets a result, whatever happens, so that a conversation never holds a call without an answer:
//!
//! | what happens | the model reads | BeforeTool asked | tool runs | AfterTool asked |
//! |---|---|---|---|---|
//! | no such tool, not allowed in this turn, arguments the tool refuses | the error | no | no | no |
//! | a hook blocks or stops | its reason | yes | no | no |
//! | a hook rewrites the arguments to some that the tool refuses | the error | yes | no | no |
//! | another call of the turn stopped the agent before this one started | that it did not run | yes | no | no |
//! | the tool fails or panics | the error | yes | yes | yes |

mod buffer;
mod call;
mod restriction;
mod run;
mod tool;

pub use call::{ToolCallOutcome, ToolCallRequest, ToolCallStatus, ToolCallUpdate};
pub use restriction::ToolRestriction;
pub use tool::Tool;

use buffer::ResultBuffer;
use hookrail_engine::{CancelToken, Config};
use run::{CallRun, Report};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// Runs the tool calls of a session.
#[derive(Clone)]
pub struct ToolScheduler {
    config: Arc<Config>,
    tools: Vec<Arc<dyn Tool>>,
    cancel: CancelToken,
}

impl fmt::Debug for ToolScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
        f.debug_struct("ToolScheduler").field("config", &self.config).field("tools", &tools).finish_non_exhaustive()
    }
}

impl ToolScheduler {
    /// Where two tools have the same name, the first counts.
    #[must_use]
    pub fn new(config: Arc<Config>, tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { config, tools, cancel: CancelToken::new() }
    }

    /// A token with which the host ends what runs: tools are given it, and none starts once it is cancelled. The
    /// session's hooks listen to the token of their [`Config`]; a host gives both the same.
    #[must_use]
    pub fn cancel_token(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// The session whose hooks are asked.
    #[must_use]
    pub fn config(&self) -> &Arc<Config> {
        &self.config
    }

    pub(crate) fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    /// The tools as a Gemini request declares them.
    #[must_use]
    pub fn declarations(&self) -> Vec<Value> {
        self.tools.iter().map(|tool| tool.declaration()).collect()
    }

    /// Runs the calls of one turn and returns when all are done; there is one outcome for each, in the order of the
    /// calls. `observe` is told of every change of status as it happens, and of every result in the order of the calls,
    /// each as soon as those before it are there.
    pub fn schedule(
        &self,
        calls: &[ToolCallRequest],
        restriction: &ToolRestriction,
        observe: &mut dyn FnMut(ToolCallUpdate<'_>),
    ) -> Vec<ToolCallOutcome> {
        let stopped = AtomicBool::new(false);
        let (sender, reports) = mpsc::channel();
        thread::scope(|scope| {
            for (index, call) in calls.iter().enumerate() {
                let sender = sender.clone();
                let run = CallRun { scheduler: self, call, index, restriction, stopped: &stopped, sender };
                let on_its_own = run.clone();
                if thread::Builder::new().spawn_scoped(scope, move || on_its_own.finish()).is_err() {
                    // No thread to be had: the call runs on this one.
                    run.finish();
                }
            }
            drop(sender);
            relay(calls, &reports, observe)
        })
    }

    fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.name() == name)
    }
}

/// Passes on what the calls report until the last one is done.
fn relay(
    calls: &[ToolCallRequest],
    reports: &Receiver<Report>,
    observe: &mut dyn FnMut(ToolCallUpdate<'_>),
) -> Vec<ToolCallOutcome> {
    let mut buffer = ResultBuffer::new(calls.len());
    for report in reports {
        match report {
            Report::Status { index, status } => {
                if let Some(call) = calls.get(index) {
                    observe(ToolCallUpdate::Status { call, status });
                }
            }
            Report::Finished { index, outcome } => {
                for outcome in buffer.store(index, *outcome) {
                    observe(ToolCallUpdate::Published(outcome));
                }
            }
        }
    }
    buffer.into_outcomes()
}
