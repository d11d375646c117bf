//! `cargo xtask mutants`: changes to the code that no test notices.

mod judged;
mod round;

use crate::{Outcome, ROOT, TaskError};
use judged::Judged;
use round::{Results, Rounds};
use std::io::Write;
use std::path::Path;

/// The crates whose tests must notice a change, and the crates above them whose tests see what is left of it.
const PACKAGES: [Package; 3] = [
    Package { name: "hookrail-core", above: &["hookrail-engine", "hookrail-host"] },
    Package { name: "hookrail-engine", above: &["hookrail-host"] },
    Package { name: "hookrail-host", above: &[] },
];

const HELP: &str = "\
usage: cargo xtask mutants [--file PATH]... [--rest] [--shard K/N] [--in-place] [--record] [-- FLAG...]
       cargo xtask mutants --list

Changes core, engine and host in many small ways (with cargo-mutants) and runs the integration tests of the changed crate
on each; what they do not notice is tried again on all tests of it and of the crates above it. A change that no test notices is a survivor; the
ones that were looked at are in spec/mutants.toml, with the reason why they may live.

  --file PATH    only this source file, or the files of this folder
  --rest         only files that were never run whole, or have changed since
  --shard K/N    only the K-th of N parts (K from 0), for several machines
  --in-place     change this checkout instead of a copy; nothing else may use it meanwhile
  --record       note in spec/mutants.toml that these files were run whole (if every survivor is on the list)
  --list         print which files were run whole, and which were not
  -- FLAG...     hand these flags to cargo-mutants

A whole run takes many hours. The copy is built in a folder of its own, without debug information and, where it is
installed, with the linker mold.

Exit code 1 when there is a survivor that is not on the list; 2 when this command line is wrong.";

/// Why no mutants were made.
#[derive(Debug, thiserror::Error)]
enum MutantsError {
    #[error("cannot start cargo: {0}")]
    Start(std::io::Error),
    #[error(
        "`cargo mutants` failed ({0})\nhint: install it with `cargo install --locked cargo-mutants`, and see that the tests pass"
    )]
    Failed(String),
    #[error("`{file}` is not what it should be: {0}", file = judged::FILE)]
    List(Box<toml::de::Error>),
}

struct Package {
    name: &'static str,
    above: &'static [&'static str],
}

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    files: Vec<String>,
    shard: Option<String>,
    rest: bool,
    in_place: bool,
    record: bool,
    list: bool,
    /// Flags of cargo-mutants itself.
    handed_on: Vec<String>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self, TaskError> {
        let usage = |problem: String| TaskError::Usage(format!("{problem}\nhint: see `cargo xtask mutants --help`"));
        let mut options = Self::default();
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            let mut value = || rest.next().cloned().ok_or_else(|| usage(format!("`{flag}` needs a value")));
            match flag.as_str() {
                "--file" => options.files.push(value()?),
                "--shard" => options.shard = Some(value()?),
                "--rest" => options.rest = true,
                "--in-place" => options.in_place = true,
                "--record" => options.record = true,
                "--list" => options.list = true,
                "--" => options.handed_on = rest.by_ref().cloned().collect(),
                other => return Err(usage(format!("unknown flag `{other}`"))),
            }
        }
        if options.record && (options.shard.is_some() || !options.handed_on.is_empty()) {
            return Err(usage(
                "`--record` is for whole files: not with `--shard` or flags of cargo-mutants".to_owned(),
            ));
        }
        Ok(options)
    }

    fn wants(&self, file: &str) -> bool {
        let within =
            |wanted: &String| file == wanted || file.starts_with(&format!("{}/", wanted.trim_end_matches('/')));
        self.files.is_empty() || self.files.iter().any(within)
    }
}

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    if args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--help" || arg == "-h") {
        writeln!(out, "{HELP}")?;
        return Ok(Outcome::Passed);
    }
    let options = Options::parse(args)?;
    let root = Path::new(ROOT);
    let mut judged = Judged::load(root)?;
    if options.list {
        return list(root, &judged, out);
    }
    let (results, files) = run_packages(root, &options, &judged, out)?;
    let outcome = judged.report(&results, out)?;
    if options.record && outcome == Outcome::Passed {
        judged.record(root, &files, &results)?;
    }
    Ok(outcome)
}

/// The results of every package that has a file to run, and these files.
fn run_packages(
    root: &Path,
    options: &Options,
    judged: &Judged,
    out: &mut dyn Write,
) -> Result<(Results, Vec<String>), TaskError> {
    let (mut results, mut files) = (Results::default(), Vec::new());
    for package in &PACKAGES {
        let mut wanted = judged.files_of(root, package.name)?;
        wanted.retain(|file| options.wants(file) && !(options.rest && judged.is_whole(root, file)));
        if wanted.is_empty() {
            continue;
        }
        writeln!(out, "{}: {} files", package.name, wanted.len())?;
        results.extend(Rounds { root, package, files: &wanted, options }.run()?);
        files.extend(wanted);
    }
    if files.is_empty() && !options.rest {
        return Err(TaskError::Usage(format!(
            "no source file of {} is meant",
            PACKAGES.map(|one| one.name).join(", ")
        )));
    }
    Ok((results, files))
}

fn list(root: &Path, judged: &Judged, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    for package in &PACKAGES {
        for file in judged.files_of(root, package.name)? {
            writeln!(out, "{}", judged.describe(root, &file))?;
        }
    }
    Ok(Outcome::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, TaskError> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_command_line_says_what_is_run() {
        let options = parse("--file a/b.rs --shard 1/4 --rest --in-place -- --re x").unwrap();
        assert_eq!((options.shard.as_deref(), options.rest, options.in_place), (Some("1/4"), true, true));
        assert_eq!(options.handed_on, ["--re", "x"]);
        for wrong in ["--file", "--shards 1/4", "--record --shard 1/4", "--record -- --re x"] {
            assert!(matches!(parse(wrong), Err(TaskError::Usage(_))), "{wrong}");
        }
    }

    #[test]
    fn a_folder_means_its_files_and_no_other() {
        let options = parse("--file a/b --file a/c.rs").unwrap();
        for (file, wanted) in [("a/b/d.rs", true), ("a/c.rs", true), ("a/bc.rs", false), ("a/d.rs", false)] {
            assert_eq!(options.wants(file), wanted, "{file}");
        }
        assert!(Options::default().wants("a/d.rs"), "without a flag every file");
    }
}
