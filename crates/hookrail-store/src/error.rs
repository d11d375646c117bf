use crate::root::RootError;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Root(#[from] RootError),
    #[error("`{}` is a symlink, which hookrail does not follow here\nhint: remove it, hookrail makes its own", .0.display())]
    Symlink(PathBuf),
    #[error("`{}` is not a {expected}\nhint: move it away, hookrail makes its own", .path.display())]
    WrongKind { path: PathBuf, expected: &'static str },
    #[error(
        "`{}` was locked by another process for {} ms\nhint: look for a hookrail process that hangs, and end it",
        .path.display(), .waited.as_millis()
    )]
    Busy { path: PathBuf, waited: Duration },
    #[error("no room to {action} `{}`: {source}\nhint: free some space on the disk, or raise the quota or file size limit", .path.display())]
    DiskFull { action: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot {action} `{}`: {source}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{what} has JSON values that are nested too deeply to be read back\nhint: keep a flatter value")]
    TooDeep { what: &'static str },
    #[error("{what} has more than {max} bytes\nhint: keep less in it")]
    TooLarge { what: &'static str, max: u64 },
    #[error("cannot turn {what} into JSON: {source}")]
    Encode { what: &'static str, source: serde_json::Error },
}

impl StoreError {
    /// The machine could not do it at this moment: another process held the lock, or the disk was full. It says nothing about
    /// whoever asked for it, so it is no failure of a hook.
    #[must_use]
    pub fn is_machine_condition(&self) -> bool {
        match self {
            Self::Busy { .. } | Self::DiskFull { .. } => true,
            Self::Root(RootError::Io { source, .. }) | Self::Io { source, .. } => is_machine_condition(source),
            Self::Root(_)
            | Self::Symlink(_)
            | Self::WrongKind { .. }
            | Self::TooDeep { .. }
            | Self::TooLarge { .. }
            | Self::Encode { .. } => false,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        let (path, source) = (path.to_owned(), source.into());
        if is_full(&source) { Self::DiskFull { action, path, source } } else { Self::Io { action, path, source } }
    }
}

/// Whether an error says that the machine could not do it at this moment, and nothing about what it was asked to do.
#[must_use]
pub fn is_machine_condition(error: &io::Error) -> bool {
    is_full(error) || is_exhausted(error) || error.kind() == ErrorKind::WouldBlock
}

/// The disk, the user's quota, or the largest size of a file is reached.
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}

/// There are too many open files or too little memory.
fn is_exhausted(error: &io::Error) -> bool {
    #[cfg(unix)]
    if let Some(errno) = rustix::io::Errno::from_io_error(error) {
        use rustix::io::Errno;
        return matches!(errno, Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN | Errno::NOLCK);
    }
    error.kind() == ErrorKind::OutOfMemory
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn what_the_machine_lacks_is_told_from_what_is_wrong() {
        let cases = [
            (ErrorKind::StorageFull, true),
            (ErrorKind::QuotaExceeded, true),
            (ErrorKind::FileTooLarge, true),
            (ErrorKind::OutOfMemory, true),
            (ErrorKind::PermissionDenied, false),
            (ErrorKind::InvalidData, false),
        ];
        for (kind, expected) in cases {
            let error = StoreError::io("write", Path::new("/x"), kind);
            assert_eq!(error.is_machine_condition(), expected, "{kind:?}");
        }
        let busy = StoreError::Busy { path: PathBuf::new(), waited: Duration::ZERO };
        assert!(busy.is_machine_condition());
        assert!(!StoreError::Symlink(PathBuf::new()).is_machine_condition());
    }
}
