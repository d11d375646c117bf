//! What changed in the repositories of an implementation since it began.

use super::active::ActivePlan;
use hookrail_core::{Event, HookError, World};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Implementations have a worktree per service; there are never more services than this.
const MOST_PLACES: usize = 12;
/// Names only, each as it is: no renames, no quoting, nothing that configuration could start.
const NAMES: [&str; 4] = ["--name-only", "-z", "--no-ext-diff", "--no-renames"];

/// The folders in which an implementer may have worked, and what git says about them.
pub(super) struct Changes<'a> {
    /// Folders that relative paths may mean.
    places: Vec<PathBuf>,
    /// The tops of the working trees among them.
    trees: Vec<PathBuf>,
    started: Option<jiff::Timestamp>,
    world: &'a dyn World,
    /// Files in commits since the start, and commits at all.
    committed: HashSet<PathBuf>,
    has_commit: bool,
    /// Files that differ from what was there at the start, or that git does not know.
    touched: HashSet<PathBuf>,
}

/// What can be said of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileState {
    /// In a commit since the start, or changed since then.
    Changed,
    Unchanged,
    Missing,
    /// It exists; there is no start to compare it with.
    Exists,
}

impl<'a> Changes<'a> {
    /// Looks once; later questions are answered from that.
    pub fn since_start(event: &Event, active: &ActivePlan, world: &'a dyn World) -> Self {
        let places = places(event, active, world);
        let started = active.state.started.parse().ok();
        let mut changes = Self {
            trees: trees(&places, world),
            places,
            started,
            world,
            committed: HashSet::new(),
            has_commit: false,
            touched: HashSet::new(),
        };
        if let Some(started) = started {
            for tree in changes.trees.clone() {
                changes.look_at(&tree, started);
            }
        }
        changes
    }

    /// What git cannot be asked stays unknown, and is not held against an agent.
    fn look_at(&mut self, tree: &Path, started: jiff::Timestamp) {
        let (since, before) = (since(started), format!("--before={}", for_git(started.as_second().saturating_sub(1))));
        let [name, zero, plain, whole] = NAMES;
        let ask = |question: &[&str]| self.world.git(tree, question).ok().flatten().unwrap_or_default();
        let commits = ask(&["log", "--format=", "--no-show-signature", "-m", &since, name, zero, plain, whole]);
        let newest = ask(&["log", "-1", "--format=%H", "--no-show-signature", &since]);
        let base = ask(&["rev-list", "-1", &before, "HEAD"]);
        let base = if base.trim().is_empty() { "HEAD" } else { base.trim() };
        let differs = ask(&["diff", name, zero, plain, whole, base]);
        let unknown = ask(&["ls-files", "--others", "--exclude-standard", "--full-name", zero]);
        self.has_commit |= !newest.trim().is_empty();
        self.committed.extend(paths(&commits, tree, self.world));
        self.touched.extend(paths(&differs, tree, self.world).chain(paths(&unknown, tree, self.world)));
    }

    /// Whether there is a repository to compare with.
    pub fn has_repository(&self) -> bool {
        !self.trees.is_empty()
    }

    /// Whether anything was committed since the start.
    pub fn has_commit(&self) -> bool {
        self.has_commit
    }

    /// What became of a file, whichever of the folders it is in.
    pub fn state_of(&self, file: &str) -> FileState {
        let paths: Vec<PathBuf> = self.places.iter().map(|place| self.world.resolve(&place.join(file))).collect();
        let exists = |path: &PathBuf| self.world.kind(path).is_ok_and(|kind| kind.is_some());
        let known: Vec<&PathBuf> = paths.iter().filter(|path| exists(path)).collect();
        if paths.iter().any(|path| self.committed.contains(path)) {
            return FileState::Changed;
        }
        if known.is_empty() {
            let deleted = paths.iter().any(|path| self.touched.contains(path));
            return if deleted { FileState::Changed } else { FileState::Missing };
        }
        match self.started {
            None => FileState::Exists,
            Some(started) if known.iter().any(|path| self.is_newer(path, started)) => FileState::Changed,
            Some(_) => FileState::Unchanged,
        }
    }

