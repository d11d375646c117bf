use super::{Access, DirEntry, EntryKind, FileFacts, OpenFile, SomeEntries};
use crate::error::StoreError;
use crate::root::RootError;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

const OPEN_DIR: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// A pipe in place of a file must not make us wait until its other end is opened.
const OPEN_FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);
const PRIVATE_DIR: Mode = Mode::RWXU;
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);
const WRITABLE_BY_OTHERS: Mode = Mode::WGRP.union(Mode::WOTH);

#[derive(Debug)]
pub(crate) struct Dir {
    fd: OwnedFd,
    path: PathBuf,
}

impl Dir {
    /// Opens the state root if it exists and is safe.
    pub fn open_root(path: &Path) -> Result<Option<Self>, RootError> {
        let failed = |source: io::Error| RootError::Io { action: "open", path: path.to_owned(), source };
        let dir = match retry_on_intr(|| fs::open(path, OPEN_DIR, Mode::empty())) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) if is_symlink(path) => {
                return Err(RootError::Symlink(path.to_owned()));
            }
            Err(Errno::NOTDIR) => return Err(RootError::NotADirectory(path.to_owned())),
            Err(errno) => return Err(failed(errno.into())),
        };
        let stat = fs::fstat(&dir).map_err(|errno| failed(errno.into()))?;
        let user = geteuid().as_raw();
        if stat.st_uid != user {
            return Err(RootError::NotOurs { path: path.to_owned(), owner: stat.st_uid, user });
        }
        if Mode::from_raw_mode(stat.st_mode).intersects(WRITABLE_BY_OTHERS) {
            // Asked for in a form that is the same on every Unix.
            let mode = File::from(dir).metadata().map_err(failed)?.mode() & 0o777;
            return Err(RootError::Writable { path: path.to_owned(), mode });
        }
        Ok(Some(Self { fd: dir, path: path.to_owned() }))
    }

    /// Makes the state root and the directories above it.
    pub fn make_root(path: &Path) -> Result<(), RootError> {
        let failed = |source: io::Error| RootError::Io { action: "make", path: path.to_owned(), source };
        if let Some(parent) = path.parent() {
            DirBuilder::new().recursive(true).mode(PRIVATE_DIR.as_raw_mode()).create(parent).map_err(failed)?;
        }
        match fs::mkdir(path, PRIVATE_DIR) {
            // `mkdir` is subject to the umask.
            Ok(()) => fs::chmod(path, PRIVATE_DIR).map_err(|errno| failed(errno.into())),
            Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(failed(errno.into())),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was not removed since it was opened.
    pub fn is_linked(&self) -> bool {
        fs::fstat(&self.fd).is_ok_and(|stat| stat.st_nlink > 0)
    }

    /// Opens a directory in this one, a new one if there is none.
    pub fn subdir(&self, name: &str) -> Result<Self, StoreError> {
        loop {
            if let Some(dir) = self.find_dir(name)? {
                return Ok(dir);
            }
            match fs::mkdirat(&self.fd, name, PRIVATE_DIR) {
                Ok(()) => {
                    let mode = fs::chmodat(&self.fd, name, PRIVATE_DIR, AtFlags::empty());
                    mode.map_err(|errno| StoreError::io("set the mode of", &self.path_of(name), errno))?;
                }
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(StoreError::io("make", &self.path_of(name), errno)),
            }
        }
    }

    pub fn find_dir(&self, name: &str) -> Result<Option<Self>, StoreError> {
        match retry_on_intr(|| fs::openat(&self.fd, name, OPEN_DIR, Mode::empty())) {
            Ok(fd) => Ok(Some(Self { fd, path: self.path_of(name) })),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.refusal(name, "directory", errno)),
        }
    }

    /// Opens a file that exists.
    pub fn open(&self, name: &str, access: Access) -> Result<Option<OpenFile>, StoreError> {
        let Some(file) = self.open_unseen(name, access)? else { return Ok(None) };
        let len = self.look_at(name, &file)?.len;
        Ok(Some(OpenFile { file, len }))
    }

    /// The same for a caller that looks at what it is later on.
    pub fn open_unseen(&self, name: &str, access: Access) -> Result<Option<File>, StoreError> {
        let flags = match access {
            Access::Read => OFlags::RDONLY,
            Access::ReadWrite => OFlags::RDWR,
            Access::Append => OFlags::RDWR.union(OFlags::APPEND),
        };
        match self.open_quietly(name, flags | OPEN_FILE) {
            Ok(fd) => Ok(Some(File::from(fd))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.refusal(name, "regular file", errno)),
        }
    }

    /// What a file is now that was opened as `name`; an error if it is no regular file.
    pub fn look_at(&self, name: &str, file: &File) -> Result<FileFacts, StoreError> {
        let stat = fs::fstat(file).map_err(|errno| StoreError::io("look at", &self.path_of(name), errno))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(StoreError::WrongKind { path: self.path_of(name), expected: "regular file" });
        }
        Ok(FileFacts { len: u64::try_from(stat.st_size).unwrap_or_default(), is_linked: stat.st_nlink > 0 })
    }

    /// Opens a file so that reading it is not written down beside it, which takes as long as writing to it. Only the file's owner may
    /// ask for that.
    #[cfg(target_os = "linux")]
    fn open_quietly(&self, name: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let open = |flags| retry_on_intr(|| fs::openat(&self.fd, name, flags, Mode::empty()));
        match open(flags | OFlags::NOATIME) {
            Err(Errno::PERM) => open(flags),
            opened => opened,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_quietly(&self, name: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        retry_on_intr(|| fs::openat(&self.fd, name, flags, Mode::empty()))
    }

    /// Makes a file and opens it for reading and writing; `None` if the name is taken.
    pub fn create(&self, name: &str) -> Result<Option<File>, StoreError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OPEN_FILE;
        match retry_on_intr(|| fs::openat(&self.fd, name, flags, PRIVATE_FILE)) {
            Ok(fd) => {
                // `open` is subject to the umask.
                let mode = fs::fchmod(&fd, PRIVATE_FILE);
                mode.map_err(|errno| StoreError::io("set the mode of", &self.path_of(name), errno))?;
                Ok(Some(fd.into()))
            }
            Err(Errno::EXIST) => Ok(None),
            Err(errno) => Err(StoreError::io("make", &self.path_of(name), errno)),
        }
    }

    /// Looks at a name without following it.
    pub fn entry(&self, name: &str) -> Result<Option<DirEntry>, StoreError> {
        let stat = match fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(StoreError::io("look at", &self.path_of(name), errno)),
        };
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Directory,
            _ => EntryKind::Other,
        };
        let bytes = u64::try_from(stat.st_size).unwrap_or_default();
        Ok(Some(DirEntry { name: name.to_owned(), kind, modified: stat.st_mtime.saturating_mul(1000), bytes }))
    }

    pub fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        fs::renameat(&self.fd, from, &self.fd, to)
            .map_err(|errno| StoreError::io("put in place", &self.path_of(to), errno))
    }

    /// Removes a file, or a symlink itself; one that is gone already is fine.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        match fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(StoreError::io("remove", &self.path_of(name), errno)),
        }
    }

    /// Removes a directory if it is empty, and tells whether it was.
    pub fn remove_empty_dir(&self, name: &str) -> Result<bool, StoreError> {
        match fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(errno) => Err(StoreError::io("remove", &self.path_of(name), errno)),
        }
    }

    /// Everything with a name that could be ours, which are all ASCII.
    pub fn entries(&self) -> Result<Vec<DirEntry>, StoreError> {
        self.some_entries(0, usize::MAX).map(|some| some.entries)
    }

    /// At most so many entries, from a position on that an earlier call returned; 0 is the beginning.
    pub fn some_entries(&self, from: i64, most: usize) -> Result<SomeEntries, StoreError> {
        let failed = |errno| StoreError::io("list", &self.path, errno);
        let mut entries = Vec::new();
        let mut listing = Listing::new(&self.fd, from).map_err(failed)?;
        for _ in 0..most {
            let Some(entry) = listing.next().map_err(failed)? else { return Ok(SomeEntries { entries, next: None }) };
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name == "." || name == ".." {
                continue;
            }
            // It may be gone since it was listed.
            entries.extend(self.entry(name)?);
        }
        Ok(SomeEntries { entries, next: Some(listing.position) })
    }

    /// What to say about something that could not be opened.
    fn refusal(&self, name: &str, expected: &'static str, errno: Errno) -> StoreError {
        let path = self.path_of(name);
        match errno {
            Errno::LOOP | Errno::MLINK | Errno::NOTDIR if is_symlink(&path) => StoreError::Symlink(path),
            Errno::NOTDIR | Errno::ISDIR | Errno::NXIO => StoreError::WrongKind { path, expected },
            errno => StoreError::io("open", &path, errno),
        }
    }
}

/// A directory that is read from a position on. Where the system numbers entries, the position is such a number, and whatever was
/// before it is not read again; elsewhere it is a count.
struct Listing {
    dir: fs::Dir,
    position: i64,
}

impl Listing {
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    fn new(fd: &OwnedFd, from: i64) -> rustix::io::Result<Self> {
        let mut dir = fs::Dir::read_from(fd)?;
        if from > 0 {
            dir.seek(from)?;
        }
        Ok(Self { dir, position: from })
    }

    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    fn next(&mut self) -> rustix::io::Result<Option<fs::DirEntry>> {
        let entry = self.dir.next().transpose()?;
        self.position = entry.as_ref().map_or(self.position, fs::DirEntry::offset);
        Ok(entry)
    }

    #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
    fn new(fd: &OwnedFd, from: i64) -> rustix::io::Result<Self> {
        let mut listing = Self { dir: fs::Dir::read_from(fd)?, position: 0 };
        while listing.position < from && listing.next()?.is_some() {}
        Ok(listing)
    }

    #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
    fn next(&mut self) -> rustix::io::Result<Option<fs::DirEntry>> {
        self.position += 1;
        self.dir.next().transpose()
    }
}

fn is_symlink(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}
