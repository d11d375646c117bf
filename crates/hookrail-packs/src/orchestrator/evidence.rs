//! Whether what an implementer reports can be found in the repository.

use super::active::ActivePlan;
use super::task_file::Metadata;
use hookrail_core::{Event, HookError, World};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What of a report is not so, in sentences. What cannot be checked (no repository, no git) is not held against anybody.
pub(super) fn contradictions(
    metadata: &Metadata,
    event: &Event,
    active: &ActivePlan,
    world: &dyn World,
) -> Vec<String> {
    let mut found = Vec::new();
    if metadata.tests_passed == Some(false) {
        found.push("`tests_passed` is false".to_owned());
    }
    let places = places(event, active, world);
    let commit = metadata.commit.as_deref().map(|id| Commit::find(id, &places, world));
    let known = match (commit, &metadata.commit) {
        (Some(Ok(Some(commit))), _) => Some(commit),
        (Some(Ok(None)), Some(id)) => {
            found.push(format!("commit `{id}` does not exist"));
            None
        }
        _ => None,
    };
    if let Some(commit) = &known
        && commit.is_older_than(&active.state.started)
    {
        found.push(format!(
            "commit `{}` is older than the start of the implementation ({})",
            commit.id, active.state.started
        ));
    }
    let changed = known.as_ref().and_then(|commit| commit.changed_files(&active.state.started, world).ok());
    for file in &metadata.files_changed {
        found.extend(doubt_about(file, &places, changed.as_ref(), world));
    }
    found
}

/// Why a file is not what the report says. A file that the commit deleted is one that it changed.
fn doubt_about(
    file: &str,
    places: &[PathBuf],
    changed: Option<&HashSet<PathBuf>>,
    world: &dyn World,
) -> Option<String> {
    let paths: Vec<PathBuf> = places.iter().map(|place| world.resolve(&place.join(file))).collect();
    if changed.is_some_and(|changed| paths.iter().any(|path| changed.contains(path))) {
        return None;
    }
    let exists = paths.iter().any(|path| world.kind(path).is_ok_and(|kind| kind.is_some()));
    if !exists {
        return Some(format!("file `{file}` does not exist"));
    }
    changed.map(|_| format!("file `{file}` is not in the commit and has not changed since"))
}

/// The folders in which an implementer may have worked.
fn places(event: &Event, active: &ActivePlan, world: &dyn World) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = Vec::new();
    let worktrees = active.state.worktrees.iter().map(|(_, path)| path.as_path());
    for place in active.project.roots().into_iter().chain(worktrees).chain([event.cwd.as_path()]) {
        let place = world.resolve(place);
        let is_there = world.kind(&place).is_ok_and(|kind| kind.is_some());
        if is_there && !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

struct Commit {
    id: String,
    /// The top of a working tree that knows it.
    top: PathBuf,
    /// The committer's date, seconds since 1970.
    seconds: i64,
}

impl Commit {
    /// `None` if there are repositories and none of them has it.
    fn find(id: &str, places: &[PathBuf], world: &dyn World) -> Result<Option<Self>, HookError> {
        let mut asked = false;
        for place in places {
            let Some(top) = world.git(place, &["rev-parse", "--show-toplevel"])? else { continue };
            asked = true;
            let object = format!("{id}^{{commit}}");
            let question = ["show", "--no-patch", "--no-show-signature", "--format=%ct", &object];
            let seconds = world.git(place, &question)?.and_then(|time| time.trim().parse().ok());
            if let Some(seconds) = seconds {
                let top = world.resolve(Path::new(top.trim_end_matches(['\r', '\n'])));
                return Ok(Some(Self { id: id.to_owned(), top, seconds }));
            }
        }
        if asked { Ok(None) } else { Err(HookError("there is no repository".to_owned())) }
    }

    fn is_older_than(&self, started: &str) -> bool {
        // Git counts whole seconds.
        started.parse::<jiff::Timestamp>().is_ok_and(|started| self.seconds < started.as_second())
    }

    /// What this commit changed, those before it since the start, and everything after it up to now.
    fn changed_files(&self, started: &str, world: &dyn World) -> Result<HashSet<PathBuf>, HookError> {
        const PLAIN: [&str; 4] = ["--name-only", "-z", "--no-ext-diff", "--no-renames"];
        let since = format!("--since={started}");
        let [name, zero, plain, whole] = PLAIN;
        let own = ["show", "--format=", "--no-show-signature", "-m", name, zero, plain, whole, &self.id];
        let after = ["diff", name, zero, plain, whole, &self.id];
        let before = ["log", "--format=", "--no-show-signature", &since, name, zero, plain, whole, &self.id];
        let new = ["ls-files", "--others", "--exclude-standard", "--full-name", zero];
        let questions: [&[&str]; 4] = [&own, &after, &before, &new];
        let mut files = HashSet::new();
        for question in questions.iter().filter(|question| !started.is_empty() || question.first() != Some(&"log")) {
            let answer = world.git(&self.top, question)?.unwrap_or_default();
            let names = answer.split(['\0', '\n']).filter(|name| !name.is_empty());
            files.extend(names.map(|name| world.resolve(&self.top.join(name))));
        }
        Ok(files)
    }
}
