//! A small coding agent: a model, three tools, and the hooks of its user around everything it does.

mod agent;
mod ending;
mod gemini;
mod hooks;
#[cfg(unix)]
mod interrupt;
mod options;
mod rest;
mod sse;
mod terminal;
mod tools;

use clap::Parser;
use ending::Ending;
use options::Options;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Options::try_parse() {
        Ok(options) => run(options).into(),
        Err(error) => {
            let ending = if error.use_stderr() { Ending::Usage } else { Ending::Completed };
            // If the terminal is gone there is nobody to tell.
            let _ = error.print();
            ending.into()
        }
    }
}

fn run(options: Options) -> Ending {
    agent::run(options).unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr(), "error: {error}");
        error.ending()
    })
}
