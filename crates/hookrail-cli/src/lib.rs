//! The programs `hookrail` and `hookrail-hook`: thin commands over the engine.

mod ask_model;
mod commands;
mod current_project;
mod error;
mod examples;
mod exit_code;
mod hook;
mod host_names;
mod interrupt;
mod jsonc;
mod last_word;
mod screen;
mod sibling;
mod usage;

use clap::{CommandFactory, FromArgMatches, Parser};
use commands::Command;
use exit_code::ExitCode;
use hookrail_engine::Network;
use hookrail_network::Internet;
use sibling::AskingSibling;
use std::io::{self, Write};
use std::sync::Arc;

/// Hooks for AI coding agents: decided natively, explained, recorded.
#[derive(Parser)]
#[command(name = "hookrail", version, arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = ExitCode::TABLE)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Runs `hookrail` to its end.
#[must_use]
pub fn hookrail() -> std::process::ExitCode {
    host_names::use_what_is_linked_in();
    to_the_end(|| {
        let mut args = arguments();
        // Neither pays for a command-line framework, and the second is for `hookrail-hook` alone.
        match args.next().as_deref() {
            Some("hook") => hook::run(args, internet(), || help(&["hook", "--help"])),
            Some(ask_model::COMMAND) => ask_model::run(),
            _ => run_command() as u8,
        }
    })
}

/// Runs `hookrail-hook` to its end. Nothing that it reaches knows a network or the command-line framework.
#[must_use]
pub fn hookrail_hook() -> std::process::ExitCode {
    to_the_end(|| match arguments().next().as_deref() {
        Some("--version" | "-V") => sibling::version() as u8,
        _ => hook::run(arguments(), Arc::new(AskingSibling), sibling::help),
    })
}

/// A panic has reported itself on stderr. It is a refusal if that was an event, and a guard that fails closed was pending.
fn to_the_end(run: fn() -> u8) -> std::process::ExitCode {
    last_word::survive_full_files();
    std::process::ExitCode::from(std::panic::catch_unwind(run).unwrap_or_else(|_| last_word::after_panic()))
}

fn arguments() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned())
}

/// The network of this process.
fn internet() -> Arc<dyn Network> {
    Arc::new(Internet::default())
}

fn run_command() -> ExitCode {
    match parse(std::env::args_os()) {
        Ok(cli) => {
            let code = cli.command.run();
            // A reader that went away does not want the rest.
            let _ = io::stdout().flush();
            code
        }
        Err(error) => refuse(&error),
    }
}

/// The whole command line, with examples in every help text.
fn command() -> clap::Command {
    examples::add(Cli::command())
}

fn parse(words: impl IntoIterator<Item = std::ffi::OsString>) -> Result<Cli, clap::Error> {
    let words = commands::options_first(words.into_iter().collect(), &command());
    let mut matches = command().try_get_matches_from(words)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command()))
}

/// Prints the help that these words ask for.
fn help(words: &[&str]) -> ExitCode {
    let words = std::iter::once("hookrail").chain(words.iter().copied());
    parse(words.map(Into::into)).map_or_else(|error| refuse(&error), |_| ExitCode::Success)
}

/// Help and version are answers; everything else is a usage error, and never exit code 2, which agents read as a block.
fn refuse(error: &clap::Error) -> ExitCode {
    let asked_for = !error.use_stderr();
    if let Some(error) = usage::describe(error) {
        return screen::fail(error);
    }
    // A closed terminal is not an error.
    let _ = error.print();
    if asked_for { ExitCode::Success } else { ExitCode::Usage }
}
