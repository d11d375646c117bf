//! `cargo xtask adopt`: the hook tests of a real agent, run against our engine through the Node client's compatibility module.
//!
//! The agent's code is neither built nor kept: its tests are copied into a temporary folder in which every module of its hook
//! system is replaced by ours, and nothing else of the agent is there.

mod report;
mod workshop;

use crate::{Outcome, ROOT, TaskError};
use report::{Differences, TestRun};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use workshop::Workshop;

const HELP: &str = "\
usage: cargo xtask adopt --llxprt PATH [--bun PROGRAM] [--modules FOLDER]

Runs the hook tests of a checkout of LLxprt Code against hookrail through `@hookrail/client/compat` and compares what
fails with the list in spec/adoption/llxprt.toml, which says why. Needs Bun, the built client (`npm ci` in clients/node)
and a built hookrail (HOOKRAIL_BIN, or the workspace's own). The checkout is only read.

  --llxprt PATH      the checkout
  --bun PROGRAM      Bun, if it is not on the search path
  --modules FOLDER   a `node_modules` with packages that the tests import, such as fast-check

Exit code 1 when a test differs that is not on the list, or one on the list does not; 2 when this command line is wrong.";

/// Why the tests could not be run.
#[derive(Debug, thiserror::Error)]
enum AdoptError {
    #[error("`{0}` is no checkout of LLxprt Code: it has no `packages/core/src/hooks`")]
    NoCheckout(String),
    #[error("there is no `{0}`\nhint: run `npm ci` in clients/node")]
    NoClient(String),
    #[error("cannot start `{program}`: {cause}\nhint: install Bun, or say where it is with `--bun`")]
    Start { program: String, cause: std::io::Error },
    #[error("the tests left no report:\n{0}")]
    NoReport(String),
    #[error("`{file}` is not what it should be: {cause}")]
    List { file: &'static str, cause: Box<toml::de::Error> },
}

struct Options {
    checkout: PathBuf,
    bun: String,
    modules: Option<PathBuf>,
}

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        writeln!(out, "{HELP}")?;
        return Ok(Outcome::Passed);
    }
    let options = parse(args)?;
    let root = Path::new(ROOT);
    let compat = root.join("clients/node/dist/compat/index.js");
    if !compat.exists() {
        return Err(AdoptError::NoClient(compat.display().to_string()).into());
    }
    let source = options.checkout.join("packages/core/src");
    if !source.join("hooks").is_dir() {
        return Err(AdoptError::NoCheckout(options.checkout.display().to_string()).into());
    }
    let differences = Differences::load(root)?;
    let workshop = Workshop::set_up(&source, &compat.canonicalize()?, options.modules.as_deref())?;
    let run = run_tests(&options.bun, &workshop)?;
    let judgement = differences.judge(&run);
    judgement.write(out)?;
    Ok(if judgement.is_expected() { Outcome::Passed } else { Outcome::Failed })
}

fn parse(args: &[String]) -> Result<Options, TaskError> {
    let usage = |problem: String| TaskError::Usage(format!("{problem}\nhint: see `cargo xtask adopt --help`"));
    let (mut checkout, mut bun, mut modules) = (None, "bun".to_owned(), None);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().cloned().ok_or_else(|| usage(format!("`{flag}` needs a value")));
        match flag.as_str() {
            "--llxprt" => checkout = Some(PathBuf::from(value()?)),
            "--bun" => bun = value()?,
            "--modules" => modules = Some(PathBuf::from(value()?)),
            other => return Err(usage(format!("unknown flag `{other}`"))),
        }
    }
    let checkout = checkout.ok_or_else(|| usage("`--llxprt` is missing".to_owned()))?;
    Ok(Options { checkout, bun, modules })
}

#[expect(clippy::disallowed_methods, reason = "a developer says where the binary is, as for the clients' tests")]
fn run_tests(bun: &str, workshop: &Workshop) -> Result<TestRun, TaskError> {
    let report = workshop.path().join("report.xml");
    let binary = match std::env::var_os("HOOKRAIL_BIN") {
        Some(named) => PathBuf::from(named),
        None => crate::cargo::build_hookrail()?,
    };
    let output = Command::new(bun)
        .args(["test", "--timeout", "20000", "--reporter=junit", "--reporter-outfile"])
        .arg(&report)
        .current_dir(workshop.path())
        .env("HOOKRAIL_BIN", binary)
        .output()
        .map_err(|cause| AdoptError::Start { program: bun.to_owned(), cause })?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let xml = std::fs::read_to_string(&report).map_err(|_| AdoptError::NoReport(said))?;
    Ok(TestRun::read(&xml, &workshop.tests()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_command_lines_say_what_is_missing() {
        for (args, problem) in [
            (vec![], "`--llxprt` is missing"),
            (vec!["--llxprt"], "`--llxprt` needs a value"),
            (vec!["--gemini", "x"], "unknown flag `--gemini`"),
        ] {
            let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
            match parse(&args) {
                Err(TaskError::Usage(message)) => assert!(message.starts_with(problem), "{message}"),
                _ => panic!("{args:?} is wrong"),
            }
        }
    }
}
