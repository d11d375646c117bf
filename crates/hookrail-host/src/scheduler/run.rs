//! One call, on its own thread.

use super::{Tool, ToolCallOutcome, ToolCallRequest, ToolCallStatus, ToolRestriction, ToolScheduler, tool};
use crate::tool_execution::{ToolEnding, ToolError, ToolExecution, run_tool_with_hooks};
use crate::tool_result::ToolResult;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

/// What a call tells the thread that waits for it.
#[derive(Debug)]
pub(super) enum Report {
    Status { index: usize, status: ToolCallStatus },
    Finished { index: usize, outcome: Box<ToolCallOutcome> },
}

#[derive(Clone, Debug)]
pub(super) struct CallRun<'a> {
    pub scheduler: &'a ToolScheduler,
    pub call: &'a ToolCallRequest,
    pub index: usize,
    pub restriction: &'a ToolRestriction,
    /// Whether a hook of any call of this turn stopped the agent.
    pub stopped: &'a AtomicBool,
    pub sender: Sender<Report>,
}

impl CallRun<'_> {
    /// Brings the call to its end and reports it.
    pub fn finish(&self) {
        let mut statuses = Vec::with_capacity(3);
        self.enter(ToolCallStatus::Validating, &mut statuses);
        let execution = match self.admit() {
            Ok((tool, args)) => {
                self.enter(ToolCallStatus::Executing, &mut statuses);
                self.execute(tool, args)
            }
            Err(why) => refused(&why.0, self.call),
        };
        if execution.stop.is_some() {
            self.stopped.store(true, Ordering::SeqCst);
        }
        self.enter(ToolCallStatus::Idle, &mut statuses);
        let ToolExecution { result, input, ending, stop, warnings } = execution;
        let call = self.call.clone();
        let outcome = ToolCallOutcome { call, result, ending, args: input.into_owned(), stop, warnings, statuses };
        self.report(Report::Finished { index: self.index, outcome: Box::new(outcome) });
    }

    /// The tool and its arguments, if this call may be made at all. No hook is asked about one that may not.
    fn admit(&self) -> Result<(&dyn Tool, &Map<String, Value>), ToolError> {
        let name = &self.call.name;
        let tool = self.scheduler.find(name).ok_or_else(|| self.unknown_tool())?;
        if !self.restriction.permits(name) {
            return Err(ToolError(format!("the tool `{name}` is not available: {}", self.restriction)));
        }
        let args = self.call.args.as_object();
        let not_an_object = || ToolError(format!("invalid arguments for the tool `{name}`: they must be an object"));
        let args = args.ok_or_else(not_an_object)?;
        tool::validate(&**tool, args)?;
        Ok((&**tool, args))
    }

    fn unknown_tool(&self) -> ToolError {
        let names: Vec<&str> = self.scheduler.tools.iter().map(|tool| tool.name()).collect();
        ToolError(format!("there is no tool `{}`; the tools are `{}`", self.call.name, names.join("`, `")))
    }

    fn execute<'a>(&self, tool: &dyn Tool, args: &'a Map<String, Value>) -> ToolExecution<'a> {
        run_tool_with_hooks(&self.scheduler.config, tool.name(), args, |input| {
            if self.stopped.load(Ordering::SeqCst) {
                return Err(ToolError(format!("the tool `{}` was not run: a hook stopped the agent", tool.name())));
            }
            if self.scheduler.cancel.is_cancelled() {
                return Err(ToolError(format!("the tool `{}` was not run: the user cancelled", tool.name())));
            }
            if input != args {
                tool::validate(tool, input).map_err(|why| ToolError(format!("a hook changed the arguments: {why}")))?;
            }
            Ok(tool::execute(tool, input, &self.scheduler.cancel))
        })
    }

    fn enter(&self, status: ToolCallStatus, statuses: &mut Vec<ToolCallStatus>) {
        statuses.push(status);
        self.report(Report::Status { index: self.index, status });
    }

    fn report(&self, report: Report) {
        // The receiver is gone only when the observer panicked; then the events are not needed.
        let _ = self.sender.send(report);
    }
}

fn refused(reason: &str, call: &ToolCallRequest) -> ToolExecution<'static> {
    ToolExecution {
        result: ToolResult::failed(reason),
        input: Cow::Owned(call.args.as_object().cloned().unwrap_or_default()),
        ending: ToolEnding::NotRun,
        stop: None,
        warnings: Vec::new(),
    }
}
