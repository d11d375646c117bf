//! Looks from a deep folder upwards. The system walks a path from the root for every look at it, so looking at all folders above
//! one by their paths takes the square of their number; by handles, from each to the one above it, it takes their number.

use std::path::{Path, PathBuf};

/// Folders with so many above them are climbed by handles; with fewer a path is quicker.
const DEEP: usize = 24;

pub(super) fn is_deep(path: &Path) -> bool {
    // A folder has a separator and a letter at least: most paths are too short to be counted.
    path.as_os_str().len() > 2 * DEEP && path.components().count() > DEEP
}

/// Where an existing folder is, without links; `None` if that cannot be told at once.
pub(super) fn real_folder(folder: &Path) -> Option<PathBuf> {
    handles::open(folder).and_then(|handle| handles::path_of(&handle))
}

/// Whether a tidy path leads to a folder without a link anywhere on the way: one question for all of its parts. No is also the answer of
/// a system that does not know the question.
pub(super) fn is_straight(folder: &Path) -> bool {
    handles::is_straight(folder)
}

/// How many folders above `folder` the nearest one is that has one of these names, if there is one; `None` if handles do not lead
/// where the path does.
pub(super) fn nearest_with(folder: &Path, names: &[&str]) -> Option<Option<usize>> {
    let mut handle = handles::open(folder)?;
    // Above a folder that is reached through a link is another one than its path says.
    if handles::path_of(&handle)? != folder {
        return None;
    }
    for level in 0..folder.ancestors().count() {
        if names.iter().any(|name| handles::has(&handle, name)) {
            return Some(Some(level));
        }
        handle = handles::above(&handle)?;
    }
    Some(None)
}

#[cfg(target_os = "linux")]
mod handles {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, open as open_path, openat, openat2, readlink, statat};
    use std::ffi::OsStr;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    pub fn open(folder: &Path) -> Option<OwnedFd> {
        open_path(folder, FOLDER, Mode::empty()).ok()
    }

    pub fn is_straight(folder: &Path) -> bool {
        openat2(CWD, folder, FOLDER, Mode::empty(), ResolveFlags::NO_SYMLINKS).is_ok()
    }

    pub fn above(folder: &OwnedFd) -> Option<OwnedFd> {
        openat(folder, "..", FOLDER, Mode::empty()).ok()
    }

    pub fn has(folder: &OwnedFd, name: &str) -> bool {
        statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    pub fn path_of(folder: &OwnedFd) -> Option<PathBuf> {
        let path = readlink(format!("/proc/self/fd/{}", folder.as_raw_fd()), Vec::new()).ok()?;
        let path = PathBuf::from(OsStr::from_bytes(path.as_bytes()));
        // What was removed meanwhile has a remark behind its name.
        (path.is_absolute() && path.symlink_metadata().is_ok()).then_some(path)
    }
}

/// Elsewhere the path of a handle is unknown.
#[cfg(not(target_os = "linux"))]
mod handles {
    use std::path::{Path, PathBuf};

    pub fn open(_: &Path) -> Option<()> {
        None
    }

    pub fn is_straight(_: &Path) -> bool {
        false
    }

    pub fn above(_: &()) -> Option<()> {
        None
    }

    pub fn has(_: &(), _: &str) -> bool {
        false
    }

    pub fn path_of(_: &()) -> Option<PathBuf> {
        None
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::super::RealWorld;
    use super::*;
    use hookrail_core::World;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn deep(root: &Path, depth: usize) -> PathBuf {
        let folder = (0..depth).fold(root.to_owned(), |folder, level| folder.join(format!("f{level}")));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn the_nearest_folder_is_the_same_by_handles_and_by_paths() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let folder = deep(&root, 60);
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(root.join("f0/f1/.mark"), "").unwrap();
        symlink("nowhere", folder.join(".link")).unwrap();
        symlink(&folder, root.join("link")).unwrap();
        let world = RealWorld::default();
        for (names, expected) in [
            (&[".git"][..], Some(60)),
            (&[".mark"], Some(58)),
            (&[".git", ".mark"], Some(58)),
            (&[".link"], Some(0)),
            (&[".none-of-this-name"], None),
        ] {
            assert_eq!(nearest_with(&folder, names), Some(expected), "{names:?}");
            assert_eq!(world.nearest_with(&folder, names), expected, "{names:?}");
        }
        assert_eq!(nearest_with(&root.join("link"), &[".git"]), None, "above a link is another folder");
        assert_eq!(world.nearest_with(&root.join("link"), &[".git"]), Some(1));
        assert_eq!(real_folder(&root.join("link")), Some(folder.clone()));
        for (path, expected) in [
            (&folder, true),
            (&root.join("link"), false),
            (&root.join("link/.."), false),
            (&root.join("f0/f1/.mark"), false),
        ] {
            assert_eq!(is_straight(path), expected, "{}", path.display());
        }
        assert_eq!(real_folder(&root.join("none")), None);
    }
}
