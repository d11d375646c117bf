//! What is known: the survivors that may live, and the files that were run whole.

use super::MutantsError;
use super::round::Results;
use crate::{Outcome, TaskError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

pub const FILE: &str = "spec/mutants.toml";

/// The part of [`FILE`] that [`Judged::record`] writes begins with this line.
const RUN_WHOLE: &str = "[whole]";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// Files whose code is not built where the changes are tried, and why.
    #[serde(default)]
    elsewhere: BTreeMap<String, String>,
    #[serde(default)]
    survivor: Vec<Survivor>,
    #[serde(default)]
    whole: BTreeMap<String, Whole>,
}

/// A change that no test notices; one entry for each.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Survivor {
    /// A source file, and the change as cargo-mutants describes it.
    file: String,
    change: String,
    #[expect(dead_code, reason = "it is for people; that it is there is checked by reading it")]
    why: String,
}

/// The last run of all changes of a file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    mutants: usize,
    survivors: usize,
    /// Of the file as it was.
    digest: String,
}

/// Counts, because a function may hold the same change twice.
type Count<'a> = BTreeMap<(&'a str, &'a str), usize>;

fn count<'a>(changes: impl Iterator<Item = (&'a str, &'a str)>) -> Count<'a> {
    let mut count = Count::new();
    for change in changes {
        *count.entry(change).or_default() += 1;
    }
    count
}

impl Judged {
    pub fn load(root: &Path) -> Result<Self, TaskError> {
        let text = std::fs::read_to_string(root.join(FILE))?;
        Ok(toml::from_str(&text).map_err(|cause| MutantsError::List(Box::new(cause)))?)
    }

    /// The source files of a package, in order.
    pub fn files_of(&self, root: &Path, package: &str) -> std::io::Result<Vec<String>> {
        let mut files = Vec::new();
        walk(root, &format!("crates/{package}/src"), &mut files)?;
        files.retain(|file| !self.elsewhere.contains_key(file));
        files.sort();
        Ok(files)
    }

    /// Whether all changes of the file, as it is now, have been tried.
    pub fn is_whole(&self, root: &Path, file: &str) -> bool {
        self.whole.get(file).is_some_and(|whole| digest(root, file).is_ok_and(|now| now == whole.digest))
    }

    /// One line about the runs of a file.
    pub fn describe(&self, root: &Path, file: &str) -> String {
        match self.whole.get(file) {
            None => format!("not run whole  {file}"),
            Some(_) if !self.is_whole(root, file) => format!("changed since  {file}"),
            Some(Whole { mutants, survivors, .. }) => {
                format!("run whole      {file}: {mutants} mutants, {survivors} judged survivors")
            }
        }
    }

    /// Tells the survivors that are not on the list, and the entries that are no survivors any more.
    pub fn report(&self, results: &Results, out: &mut dyn Write) -> Result<Outcome, TaskError> {
        let survivors = count(results.missed.iter().filter_map(|line| without_position(line)));
        let known = count(self.survivor.iter().map(|one| (one.file.as_str(), one.change.as_str())));
        let mut new = 0;
        for ((file, change), times) in &survivors {
            let unknown = times.saturating_sub(known.get(&(*file, *change)).copied().unwrap_or_default());
            new += unknown;
            for _ in 0..unknown {
                writeln!(out, "survivor: {file}: {change}")?;
            }
        }
        for (file, change) in results.caught.iter().filter_map(|line| without_position(line)) {
            if known.contains_key(&(file, change)) && !survivors.contains_key(&(file, change)) {
                writeln!(out, "caught by now: {file}: {change}")?;
            }
        }
        let (caught, missed, unviable) = (results.caught.len(), results.missed.len(), results.unviable);
        writeln!(
            out,
            "mutants: {} tried, {caught} noticed, {missed} survived, {new} of them not judged ({unviable} did not compile)",
            caught + missed
        )?;
        Ok(if new == 0 { Outcome::Passed } else { Outcome::Failed })
    }

    /// Notes that these files were run whole.
    pub fn record(&mut self, root: &Path, files: &[String], results: &Results) -> Result<(), TaskError> {
        let of = |changes: &[String], file: &str| {
            changes.iter().filter_map(|line| without_position(line)).filter(|(of, _)| *of == file).count()
        };
        for file in files {
            let survivors = of(&results.missed, file);
            let mutants = survivors + of(&results.caught, file);
            self.whole.insert(file.clone(), Whole { mutants, survivors, digest: digest(root, file)? });
        }
        let text = std::fs::read_to_string(root.join(FILE))?;
        Ok(std::fs::write(root.join(FILE), with_whole(&text, &self.whole))?)
    }
}

