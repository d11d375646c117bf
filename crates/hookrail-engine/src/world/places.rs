use super::links::resolve_existing_part;
use super::{deep, kind_at};
use hookrail_core::FileKind;
use hookrail_core::tidy_path::is_tidy;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Where paths lead, each folder looked at once. For a reader who takes the disk as it was when first seen: an agent's disk
/// changes between two looks. By their bytes: comparing a few of them is quicker than hashing every part of a path.
#[derive(Clone, Debug, Default)]
pub struct Places {
    known: Arc<Mutex<BTreeMap<OsString, SeenPath>>>,
    /// A folder and the project around it.
    project: Arc<Mutex<Option<(PathBuf, PathBuf)>>>,
}

#[derive(Clone, Debug)]
struct SeenPath {
    resolved: PathBuf,
    exists: bool,
    /// What stands there itself, where that was looked at.
    kind: Option<FileKind>,
}

impl Places {
    /// An absolute path without `..`, with links resolved as far as it exists.
    pub(super) fn resolve(&self, path: &Path) -> PathBuf {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((folder, place)) = missing_above(&known, path)
            && place.resolved.as_os_str() == folder
            && is_tidy(path)
        {
            return path.to_owned();
        }
        for folder in [Some(path), path.parent()].into_iter().flatten().filter(|folder| deep::is_deep(folder)) {
            if known.contains_key(folder.as_os_str()) {
                break;
            }
            if let Some(resolved) = deep::real_folder(folder) {
                known.insert(folder.into(), SeenPath { resolved, exists: true, kind: None });
                break;
            }
        }
        // From the path up to the first folder that is known, and down again.
        let (mut place, mut unknown) = nearest_known(&mut known, path);
        while place.exists
            && let Some(folder) = unknown.pop()
        {
            place = look(&place.resolved, folder);
            known.insert(folder.into(), place.clone());
        }
        // Nothing below what is missing has to be looked for, or remembered.
        place.resolved.extend(unknown.iter().rev().filter_map(|missing| missing.file_name()));
        place.resolved
    }

    /// What stands at a path itself, if that was seen; `None` if it was not looked up.
    pub(super) fn kind(&self, path: &Path) -> Option<Option<FileKind>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = known.get(path.as_os_str()) {
            return (place.kind.is_some() || !place.exists).then_some(place.kind);
        }
        // Below what is missing there is nothing.
        if missing_above(&known, path).is_some() {
            return Some(None);
        }
        let around = path.ancestors().skip(1).find_map(|folder| known.get(folder.as_os_str()))?;
        (!around.exists).then_some(None)
    }

    /// Remembers what stands at a path of which it is known where it leads: a script may ask a thousand times about its folder.
    pub(super) fn note_kind(&self, path: &Path, kind: Option<FileKind>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = known.get_mut(path.as_os_str()).filter(|place| place.exists) {
            place.kind = kind;
        }
    }

    /// Looks at everything anew from now on.
    pub(super) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.project.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The project around a folder. Events are about one.
    pub(super) fn project_around(&self, folder: &Path, find: &dyn Fn() -> PathBuf) -> PathBuf {
        let known = || self.project.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, project)) = known().as_ref().filter(|(known, _)| known == folder) {
            return project.clone();
        }
        let project = find();
        *known() = Some((folder.to_owned(), project.clone()));
        project
    }
}

/// The nearest folder above a path whose place is known, and what lies below it, from the path upwards.
fn nearest_known<'p>(known: &mut BTreeMap<OsString, SeenPath>, path: &'p Path) -> (SeenPath, Vec<&'p Path>) {
    let (mut unknown, mut folder, mut place) = (Vec::new(), path, None);
    while place.is_none() {
        place = known.get(folder.as_os_str()).cloned();
        if place.is_none() {
            unknown.push(folder);
            let Some(above) = folder.parent() else { break };
            folder = above;
        }
    }
    let place = place.unwrap_or_default();
    if place.exists
        && unknown.len() > FEW
        && is_tidy(path)
        && let Some((index, folder)) = straight_folder(&unknown)
    {
        let straight = SeenPath { resolved: folder.to_owned(), ..SeenPath::default() };
        known.insert(folder.into(), straight.clone());
        unknown.truncate(index);
        return (straight, unknown);
    }
    (place, unknown)
}

