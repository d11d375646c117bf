//! What is protected around one event.

use super::listed::Listed;
use super::self_protection::PROGRAMS;
use crate::changes::{FolderSearch, Search};
use hookrail_core::tidy_path::{folder_of, is_same, is_within, parts};
use hookrail_core::{FileKind, HookError, World};
use hookrail_dialects::{Extent, ProtectedFile, names_hook_file, protected_files};
use hookrail_effects::{Act, Effect, Location, PathObject, Repository, Surroundings, WorldReader};
use std::path::{Component, Path, PathBuf};

/// How a change concerns something protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    /// The text says so.
    Told,
    /// It may be among what the text leaves open.
    Possible,
}

/// What is protected, around one event.
pub(super) struct ProtectedGround<'a> {
    world: &'a dyn World,
    project: PathBuf,
    /// What decides whether hooks run, of every agent and of hookrail, by its name and by where links lead.
    files: Vec<ProtectedFile>,
    /// What the configuration lists.
    listed: Listed,
    walk: FolderSearch,
}

impl<'a> ProtectedGround<'a> {
    /// What decides whether hooks run.
    pub(super) fn files(&self) -> &[ProtectedFile] {
        &self.files
    }

    pub fn survey(around: &Surroundings, world: &'a dyn World) -> Result<Self, HookError> {
        let project = around.project.clone();
        let mut files = protected_files(around.home.as_deref(), &project, &|name| world.env(name));
        let state = world.state_folder().map(|path| ProtectedFile { owner: "hookrail", path, extent: Extent::Tree });
        let dev_mode = world.settings("core").and_then(|core| core.get("dev_mode_file")?.as_str());
        let dev_mode = dev_mode.map(|file| project.join(file));
        files.extend(state);
        let scripts = world.settings("core").and_then(|core| core.get("trusted_scripts")?.as_array());
        let scripts = scripts.into_iter().flatten().filter_map(|path| Some(project.join(path.as_str()?)));
        // Agents go on when a hook cannot be started.
        let suffix = std::env::consts::EXE_SUFFIX;
        let beside = |own: PathBuf| PROGRAMS.map(|program| own.with_file_name(format!("{program}{suffix}")));
        let own = world.own_program().into_iter().flat_map(|own| beside(own.clone()).into_iter().chain([own]));
        let paths = dev_mode.into_iter().chain(scripts).chain(own);
        files.extend(paths.map(|path| ProtectedFile { owner: "hookrail", path, extent: Extent::File }));
        // What stands in there is in the environment of everything that the session starts.
        let session = world.env("CLAUDE_ENV_FILE").map(PathBuf::from).filter(|path| path.is_absolute());
        files.extend(session.map(|path| ProtectedFile { owner: "claude", path, extent: Extent::File }));
        let listed = Listed::read("protected", &project, world)?;
        let mut ground = Self { world, project, files, listed, walk: FolderSearch::default() };
        ground.follow_links();
        Ok(ground)
    }

    /// A file or its folder may be a link, and must not be reachable from behind. Most agents are not used here: what is in a
    /// folder that does not exist needs no look.
    fn follow_links(&mut self) {
        // A short list: hashing a path takes longer than looking through it.
        let mut folders: Vec<(&Path, bool)> = Vec::with_capacity(self.files.len());
        let mut exists = |folder| {
            let is_known = |known: &Path, exists: bool| is_same(known, folder) || (!exists && is_within(folder, known));
            let known = folders.iter().find(|(known, exists)| is_known(known, *exists)).map(|(_, exists)| *exists);
            known.unwrap_or_else(|| {
                let exists = !matches!(self.world.kind(folder), Ok(None));
                folders.push((folder, exists));
                exists
            })
        };
        let mut more = Vec::new();
        for file in &self.files {
            if folder_of(&file.path).is_some_and(&mut exists) {
                let path = self.world.resolve(&file.path);
                if !is_same(&path, &file.path) {
                    more.push(ProtectedFile { path, ..file.clone() });
                }
            }
        }
        self.files.extend(more);
    }

    /// How a change of a path concerns something protected.
    pub fn reach(&self, effect: &Effect, path: &PathObject) -> Option<Certainty> {
        // Any number of folders, or a name that only the run tells: it may be among them, if it is there at all.
        if path.pattern && names_of(path).any(is_open) {
            // Everything in a folder of the project is told; the whole project is too much to mean each file in it.
            let told = effect.place != Location::Unknown && !self.project.starts_with(beginning(&path.resolved));
            let reach = if told { Certainty::Told } else { Certainty::Possible };
            return self.may_reach(effect, path).then_some(reach);
        }
        if effect.place == Location::Unknown && path.resolved.is_relative() {
            return self.may_end_as(&path.resolved).then_some(Certainty::Possible);
        }
        self.protects(effect, path)
    }

    fn may_reach(&self, effect: &Effect, path: &PathObject) -> bool {
        let exists = |file: &Path| !matches!(self.world.kind(file), Ok(None));
        let beginnings: Vec<PathBuf> = names_of(path).map(beginning).collect();
        let reached = |file: &ProtectedFile| {
            beginnings.iter().any(|beginning| file.covers(beginning)) || effect.touches(&file.path)
        };
        self.files.iter().any(|file| reached(file) && exists(&file.path))
            || names_of(path).any(|name| {
                self.listed.covers(&beginning(name))
                    || self.listed.find_in(name, self.world, |entry| effect.touches(entry)).is_possible()
            })
    }

    /// Whether something protected in a working tree differs from what git knows of it, so that it would be put back.
    pub fn was_changed_in(&self, tree: &Path) -> bool {
        let mut files = self.files.iter().filter(|file| file.path.starts_with(tree));
        files.any(|file| self.is_changed(&file.path))
            || self.listed.find_in(tree, self.world, |entry| self.is_changed(entry)).is_possible()
    }