/// The text of [`FILE`] with this list of files at its end.
fn with_whole(text: &str, whole: &BTreeMap<String, Whole>) -> String {
    let kept = text.split(RUN_WHOLE).next().unwrap_or_default();
    let lines = whole.iter().map(|(file, Whole { mutants, survivors, digest })| {
        format!("\"{file}\" = {{ mutants = {mutants}, survivors = {survivors}, digest = \"{digest}\" }}\n")
    });
    format!("{kept}{RUN_WHOLE}\n{}", lines.collect::<String>())
}

fn walk(root: &Path, folder: &str, files: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(root, &path, files)?;
        } else if path.ends_with(".rs") && !path.ends_with("/tests.rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn digest(root: &Path, file: &str) -> std::io::Result<String> {
    let hash = Sha256::digest(std::fs::read(root.join(file))?);
    Ok(hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
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
    use crate::ROOT;

    fn results(caught: &[&str], missed: &[&str]) -> Results {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        Results { caught: owned(caught), missed: owned(missed), unviable: 0 }
    }

    #[test]
    fn only_survivors_that_are_not_on_the_list_fail() {
        let list = "[[survivor]]\nfile = \"a.rs\"\nchange = \"replace x -> bool with true\"\nwhy = \"the same\"\n";
        let judged: Judged = toml::from_str(list).unwrap();
        let (known, again) = ("a.rs:7:3: replace x -> bool with true", "a.rs:9:3: replace x -> bool with true");
        for (name, caught, missed, outcome, told) in [
            ("nothing was tried", vec![], vec![], Outcome::Passed, ""),
            ("the survivor is judged", vec![], vec![known], Outcome::Passed, ""),
            (
                "the same change at a second place",
                vec![],
                vec![known, again],
                Outcome::Failed,
                "survivor: a.rs: replace x",
            ),
            (
                "another change",
                vec![],
                vec!["a.rs:7:3: replace y with ()"],
                Outcome::Failed,
                "survivor: a.rs: replace y",
            ),
            ("an entry that is not needed", vec![known], vec![], Outcome::Passed, "caught by now: a.rs: replace x"),
        ] {
            let mut out = Vec::new();
            assert_eq!(judged.report(&results(&caught, &missed), &mut out).unwrap(), outcome, "{name}");
            let out = String::from_utf8(out).unwrap();
            assert!(out.starts_with(told), "{name}: {out}");
            assert_eq!(out.lines().count(), 1 + usize::from(!told.is_empty()), "{name}: {out}");
        }
    }

    #[test]
    fn a_file_run_whole_is_noted_and_counts_until_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (file, text) in [(FILE, "# why\n"), ("a.rs", "fn a() {}\n")] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), text).unwrap();
        }
        let run = results(&["a.rs:1:1: one", "b.rs:1:1: one"], &["a.rs:1:1: two"]);
        Judged::load(root).unwrap().record(root, &["a.rs".to_owned()], &run).unwrap();
        let mut judged = Judged::load(root).unwrap();
        assert_eq!(judged.describe(root, "a.rs"), "run whole      a.rs: 2 mutants, 1 judged survivors");
        assert_eq!(judged.describe(root, "b.rs"), "not run whole  b.rs");
        let once = std::fs::read_to_string(root.join(FILE)).unwrap();
        judged.record(root, &["a.rs".to_owned()], &run).unwrap();
        assert_eq!(std::fs::read_to_string(root.join(FILE)).unwrap(), once, "it is written in one place");
        std::fs::write(root.join("a.rs"), "fn b() {}\n").unwrap();
        assert!(!judged.is_whole(root, "a.rs"));
        assert_eq!(judged.describe(root, "a.rs"), "changed since  a.rs");
    }

    #[test]
    fn every_entry_of_the_list_names_a_file() {
        let judged = Judged::load(Path::new(ROOT)).unwrap();
        let files =
            judged.survivor.iter().map(|one| &one.file).chain(judged.elsewhere.keys()).chain(judged.whole.keys());
        for file in files {
            assert!(Path::new(ROOT).join(file).is_file(), "{file}");
        }
        let of_survivors = |file: &String| judged.survivor.iter().filter(|one| one.file == *file).count();
        for (file, whole) in &judged.whole {
            assert!(whole.survivors <= of_survivors(file), "{file} has survivors that are not judged");
        }
    }
}
