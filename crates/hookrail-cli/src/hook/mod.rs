//! `hookrail hook`: an agent runs one process for each event.
//!
//! Everything here is on the hot path. No command-line framework, no async runtime, no eager regular expression; files are
//! opened only for hooks that need them.

pub mod args;
mod drift;
mod input;
mod machine;
mod prepared_event;
pub mod rehearsal;
mod stdio;
mod turn;

use crate::exit_code::ExitCode;
use crate::last_word;
use args::{Args, Parsed};
use hookrail_core::display;
use hookrail_dialects::EncodedAnswer;
use hookrail_engine::Network;
pub use input::read_event;
pub use machine::{Machine, RealMachine, state_folder};
pub use prepared_event::{Decided, PreparedEvent};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// Answers the event on stdin.
pub fn run(args: impl IntoIterator<Item = String>, network: Arc<dyn Network>, help: fn() -> ExitCode) -> u8 {
    let args = match read_args(args.into_iter().collect(), help) {
        Ok(args) => args,
        Err(code) => return code as u8,
    };
    last_word::begin();
    let input = stdio::read_all();
    let machine = RealMachine::new(network);
    let code = match receive(&args, &machine, input) {
        Ok(prepared) => {
            let code = write_decided(&prepared.decide(|decided| end(write_decided(&decided))));
            if prepared.is_time_to_sync() {
                crate::commands::sync::start_detached();
            }
            // The process ends, and freeing the memory would take time.
            std::mem::forget(prepared);
            code
        }
        Err(unread) => write(&unread, None),
    };
    last_word::end();
    code
}

/// What the command line asks for, or how the process ends that could not read it.
fn read_args(args: Vec<String>, help: fn() -> ExitCode) -> Result<Args, ExitCode> {
    let has_lines = args.iter().any(|arg| arg.contains(['\n', '\r']));
    match args::parse(args) {
        Ok(Parsed::Run(args)) => Ok(args),
        Ok(Parsed::Help) => Err(help()),
        Err(error) => {
            // Hints are on lines of their own; an argument must not add one.
            let message = error.to_string();
            let message = if has_lines { display::one_line(&message) } else { display::block(&message) };
            let _ = writeln!(io::stderr(), "hookrail: {message}\nhint: see `hookrail hook --help`");
            Err(ExitCode::Usage)
        }
    }
}

/// The event, or the answer to one that cannot be read. A panic while it is read, or while its configuration is, makes it one of
/// those; a second one is left to the caller.
fn receive(
    args: &Args,
    machine: &RealMachine,
    input: io::Result<Vec<u8>>,
) -> Result<Arc<PreparedEvent>, EncodedAnswer> {
    let refuse = |why: &str| prepared_event::refuse_input(args, machine, why);
    let input = input.map_err(|error| refuse(&format!("the event could not be read: {error}")))?;
    let attempt = AssertUnwindSafe(|| prepared_event::receive(args, machine, &input));
    match catch_unwind(attempt) {
        Ok(received) => received,
        Err(_) if last_word::is_refusal() => Err(refuse("hookrail failed while it read the event")),
        Err(panic) => resume_unwind(panic),
    }
}

fn write_decided(decided: &Decided) -> u8 {
    write(&decided.answer, decided.verdict.refusal())
}

/// stdout is written once, here. Agents that closed it do not want an answer, but a refusal must not be lost with it: every
/// agent takes exit code 2 for one.
fn write(answer: &EncodedAnswer, refusal: Option<&str>) -> u8 {
    let _ = io::stderr().write_all(answer.stderr.as_bytes());
    let written = stdio::write_all(answer.stdout.as_bytes());
    let is_lost = written.is_err() || (refusal.is_some() && stdio::is_missing());
    match refusal.filter(|_| is_lost && answer.exit_code != 2) {
        Some(reason) => {
            let _ = writeln!(io::stderr(), "{reason}");
            2
        }
        None => u8::try_from(answer.exit_code).unwrap_or(1),
    }
}

#[expect(clippy::disallowed_methods, reason = "the main thread is stuck in a hook and cannot return")]
pub fn end(code: u8) {
    std::process::exit(i32::from(code));
}
