//! Where a feature is planned.

use super::state::PlanningState;
use hookrail_core::{Event, FileKind, HookError, ToolCall, World};
use hookrail_effects::{Head, Repository, WorldReader};
use std::path::{Component, Path, PathBuf};

/// Says where the feature is, instead of the branch.
const OVERRIDE: &str = "PLANNING_FEATURE_DIR";

/// The working tree an event happens in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Checkout {
    /// The top of the working tree; the working directory outside of a repository.
    pub root: PathBuf,
    /// `None` outside of a repository and with a detached `HEAD`.
    pub branch: Option<String>,
}

/// The folder in which a feature is planned. It need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Feature {
    pub folder: PathBuf,
}

impl Checkout {
    /// Where an event happens, by git's own files (errata C17).
    pub fn of(event: &Event, world: &dyn World) -> Result<Self, HookError> {
        let machine = WorldReader(world);
        let Some(repository) = Repository::around(&event.cwd, &machine) else {
            return Ok(Self { root: event.cwd.clone(), branch: None });
        };
        let branch = match repository.head(&machine) {
            Head::Branch(name) => Some(name),
            Head::Detached | Head::Unknown => None,
        };
        Ok(Self { root: repository.root.unwrap_or_else(|| event.cwd.clone()), branch })
    }

    /// `specs/<name>` on a branch `feature/<name>`, unless `$PLANNING_FEATURE_DIR` says otherwise.
    pub fn feature(&self, world: &dyn World) -> Option<Feature> {
        if let Some(folder) = world.env(OVERRIDE).filter(|folder| !folder.trim().is_empty()) {
            return Some(Feature { folder: self.root.join(folder) });
        }
        let name = self.branch.as_deref()?.strip_prefix("feature/")?;
        let stays_below = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        (stays_below && !name.is_empty()).then(|| Feature { folder: self.root.join("specs").join(name) })
    }
}

impl Feature {
    /// A file in the feature's folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn state_file(&self) -> PathBuf {
        self.file(".planning-state.local.md")
    }

    pub fn lock_file(&self) -> PathBuf {
        self.file(".planning.lock")
    }

    pub fn audit_log(&self) -> PathBuf {
        self.file(".planning-audit.log")
    }

    pub fn specification(&self) -> PathBuf {
        self.file("spec.md")
    }

    /// `None` if planning has not begun. A state that cannot be read is an error.
    pub fn read_state(&self, world: &dyn World) -> Result<Option<PlanningState>, HookError> {
        let path = self.state_file();
        let Some(bytes) = read_file(&path, world)? else { return Ok(None) };
        let state = PlanningState::parse(&bytes);
        state.map(Some).map_err(|error| HookError::new(format!("`{}` cannot be read: {error}", path.display())))
    }
}

/// A file's bytes; `None` if there is none. What is not a file is an error, before a pipe is waited for or a device is read
/// that never ends.
pub(super) fn read_file(path: &Path, world: &dyn World) -> Result<Option<Vec<u8>>, HookError> {
    match kind_behind(path, world)? {
        None => Ok(None),
        Some(FileKind::File | FileKind::Link) => world.read(path),
        Some(FileKind::Folder | FileKind::Other) => Err(HookError::new(format!("`{}` is not a file", path.display()))),
    }
}

/// The bytes of something that was made: a folder, a pipe or a device in its place is none.
pub(super) fn read_artifact(path: &Path, world: &dyn World) -> Result<Option<Vec<u8>>, HookError> {
    match kind_behind(path, world)? {
        Some(FileKind::File) => world.read(path),
        None | Some(FileKind::Link | FileKind::Folder | FileKind::Other) => Ok(None),
    }
}

/// What stands where a path leads; a link that leads nowhere is a link.
pub(super) fn kind_behind(path: &Path, world: &dyn World) -> Result<Option<FileKind>, HookError> {
    match world.kind(path)? {
        Some(FileKind::Link) => world.kind(&world.resolve(path)),
        kind => Ok(kind),
    }
}

/// The files a tool call writes, with links and `..` resolved.
pub(super) fn written_files(event: &Event, world: &dyn World) -> Vec<PathBuf> {
    let paths = event.tool.as_ref().map(ToolCall::touched_paths).unwrap_or_default();
    paths.iter().filter(|path| !path.is_empty()).map(|path| world.resolve(&event.cwd.join(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::test_events::event;
    use super::*;
    use hookrail_testkit::world::FakeWorld;

    fn feature(cwd: &str, world: &FakeWorld) -> Option<Feature> {
        Checkout::of(&event(cwd), world).unwrap().feature(world)
    }

    #[test]
    fn the_feature_is_that_of_the_branch_at_the_top_of_the_working_tree() {
        for (head, cwd, expected) in [
            ("ref: refs/heads/feature/042-notify\n", "/p", Some("/p/specs/042-notify")),
            ("ref: refs/heads/feature/042-notify\n", "/p/src/deep", Some("/p/specs/042-notify")),
            ("ref: refs/heads/feature/team/x\n", "/p", Some("/p/specs/team/x")),
            ("ref: refs/heads/feature/../../etc\n", "/p", None),
            ("ref: refs/heads/feature//etc\n", "/p", None),
            ("ref: refs/heads/feature/\n", "/p", None),
            ("ref: refs/heads/main\n", "/p", None),
            ("0123456789abcdef\n", "/p", None),
            ("", "/p", None),
            ("ref: refs/heads/feature/x\n", "/elsewhere", None),
        ] {
            let world = FakeWorld::new().file("/p/.git/HEAD", head);
            let found = feature(cwd, &world);
            assert_eq!(found.map(|feature| feature.folder), expected.map(PathBuf::from), "{head}{cwd}");
        }
    }

    #[test]
    fn a_variable_names_the_feature_in_place_of_the_branch() {
        for (value, expected) in [("/f", Some("/f")), ("specs/other", Some("/p/specs/other")), ("", Some("/p/specs/x"))]
        {
            let world = FakeWorld::new().file("/p/.git/HEAD", "ref: refs/heads/feature/x").env(OVERRIDE, value);
            let found = feature("/p/src", &world);
            assert_eq!(found.map(|feature| feature.folder), expected.map(PathBuf::from), "{value}");
        }
    }
}
