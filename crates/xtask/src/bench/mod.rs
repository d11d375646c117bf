//! `cargo xtask bench`: measures what the budgets are about, contenders interleaved in one run.

mod allocations;
mod backtest;
mod clients;
mod curves;
mod engine;
mod fleet;
mod growth;
mod hook_command;
mod page;
mod peers;
mod plot;
mod replay;
mod serve;
mod stopwatch;
mod table;
mod ui;
mod understanding;

use crate::{Outcome, TaskError};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use table::{Row, Verdict};

const HELP: &str = "usage: cargo xtask bench [--rounds N] [--only NAME] [--peers] [--json] [--write]
       cargo xtask bench --only fleet [--records N]
       cargo xtask bench --plot [--rounds N]

Measures `hookrail hook`, the engine, the understanding of calls, `hookrail serve`, `hookrail replay` and `hookrail backtest` against
their budgets.
The programs are those of a plain `cargo build --release`. Everything is compared with a baseline measured in the same run, round by
round, so that a busy machine slows both; the figure is the median. Prints ratio, budget and `ok` or `over`, and fails if a
budget is exceeded.

  --rounds N   how often each contender runs (25 is usual)
  --only NAME  one part: hook, growth, engine, understanding, serve, clients, replay, backtest, ui or fleet; the last one is
               measured on request only
  --records N  how many records are put into the database of `fleet` (1,000,000 is usual; 20,000,000 take 20 minutes and 14 GB)
  --peers      measure beside it the same deny in what else is found on PATH: bash with jq, Python, Node
  --write      put what was measured into the table of the book, too; with `--only`, the other rows stay
  --plot       draw how the cost grows with payload, hooks, sessions, journal and concurrency, for the book";

/// Set on the second, optimised process.
const OPTIMISED: &str = "--optimised";

pub(crate) struct Options {
    pub rounds: usize,
    pub records: u64,
    json: bool,
    optimised: bool,
    only: Option<String>,
    plot: bool,
    peers: bool,
    write: bool,
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
    // The program that asks the database of a fleet is built by itself.
    let is_fleet = options.only.as_deref() == Some(ON_REQUEST);
    if !options.optimised && !is_fleet {
        return run_optimised(args);
    }
    if options.plot {
        curves::plot(&options, out)?;
        return Ok(Outcome::Passed);
    }
    let rows = measure(&options)?;
    if options.write {
        page::write(Path::new(crate::ROOT), &rows, options.only.is_none())?;
    }
    if options.json {
        table::write_json(&rows, out)?;
    } else {
        table::write(&rows, out)?;
    }
    Ok(if rows.iter().any(|row| row.verdict() == Verdict::Over) { Outcome::Failed } else { Outcome::Passed })
}

type BenchPart = (&'static str, fn(&Options) -> io::Result<Vec<Row>>);

/// What is measured, by name. The first one builds the binary that others run.
const PARTS: &[BenchPart] = &[
    ("hook", hook_command::measure),
    ("growth", growth::measure),
    ("engine", engine::measure),
    ("understanding", understanding::measure),
    ("serve", serve::measure),
    ("clients", clients::measure),
    ("replay", replay::measure),
    ("backtest", backtest::measure),
    ("ui", ui::measure),
    (ON_REQUEST, fleet::measure),
];
/// Takes a database server, minutes and disk.
const ON_REQUEST: &str = "fleet";

fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, part) in PARTS {
        if options.only.as_deref().map_or(*name != ON_REQUEST, |only| only == *name) {
            rows.extend(part(options)?);
        }
    }
    if options.peers {
        rows.extend(peers::measure(options)?);
    }
    Ok(rows)
}

fn parse(args: &[String]) -> Result<Options, TaskError> {
    let mut options = Options {
        rounds: 25,
        records: 1_000_000,
        json: false,
        optimised: false,
        only: None,
        plot: false,
        peers: false,
        write: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => options.json = true,
            "--peers" => options.peers = true,
            "--plot" => options.plot = true,
            "--write" => options.write = true,
            "--only" => {
                let name = args.next().filter(|name| PARTS.iter().any(|(part, _)| part == name));
                let names = PARTS.iter().map(|(part, _)| *part).collect::<Vec<_>>().join(", ");
                options.only = Some(name.ok_or_else(|| usage(&format!("`--only` needs one of {names}")))?.clone());
            }
            OPTIMISED => options.optimised = true,
            "--records" => {
                let records = args.next().and_then(|text| text.parse().ok()).filter(|records| *records > 0);
                options.records = records.ok_or_else(|| usage("`--records` needs a number above 0"))?;
            }
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
