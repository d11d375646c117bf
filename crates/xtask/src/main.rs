//! Developer tasks, run as `cargo xtask <task>`.

mod adopt;
mod agents;
mod bench;
mod bless;
mod book;
mod cargo;
mod conformance;
mod contributing;
mod corpus;
mod dist;
mod fuzz;
mod generate;
#[cfg(test)]
mod house;
mod licences;
mod mutants;
mod picture;
mod trace;

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The workspace this binary was built from.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Where cargo puts what it builds.
fn target_folder() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "cargo is told by the environment, and so is a task that runs it")]
    let named = std::env::var_os("CARGO_TARGET_DIR");
    named.map_or_else(|| Path::new(ROOT).join("target"), PathBuf::from)
}

/// What `cargo xtask <name>` runs.
struct Task {
    name: &'static str,
    about: &'static str,
    run: fn(&[String], &mut dyn Write) -> Result<Outcome, TaskError>,
}

/// Every task, in the order of the help text. A new task is a module and an entry here.
const TASKS: &[Task] = &[
    Task { name: "adopt", about: "run a real agent's hook tests against hookrail", run: adopt::run },
    Task { name: "agents", about: "run hookrail under the real agents", run: agents::run },
    Task { name: "bench", about: "measure the budgets", run: bench::run },
    Task { name: "bless", about: "renew every generated or recorded file", run: bless::run },
    Task { name: "book", about: "check the pages people read, and build the book", run: book::run },
    Task { name: "conformance", about: "run behaviour cases against the engine", run: conformance::run },
    Task { name: "contributing", about: "follow the recipes of CONTRIBUTING.md in a copy", run: contributing::run },
    Task { name: "corpus", about: "judge labelled calls by pack `safety`", run: corpus::run },
    Task { name: "dist", about: "build the binary as it is released, and pack it", run: dist::run },
    Task { name: "fuzz", about: "try changed inputs on everything that reads", run: fuzz::run },
    Task { name: "generate", about: "write files that are made from the code", run: generate::run },
    Task { name: "licences", about: "check the licences of all dependencies", run: licences::run },
    Task { name: "mutants", about: "find changes to the code that no test notices", run: mutants::run },
    Task { name: "picture", about: "draw what the demo looks like", run: picture::run },
    Task { name: "trace", about: "list every requirement with the tests that cover it", run: trace::run },
];

/// How a task that could do its work judged what it saw.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
}

/// Why a task could not do its work.
#[derive(Debug)]
enum TaskError {
    /// The command line asks for something that does not exist.
    Usage(String),
    Broken(Box<dyn Error>),
}

impl<E: Error + 'static> From<E> for TaskError {
    fn from(error: E) -> Self {
        Self::Broken(Box::new(error))
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    ExitCode::from(exit_code(dispatch(&args, &mut io::stdout().lock()), &mut io::stderr()))
}

fn dispatch(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let Some((name, rest)) = args.split_first() else { return help(out) };
    if matches!(name.as_str(), "--help" | "-h" | "help") {
        return help(out);
    }
    match TASKS.iter().find(|task| task.name == name) {
        Some(task) => (task.run)(rest, out),
        None => Err(TaskError::Usage(format!("unknown task `{name}`\n\n{}", overview()))),
    }
}

fn help(out: &mut dyn Write) -> Result<Outcome, TaskError> {
    writeln!(out, "{}", overview())?;
    Ok(Outcome::Passed)
}

fn overview() -> String {
    let width = TASKS.iter().map(|task| task.name.len()).max().unwrap_or_default();
    let lines = TASKS.iter().map(|task| format!("\n  {:width$}  {}", task.name, task.about));
    format!("usage: cargo xtask <task> [--help]\n\ntasks:{}", lines.collect::<String>())
}

/// 0 passed, 1 failed, 2 wrongly called.
fn exit_code(result: Result<Outcome, TaskError>, err: &mut dyn Write) -> u8 {
    let (code, message) = match result {
        Ok(Outcome::Passed) => return 0,
        Ok(Outcome::Failed) => return 1,
        Err(TaskError::Usage(message)) => (2, message),
        Err(TaskError::Broken(error)) if is_broken_pipe(error.as_ref()) => return 1,
        Err(TaskError::Broken(error)) => (1, error.to_string()),
    };
    // A closed stderr is not an error.
    let _ = writeln!(err, "error: {message}");
    code
}

/// The reader of stdout has seen enough (`cargo xtask trace | head`), which is no reason to complain.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a command line and returns its exit code, stdout and stderr.
    fn check(line: &str) -> (u8, String, String) {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = exit_code(dispatch(&args, &mut out), &mut err);
        (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    #[test]
    fn help_lists_every_task_with_one_line_each() {
        for line in ["", "--help", "-h", "help"] {
            let (code, out, err) = check(line);
            assert_eq!((code, err.as_str()), (0, ""), "{line:?}");
            for task in TASKS {
                let listed = out.lines().filter(|text| text.trim_start().starts_with(task.name)).count();
                assert_eq!(listed, 1, "`{}` in {out}", task.name);
            }
        }
    }

    #[test]
    fn wrong_command_lines_name_the_mistake_and_exit_with_two() {
        let cases = [
            ("frobnicate", "unknown task `frobnicate`", "  trace "),
            ("trace --frobnicate", "unknown flag `--frobnicate`", "cargo xtask trace --help"),
            ("trace engine", "unexpected argument `engine`", "cargo xtask trace --help"),
            ("trace --document", "`--document` needs a value", "cargo xtask trace --help"),
            ("trace --json=yes", "`--json` takes no value", "cargo xtask trace --help"),
            ("trace --document=engin", "unknown document `engin`", "did you mean `engine`?"),
            ("trace --require fsm,none", "unknown document `none`", "fsm"),
            ("trace --document fsm --require engine", "`--require engine`", "`--document`"),
            ("fuzz --frobnicate", "unknown flag `--frobnicate`", "cargo xtask fuzz --help"),
            ("fuzz --target none", "unknown target `none`", "lenient-json"),
            ("fuzz --input x", "`--input` needs `--target`", "cargo xtask fuzz --help"),
            ("bless --frobnicate", "unknown flag `--frobnicate`", "cargo xtask bless --help"),
            ("licences --frobnicate", "unknown flag `--frobnicate`", "cargo xtask licences --help"),
        ];
        for (line, message, hint) in cases {
            let (code, out, err) = check(line);
            assert_eq!((code, out.as_str()), (2, ""), "{line}");
            assert!(err.starts_with("error: ") && err.contains(message) && err.contains(hint), "{line}: {err}");
        }
    }

    #[test]
    fn every_task_explains_itself() {
        for task in TASKS {
            let (code, out, err) = check(&format!("{} --help", task.name));
            assert_eq!((code, err.as_str()), (0, ""), "{}", task.name);
            assert!(out.contains(&format!("cargo xtask {}", task.name)), "{out}");
        }
    }
}
