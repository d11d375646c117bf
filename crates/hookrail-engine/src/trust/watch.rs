//! Whether files stayed what they were while a command ran.
//!
//! A file that a command opens by its path can be exchanged after it was checked, and put back before the next check.
//! On Linux the kernel reports every such step; elsewhere, and where it has no room for a watch, what the file system
//! says of a file before and after is compared.

use super::identity::Script;
use super::scripts::MAX_SCRIPT;
use super::scripts::hash_of;
use hookrail_store::{FileError, Links, careful_open};
use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files that must not change until [`Watch::changed`] was asked.
#[derive(Debug)]
pub(super) struct Watch {
    files: Vec<(PathBuf, Option<Fingerprint>)>,
    #[cfg(target_os = "linux")]
    kernel: Option<kernel::Watch>,
}

impl Watch {
    /// Begins to watch, and then looks whether the files are what they should be; an error names one that is not.
    pub fn start(files: &[&Script], project: &Path) -> Result<Self, String> {
        #[cfg(target_os = "linux")]
        let kernel = kernel::Watch::start(files.iter().map(|script| script.path.as_path()), project).ok();
        let files = files.iter().map(|script| Ok((script.path.clone(), recheck(script, project)?)));
        let files = files.collect::<Result<_, String>>()?;
        Ok(Self {
            files,
            #[cfg(target_os = "linux")]
            kernel,
        })
    }

    /// A file that is not what it was when the watch began, or was something else for a while.
    pub fn changed(&self) -> Option<&Path> {
        #[cfg(target_os = "linux")]
        if let Some(path) = self.kernel.as_ref().and_then(|kernel| kernel.changed()) {
            return Some(path);
        }
        let now = |path: &Path| path.metadata().ok().map(|found| Fingerprint::of(&found));
        self.files.iter().find(|(path, before)| now(path) != *before).map(|(path, _)| path.as_path())
    }
}

/// Opens a file once more, now that it is watched.
fn recheck(script: &Script, project: &Path) -> Result<Option<Fingerprint>, String> {
    let other = || format!("`{}` changed while it was checked", script.path.display());
    let (file, found) = match careful_open(&script.path, Links::Within(project)) {
        Ok(opened) => opened,
        Err(FileError::NotFound(_)) if script.hash.is_empty() => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut content = Vec::new();
    file.take(MAX_SCRIPT).read_to_end(&mut content).map_err(|error| error.to_string())?;
    if hash_of(&script.path, &content) == script.hash { Ok(Some(Fingerprint::of(&found))) } else { Err(other()) }
}

/// What the file system says of a file, which changes with its content and with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fingerprint {
    #[cfg(unix)]
    inode: (u64, u64),
    #[cfg(unix)]
    changed: (i64, i64),
    len: u64,
    modified: Option<std::time::SystemTime>,
}

impl Fingerprint {
    fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Self {
            #[cfg(unix)]
            inode: (found.dev(), found.ino()),
            #[cfg(unix)]
            changed: (found.ctime(), found.ctime_nsec()),
            len: found.len(),
            modified: found.modified().ok(),
        }
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
    use std::collections::{HashMap, HashSet};
    use std::ffi::OsString;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStringExt;
    use std::path::{Path, PathBuf};

    const OF_FILE: WatchFlags =
        WatchFlags::MODIFY.union(WatchFlags::ATTRIB).union(WatchFlags::MOVE_SELF).union(WatchFlags::DELETE_SELF);
    const OF_FOLDER: WatchFlags = WatchFlags::CREATE
        .union(WatchFlags::DELETE)
        .union(WatchFlags::MOVED_FROM)
        .union(WatchFlags::MOVED_TO)
        .union(WatchFlags::MOVE_SELF)
        .union(WatchFlags::DELETE_SELF);

    #[derive(Debug)]
    pub struct Watch {
        inotify: OwnedFd,
        /// What each watch is of: files, and folders with the names in them that matter.
        watched: HashMap<i32, (PathBuf, HashSet<OsString>)>,
    }

    impl Watch {
        pub fn start<'a>(files: impl Iterator<Item = &'a Path>, project: &Path) -> rustix::io::Result<Self> {
            let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            let mut watch = Self { inotify, watched: HashMap::new() };
            for file in files {
                watch.add_way(file, project)?;
                // A link has a way of its own.
                if let Ok(real) = file.canonicalize()
                    && real != file
                {
                    watch.add_way(&real, project)?;
                }
            }
            Ok(watch)
        }

        /// Watches a file and every folder on the way to it.
        fn add_way(&mut self, file: &Path, project: &Path) -> rustix::io::Result<()> {
            let mut at = file;
            self.add(at, OF_FILE, None)?;
            while let Some(parent) = at.parent().filter(|_| at != project) {
                self.add(parent, OF_FOLDER, at.file_name().map(ToOwned::to_owned))?;
                at = parent;
            }
            Ok(())
        }

        fn add(&mut self, path: &Path, flags: WatchFlags, name: Option<OsString>) -> rustix::io::Result<()> {
            let flags = flags | WatchFlags::DONT_FOLLOW | WatchFlags::MASK_ADD;
            let number = match inotify::add_watch(&self.inotify, path, flags) {
                Ok(number) => number,
                // What is not there, or not for us to watch, is noticed in the folder around it.
                Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::ACCESS) => return Ok(()),
                Err(error) => return Err(error),
            };
            let entry = self.watched.entry(number).or_insert_with(|| (path.to_owned(), HashSet::new()));
            entry.1.extend(name);
            Ok(())
        }

        /// What the kernel reported a change of. An event without a watch means that some were lost.
        pub fn changed(&self) -> Option<&Path> {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = Reader::new(&self.inotify, &mut buffer);
            while let Ok(event) = events.next() {
                let Some((path, names)) = self.watched.get(&event.wd()) else { return Some(Path::new(".")) };
                let name = event.file_name().map(|name| OsString::from_vec(name.to_bytes().to_vec()));
                if name.is_none_or(|name| names.contains(&name)) {
                    return Some(path);
                }
            }
            None
        }
    }
}
