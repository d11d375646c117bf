//! Reads a file that an agent or a repository may have placed, without being held up or led astray by what it is.
//!
//! A path in a project can be anything: a named pipe without a writer, a device without an end, a terminal that is made by
//! opening it, a link to a file of another user. [`careful_read`] gives the content of a regular file of limited size, and
//! an error that says what else was found. What is opened is judged by the open handle, so that nothing can be exchanged
//! between the look and the read.
//!
//! A file on a file system that does not answer still takes as long as that takes; only a clock over the whole process helps
//! there.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use portable::{check_regular, length, open};
#[cfg(unix)]
use unix::{check_regular, length, open};

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// What happens if a path leads through a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links<'a> {
    /// The file must not be a link. Directories above it may be.
    Refuse,
    /// Links are followed if the file that they lead to is below this directory.
    Within(&'a Path),
    /// Links are followed anywhere. For paths that only the user writes.
    Follow,
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("`{}` does not exist", .0.display())]
    NotFound(PathBuf),
    #[error("`{}` must not be read by this user", .0.display())]
    Denied(PathBuf),
    #[error("`{}` is {kind}, not a regular file", .path.display())]
    NotRegular { path: PathBuf, kind: SpecialFile },
    #[error("`{}` is a symbolic link", .0.display())]
    Link(PathBuf),
    #[error("`{}` leads to `{}`, which is outside of `{}`", .path.display(), .end.display(), .root.display())]
    OutsideRoot { path: PathBuf, end: PathBuf, root: PathBuf },
    #[error("`{}` has more than {max} bytes", .path.display())]
    TooLarge { path: PathBuf, max: u64 },
    #[error("cannot read `{}`: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl FileError {
    fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            // A file in the place of a directory: there is nothing below it.
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::NotFound(path),
            ErrorKind::PermissionDenied => Self::Denied(path),
            _ => Self::Io { path, source },
        }
    }
}

/// What a path can lead to that is not a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialFile {
    Directory,
    NamedPipe,
    Socket,
    Device,
    Other,
}

impl fmt::Display for SpecialFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Directory => "a directory",
            Self::NamedPipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "something special",
        })
    }
}

/// The content of a regular file that has at most `max` bytes.
pub fn careful_read(path: &Path, links: Links<'_>, max: u64) -> Result<Vec<u8>, FileError> {
    let file = open(path, links)?;
    match read_at_most(&file, length(path, &file)?, max) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(FileError::TooLarge { path: path.to_owned(), max }),
        Err(source) => Err(FileError::io(path, source)),
    }
}

/// Opens a regular file for reading. The metadata is that of the handle.
pub fn careful_open(path: &Path, links: Links<'_>) -> Result<(File, Metadata), FileError> {
    let file = open(path, links)?;
    let found = file.metadata().map_err(|source| FileError::io(path, source))?;
    check_regular(path, &found)?;
    Ok((file, found))
}

/// All of an open file; `None` if it has more than `max` bytes. It has `len` bytes, and may grow meanwhile.
pub(crate) fn read_at_most(file: &File, len: u64, max: u64) -> io::Result<Option<Vec<u8>>> {
    if len > max {
        return Ok(None);
    }
    // What it gets after its length was asked for is not part of it. Only of a file without a length the end has to be found:
    // the kernel tells that of files that are made while they are read.
    let most = if len == 0 { max.saturating_add(1) } else { len };
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    let read = file.take(most).read_to_end(&mut bytes)?;
    Ok((read as u64 <= max).then_some(bytes))
}
