//! Where an effect happens.

use crate::machine::ReadOnlyWorld;
use crate::paths::{is_within_any, name_of, names};
use crate::persist::is_profile;
use crate::surroundings::Surroundings;
use hookrail_core::tidy_path::{below, is_same, is_within, parts};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};

/// Where an effect happens, as rules name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// The folder the agent works on, except for what has a name of its own below.
    Project,
    /// What a build makes again: `node_modules`, `target`, caches.
    Build,
    /// Folders for temporary files.
    Temp,
    /// The inside of a repository's `.git`.
    Vcs,
    /// Files of coding agents.
    Agent,
    /// Profiles and what else runs at login.
    Rc,
    /// The user's own folder, except for what has a name of its own above.
    Home,
    /// Other repositories, siblings of the project, other users, mounted disks.
    Outside,
    /// What belongs to the operating system and its programs.
    System,
    /// Below `/dev`, except for the harmless ones.
    Device,
    /// On another machine.
    Remote,
    /// The text does not tell.
    Unknown,
}

impl Location {
    /// Every location, in the order of the book.
    pub const ALL: &[Self] = &[
        Self::Project,
        Self::Build,
        Self::Temp,
        Self::Vcs,
        Self::Agent,
        Self::Rc,
        Self::Home,
        Self::Outside,
        Self::System,
        Self::Device,
        Self::Remote,
        Self::Unknown,
    ];

    /// The name used in rules.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Build => "build",
            Self::Temp => "temp",
            Self::Vcs => "vcs",
            Self::Agent => "agent",
            Self::Rc => "rc",
            Self::Home => "home",
            Self::Outside => "outside",
            Self::System => "system",
            Self::Device => "device",
            Self::Remote => "remote",
            Self::Unknown => "unknown",
        }
    }

    /// What is there, in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Project => "in the project",
            Self::Build => "what a build or a package manager makes again: `node_modules`, `target`, caches",
            Self::Temp => "folders for temporary files, and local test databases",
            Self::Vcs => "the inside of a repository's `.git`",
            Self::Agent => "files of coding agents and of hookrail",
            Self::Rc => "profiles and what else runs at login",
            Self::Home => "elsewhere in the home folder",
            Self::Outside => "other repositories, siblings of the project, other users, mounted disks",
            Self::System => "folders of the system",
            Self::Device => "devices",
            Self::Remote => "another machine",
            Self::Unknown => "only known at run time",
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Folders of a home that tools fill again.
const HOME_CACHES: &[&str] = &[
    ".cache",
    ".npm/_cacache",
    ".cargo/registry",
    ".cargo/git",
    ".gradle/caches",
    ".m2/repository",
    "go/pkg/mod",
    ".yarn/cache",
    ".pnpm-store",
    ".local/share/pnpm/store",
    ".rustup/toolchains",
    "Library/Caches",
];
/// Folders of a home that belong to coding agents.
const AGENT_FOLDERS: &[&str] = &[
    ".claude",
    ".codex",
    ".gemini",
    ".cursor",
    ".llxprt",
    ".qwen",
    ".factory",
    ".copilot",
    ".opencode",
    ".windsurf",
    ".codeium",
    ".kiro",
    ".hookrail",
    ".config/hookrail",
    ".config/llxprt-code",
    ".config/opencode",
];
const TEMP_FOLDERS: &[&str] = &["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/dev/shm"];
const SYSTEM_FOLDERS: &[&str] = &[
    "bin",
    "boot",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "home",
    "System",
    "Library",
    "Applications",
    "Users",
    "private",
    "nix",
    "snap",
    "cores",
    "Windows",
];
const GENERATED_SUFFIXES: &[&str] = &[".pyc", ".pyo", ".o", ".class", ".tsbuildinfo", ".egg-info", ".lcov"];
const SCRATCH_SUFFIXES: &[&str] = &[".log", ".tmp", ".swp", ".pid"];

/// The places of the last few paths: a script works on few at a time, and asks several times about each.
#[derive(Debug, Default)]
pub(crate) struct RecentPlaces(RefCell<VecDeque<(PathBuf, Location)>>);

impl RecentPlaces {
    const MOST: usize = 4;

    pub(crate) fn of(&self, path: &Path, locate: impl FnOnce() -> Location) -> Location {
        let known = self.0.borrow().iter().find(|(known, _)| is_same(known, path)).map(|(_, place)| *place);
        known.unwrap_or_else(|| {
            let place = locate();
            let mut places = self.0.borrow_mut();
            if places.len() >= Self::MOST {
                places.pop_front();
            }
            places.push_back((path.to_owned(), place));
            place
        })
    }
}

/// Where a path lies. It is absolute and tidy, with links followed.
pub(crate) fn locate(path: &Path, around: &Surroundings, machine: &dyn ReadOnlyWorld) -> Location {
    let roots = std::iter::once(&around.project).chain(&around.beside);
    if let Some(inside) = roots.filter_map(|root| below(path, root)).next() {
        return locate_in_project(inside, path, around);
    }
    let in_home = around.home.as_deref().and_then(|home| Some((home, below(path, home)?)));
    // A home that lies in a temporary folder, as in a sandbox, is a home all the same.
    if is_temp(path, machine) && in_home.is_none_or(|(home, _)| !is_temp(home, machine)) {
        return Location::Temp;
    }
    if is_within(path, Path::new("/dev")) {
        return Location::Device;
    }
    if let Some((home, inside)) = in_home {
        return locate_in_home(inside, path, home, around, machine);
    }
    if is_profile(path, around.home.as_deref()) {
        return Location::Rc;
    }
    locate_in_system(path)
}

