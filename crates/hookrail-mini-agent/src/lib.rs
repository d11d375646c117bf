//! A small coding agent: a model, a few tools, and the hooks of its user around everything it does.
//!
//! `examples/mini-agent` is the program; [`run`] is the same inside another one, which is how `hookrail demo` has an agent to
//! show.
#![forbid(unsafe_code)]

mod agent;
mod conversation;
mod ending;
mod gemini;
mod hooks;
#[cfg(unix)]
mod interrupt;
mod options;
mod prompts;
mod rest;
mod skill;
mod sse;
mod terminal;
mod tools;
mod turn_hooks;

pub use conversation::COMPRESS_PROMPT;
pub use ending::AgentExit;

use clap::Parser;
use hookrail_core::NativeHook;
use options::Options;
use std::ffi::OsString;
use std::io::Write;
use std::sync::Arc;

/// Does what a command line asks for; the first of `args` is the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>) -> AgentExit {
    run_with(args, &[])
}

/// [`run`] for a program with hooks of its own. They are asked about tools and model calls, beside the hooks of the user's
/// settings; where these switch hooks off, the program's are off as well.
pub fn run_with(args: impl IntoIterator<Item = OsString>, hooks: &[Arc<dyn NativeHook>]) -> AgentExit {
    match Options::try_parse_from(args) {
        Ok(options) => agent::run(options, hooks).unwrap_or_else(|error| {
            // A closed terminal is not an error.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            error.ending()
        }),
        Err(error) => {
            let ending = if error.use_stderr() { AgentExit::Usage } else { AgentExit::Completed };
            let _ = error.print();
            ending
        }
    }
}
