//! Command hooks: what they are given, and what their end means.

use super::expansion::{PROJECT_DIR_VARIABLES, expand_argument, expand_command};
use super::process::{Exit, ProcessOutcome, ProcessSpec, Program, Stdin, signal_name};
use crate::trust::Cleared;
use hookrail_core::process_result::{ProcessExit, ProcessResult, interpret};
use hookrail_core::{Event, EventName, Failure, HookEntry, HookRun, OnError, RunStatus, Shell};
use serde_json::Map;

/// What is kept of an answer that is too long.
const CUT_ANSWER_BYTES: usize = 64 << 10;

/// The process for a command hook: its project directory exported and expanded (HOOK-188), the event on stdin. One that was
/// checked runs as it was checked.
pub(super) fn specify(
    hook: &HookEntry,
    command: &str,
    event: &Event,
    stdin: Stdin,
    cleared: Option<&Cleared>,
) -> ProcessSpec {
    let project = PROJECT_DIR_VARIABLES.iter().map(|name| (name.into(), event.cwd.clone().into()));
    let own = hook.start.env.iter().map(|(name, value)| (name.into(), value.into()));
    let program = match (&hook.start.args, hook.start.shell) {
        (Some(args), _) => Program::Executable(args.iter().map(|arg| expand_argument(arg, &event.cwd)).collect()),
        (None, Shell::System) => Program::SystemShell,
        (None, Shell::Bash) => Program::Bash,
        (None, Shell::PowerShell) => Program::PowerShell,
    };
    let command = match (&program, cleared) {
        (Program::SystemShell | Program::Bash, Some(cleared)) => cleared.command.clone(),
        (Program::Executable(_), _) => expand_argument(command, &event.cwd),
        (Program::SystemShell | Program::Bash | Program::PowerShell, _) => expand_command(command, &event.cwd),
    };
    ProcessSpec {
        command,
        program,
        cwd: event.cwd.clone(),
        env: project.chain(own).collect(),
        stdin,
        timeout: hook.timeout,
        inherited: cleared.map(|cleared| cleared.inherited.clone()).unwrap_or_default(),
    }
}

/// What the end of a command means.
pub(super) fn read_outcome(hook: &HookEntry, event: &EventName, outcome: ProcessOutcome) -> HookRun {
    let ended = |exit: &ProcessExit| interpret(event, exit, &outcome.stdout.text, &outcome.stderr.text);
    // Whatever it managed to print, a hook that had to be killed has no opinion (errata B19).
    let failed = |failure| ProcessResult::failed(failure);
    let mut result = match &outcome.exit {
        Exit::Code(code) => ended(&ProcessExit::Code(*code)),
        Exit::Signal(number) => {
            let name = signal_name(*number).map_or_else(|| format!("signal {number}"), str::to_owned);
            ended(&ProcessExit::Signal(name))
        }
        Exit::TimedOut => failed(Failure::TimedOut(hook.timeout)),
        Exit::Cancelled => failed(Failure::Cancelled),
        Exit::NotStarted(why) => failed(Failure::NotStarted(why.clone())),
    };
    if outcome.stdout.truncated && result.status == RunStatus::Succeeded {
        // Half an answer is no answer, whatever the half looks like.
        let why = format!("it was cut after {} bytes", outcome.stdout.text.len());
        result = ProcessResult::failed(Failure::Unreadable(why));
    } else if result.garbled && hook.on_error != OnError::Allow {
        // The protocol takes broken JSON for a remark. A guard whose failure means no has failed, though: it is unknown
        // what it wanted to say.
        result = ProcessResult::failed(Failure::Unreadable("it is not JSON".to_owned()));
    }
    let ProcessResult { status, output, raw, misread, is_object, .. } = result;
    let mut reference = hook.reference();
    reference.approves &= is_object;
    HookRun {
        hook: reference,
        status,
        output,
        raw,
        misread,
        withheld: None,
        exit_code: match outcome.exit {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) | Exit::TimedOut | Exit::Cancelled | Exit::NotStarted(_) => None,
        },
        truncated: outcome.stdout.truncated || outcome.stderr.truncated,
        stdout: if outcome.stdout.truncated { beginning_of(&outcome.stdout.text) } else { outcome.stdout.text },
        stderr: outcome.stderr.text,
        duration: outcome.duration,
        record: Map::new(),
    }
}

/// Enough of a cut answer to see what it was, in memory of its own.
fn beginning_of(text: &str) -> String {
    let end = text.floor_char_boundary(CUT_ANSWER_BYTES);
    text.get(..end).unwrap_or_default().to_owned()
}
