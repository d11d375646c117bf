//! A machine that changes in memory only.

use hookrail_core::{Event, FileKind, Held, HookError, HookOutput, Relocation, SeeLine, World};
use hookrail_engine::RealWorld;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What stands at a path in place of what is on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverlayEntry {
    /// A file.
    File {
        /// What is in it.
        content: Vec<u8>,
        /// When it was written, in milliseconds since 1970.
        millis: i64,
    },
    /// A folder.
    Folder,
    /// Nothing.
    Gone,
}

/// What would have been done; shared by all worlds of one rehearsal.
#[derive(Clone, Debug, Default)]
pub struct Changes(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    paths: BTreeMap<PathBuf, OverlayEntry>,
    questions: usize,
}

impl Changes {
    /// Every path that would be another now.
    #[must_use]
    pub fn paths(&self) -> Vec<(PathBuf, OverlayEntry)> {
        self.lock().paths.iter().map(|(path, change)| (path.clone(), change.clone())).collect()
    }

    /// Whether every path is as it is on the disk.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lock().paths.is_empty()
    }

    /// How often a hook wanted to ask a model.
    #[must_use]
    pub fn questions(&self) -> usize {
        self.lock().questions
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The real machine, seen through what was changed in memory. Whoever writes sees what they wrote; the disk stays as it
/// is, and no model is asked.
#[derive(Debug)]
pub struct Overlay {
    base: RealWorld,
    changes: Changes,
}

impl Overlay {
    /// The machine `base`, with these changes.
    #[must_use]
    pub fn new(base: RealWorld, changes: Changes) -> Self {
        Self { base, changes }
    }

    /// Whether nothing was changed.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.changes.is_empty()
    }

    /// One name per file: the folder's links resolved, the file's own not followed.
    fn key(&self, path: &Path) -> PathBuf {
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => self.base.resolve(folder).join(name),
            _ => path.to_owned(),
        }
    }

    fn change(&self, path: &Path) -> Option<OverlayEntry> {
        self.changes.lock().paths.get(&self.key(path)).cloned()
    }

    fn put(&self, path: &Path, change: OverlayEntry) {
        let key = self.key(path);
        self.changes.lock().paths.insert(key, change);
    }

    /// As the disk would have it: no writing through a link, and folders are made.
    fn make_way(&self, deed: &str, path: &Path) -> Result<(), HookError> {
        match self.kind(path)? {
            Some(FileKind::Link) => return Err(failed(deed, path, "it is a symbolic link")),
            Some(FileKind::Folder) => return Err(failed(deed, path, "it is a folder")),
            Some(FileKind::File | FileKind::Other) | None => {}
        }
        path.parent().map_or(Ok(()), |folder| self.make_folder(folder))
    }

    fn place(&self, path: &Path, content: Vec<u8>) {
        let millis = self.now_millis();
        self.put(path, OverlayEntry::File { content, millis });
    }
}

impl World for Overlay {
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, HookError> {
        match self.change(path) {
            Some(OverlayEntry::File { content, .. }) => Ok(Some(content)),
            Some(OverlayEntry::Folder) => Err(failed("read", path, "it is a folder")),
            Some(OverlayEntry::Gone) => Ok(None),
            None => self.base.read(path),
        }
    }

    fn read_part(&self, path: &Path, start: u64, length: usize) -> Result<Option<(Vec<u8>, u64)>, HookError> {
        match self.change(path) {
            Some(OverlayEntry::File { content, .. }) => {
                let first = usize::try_from(start).unwrap_or(usize::MAX);
                let part = content.iter().skip(first).take(length).copied().collect();
                Ok(Some((part, content.len() as u64)))
            }
            Some(OverlayEntry::Folder) => Err(failed("read", path, "it is a folder")),
            Some(OverlayEntry::Gone) => Ok(None),
            None => self.base.read_part(path, start, length),
        }
    }

