//! `cargo xtask bench`: measures what the budgets are about, contenders interleaved in one run.

mod allocations;
mod engine;
mod hook_command;
mod replay;
mod serve;
mod stopwatch;
mod table;
mod understanding;

use crate::{Outcome, TaskError};
use std::io::Write;
use std::process::Command;
use table::{Row, Verdict};

const HELP: &str = "usage: cargo xtask bench [--rounds N] [--json]

Measures `hookrail hook`, the engine, the understanding of calls, `hookrail serve` and `hookrail replay` against their budgets. Everything is compared with a baseline measured in the same run, round by round,
so that a busy machine slows both; the figure is the median. Prints ratio, budget and `ok` or `over`, and fails if a
budget is exceeded.";

/// Set on the second, optimised process.
const OPTIMISED: &str = "--optimised";

pub(crate) struct Options {
    pub rounds: usize,
    json: bool,
    optimised: bool,
}

pub(crate) fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        writeln!(out, "{HELP}")?;
        return Ok(Outcome::Passed);
    }
    if args.iter().any(|arg| arg == serve::CHILD) {
        serve::serve()?;
        return Ok(Outcome::Passed);
    }
    let options = parse(args)?;
    if !options.optimised {
        return run_optimised(args);
    }
    let mut rows = hook_command::measure(&options)?;
    rows.extend(engine::measure(&options)?);
    rows.extend(understanding::measure(&options)?);
    rows.extend(serve::measure(&options)?);
    rows.extend(replay::measure(&options)?);
    if options.json {
        table::write_json(&rows, out)?;
    } else {
        table::write(&rows, out)?;
    }
    Ok(if rows.iter().any(|row| row.verdict() == Verdict::Over) { Outcome::Failed } else { Outcome::Passed })
}

fn parse(args: &[String]) -> Result<Options, TaskError> {
    let mut options = Options { rounds: 25, json: false, optimised: false };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => options.json = true,
            OPTIMISED => options.optimised = true,
            "--rounds" => {
                let rounds = args.next().and_then(|text| text.parse().ok()).filter(|rounds| *rounds > 0);
                options.rounds = rounds.ok_or_else(|| usage("`--rounds` needs a number above 0"))?;
            }
            flag if flag.starts_with('-') => return Err(usage(&format!("unknown flag `{flag}`"))),
            other => return Err(usage(&format!("unexpected argument `{other}`"))),
        }
    }
    Ok(options)
}

fn usage(message: &str) -> TaskError {
    TaskError::Usage(format!("{message}\nhint: see `cargo xtask bench --help`"))
}

/// Figures of an unoptimised build would mean nothing, so the work is done by an optimised copy of this program.
fn run_optimised(args: &[String]) -> Result<Outcome, TaskError> {
    let status = Command::new("cargo")
        .args(["run", "--quiet", "--profile", "quick", "--package", "xtask", "--", "bench", OPTIMISED])
        .args(args)
        .current_dir(crate::ROOT)
        .status()?;
    Ok(if status.success() { Outcome::Passed } else { Outcome::Failed })
}

/// A measured figure against a fixed limit, or against another measured one.
fn row(name: &str, figure: f64, unit: &'static str, limit: Option<table::Limit>) -> Row {
    Row { name: name.to_owned(), figure, unit, limit }
}
