use crate::root::RootError;
use std::io;
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
    #[error("cannot {action} `{}`: {source}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{what} has JSON values that are nested too deeply to be read back\nhint: keep a flatter value")]
    TooDeep { what: &'static str },
    #[error("cannot turn {what} into JSON: {source}")]
    Encode { what: &'static str, source: serde_json::Error },
}

impl StoreError {
    pub(crate) fn io(action: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Io { action, path: path.to_owned(), source: source.into() }
    }
}