    fn lines_from_end(&self, path: &Path, most: u64, see: &mut SeeLine<'_>) -> Result<bool, HookError> {
        match self.change(path) {
            Some(OverlayEntry::File { content, .. }) => {
                let _ = content.rsplit(|byte| *byte == b'\n').try_for_each(see);
                Ok(true)
            }
            Some(OverlayEntry::Folder) => Err(failed("read", path, "it is a folder")),
            Some(OverlayEntry::Gone) => Ok(false),
            None => self.base.lines_from_end(path, most, see),
        }
    }

    fn kind(&self, path: &Path) -> Result<Option<FileKind>, HookError> {
        match self.change(path) {
            Some(OverlayEntry::File { .. }) => Ok(Some(FileKind::File)),
            Some(OverlayEntry::Folder) => Ok(Some(FileKind::Folder)),
            Some(OverlayEntry::Gone) => Ok(None),
            None => self.base.kind(path),
        }
    }

    fn list(&self, folder: &Path) -> Result<Option<Vec<String>>, HookError> {
        let known = match self.change(folder) {
            Some(OverlayEntry::Gone) => return Ok(None),
            Some(OverlayEntry::File { .. } | OverlayEntry::Folder) | None => self.base.list(folder)?,
        };
        if known.is_none() && self.change(folder) != Some(OverlayEntry::Folder) {
            return Ok(None);
        }
        let mut names: BTreeSet<String> = known.unwrap_or_default().into_iter().collect();
        let folder = self.base.resolve(folder);
        for (path, change) in &self.changes.lock().paths {
            let Some(name) = path.file_name().filter(|_| path.parent() == Some(&folder)) else { continue };
            let name = name.to_string_lossy().into_owned();
            if *change == OverlayEntry::Gone {
                names.remove(&name)
            } else {
                names.insert(name)
            };
        }
        Ok(Some(names.into_iter().collect()))
    }

    fn modified_millis(&self, path: &Path) -> Result<Option<i64>, HookError> {
        match self.change(path) {
            Some(OverlayEntry::File { millis, .. }) => Ok(Some(millis)),
            Some(OverlayEntry::Folder) => Ok(Some(self.now_millis())),
            Some(OverlayEntry::Gone) => Ok(None),
            None => self.base.modified_millis(path),
        }
    }

    fn write(&self, path: &Path, content: &[u8]) -> Result<(), HookError> {
        self.make_way("write", path)?;
        self.place(path, content.to_vec());
        Ok(())
    }

