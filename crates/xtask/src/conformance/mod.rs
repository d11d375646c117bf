//! `cargo xtask conformance FILE…`: runs behaviour cases, one JSON object a line, against the engine.

mod aggregator;
mod case;
mod compare;
mod event;
mod hooks;
mod planner;
mod process;
mod registry;
mod translator;
mod types;

use crate::{Outcome, TaskError};
use case::{Case, CaseError, Mismatch};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

const HELP: &str = "usage: cargo xtask conformance FILE… [--only ID]

Runs the cases of each FILE (JSON Lines) against the engine and prints every case that fails, with what was expected and
what came out. Ends with `conformance: N passed, M failed, K skipped`; fails if a case failed. A case is skipped only if it
needs a program that this machine does not have.";

/// Most of a run is waiting for hooks that sleep.
const WORKERS: usize = 4;

/// What became of a case.
enum Judgement {
    Passed,
    Failed(Mismatch),
    Skipped(String),
}

#[derive(Default)]
struct Options {
    files: Vec<PathBuf>,
    only: Option<String>,
}

pub(crate) fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        writeln!(out, "{HELP}")?;
        return Ok(Outcome::Passed);
    }
    let options = parse(args)?;
    let mut cases = Vec::new();
    for file in &options.files {
        cases.extend(case::read(file)?);
    }
    if let Some(only) = &options.only {
        cases.retain(|case| case.id == *only);
    }
    let judgements = judge_all(&cases);
    report(&cases, &judgements, out)
}

fn parse(args: &[String]) -> Result<Options, TaskError> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--only" => {
                let id = args.next().ok_or_else(|| usage("`--only` needs a value"))?;
                options.only = Some(id.clone());
            }
            flag if flag.starts_with('-') => return Err(usage(&format!("unknown flag `{flag}`"))),
            file => options.files.push(file.into()),
        }
    }
    if options.files.is_empty() {
        return Err(usage("no case file given"));
    }
    Ok(options)
}

fn usage(message: &str) -> TaskError {
    TaskError::Usage(format!("{message}\nhint: see `cargo xtask conformance --help`"))
}

fn judge_all(cases: &[Case]) -> Vec<Judgement> {
    let next = AtomicUsize::new(0);
    let judged: Mutex<Vec<(usize, Judgement)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((index, case)) = take(cases, &next) {
                    let judgement = judge(case);
                    judged.lock().unwrap_or_else(PoisonError::into_inner).push((index, judgement));
                }
            });
        }
    });
    let mut judged = judged.into_inner().unwrap_or_else(PoisonError::into_inner);
    judged.sort_by_key(|(index, _)| *index);
    judged.into_iter().map(|(_, judgement)| judgement).collect()
}

fn take<'a>(cases: &'a [Case], next: &AtomicUsize) -> Option<(usize, &'a Case)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    cases.get(index).map(|case| (index, case))
}

fn judge(case: &Case) -> Judgement {
    if let Some(missing) = case.requires.iter().find(|program| !process::is_installed(program)) {
        return Judgement::Skipped(format!("`{missing}` is not installed"));
    }
    match evaluate(case) {
        Ok(()) => Judgement::Passed,
        Err(CaseError::Mismatch(mismatch)) => Judgement::Failed(mismatch),
        Err(CaseError::Malformed(why)) => Judgement::Failed(Mismatch::because(&why)),
    }
}

fn evaluate(case: &Case) -> Result<(), CaseError> {
    match case.area.split('.').next().unwrap_or_default() {
        "aggregator" => aggregator::check(case),
        "planner" => planner::check(case),
        "registry" => registry::check_registry(case),
        "config" => registry::check_config(case),
        "translator" => translator::check(case),
        "types" => types::check(case),
        "event" => event::check(case),
        "chaining" => hooks::check(case),
        "runner" => match case.area.as_str() {
            "runner.parse" => process::check_parse(case),
            "runner.sequential" | "runner.parallel" => hooks::check(case),
            "runner.io" | "runner.limits" | "runner.timeout" | "runner.env" | "runner.security" | "runner.error" => {
                process::check(case)
            }
            _ => Err(unknown(case)),
        },
        _ => Err(unknown(case)),
    }
}

/// An area that this runner does not know is a hole in the proof, and an error.
fn unknown(case: &Case) -> CaseError {
    CaseError::Malformed(format!("unknown area `{}`", case.area))
}

fn report(cases: &[Case], judgements: &[Judgement], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (case, judgement) in cases.iter().zip(judgements) {
        match judgement {
            Judgement::Passed => passed += 1,
            Judgement::Skipped(why) => {
                skipped += 1;
                writeln!(out, "skipped {} ({}): {why}", case.id, case.area)?;
            }
            Judgement::Failed(mismatch) => {
                failed += 1;
                writeln!(out, "FAILED {} ({}): {}\n{mismatch}", case.id, case.area, case.title)?;
            }
        }
    }
    writeln!(out, "conformance: {passed} passed, {failed} failed, {skipped} skipped")?;
    Ok(if failed == 0 { Outcome::Passed } else { Outcome::Failed })
}
