//! Command hooks: what they are given, and what their end means.

use super::expansion::{PROJECT_DIR_VARIABLES, expand_command};
use super::process::{Exit, ProcessOutcome, ProcessSpec, signal_name};
use hookrail_core::process_result::{ProcessExit, interpret};
use hookrail_core::{Event, Failure, HookEntry, HookRun, RunStatus};
use std::sync::Arc;
use std::time::Duration;

/// The process for a command hook: its project directory exported and expanded (HOOK-188), the event on stdin.
pub(super) fn specify(command: &str, event: &Event, stdin: Arc<[u8]>, timeout: Duration) -> ProcessSpec {
    ProcessSpec {
        command: expand_command(command, &event.cwd),
        cwd: event.cwd.clone(),
        env: PROJECT_DIR_VARIABLES.iter().map(|name| (name.into(), event.cwd.clone().into())).collect(),
        stdin,
        timeout,
    }
}

pub(super) fn read_outcome(hook: &HookEntry, outcome: ProcessOutcome) -> HookRun {
    let (status, output) = match &outcome.exit {
        Exit::Code(code) => interpret(&ProcessExit::Code(*code), &outcome.stdout.text, &outcome.stderr.text),
        Exit::Signal(number) => {
            let name = signal_name(*number).map_or_else(|| format!("signal {number}"), str::to_owned);
            interpret(&ProcessExit::Signal(name), &outcome.stdout.text, &outcome.stderr.text)
        }
        // Whatever it managed to print, a hook that had to be killed has no opinion (errata B19).
        Exit::TimedOut => (RunStatus::Failed(Failure::TimedOut(hook.timeout)), None),
        Exit::Cancelled => (RunStatus::Failed(Failure::Cancelled), None),
        Exit::NotStarted(why) => (RunStatus::Failed(Failure::NotStarted(why.clone())), None),
    };
    HookRun {
        hook: hook.reference(),
        status,
        output,
        withheld: None,
        exit_code: match outcome.exit {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) | Exit::TimedOut | Exit::Cancelled | Exit::NotStarted(_) => None,
        },
        truncated: outcome.stdout.truncated || outcome.stderr.truncated,
        stdout: outcome.stdout.text,
        stderr: outcome.stderr.text,
        duration: outcome.duration,
    }
}
