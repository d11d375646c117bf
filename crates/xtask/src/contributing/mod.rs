//! `cargo xtask contributing`: follows the recipes of CONTRIBUTING.md literally, in a copy of the repository.

mod recipe;

use crate::{Outcome, ROOT, TaskError};
use hookrail_testkit::markdown::Page;
use recipe::{Recipe, Step};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HELP: &str = "usage: cargo xtask contributing

Copies the repository to target/contributing, does what the worked examples of CONTRIBUTING.md say, all of them, runs their
commands, and compares the files that have changed with what they promise. Builds in a target folder of its own. Exit code 1 if a command fails or another file changed.";

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    match args {
        [] => {}
        [flag] if flag == "--help" || flag == "-h" => {
            writeln!(out, "{HELP}")?;
            return Ok(Outcome::Passed);
        }
        [other, ..] => {
            let message = format!("unexpected `{other}`\nhint: see `cargo xtask contributing --help`");
            return Err(TaskError::Usage(message));
        }
    }
    let recipes = recipe::read(&Page::read(Path::new(ROOT), "CONTRIBUTING.md"))?;
    let copy = Copy::make()?;
    for recipe in &recipes {
        writeln!(out, "{}: {} files", recipe.title, recipe.changed.len())?;
        recipe.steps.iter().try_for_each(|step| copy.apply(step))?;
    }
    let mut outcome = Outcome::Passed;
    for command in commands(&recipes) {
        writeln!(out, "$ {command}")?;
        if !copy.run(command)? {
            writeln!(out, "FAILED: `{command}`, in {}", copy.folder.display())?;
            outcome = Outcome::Failed;
        }
    }
    let compared = compare(&copy.changed()?, &recipes, out)?;
    Ok(if outcome == Outcome::Passed { compared } else { outcome })
}

/// Each command once: all recipes are followed before the first one runs.
fn commands(recipes: &[Recipe]) -> Vec<&str> {
    let mut commands: Vec<&str> = Vec::new();
    for command in recipes.iter().flat_map(|recipe| &recipe.commands) {
        if !commands.contains(&command.as_str()) {
            commands.push(command);
        }
    }
    // What renews files comes before the tests that compare with them.
    commands.sort_by_key(|command| (!command.contains("xtask bless"), !command.contains("xtask")));
    commands
}

fn compare(changed: &BTreeSet<String>, recipes: &[Recipe], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let promised: BTreeSet<String> = recipes.iter().flat_map(|recipe| recipe.changed.iter().cloned()).collect();
    for file in changed.difference(&promised) {
        writeln!(out, "changed, and no recipe says so: {file}")?;
    }
    for file in promised.difference(changed) {
        writeln!(out, "did not change, although a recipe says so: {file}")?;
    }
    writeln!(out, "contributing: {} recipes, {} files changed", recipes.len(), changed.len())?;
    Ok(if *changed == promised { Outcome::Passed } else { Outcome::Failed })
}

/// The repository as it is now, uncommitted changes included, at another place.
struct Copy {
    folder: PathBuf,
}

impl Copy {
    fn make() -> io::Result<Self> {
        let copy = Self { folder: Path::new(ROOT).canonicalize()?.join("target/contributing") };
        let kept: BTreeSet<String> = files_of(Path::new(ROOT), &["--cached", "--others", "--exclude-standard"])?;
        for file in &kept {
            copy.take_over(file)?;
        }
        if copy.folder.join(".git").exists() {
            std::fs::remove_dir_all(copy.folder.join(".git"))?;
        }
        copy.git(&["init", "--quiet"])?;
        // What an earlier run has left.
        for file in files_of(&copy.folder, &["--others", "--exclude-standard"])?.difference(&kept) {
            std::fs::remove_file(copy.folder.join(file))?;
        }
        copy.git(&["add", "--all"])?;
        let who = ["-c", "user.name=contributing", "-c", "user.email=contributing@localhost"];
        copy.git(&[&who[..], &["commit", "--quiet", "--no-verify", "-m", "before"]].concat())?;
        Ok(copy)
    }

    /// A file that is the same already keeps its time, so that nothing is compiled for it again.
    fn take_over(&self, file: &str) -> io::Result<()> {
        let (from, to) = (Path::new(ROOT).join(file), self.folder.join(file));
        // Deleted, and not committed yet.
        let Ok(bytes) = std::fs::read(&from) else { return Ok(()) };
        if std::fs::read(&to).is_ok_and(|present| present == bytes) {
            return Ok(());
        }
        std::fs::create_dir_all(to.parent().unwrap_or(&to))?;
        std::fs::copy(from, to).map(drop)
    }

    fn apply(&self, step: &Step) -> io::Result<()> {
        match step {
            Step::Write { file, text } => {
                let path = self.folder.join(file);
                if path.exists() {
                    return Err(io::Error::other(format!("`{file}` is there already")));
                }
                std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
                std::fs::write(path, text)
            }
            Step::Insert { file, line, text } => {
                let path = self.folder.join(file);
                let before = std::fs::read_to_string(&path)?;
                let after = recipe::inserted(&before, line.as_deref(), text);
                let after = after.ok_or_else(|| io::Error::other(format!("`{file}` has no line with `{line:?}`")))?;
                std::fs::write(path, after)
            }
        }
    }

    /// Runs a command as a contributor would type it.
    fn run(&self, command: &str) -> io::Result<bool> {
        // Cargo takes packages at the same place of two workspaces for the same: in one folder, each would use what the other
        // has built.
        let target = self.folder.with_file_name("contributing-target");
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(&self.folder).stdin(Stdio::null()).env("CARGO_TARGET_DIR", target);
        shell.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
        // Those of the cargo that runs this task are about another package.
        for name in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "HOOKRAIL_BLESS", "TRYCMD", "DOCS"] {
            shell.env_remove(name);
        }
        Ok(shell.status()?.success())
    }

    fn changed(&self) -> io::Result<BTreeSet<String>> {
        files_of(&self.folder, &["--modified", "--deleted", "--others", "--exclude-standard"])
    }

    fn git(&self, args: &[&str]) -> io::Result<()> {
        let status = Command::new("git").args(args).current_dir(&self.folder).status()?;
        if status.success() {
            Ok(())
        } else {
            Err(io::Error::other(format!("git {} ended with {status}", args.join(" "))))
        }
    }
}

fn files_of(folder: &Path, which: &[&str]) -> io::Result<BTreeSet<String>> {
    let listed = Command::new("git").args(["ls-files", "-z"]).args(which).current_dir(folder).output()?;
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}