    fn append(&self, path: &Path, text: &str) -> Result<(), HookError> {
        self.make_way("append to", path)?;
        let mut content = self.read(path)?.unwrap_or_default();
        content.extend_from_slice(text.as_bytes());
        self.place(path, content);
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<(), HookError> {
        match self.kind(path)? {
            Some(FileKind::Folder) => Err(failed("remove", path, "it is a folder")),
            Some(_) => {
                self.put(path, OverlayEntry::Gone);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn relocate(&self, from: &Path, to: &Path) -> Result<Relocation, HookError> {
        if self.kind(to)?.is_some() {
            return Ok(Relocation::Taken);
        }
        let Some(content) = self.read(from)? else { return Ok(Relocation::Gone) };
        self.place(to, content);
        self.put(from, OverlayEntry::Gone);
        Ok(Relocation::Done)
    }

    fn make_folder(&self, folder: &Path) -> Result<(), HookError> {
        for path in folder.ancestors() {
            // A link to a folder is as good as one.
            let resolved = self.base.resolve(path);
            match self.kind(&resolved)? {
                Some(FileKind::Folder) => return Ok(()),
                Some(_) => return Err(failed("make", folder, "a file is in its place")),
                None => self.put(&resolved, OverlayEntry::Folder),
            }
        }
        Ok(())
    }

    fn remove_folder(&self, folder: &Path) -> Result<(), HookError> {
        match self.list(folder)? {
            None => Ok(()),
            Some(names) if names.is_empty() => {
                self.put(folder, OverlayEntry::Gone);
                Ok(())
            }
            Some(_) => Err(failed("remove", folder, "it is not empty")),
        }
    }

    /// A rehearsal has no waiters, and no other process changes what is in memory.
    fn lock(&self, path: &Path) -> Result<Held, HookError> {
        match self.kind(path)? {
            Some(_) => Ok(Box::new(())),
            None => Err(failed("lock", path, "there is no such file or folder")),
        }
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.base.resolve(path)
    }

    fn shared_identity(&self, path: &Path) -> Option<(u64, u64)> {
        self.base.shared_identity(path)
    }

    fn env(&self, name: &str) -> Option<String> {
        self.base.env(name)
    }

    fn git(&self, folder: &Path, args: &[&str]) -> Result<Option<String>, HookError> {
        self.base.git(folder, args)
    }

    fn ask_model(&self, _: &str, _: &Event) -> Result<Option<HookOutput>, HookError> {
        self.changes.lock().questions += 1;
        Ok(None)
    }

    fn now_millis(&self) -> i64 {
        self.base.now_millis()
    }

    fn settings(&self, section: &str) -> Option<&Value> {
        self.base.settings(section)
    }

    fn own_program(&self) -> Option<PathBuf> {
        self.base.own_program()
    }

    fn state_folder(&self) -> Option<PathBuf> {
        self.base.state_folder()
    }

    fn recall(&self, key: &str) -> Result<Option<Value>, HookError> {
        self.base.recall(key)
    }

    fn remember(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Option<Value>,
    ) -> Result<Option<Value>, HookError> {
        self.base.remember(key, change)
    }
}

fn failed(deed: &str, path: &Path, why: &str) -> HookError {
    HookError::new(format!("cannot {deed} `{}`: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn whoever_writes_sees_it_and_the_disk_does_not_change() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        fs::write(at("old"), "old").unwrap();
        fs::create_dir(at("empty")).unwrap();
        std::os::unix::fs::symlink(at("old"), at("link")).unwrap();
        let before = fs::read_dir(&root).unwrap().count();

        let world = Overlay::new(RealWorld::default(), Changes::default());
        world.write(&at("deep/er/new"), b"one").unwrap();
        world.append(&at("deep/er/new"), " two").unwrap();
        world.append(&at("old"), "er").unwrap();
        assert_eq!(world.read(&at("deep/er/new")), Ok(Some(b"one two".to_vec())));
        assert_eq!(world.read(&at("empty/../old")), Ok(Some(b"older".to_vec())), "another spelling, the same file");
        assert_eq!(world.list(&at("deep")), Ok(Some(vec!["er".to_owned()])));
        assert_eq!(world.kind(&at("deep")), Ok(Some(FileKind::Folder)));
        assert!(world.write(&at("link"), b"x").is_err_and(|error| error.text().contains("symbolic link")));
        assert_eq!(world.relocate(&at("old"), &at("deep/er/new")), Ok(Relocation::Taken));
        assert_eq!(world.relocate(&at("old"), &at("moved")), Ok(Relocation::Done));
        assert_eq!(world.relocate(&at("old"), &at("again")), Ok(Relocation::Gone));
        assert_eq!((world.read(&at("old")), world.read(&at("moved"))), (Ok(None), Ok(Some(b"older".to_vec()))));
        world.remove_folder(&at("empty")).unwrap();
        assert!(world.remove_folder(&at("deep")).is_err());
        world.remove(&at("moved")).unwrap();
        assert_eq!(world.list(&root), Ok(Some(vec!["deep".to_owned(), "link".to_owned()])));
        assert!(world.lock(&at("deep")).is_ok() && world.lock(&at("none")).is_err());

        assert_eq!(fs::read_dir(&root).unwrap().count(), before);
        assert_eq!(fs::read_to_string(at("old")).unwrap(), "old");
    }
}