    /// Whether a file differs from what git knows of it, by time and size. What git does not know it leaves alone.
    fn is_changed(&self, file: &Path) -> bool {
        let machine = WorldReader(self.world);
        let real = self.world.resolve(file);
        let known = Repository::around(&real, &machine).and_then(|repository| repository.known_file(&real, &machine));
        let Some(known) = known else { return false };
        let modified = self.world.modified_millis(&real).ok().flatten().map(|millis| millis / 1000);
        let size = self.world.read(&real).ok().flatten().and_then(|bytes| u32::try_from(bytes.len()).ok());
        (modified, size) != (Some(i64::from(known.modified)), Some(known.size))
    }

    /// Whether what is known of the end of a path is the end of something protected.
    fn may_end_as(&self, path: &Path) -> bool {
        let mut known: Vec<&std::ffi::OsStr> = Vec::new();
        for part in path.components().rev() {
            match part {
                Component::Normal(name) if !name.to_string_lossy().contains(['$', '*']) => known.insert(0, name),
                _ => break,
            }
        }
        let end: PathBuf = known.iter().collect();
        let names = known.len();
        names > 0 && (self.listed.covers(&end) || self.listed.covers(&self.project.join(&end)))
            || names > 1 && self.files.iter().any(|file| file.path.ends_with(&end))
    }

    fn protects(&self, effect: &Effect, path: &PathObject) -> Option<Certainty> {
        let told = names_of(path).any(is_own)
            || effect.touches_any(self.files.iter().map(|file| file.path.as_path()))
            || self.files.iter().any(|file| names_of(path).any(|name| file.covers(name)))
            || names_of(path).any(|name| self.listed.covers(name));
        if told {
            return Some(Certainty::Told);
        }
        let below = names_of(path).map(|name| self.lists_something_in(effect, path, name));
        below.chain([self.is_other_name(effect, path)]).find_map(|search| match search {
            Search::Found(_) => Some(Certainty::Told),
            Search::TooMuch => Some(Certainty::Possible),
            Search::Nothing => None,
        })
    }

    /// Whether a path is another name of a protected file: what is written to one is in both.
    fn is_other_name(&self, effect: &Effect, path: &PathObject) -> Search {
        if path.pattern || effect.is(Act::FsDelete) || self.is_link_alone(effect, path, path.real()) {
            return Search::Nothing;
        }
        let Some(identity) = self.world.shared_identity(path.real()) else { return Search::Nothing };
        let is_it = |path: &Path| self.world.shared_identity(path) == Some(identity);
        for file in &self.files {
            if is_it(&file.path) {
                return Search::Found(file.path.clone());
            }
            let inside = if file.extent == Extent::File {
                Search::Nothing
            } else {
                self.walk.find_below(&file.path, self.world, is_it)
            };
            if inside.is_possible() {
                return inside;
            }
        }
        self.listed.find_in(&self.project, self.world, is_it)
    }

    /// Whether a link itself is deleted, moved, made or changed: what it leads to stays as it is.
    fn is_link_alone(&self, effect: &Effect, path: &PathObject, name: &Path) -> bool {
        let of_name = matches!(effect.act, Act::FsDelete | Act::FsMove | Act::FsLink) || path.through.is_none();
        of_name && matches!(self.world.kind(name), Ok(Some(FileKind::Link)))
    }

    /// Whether a change reaches something listed that is in a folder, or that a pattern names.
    fn lists_something_in(&self, effect: &Effect, path: &PathObject, name: &Path) -> Search {
        let reaches = path.recursive || path.pattern || effect.act.reaches_below();
        if reaches && !self.is_link_alone(effect, path, name) {
            self.listed.find_in(name, self.world, |entry| effect.touches(entry))
        } else {
            Search::Nothing
        }
    }

    /// Whether a path that something not understood names is protected, in something protected, or a folder around it. The
    /// project and what is above it are around everything, and say nothing.
    pub fn is_near(&self, path: &PathObject) -> bool {
        let mut names = names_of(path).filter(|name| !self.project.starts_with(name));
        names.any(|name| {
            let touched = |file: &ProtectedFile| {
                file.covers(name) || file.path.starts_with(name) && !matches!(self.world.kind(&file.path), Ok(None))
            };
            is_own(name)
                || self.files.iter().any(touched)
                || self.listed.covers(name)
                || self.listed.find_in(name, self.world, |entry| entry.starts_with(name)).is_possible()
        })
    }
}

/// Whether a path that is known names something that decides whether hooks run, in its usual place.
pub(super) fn is_named(path: &PathObject, around: &Surroundings) -> bool {
    let usual = |name: &Path| names_hook_file(name, around.home.as_deref(), &around.project);
    !path.pattern && names_of(path).any(|name| is_own(name) || usual(name))
}

/// A `.hookrail` anywhere makes the folder around it a project of its own, with another configuration.
fn is_own(path: &Path) -> bool {
    parts(path).any(|part| part == b".hookrail")
}

/// A path as it is spelled, and where links lead.
fn names_of(path: &PathObject) -> impl Iterator<Item = &Path> {
    [Some(path.resolved.as_path()), path.through.as_deref()].into_iter().flatten()
}

/// Whether a pattern stands for any number of names.
fn is_open(pattern: &Path) -> bool {
    pattern.components().any(|part| part.as_os_str() == "**")
}

/// What stands before the first star.
fn beginning(pattern: &Path) -> PathBuf {
    pattern.components().take_while(|part| !part.as_os_str().to_string_lossy().contains('*')).collect()
}