fn locate_in_project(inside: &Path, path: &Path, around: &Surroundings) -> Location {
    let mut parts = names(inside);
    match parts.next() {
        Some(".git") => return if name_of(path).ends_with(".lock") { Location::Temp } else { Location::Vcs },
        Some("tmp" | "temp" | ".tmp") => return Location::Temp,
        _ => {}
    }
    let roots: [&Path; 1] = [&around.project];
    if crate::guarded::reach(path, &around.guarded, &roots) == Some(crate::guarded::GuardedRelation::Inside) {
        return Location::Agent;
    }
    if is_generated(inside) {
        return Location::Build;
    }
    let name = name_of(path);
    if SCRATCH_SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) { Location::Temp } else { Location::Project }
}

/// Folders that a build, a package manager or a test run makes again.
fn is_build_folder(name: &[u8]) -> bool {
    matches!(
        name,
        b"node_modules"
            | b"bower_components"
            | b"dist"
            | b"build"
            | b"out"
            | b"target"
            | b"coverage"
            | b"htmlcov"
            | b"__pycache__"
            | b"venv"
            | b".venv"
            | b".next"
            | b".nuxt"
            | b".output"
            | b".svelte-kit"
            | b".turbo"
            | b".parcel-cache"
            | b".cache"
            | b".pytest_cache"
            | b".mypy_cache"
            | b".ruff_cache"
            | b".tox"
            | b".nox"
            | b".gradle"
            | b".nyc_output"
            | b".eslintcache"
            | b".angular"
            | b".vite"
            | b".expo"
            | b".dart_tool"
            | b".terraform"
            | b".serverless"
            | b"cmake-build-debug"
            | b"cmake-build-release"
            | b"DerivedData"
            | b"Pods"
            | b"storybook-static"
            | b"test-results"
            | b"playwright-report"
            | b"_build"
            | b"zig-out"
            | b"zig-cache"
            | b".stack-work"
            | b"dist-newstyle"
            | b"bazel-bin"
            | b"bazel-out"
            | b".DS_Store"
            | b"Thumbs.db"
    )
}

/// Whether a relative path names something that a build makes again.
pub(crate) fn is_generated(path: &Path) -> bool {
    let name = name_of(path);
    parts(path).any(is_build_folder) || GENERATED_SUFFIXES.iter().any(|end| name.ends_with(end))
}

fn is_temp(path: &Path, machine: &dyn ReadOnlyWorld) -> bool {
    if is_within_any(path, TEMP_FOLDERS) {
        return true;
    }
    let variable = names(path).nth(1).is_some() && !is_within_any(path, &["/home", "/usr"]);
    variable && machine.env("TMPDIR").is_some_and(|folder| folder.len() > 4 && path.starts_with(folder))
}

fn locate_in_home(
    inside: &Path,
    path: &Path,
    home: &Path,
    around: &Surroundings,
    machine: &dyn ReadOnlyWorld,
) -> Location {
    if is_profile(path, Some(home)) {
        return Location::Rc;
    }
    if is_within_any(inside, AGENT_FOLDERS) {
        return Location::Agent;
    }
    if is_within_any(inside, HOME_CACHES) {
        return Location::Build;
    }
    if inside.as_os_str().is_empty() {
        return Location::Home;
    }
    let beside = around.project.parent().filter(|parent| !is_same(parent, home) && is_within(parent, home));
    if beside.is_some_and(|parent| is_within(path, parent)) || is_within(&around.project, path) {
        return outside_or_worktree(path, around, machine);
    }
    let hidden = inside.to_str().is_some_and(|text| text.starts_with('.'));
    let repository = !hidden
        && path
            .ancestors()
            .take_while(|folder| !is_same(folder, home))
            .take(12)
            .any(|folder| machine.kind(&folder.join(".git")).is_some());
    if repository { outside_or_worktree(path, around, machine) } else { Location::Home }
}

/// A linked worktree of the project's repository is part of the project; everything else here is outside of it.
fn outside_or_worktree(path: &Path, around: &Surroundings, machine: &dyn ReadOnlyWorld) -> Location {
    match crate::worktrees::linked_root(path, &around.project, machine) {
        Some(root) => locate_in_project(path.strip_prefix(&root).unwrap_or(path), path, around),
        None => Location::Outside,
    }
}

fn locate_in_system(path: &Path) -> Location {
    let mut parts = names(path);
    match (parts.next(), parts.next()) {
        (None, _) => Location::System,
        (Some("home" | "Users"), Some(_)) => Location::Outside,
        (Some(first), _) if SYSTEM_FOLDERS.contains(&first) => Location::System,
        _ => Location::Outside,
    }
}

/// Whether a device is a disk, or a part of one.
pub(crate) fn is_disk(path: &Path) -> bool {
    let name = name_of(path);
    ["sd", "nvme", "hd", "vd", "xvd", "disk", "rdisk", "mmcblk", "loop", "dm-", "md"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || path.starts_with("/dev/mapper")
        || path.starts_with("/dev/disk")
}

/// Whether a file is a database, by its name.
pub(crate) fn is_database(path: &Path) -> bool {
    let name = name_of(path);
    [".db", ".sqlite", ".sqlite3", ".db3", ".mdb"].iter().any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_path_is_asked_for_again_when_others_came_between() {
        let (places, asked) = (RecentPlaces::default(), RefCell::new(Vec::new()));
        for path in ["/a", "/b", "/a", "/c", "/d", "/e", "/b", "/a"] {
            let locate = || {
                asked.borrow_mut().push(path);
                if path == "/b" { Location::Home } else { Location::Temp }
            };
            assert_eq!(places.of(Path::new(path), locate) == Location::Home, path == "/b", "{path}");
        }
        assert_eq!(asked.into_inner(), ["/a", "/b", "/c", "/d", "/e", "/a"]);
    }
}
