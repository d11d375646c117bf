//! The same with the standard library only. There are no named pipes in directories on such systems.

use super::{FileError, Links, SpecialFile};
use std::fs::{File, Metadata};
use std::path::Path;

pub(super) fn open(path: &Path, links: Links<'_>) -> Result<File, FileError> {
    let failed = |source| FileError::io(path, source);
    match links {
        Links::Refuse if path.symlink_metadata().map_err(failed)?.is_symlink() => {
            return Err(FileError::Link(path.to_owned()));
        }
        Links::Within(root) => {
            let real_root = root.canonicalize().map_err(failed)?;
            let end = path.canonicalize().map_err(failed)?;
            if !end.starts_with(real_root) {
                return Err(FileError::OutsideRoot { path: path.to_owned(), end, root: root.to_owned() });
            }
        }
        Links::Refuse | Links::Follow => {}
    }
    check_regular(path, &path.metadata().map_err(failed)?)?;
    File::open(path).map_err(failed)
}

/// The length of an open file, which must be a regular one.
pub(super) fn length(path: &Path, file: &File) -> Result<u64, FileError> {
    let found = file.metadata().map_err(|source| FileError::io(path, source))?;
    check_regular(path, &found).map(|()| found.len())
}

pub(super) fn check_regular(path: &Path, found: &Metadata) -> Result<(), FileError> {
    if found.is_file() {
        return Ok(());
    }
    let kind = if found.is_dir() { SpecialFile::Directory } else { SpecialFile::Other };
    Err(FileError::NotRegular { path: path.to_owned(), kind })
}