/// So many folders are looked at one by one.
const FEW: usize = 3;

/// The lowest of the folders above a path that is told to exist and to be reached without links, and its place in the list. Mostly the
/// file is missing that is to be made, or the folder that it is to be in, and nothing above that.
fn straight_folder<'p>(from_path_up: &[&'p Path]) -> Option<(usize, &'p Path)> {
    let mut above = from_path_up.iter().copied().enumerate().skip(1).take(2);
    above.find(|(_, folder)| deep::is_straight(folder))
}

impl Default for SeenPath {
    fn default() -> Self {
        Self { resolved: PathBuf::new(), exists: true, kind: None }
    }
}

/// What is known to be missing above a path, where that can be told at once: it is mostly the last known path before it in
/// the order of bytes. A script may go down a thousand folders that do not exist.
fn missing_above<'k>(known: &'k BTreeMap<OsString, SeenPath>, path: &Path) -> Option<(&'k OsString, &'k SeenPath)> {
    let before = (Bound::Unbounded, Bound::Excluded(path.as_os_str()));
    let (folder, place) = known.range::<OsStr, _>(before).next_back().filter(|(_, place)| !place.exists)?;
    let rest = path.as_os_str().as_encoded_bytes().strip_prefix(folder.as_encoded_bytes())?;
    rest.starts_with(b"/").then_some((folder, place))
}

/// Where a path leads whose folder is known and exists.
fn look(folder: &Path, path: &Path) -> SeenPath {
    let Some(name) = path.file_name() else {
        return SeenPath { resolved: path.to_owned(), exists: true, kind: None };
    };
    let resolved = folder.join(name);
    match kind_at(&resolved) {
        Ok(FileKind::Link) => {
            let kind = Some(FileKind::Link);
            SeenPath { exists: resolved.exists(), resolved: resolve_existing_part(&resolved), kind }
        }
        Ok(kind) => SeenPath { resolved, exists: true, kind: Some(kind) },
        Err(_) => SeenPath { resolved, exists: false, kind: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_path_leads_where_it_would_without_memory() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        fs::create_dir_all(at("real/deep")).unwrap();
        fs::write(at("real/file"), "").unwrap();
        for (target, link) in
            [("real", "link"), ("link", "again"), ("nowhere", "dangling"), ("loop", "loop"), ("real/file", "leaf")]
        {
            symlink(at(target), at(link)).unwrap();
        }
        symlink("../deep", at("real/deep/self")).unwrap();
        // In the order of bytes it stands between a folder that is missing and what would be in that.
        fs::create_dir(at("none-such")).unwrap();
        symlink(at("real"), at("none-such/link")).unwrap();
        let places = Places::default();
        for name in [
            "real/file",
            "link/file",
            "again/deep/new/er",
            "dangling",
            "dangling/x",
            "loop",
            "loop/x/y",
            "leaf",
            "leaf/x",
            "none/x/y",
            "none/x/y/z",
            "none-such/link/deep",
            "none/x/y//z/./w/",
            "dangling/x/y",
            "link/none/a",
            "link/none/a/b",
            "link/deep/self/self/z",
            "real/file/below",
            "real/a/b/c/d",
            "link/a/b/c/d",
            "real/deep/self/a/b/c",
            "",
            "link",
        ] {
            let path = at(name);
            for _ in 0..2 {
                assert_eq!(places.resolve(&path), resolve_existing_part(&path), "{name}");
            }
            let kind = kind_at(&path).ok();
            assert!(places.kind(&path).is_none_or(|seen| seen == kind), "{name}");
        }
        for (name, expected) in
            [("real/file", Some(FileKind::File)), ("link", Some(FileKind::Link)), ("none/x/y", None)]
        {
            assert_eq!(places.kind(&at(name)), Some(expected), "{name}");
        }
        assert_eq!(places.kind(&at("real/other")), None, "not looked at yet");
        assert_eq!(places.kind(&at("real/a/b")), Some(None), "below what is missing");
        for name in ["real/deep/x", "link/deep/x", "again/none/x", "none/x/y"] {
            let path = at(name);
            assert_eq!(
                Places::default().resolve(&path),
                resolve_existing_part(&path),
                "{name}, by a reader who knows nothing"
            );
        }
        assert_eq!(places.resolve(Path::new("/")), Path::new("/"));
    }
}
