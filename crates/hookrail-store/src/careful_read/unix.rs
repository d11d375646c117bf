use super::{FileError, Links, SpecialFile};
use rustix::fs::{self, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};
use std::fs::{File, Metadata};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

/// A pipe must not make us wait for its writer, and a terminal must not become ours.
const OPEN_FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
const OPEN_DIR: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(SEARCH);
/// A directory that may be passed through but not listed is enough.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::RDONLY;

/// Opens a file; whoever calls this looks at the handle. The look at the path before keeps us from opening devices, which
/// has effects of its own, as long as the file is not exchanged in between.
pub(super) fn open(path: &Path, links: Links<'_>) -> Result<File, FileError> {
    match links {
        Links::Refuse => {
            let found = path.symlink_metadata().map_err(|source| FileError::io(path, source))?;
            check_no_link(path, &found)?;
            check_regular(path, &found)?;
            open_at(path, fs::CWD, path, OFlags::NOFOLLOW)
        }
        Links::Within(root) => open_within(path, root),
        Links::Follow => {
            length_of(path, fs::stat(path))?;
            open_at(path, fs::CWD, path, OFlags::empty())
        }
    }
}

/// Finds out where the path ends, and goes there from the root without following anything more.
fn open_within(path: &Path, root: &Path) -> Result<File, FileError> {
    let real_root = root.canonicalize().map_err(|source| FileError::io(root, source))?;
    let end = path.canonicalize().map_err(|source| FileError::io(path, source))?;
    let Ok(below) = end.strip_prefix(&real_root) else {
        return Err(FileError::OutsideRoot { path: path.to_owned(), end, root: root.to_owned() });
    };
    check_regular(path, &end.symlink_metadata().map_err(|source| FileError::io(path, source))?)?;
    let mut dir = open_dir(path, fs::CWD, &real_root)?;
    let parents = below.parent().unwrap_or(Path::new(""));
    for name in parents.components().filter(|part| matches!(part, Component::Normal(_))) {
        dir = open_dir(path, &dir, name.as_ref())?;
    }
    let name = below.file_name().map_or(Path::new("."), Path::new);
    open_at(path, &dir, name, OFlags::NOFOLLOW)
}

fn open_dir(path: &Path, dir: impl AsFd, name: &Path) -> Result<OwnedFd, FileError> {
    retry_on_intr(|| fs::openat(&dir, name, OPEN_DIR, Mode::empty())).map_err(|errno| failed(path, errno))
}

fn open_at(path: &Path, dir: impl AsFd, name: &Path, more: OFlags) -> Result<File, FileError> {
    let fd = retry_on_intr(|| fs::openat(&dir, name, OPEN_FILE | more, Mode::empty()));
    fd.map(File::from).map_err(|errno| failed(path, errno))
}

fn failed(path: &Path, errno: Errno) -> FileError {
    match errno {
        // It was exchanged for a link since we looked.
        Errno::LOOP | Errno::MLINK => FileError::Link(path.to_owned()),
        errno => FileError::io(path, errno.into()),
    }
}

/// The length of an open file, which must be a regular one.
pub(super) fn length(path: &Path, file: &File) -> Result<u64, FileError> {
    length_of(path, fs::fstat(file))
}

/// Not asked through the standard library, whose way takes two system calls at first.
fn length_of(path: &Path, stat: rustix::io::Result<Stat>) -> Result<u64, FileError> {
    let stat = stat.map_err(|errno| FileError::io(path, errno.into()))?;
    check_kind(path, FileType::from_raw_mode(stat.st_mode))?;
    Ok(u64::try_from(stat.st_size).unwrap_or_default())
}

pub(super) fn check_regular(path: &Path, found: &Metadata) -> Result<(), FileError> {
    check_kind(path, FileType::from_raw_mode(found.mode() as fs::RawMode))
}

fn check_kind(path: &Path, kind: FileType) -> Result<(), FileError> {
    let kind = match kind {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => SpecialFile::Directory,
        FileType::Fifo => SpecialFile::NamedPipe,
        FileType::Socket => SpecialFile::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => SpecialFile::Device,
        _ => SpecialFile::Other,
    };
    Err(FileError::NotRegular { path: path.to_owned(), kind })
}

fn check_no_link(path: &Path, found: &Metadata) -> Result<(), FileError> {
    if found.is_symlink() { Err(FileError::Link(path.to_owned())) } else { Ok(()) }
}
