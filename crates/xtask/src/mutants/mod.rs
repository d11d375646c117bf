//! `cargo xtask mutants`: changes to the code that no test notices.

use crate::{Outcome, ROOT, TaskError};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;

const FILE: &str = "spec/mutants.toml";

/// The crates whose tests must notice a change.
const PACKAGES: [&str; 3] = ["hookrail-core", "hookrail-engine", "hookrail-host"];

const HELP: &str = "\
usage: cargo xtask mutants [--file PATH]...

Changes core, engine and host in many small ways (with cargo-mutants) and runs their tests on each. A change that no test
notices is a survivor; the ones that were looked at are in spec/mutants.toml, with the reason why they may live. A whole
run takes hours; `--file` limits it to some source files.

Exit code 1 when there is a survivor that is not on the list; 2 when this command line is wrong.";

/// Why no mutants were made.
#[derive(Debug, thiserror::Error)]
enum MutantsError {
    #[error("cannot start cargo: {0}")]
    Start(std::io::Error),
    #[error(
        "`cargo mutants` failed ({0})\nhint: install it with `cargo install cargo-mutants`, and see that the tests pass"
    )]
    Failed(String),
    #[error("`{FILE}` is not what it should be: {0}")]
    List(Box<toml::de::Error>),
}

/// Survivors that were reviewed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Judged {
    #[serde(default)]
    survivor: Vec<Survivor>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Survivor {
    /// A source file, and the change as cargo-mutants describes it.
    file: String,
    change: String,
    #[expect(dead_code, reason = "it is for people; that it is there is checked by reading it")]
    why: String,
}

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        writeln!(out, "{HELP}")?;
        return Ok(Outcome::Passed);
    }
    let files = parse(args)?;
    let root = Path::new(ROOT);
    let judged = load(root)?;
    let results = root.join("target/mutants");
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(["mutants", "--no-shuffle", "--output"]).arg(&results);
    cargo.args(PACKAGES.iter().flat_map(|package| ["--package", package]));
    cargo.args(files.iter().flat_map(|file| ["--file", file.as_str()]));
    let status = cargo.status().map_err(MutantsError::Start)?;
    // 2 and 3 say that mutants survived or ran into their time limit.
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        return Err(MutantsError::Failed(status.to_string()).into());
    }
    let missed = std::fs::read_to_string(results.join("mutants.out/missed.txt"))?;
    report(&missed, &judged, files.is_empty(), out)
}

fn parse(args: &[String]) -> Result<Vec<String>, TaskError> {
    let usage = |problem: String| TaskError::Usage(format!("{problem}\nhint: see `cargo xtask mutants --help`"));
    let mut files = Vec::new();
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        match (flag.as_str(), rest.next()) {
            ("--file", Some(file)) => files.push(file.clone()),
            ("--file", None) => return Err(usage("`--file` needs a value".to_owned())),
            (other, _) => return Err(usage(format!("unknown flag `{other}`"))),
        }
    }
    Ok(files)
}

fn load(root: &Path) -> Result<Judged, TaskError> {
    let text = std::fs::read_to_string(root.join(FILE))?;
    Ok(toml::from_str(&text).map_err(|cause| MutantsError::List(Box::new(cause)))?)
}

/// Compares the survivors of a run with the list. After a whole run an entry that did not survive is told, too.
fn report(missed: &str, judged: &Judged, whole: bool, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let survivors: BTreeSet<(&str, &str)> = missed.lines().filter_map(without_position).collect();
    let known: BTreeSet<(&str, &str)> =
        judged.survivor.iter().map(|survivor| (survivor.file.as_str(), survivor.change.as_str())).collect();
    let new: Vec<&(&str, &str)> = survivors.difference(&known).collect();
    for (file, change) in &new {
        writeln!(out, "survivor: {file}: {change}")?;
    }
    for (file, change) in known.difference(&survivors).filter(|_| whole) {
        writeln!(out, "caught by now: {file}: {change}")?;
    }
    writeln!(out, "mutants: {} survived, {} of them not judged", survivors.len(), new.len())?;
    Ok(if new.is_empty() { Outcome::Passed } else { Outcome::Failed })
}

/// File and change of `file:line:column: change`; lines move, changes do not.
fn without_position(line: &str) -> Option<(&str, &str)> {
    let (place, change) = line.split_once(": ")?;
    let file = place.split(':').next()?;
    Some((file, change.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_survivors_that_nobody_looked_at_fail() {
        let list = "[[survivor]]\nfile = \"a.rs\"\nchange = \"replace x -> bool with true\"\nwhy = \"the same\"\n";
        let judged: Judged = toml::from_str(list).unwrap();
        let cases = [
            ("", Outcome::Passed, "mutants: 0 survived, 0 of them not judged\n"),
            ("a.rs:7:3: replace x -> bool with true\n", Outcome::Passed, "mutants: 1 survived, 0 of them not judged\n"),
            (
                "a.rs:7:3: replace y with ()\n",
                Outcome::Failed,
                "survivor: a.rs: replace y with ()\nmutants: 1 survived, 1 of them not judged\n",
            ),
        ];
        for (missed, outcome, told) in cases {
            let mut out = Vec::new();
            assert_eq!(report(missed, &judged, false, &mut out).unwrap(), outcome, "{missed}");
            assert_eq!(String::from_utf8(out).unwrap(), told);
        }
        let mut out = Vec::new();
        assert_eq!(report("", &judged, true, &mut out).unwrap(), Outcome::Passed);
        assert!(String::from_utf8(out).unwrap().starts_with("caught by now: a.rs: replace x"));
    }

    #[test]
    fn the_list_can_be_read() {
        assert!(load(Path::new(ROOT)).is_ok());
    }
}
