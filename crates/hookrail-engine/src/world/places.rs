use super::{deep, resolve_existing_part};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Where paths lead, each folder looked at once. For a reader who takes the disk as it was when first seen: an agent's disk
/// changes between two looks. By their bytes: comparing a few of them is quicker than hashing every part of a path.
#[derive(Clone, Debug, Default)]
pub struct Places {
    known: Arc<Mutex<BTreeMap<OsString, Place>>>,
    /// A folder and the project around it.
    project: Arc<Mutex<Option<(PathBuf, PathBuf)>>>,
}

#[derive(Clone, Debug)]
struct Place {
    resolved: PathBuf,
    exists: bool,
}

impl Places {
    /// An absolute path without `..`, with links resolved as far as it exists.
    pub(super) fn resolve(&self, path: &Path) -> PathBuf {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for folder in [Some(path), path.parent()].into_iter().flatten().filter(|folder| deep::is_deep(folder)) {
            if known.contains_key(folder.as_os_str()) {
                break;
            }
            if let Some(resolved) = deep::real_folder(folder) {
                known.insert(folder.into(), Place { resolved, exists: true });
                break;
            }
        }
        // From the path up to the first folder that is known, and down again.
        let (mut unknown, mut folder, mut place) = (Vec::new(), path, None);
        while place.is_none() {
            place = known.get(folder.as_os_str()).cloned();
            if place.is_none() {
                unknown.push(folder);
                let Some(above) = folder.parent() else { break };
                folder = above;
            }
        }
        let mut place = place.unwrap_or_default();
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

impl Default for Place {
    fn default() -> Self {
        Self { resolved: PathBuf::new(), exists: true }
    }
}

/// Where a path leads whose folder is known and exists.
fn look(folder: &Path, path: &Path) -> Place {
    let Some(name) = path.file_name() else {
        return Place { resolved: path.to_owned(), exists: true };
    };
    let resolved = folder.join(name);
    match fs::symlink_metadata(&resolved) {
        Ok(metadata) if metadata.is_symlink() => {
            Place { exists: resolved.exists(), resolved: resolve_existing_part(&resolved) }
        }
        found => Place { resolved, exists: found.is_ok() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            "link/deep/self/self/z",
            "real/file/below",
            "",
            "link",
        ] {
            let path = at(name);
            for _ in 0..2 {
                assert_eq!(places.resolve(&path), resolve_existing_part(&path), "{name}");
            }
        }
        assert_eq!(places.resolve(Path::new("/")), Path::new("/"));
    }
}
