//! Writes what happened where something else was expected, and leaves the rest of a file as it is.

use super::expectation::{Anchor, Failure};
use super::play::ScenarioOutcome;
use super::scenario::Scenario;
use super::table::to_toml;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Changes of one file, by where they begin. Of several agents' wishes for the same place the first counts.
type Edits = BTreeMap<usize, (Range<usize>, String)>;

/// The files that change, with their new text.
pub fn rewrite(scenarios: &[Scenario], outcomes: &[ScenarioOutcome]) -> Vec<(PathBuf, String)> {
    let mut files: BTreeMap<&Path, (&Scenario, Edits)> = BTreeMap::new();
    for outcome in outcomes {
        let Some(scenario) = scenarios.get(outcome.scenario) else { continue };
        let (_, edits) = files.entry(&scenario.source.path).or_insert_with(|| (scenario, Edits::new()));
        for (number, failure) in &outcome.failures {
            if let Some((range, text)) = edit(scenario, *number, failure) {
                edits.entry(range.start).or_insert((range, text));
            }
        }
    }
    let changed = files.into_iter().filter(|(_, (_, edits))| !edits.is_empty());
    changed.map(|(path, (scenario, edits))| (path.to_owned(), apply(&scenario.source.text, &edits))).collect()
}

fn edit(scenario: &Scenario, number: usize, failure: &Failure) -> Option<(Range<usize>, String)> {
    let step = scenario.steps.get(number.checked_sub(1)?)?;
    let fix = failure.fix.as_ref()?;
    if failure.path.is_empty() {
        return write_whole(&scenario.source.text, step.expect.anchor(), fix);
    }
    let path: Vec<&str> = failure.path.iter().map(String::as_str).collect();
    let range = step.expect.value_range(&path)?;
    Some((range, to_toml(fix)))
}

/// A whole expectation where there was none.
fn write_whole(text: &str, anchor: &Anchor, fix: &Value) -> Option<(Range<usize>, String)> {
    let fields = fix.as_object()?;
    let lines: String = fields.iter().map(|(key, value)| format!("{key} = {}\n", to_toml(value))).collect();
    match anchor {
        Anchor::Behind(at) => {
            let rest = text.get(*at..)?;
            let end = at + rest.find('\n').map_or(rest.len(), |end| end + 1);
            Some((end..end, format!("\n```toml expect\n{lines}```\n")))
        }
        Anchor::Block(range) => Some((range.clone(), lines)),
        Anchor::Inline(range) => Some((range.clone(), to_toml(fix))),
        Anchor::Nowhere => None,
    }
}

fn apply(text: &str, edits: &Edits) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits.values() {
        // Edits of one place inside another cannot happen; if they did, the outer one counts.
        let Some(kept) = text.get(at..range.start) else { continue };
        changed.push_str(kept);
        changed.push_str(new);
        at = range.end;
    }
    changed.push_str(text.get(at..).unwrap_or_default());
    changed
}

/// Replaces a file whole or not at all. A link is not written through.
pub fn save(path: &Path, text: &str) -> io::Result<()> {
    if path.symlink_metadata()?.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut draft = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut draft, text.as_bytes())?;
    draft.as_file().set_permissions(path.metadata()?.permissions())?;
    draft.persist(path).map(drop).map_err(|error| error.error)
}
