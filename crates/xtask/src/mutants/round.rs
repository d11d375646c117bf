//! Runs of cargo-mutants: first on what is built quickly of the changed crate's tests, then, for what is left, on all of them
//! and those of the crates above.

use super::{MutantsError, Options, Package};
use crate::{TaskError, target_folder};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Seconds that the tests of a change may take at least, however quick they are without it.
const MINIMUM_TIMEOUT: &str = "60";

/// What became of every change, each as cargo-mutants describes it: `file:line:column: change`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Noticed by a failing test, or because the tests did not end.
    pub caught: Vec<String>,
    pub missed: Vec<String>,
    /// Changes that the compiler refuses.
    pub unviable: usize,
}

impl Results {
    pub fn extend(&mut self, other: Self) {
        self.caught.extend(other.caught);
        self.missed.extend(other.missed);
        self.unviable += other.unviable;
    }

    fn read(folder: &Path) -> std::io::Result<Self> {
        let lines = |name: &str| -> std::io::Result<Vec<String>> {
            Ok(std::fs::read_to_string(folder.join(name))?.lines().map(str::to_owned).collect())
        };
        let mut caught = lines("caught.txt")?;
        caught.extend(lines("timeout.txt")?);
        Ok(Self { caught, missed: lines("missed.txt")?, unviable: lines("unviable.txt")?.len() })
    }
}

/// The runs for some files of one package.
pub struct Rounds<'a> {
    pub root: &'a Path,
    pub package: &'a Package,
    pub files: &'a [String],
    pub options: &'a Options,
}

/// One run of cargo-mutants.
struct Round {
    name: &'static str,
    /// Which tests of a package are built: those of the crate itself need it to be compiled a second time.
    targets: &'static str,
    /// How often a property is tried; fewer times can only leave more for the next round.
    proptest_cases: &'static str,
}

const QUICK: Round = Round { name: "quick", targets: "--test=*", proptest_cases: "64" };
const THOROUGH: Round = Round { name: "thorough", targets: "--tests", proptest_cases: "256" };

impl Rounds<'_> {
    pub fn run(&self) -> Result<Results, TaskError> {
        let mut quick = self.cargo(&QUICK, &[]);
        quick.args(self.options.shard.iter().flat_map(|shard| ["--shard", shard]));
        quick.args(&self.options.handed_on);
        let mut results = self.results(quick, &QUICK)?;
        if results.missed.is_empty() {
            return Ok(results);
        }
        let mut thorough = self.cargo(&THOROUGH, self.package.above);
        thorough.args(results.missed.drain(..).flat_map(|change| ["--re".to_owned(), exactly(&change)]));
        results.extend(self.results(thorough, &THOROUGH)?);
        Ok(results)
    }

    fn results(&self, mut cargo: Command, round: &Round) -> Result<Results, TaskError> {
        let folder = self.output(round);
        std::fs::create_dir_all(&folder)?;
        let status = cargo.status().map_err(MutantsError::Start)?;
        // 2 and 3: mutants survived or ran into their time limit.
        if !matches!(status.code(), Some(0 | 2 | 3)) {
            return Err(MutantsError::Failed(status.to_string()).into());
        }
        Ok(Results::read(&folder.join("mutants.out"))?)
    }

    /// Where cargo-mutants leaves what it found.
    fn output(&self, round: &Round) -> PathBuf {
        target_folder().join("mutants").join(self.package.name).join(round.name)
    }

    fn cargo(&self, round: &Round, above: &[&str]) -> Command {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(self.root).args(["mutants", "--package", self.package.name, "--no-shuffle", "--caught"]);
        cargo.args(["--cap-lints=true", "--minimum-test-timeout", MINIMUM_TIMEOUT]);
        cargo.arg(format!("--cargo-arg={}", round.targets));
        cargo.args([self.package.name].iter().chain(above).flat_map(|package| ["--test-package", package]));
        cargo.args(self.files.iter().flat_map(|file| ["--file", file.as_str()]));
        cargo.arg("--output").arg(self.output(round)).env("PROPTEST_CASES", round.proptest_cases);
        if self.options.in_place {
            cargo.arg("--in-place");
        }
        quick_builds(&mut cargo);
        cargo
    }
}

/// A change costs the build of its crate and of the tests: as little as possible of each.
fn quick_builds(cargo: &mut Command) {
    cargo.env("CARGO_TARGET_DIR", target_folder().join("mutants/build"));
    cargo.env("CARGO_INCREMENTAL", "1").env("CARGO_PROFILE_DEV_DEBUG", "0");
    cargo.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
    if has_mold() {
        cargo.env("RUSTFLAGS", "-Clink-arg=-fuse-ld=mold");
    }
}

fn has_mold() -> bool {
    let asked = Command::new("mold").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// A regular expression for this text and no other.
fn exactly(text: &str) -> String {
    let mut pattern = String::from("^");
    for letter in text.chars() {
        if letter.is_ascii_punctuation() {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('$');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_did_not_end_counts_as_noticed() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("caught.txt", "a.rs:1:1: one\n"),
            ("timeout.txt", "a.rs:2:1: two\n"),
            ("missed.txt", "a.rs:3:1: three\n"),
            ("unviable.txt", "a.rs:4:1: four\na.rs:5:1: five\n"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let results = Results::read(folder.path()).unwrap();
        assert_eq!(results.caught, ["a.rs:1:1: one", "a.rs:2:1: two"]);
        assert_eq!((results.missed, results.unviable), (vec!["a.rs:3:1: three".to_owned()], 2));
    }

    #[test]
    fn the_second_round_means_the_changes_that_are_left_letter_for_letter() {
        assert_eq!(exactly("a.rs:1:2: replace && with ||"), r"^a\.rs\:1\:2\: replace \&\& with \|\|$");
    }
}
