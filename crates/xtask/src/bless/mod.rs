//! `cargo xtask bless`: renews every file that is generated or recorded, and tells which of them changed.

mod wildcards;

use crate::{Outcome, ROOT, TaskError};
use hookrail_testkit::folders;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One kind of file, and the command that writes what the program does now.
struct Step {
    name: &'static str,
    about: &'static str,
    /// Environment variables of the command.
    environment: &'static [(&'static str, &'static str)],
    /// Arguments of cargo.
    arguments: &'static [&'static str],
}

/// In the order in which they depend on each other: pages quote tables, sessions quote schemas, pictures show sessions.
const STEPS: &[Step] = &[
    Step {
        name: "safety",
        about: "the compiled rules of pack `safety`",
        environment: &[("HOOKRAIL_BLESS", "1")],
        arguments: &["test", "--package", "hookrail-rules", "--lib", "safety"],
    },
    Step {
        name: "dialects",
        about: "the tables of what is read from agents and answered",
        environment: &[("HOOKRAIL_BLESS", "1")],
        arguments: &["test", "--package", "hookrail-dialects", "--test", "dialects"],
    },
    Step {
        name: "lints",
        about: "the table of lints in the book",
        environment: &[("HOOKRAIL_BLESS", "1")],
        arguments: &["test", "--package", "hookrail-lint", "--test", "lints"],
    },
    Step {
        name: "generated",
        about: "schemas, plugins and the pages made from the code",
        environment: &[],
        arguments: &["xtask", "generate"],
    },
    Step {
        name: "sessions",
        about: "what every command prints",
        environment: &[("TRYCMD", "overwrite")],
        arguments: &["test", "--package", "hookrail-cli", "--test", "cli"],
    },
    Step {
        name: "demo",
        about: "what the demo prints",
        environment: &[("SNAPSHOTS", "overwrite")],
        arguments: &["test", "--package", "hookrail-cli", "--test", "demo"],
    },
    Step {
        name: "book",
        about: "what the programs in the book and the README print",
        environment: &[("DOCS", "overwrite")],
        arguments: &["test", "--package", "hookrail-cli", "--test", "docs"],
    },
    Step {
        name: "picture",
        about: "the picture of the demo",
        environment: &[],
        arguments: &["xtask", "picture", "--debug"],
    },
];

/// Recorded sessions; in them `[..]` and `...` stand for what differs between runs.
const SESSIONS: &str = "crates/hookrail-cli/tests/cmd";

fn help() -> String {
    let steps = STEPS.iter().map(|step| format!("\n  {:10} {}", step.name, step.about)).collect::<String>();
    format!(
        "usage: cargo xtask bless [STEP]...\n\nWrites down what the program does now, in every file that is generated or recorded, and lists the files that changed.\nRead them before you commit them: a test passes afterwards because it was told to.\n\nsteps, all unless some are named:{steps}\n\nExit code 1 when a step failed; 2 when this command line is wrong."
    )
}

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        writeln!(out, "{}", help())?;
        return Ok(Outcome::Passed);
    }
    let steps = chosen(args)?;
    let (before, sessions) = (Touched::now()?, read_sessions()?);
    let mut failed = Vec::new();
    for step in steps {
        writeln!(out, "{}: {} …", step.name, step.about)?;
        if !step.run()? {
            failed.push(step.name);
        }
    }
    restore_wildcards(&sessions)?;
    tell(out, &before.changed(&Touched::now()?), &failed)?;
    Ok(if failed.is_empty() { Outcome::Passed } else { Outcome::Failed })
}

fn chosen(args: &[String]) -> Result<Vec<&'static Step>, TaskError> {
    if args.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    if let Some(wrong) = args.iter().find(|arg| !STEPS.iter().any(|step| step.name == arg.as_str())) {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        let kind = if wrong.starts_with('-') { "flag" } else { "step" };
        return Err(TaskError::Usage(format!(
            "unknown {kind} `{wrong}`; the steps are {}\nhint: see `cargo xtask bless --help`",
            names.join(", ")
        )));
    }
    Ok(STEPS.iter().filter(|step| args.iter().any(|arg| arg == step.name)).collect())
}

