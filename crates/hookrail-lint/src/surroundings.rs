//! What lints may ask about the machine. They only look; nothing is ever run.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// What stands at a path, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundFile {
    Nothing,
    File {
        executable: bool,
    },
    /// A folder, a device, or something that may not be looked at.
    Other,
}

/// The machine around a configuration file.
pub trait Surroundings: Debug {
    fn look(&self, path: &Path) -> FoundFile;

    /// A text file that is not too large to be a script.
    fn read_script(&self, path: &Path) -> Option<String>;

    /// Whether a shell would find a program of this name.
    fn has_program(&self, name: &str) -> bool;

    fn home(&self) -> Option<PathBuf>;

    /// The project that settings of the user's are looked at for.
    fn project(&self) -> PathBuf;
}

/// No machine at all, for questions about a file's text alone.
#[derive(Debug)]
pub(crate) struct Nowhere;

impl Surroundings for Nowhere {
    fn look(&self, _: &Path) -> FoundFile {
        FoundFile::Other
    }

    fn read_script(&self, _: &Path) -> Option<String> {
        None
    }

    fn has_program(&self, _: &str) -> bool {
        true
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }

    fn project(&self) -> PathBuf {
        PathBuf::new()
    }
}
