//! The same with nothing but the standard library, for systems without file modes and `openat`. Who may read and write
//! is the business of the user's profile directory there.

use super::{Access, DirEntry, EntryKind, FileFacts, OpenFile, SomeEntries};
use crate::error::StoreError;
use crate::root::RootError;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

#[derive(Debug)]
pub(crate) struct Dir {
    path: PathBuf,
}

impl Dir {
    pub fn open_root(path: &Path) -> Result<Option<Self>, RootError> {
        match look_at(path) {
            Ok(None) => Ok(None),
            Ok(Some(found)) if found.is_symlink() => Err(RootError::Symlink(path.to_owned())),
            Ok(Some(found)) if !found.is_dir() => Err(RootError::NotADirectory(path.to_owned())),
            Ok(Some(_)) => Ok(Some(Self { path: path.to_owned() })),
            Err(source) => Err(RootError::Io { action: "open", path: path.to_owned(), source }),
        }
    }

    pub fn make_root(path: &Path) -> Result<(), RootError> {
        fs::create_dir_all(path).map_err(|source| RootError::Io { action: "make", path: path.to_owned(), source })
    }

    /// Whether it is still there.
    pub fn is_linked(&self) -> bool {
        self.path().is_dir()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn subdir(&self, name: &str) -> Result<Self, StoreError> {
        loop {
            if let Some(dir) = self.find_dir(name)? {
                return Ok(dir);
            }
            match fs::create_dir(self.path.join(name)) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(self.failed("make", name, error));
                }
                Ok(()) | Err(_) => {}
            }
        }
    }

    pub fn find_dir(&self, name: &str) -> Result<Option<Self>, StoreError> {
        let path = self.path.join(name);
        match self.inspect(name)? {
            None => Ok(None),
            Some(found) if found.is_dir() => Ok(Some(Self { path })),
            Some(_) => Err(StoreError::WrongKind { path, expected: "directory" }),
        }
    }

    pub fn open(&self, name: &str, access: Access) -> Result<Option<OpenFile>, StoreError> {
        let Some(file) = self.open_unseen(name, access)? else { return Ok(None) };
        let len = self.look_at(name, &file)?.len;
        Ok(Some(OpenFile { file, len }))
    }

    /// What it is must be known before, where nothing can be opened without waiting for it.
    pub fn open_unseen(&self, name: &str, access: Access) -> Result<Option<File>, StoreError> {
        let path = self.path.join(name);
        match self.inspect(name)? {
            None => return Ok(None),
            Some(found) if found.is_file() => {}
            Some(_) => return Err(StoreError::WrongKind { path, expected: "regular file" }),
        }
        let mut options = OpenOptions::new();
        options.read(true);
        match access {
            Access::Read => {}
            Access::ReadWrite => {
                options.write(true);
            }
            Access::Append => {
                options.append(true);
            }
        }
        match options.open(path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed("open", name, error)),
        }
    }

    /// Every file is still in its directory: those that are looked at for that are locks, which are never removed here.
    pub fn look_at(&self, name: &str, file: &File) -> Result<FileFacts, StoreError> {
        let found = file.metadata().map_err(|error| self.failed("look at", name, error))?;
        Ok(FileFacts { len: found.len(), is_linked: true })
    }

    pub fn create(&self, name: &str) -> Result<Option<File>, StoreError> {
        match OpenOptions::new().read(true).write(true).create_new(true).open(self.path.join(name)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(self.failed("make", name, error)),
        }
    }

    pub fn entry(&self, name: &str) -> Result<Option<DirEntry>, StoreError> {
        let failed = |error| self.failed("look at", name, error);
        let Some(found) = look_at(&self.path.join(name)).map_err(failed)? else { return Ok(None) };
        let kind = match found.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Directory,
            _ => EntryKind::Other,
        };
        let since = found.modified().map_err(failed)?.duration_since(UNIX_EPOCH).unwrap_or_default();
        let modified = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        Ok(Some(DirEntry { name: name.to_owned(), kind, modified, bytes: found.len() }))
    }

    pub fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        fs::rename(self.path.join(from), self.path.join(to)).map_err(|error| self.failed("put in place", to, error))
    }

    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        match fs::remove_file(self.path.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.failed("remove", name, error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    pub fn remove_empty_dir(&self, name: &str) -> Result<bool, StoreError> {
        match fs::remove_dir(self.path.join(name)) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => Ok(false),
            Err(error) => Err(self.failed("remove", name, error)),
        }
    }

    pub fn entries(&self) -> Result<Vec<DirEntry>, StoreError> {
        self.some_entries(0, usize::MAX).map(|some| some.entries)
    }

    /// A position is a count here.
    pub fn some_entries(&self, from: i64, most: usize) -> Result<SomeEntries, StoreError> {
        let failed = |source| StoreError::io("list", &self.path, source);
        let mut entries = Vec::new();
        let listing = fs::read_dir(&self.path).map_err(failed)?.skip(usize::try_from(from).unwrap_or_default());
        for (listed, entry) in listing.enumerate() {
            if listed == most {
                let next = from.saturating_add(i64::try_from(most).unwrap_or(i64::MAX));
                return Ok(SomeEntries { entries, next: Some(next) });
            }
            let entry = entry.map_err(failed)?;
            if let Ok(name) = entry.file_name().into_string() {
                entries.extend(self.entry(&name)?);
            }
        }
        Ok(SomeEntries { entries, next: None })
    }

    fn inspect(&self, name: &str) -> Result<Option<Metadata>, StoreError> {
        let path = self.path.join(name);
        let found = look_at(&path).map_err(|error| self.failed("look at", name, error))?;
        if found.as_ref().is_some_and(Metadata::is_symlink) { Err(StoreError::Symlink(path)) } else { Ok(found) }
    }

    fn failed(&self, action: &'static str, name: &str, source: io::Error) -> StoreError {
        StoreError::io(action, &self.path.join(name), source)
    }
}

fn look_at(path: &Path) -> io::Result<Option<Metadata>> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