impl Step {
    /// Whether it succeeded. A test that writes what it compares with may still fail on something else, which matters.
    fn run(&self) -> io::Result<bool> {
        let output = Command::new(env!("CARGO"))
            .args(self.arguments)
            .envs(self.environment.iter().copied())
            .current_dir(ROOT)
            .output()?;
        if !output.status.success() {
            io::stderr().write_all(&output.stdout)?;
            io::stderr().write_all(&output.stderr)?;
        }
        Ok(output.status.success())
    }
}

/// Files that differ from the last commit, with what is in them.
struct Touched(BTreeMap<PathBuf, Option<Vec<u8>>>);

impl Touched {
    fn now() -> io::Result<Self> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"])
            .current_dir(ROOT)
            .output()?;
        let names = String::from_utf8_lossy(&listed.stdout).into_owned();
        let files = names.split_terminator('\0').map(PathBuf::from);
        Ok(Self(files.map(|file| (file.clone(), std::fs::read(Path::new(ROOT).join(file)).ok())).collect()))
    }

    /// What is different in `later`, also where it is as in the last commit again.
    fn changed<'a>(&'a self, later: &'a Self) -> Vec<&'a Path> {
        let mut changed: Vec<&Path> = later
            .0
            .iter()
            .filter(|(file, content)| self.0.get(*file) != Some(content))
            .map(|(file, _)| file.as_path())
            .collect();
        changed.extend(self.0.keys().filter(|file| !later.0.contains_key(*file)).map(PathBuf::as_path));
        changed.sort_unstable();
        changed
    }
}

fn tell(out: &mut dyn Write, changed: &[&Path], failed: &[&str]) -> io::Result<()> {
    match changed {
        [] => writeln!(out, "nothing changed")?,
        files => {
            writeln!(out, "changed, to be read before they are committed:")?;
            files.iter().try_for_each(|file| writeln!(out, "  {}", file.display()))?;
        }
    }
    failed.iter().try_for_each(|step| writeln!(out, "FAILED: step `{step}`; its output is above"))
}

/// The sessions that say in which lines runs may differ.
fn read_sessions() -> io::Result<Vec<(PathBuf, String)>> {
    let files = folders::files_ending(&Path::new(ROOT).join(SESSIONS), ".trycmd")?;
    let texts = files.into_iter().map(|path| Ok((std::fs::read_to_string(&path)?, path)));
    let texts: Vec<(String, PathBuf)> = texts.collect::<io::Result<_>>()?;
    Ok(texts.into_iter().filter(|(text, _)| wildcards::has_any(text)).map(|(text, path)| (path, text)).collect())
}

fn restore_wildcards(sessions: &[(PathBuf, String)]) -> io::Result<()> {
    for (path, before) in sessions {
        let now = std::fs::read_to_string(path)?;
        if now != *before {
            std::fs::write(path, wildcards::restored(before, &now))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_chosen_by_name_and_run_in_their_own_order() {
        let names = |line: &str| -> Result<Vec<&str>, TaskError> {
            let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            Ok(chosen(&args)?.iter().map(|step| step.name).collect())
        };
        assert_eq!(names("book sessions").unwrap(), ["sessions", "book"]);
        assert_eq!(names("").unwrap().len(), STEPS.len());
        for wrong in ["sesions", "--all"] {
            assert!(
                matches!(names(wrong), Err(TaskError::Usage(text)) if text.contains(wrong) && text.contains("sessions"))
            );
        }
    }

    #[test]
    fn only_files_whose_content_changed_in_between_are_told() {
        let touched = |files: &[(&str, Option<&str>)]| {
            Touched(files.iter().map(|(name, text)| (PathBuf::from(name), text.map(Into::into))).collect())
        };
        let before =
            touched(&[("same", Some("a")), ("edited", Some("a")), ("reverted", Some("a")), ("gone", Some("a"))]);
        let after = touched(&[("same", Some("a")), ("edited", Some("b")), ("new", Some("c")), ("gone", None)]);
        let changed: Vec<&str> = before.changed(&after).iter().filter_map(|file| file.to_str()).collect();
        assert_eq!(changed, ["edited", "gone", "new", "reverted"]);
    }
}