    /// Whether a file was written since. Within a repository it must also differ: a checkout writes files and changes
    /// nothing.
    fn is_newer(&self, path: &PathBuf, started: jiff::Timestamp) -> bool {
        let in_tree = self.trees.iter().any(|tree| path.starts_with(tree));
        let modified = self.world.modified_millis(path).ok().flatten();
        // The start is kept in whole seconds.
        let newer = modified.is_none_or(|millis| millis.div_euclid(1000) >= started.as_second());
        newer && (!in_tree || self.touched.contains(path))
    }

    /// A commit that was named; `None` if there are repositories and none of them has it.
    pub fn commit(&self, id: &str) -> Result<Option<Commit>, HookError> {
        let object = format!("{id}^{{commit}}");
        for tree in &self.trees {
            let question = ["show", "--no-patch", "--no-show-signature", "--format=%ct", &object];
            let seconds = self.world.git(tree, &question)?.and_then(|time| time.trim().parse().ok());
            if let Some(seconds) = seconds {
                return Ok(Some(Commit { id: id.to_owned(), tree: tree.clone(), seconds }));
            }
        }
        if self.trees.is_empty() { Err(HookError::new("there is no repository".to_owned())) } else { Ok(None) }
    }

    /// Counts what a commit changed, and those before it since the start: it may be on a branch that is checked out nowhere.
    pub fn include(&mut self, commit: &Commit) {
        let [name, zero, plain, whole] = NAMES;
        let since = self.started.map_or_else(|| "--max-count=0".to_owned(), since);
        let own = ["show", "--format=", "--no-show-signature", "-m", name, zero, plain, whole, &commit.id];
        let before = ["log", "--format=", "--no-show-signature", "-m", &since, name, zero, plain, whole, &commit.id];
        for question in [&own[..], &before[..]] {
            let answer = self.world.git(&commit.tree, question).ok().flatten().unwrap_or_default();
            self.committed.extend(paths(&answer, &commit.tree, self.world));
        }
    }
}

/// A commit that was named and that exists.
pub(super) struct Commit {
    pub id: String,
    tree: PathBuf,
    /// The committer's date, seconds since 1970.
    seconds: i64,
}

impl Commit {
    pub fn is_older_than(&self, started: &str) -> bool {
        // Git counts whole seconds.
        started.parse::<jiff::Timestamp>().is_ok_and(|started| self.seconds < started.as_second())
    }
}

/// Git counts whole seconds, and has its own opinion about fractions of them.
fn since(started: jiff::Timestamp) -> String {
    format!("--since={}", for_git(started.as_second()))
}

fn for_git(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map(|time| time.to_string()).unwrap_or_default()
}

fn paths<'b>(answer: &'b str, tree: &'b Path, world: &'b dyn World) -> impl Iterator<Item = PathBuf> + 'b {
    let names = answer.split(['\0', '\n']).filter(|name| !name.is_empty());
    names.map(|name| world.resolve(&tree.join(name)))
}

/// The folders in which an implementer may have worked.
fn places(event: &Event, active: &ActivePlan, world: &dyn World) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = Vec::new();
    let worktrees = active.state.worktrees.iter().map(|(_, path)| path.as_path());
    let all = [event.cwd.as_path()].into_iter().chain(active.project.roots()).chain(worktrees);
    for place in all.take(MOST_PLACES) {
        let place = world.resolve(place);
        let is_there = world.kind(&place).is_ok_and(|kind| kind.is_some());
        if is_there && !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn trees(places: &[PathBuf], world: &dyn World) -> Vec<PathBuf> {
    let mut trees: Vec<PathBuf> = Vec::new();
    for place in places {
        let top = world.git(place, &["rev-parse", "--show-toplevel"]).ok().flatten();
        let Some(top) = top.map(|top| world.resolve(Path::new(top.trim_end_matches(['\r', '\n'])))) else { continue };
        if !trees.contains(&top) {
            trees.push(top);
        }
    }
    trees
}
