//! `cargo xtask fuzz`: throws changed inputs at everything that reads what an agent or a repository can write.
//!
//! Each target runs in a child process of its own, so that an overflown stack, an abort, a hang and a memory that grows without
//! bounds are findings like a panic is. The child writes each input down before it tries it.

mod child;
mod corpus;
mod findings;
mod mutation;
mod options;
mod targets;

use crate::{Outcome, ROOT, TaskError};
use child::ChildEnd;
use findings::Finding;
use options::{Mode, Options};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use targets::{TARGETS, Target};

const HELP: &str = "\
usage: cargo xtask fuzz [--seconds N] [--target NAME] [--seed N] [--input FILE]

Tries changed inputs on every target, or one, for N seconds in all (60 unless told). The inputs in spec/fuzz/<target> are
tried first, unchanged. A panic, a crash, more than 1 s of computing (each of three times) or 256 MiB of memory for one
input is a finding; it is written to target/fuzz/<target> with the command that tries it again, and the input that took
longest to `slowest` there. The same seed gives the same inputs.

  --input FILE   try this one input on the target named, and nothing else

Exit code 1 when something was found; 2 when this command line is wrong.";

/// A target that keeps breaking is not looked at any longer.
const MAX_FINDINGS: usize = 10;

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    match options::parse(args)? {
        Mode::Help => {
            writeln!(out, "{HELP}")?;
            Ok(Outcome::Passed)
        }
        Mode::Child(order) => child::work(&order, out),
        Mode::Once { target, file } => try_once(target, &file, out),
        Mode::Fuzz(options) => fuzz(&options, out),
    }
}

fn fuzz(options: &Options, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let chosen: Vec<&Target> = match options.target {
        Some(name) => vec![options::find(name)?],
        None => TARGETS.iter().collect(),
    };
    writeln!(out, "fuzz: seed {}, {} s over {} targets", options.seed, options.time.as_secs(), chosen.len())?;
    let mut left = options.time;
    let mut found = 0;
    for (index, target) in chosen.iter().enumerate() {
        let share = left / u32::try_from(chosen.len() - index).unwrap_or(1);
        let begun = Instant::now();
        found += fuzz_target(target, options.seed, share, out)?;
        left = left.saturating_sub(begun.elapsed());
    }
    writeln!(out, "fuzz: {found} findings")?;
    Ok(if found == 0 { Outcome::Passed } else { Outcome::Failed })
}

/// Runs children until the time is over. One that ends early has found something; the next goes on with another seed.
fn fuzz_target(target: &Target, seed: u64, time: Duration, out: &mut dyn Write) -> Result<usize, TaskError> {
    let folder = Path::new(ROOT).join("target/fuzz").join(target.name);
    std::fs::create_dir_all(&folder)?;
    let end = Instant::now() + time;
    let (mut found, mut tried, mut slowest, mut round) = (0, 0, Duration::ZERO, 0);
    // The inputs of the corpus are tried whatever time there is.
    while round == 0 || (Instant::now() < end && found < MAX_FINDINGS) {
        let left = end.saturating_duration_since(Instant::now());
        let report = child::run(target, seed.wrapping_add(round), left, &folder, round == 0)?;
        tried += report.tried;
        slowest = slowest.max(report.slowest);
        let is_over = report.ending == ChildEnd::Done;
        for finding in report.findings() {
            found += 1;
            tell(target, &finding.keep(&folder)?, &finding, out)?;
        }
        if is_over {
            break;
        }
        round += 1;
    }
    let slowest = slowest.as_millis();
    writeln!(out, "  {:14} {tried:>9} inputs, {found} findings, slowest {slowest} ms", target.name)?;
    Ok(found)
}

fn try_once(target: &Target, file: &Path, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let folder = Path::new(ROOT).join("target/fuzz").join(target.name);
    std::fs::create_dir_all(&folder)?;
    let report = child::run_one(target, file, &folder)?;
    let findings = report.findings();
    for finding in &findings {
        tell(target, file, finding, out)?;
    }
    if findings.is_empty() {
        writeln!(out, "fuzz: {} takes `{}` well", target.name, file.display())?;
    }
    Ok(if findings.is_empty() { Outcome::Passed } else { Outcome::Failed })
}

fn tell(target: &Target, file: &Path, finding: &Finding, out: &mut dyn Write) -> Result<(), TaskError> {
    let file: PathBuf = file.strip_prefix(ROOT).unwrap_or(file).to_path_buf();
    writeln!(out, "  {}: {}", target.name, finding.what)?;
    writeln!(out, "    rerun: cargo xtask fuzz --target {} --input {}", target.name, file.display())?;
    Ok(())
}
