//! The little of the machine that the analysis looks at.

use hookrail_core::{FileKind, World};
use std::path::{Path, PathBuf};

/// Scripts up to this size are read.
pub const MAX_SCRIPT: usize = 64 * 1024;
/// Files of git up to this size are read.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// What the analysis may look at. It never changes anything.
pub trait ReadOnlyWorld {
    /// A variable of the environment that the call will run in.
    fn env(&self, name: &str) -> Option<String>;

    /// What stands at a path, links not followed.
    fn kind(&self, path: &Path) -> Option<FileKind>;

    /// A path with links resolved as far as it exists.
    fn resolve(&self, path: &Path) -> PathBuf;

    /// How many folders above `folder` the nearest one is in which something of this name stands; 0 is `folder` itself.
    fn nearest_with(&self, folder: &Path, name: &str) -> Option<usize> {
        folder.ancestors().position(|folder| self.kind(&folder.join(name)).is_some())
    }

    /// The names in a folder.
    fn list(&self, folder: &Path) -> Option<Vec<String>>;

    /// The text of a small regular file.
    fn read_small(&self, path: &Path) -> Option<String>;

    /// The bytes of a regular file of moderate size.
    fn read_bytes(&self, path: &Path) -> Option<Vec<u8>> {
        self.read_small(path).map(String::into_bytes)
    }

    /// A part of a regular file of any size, as much of it as there is, and how large the file is.
    fn read_part(&self, path: &Path, start: u64, length: usize) -> Option<(Vec<u8>, u64)> {
        let bytes = self.read_bytes(path)?;
        let part = bytes.iter().skip(usize::try_from(start).ok()?).take(length).copied().collect();
        Some((part, bytes.len() as u64))
    }

    /// Reports whether a file is one of hookrail's own programs, whatever it is called.
    fn is_own_program(&self, _path: &Path) -> bool {
        false
    }

    /// Told of everything that decides what the call runs beside its own text and the scripts among its effects. Most callers
    /// need not know.
    fn note_code(&self, _code: Code<'_>) {}
}

/// Something that decides what a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code<'c> {
    /// A file that is read as code: a makefile, the scripts of `package.json`, what `node -r` and `awk -f` name.
    File(&'c Path),
    /// Code that stands in the call itself; it finds modules from the folder that it runs in.
    Text {
        /// How files in its language end.
        ending: &'static str,
        /// The code.
        text: &'c str,
        /// The folder that it runs in.
        folder: &'c Path,
    },
}

/// The machine as native hooks see it. What cannot be looked at is as if it were not there.
#[expect(missing_debug_implementations, reason = "a world has no debug form")]
#[derive(Clone, Copy)]
pub struct WorldReader<'w>(pub &'w dyn World);

impl ReadOnlyWorld for WorldReader<'_> {
    fn env(&self, name: &str) -> Option<String> {
        self.0.env(name)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        self.0.kind_when_seen(path)
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.0.resolve(path)
    }

    fn nearest_with(&self, folder: &Path, name: &str) -> Option<usize> {
        self.0.nearest_with(folder, &[name])
    }

    fn list(&self, folder: &Path) -> Option<Vec<String>> {
        self.0.list(folder).ok().flatten()
    }

    fn read_small(&self, path: &Path) -> Option<String> {
        let bytes = self.read_bytes(path)?;
        (bytes.len() <= MAX_SCRIPT).then(|| String::from_utf8(bytes).ok()).flatten()
    }

    fn read_bytes(&self, path: &Path) -> Option<Vec<u8>> {
        // A pipe or a device would block or never end.
        if self.kind(&self.0.resolve(path)) != Some(FileKind::File) {
            return None;
        }
        self.0.read(path).ok().flatten().filter(|bytes| bytes.len() <= MAX_BYTES)
    }

    fn is_own_program(&self, path: &Path) -> bool {
        let Some(own) = self.0.own_program() else { return false };
        let folder = own.parent().unwrap_or(Path::new("/"));
        let siblings = OWN_PROGRAMS.iter().map(|name| folder.join(name)).filter(|sibling| *sibling != own);
        std::iter::once(own.clone()).chain(siblings).any(|known| known == path || self.is_copy(&known, path))
    }

    fn read_part(&self, path: &Path, start: u64, length: usize) -> Option<(Vec<u8>, u64)> {
        if self.kind(&self.0.resolve(path)) != Some(FileKind::File) {
            return None;
        }
        self.0.read_part(path, start, length).ok().flatten()
    }
}

/// The names under which hookrail's programs are installed.
pub(crate) const OWN_PROGRAMS: &[&str] = &["hookrail", "hookrail-hook", "hookrail-sh"];
/// Places of a program that are compared, and how much of each.
const SAMPLES: u64 = 16;
const SAMPLE: usize = 1024;

impl WorldReader<'_> {
    /// Reports whether two files have the same size and the same bytes in places all over them.
    fn is_copy(&self, known: &Path, other: &Path) -> bool {
        let Some((first, size)) = self.read_part(known, 0, SAMPLE) else { return false };
        let same = |at: u64, part: &[u8]| self.read_part(other, at, SAMPLE) == Some((part.to_vec(), size));
        let rest = (1..SAMPLES).map(|sample| size / SAMPLES * sample);
        same(0, &first)
            && rest.into_iter().all(|at| self.read_part(known, at, SAMPLE).is_some_and(|(part, _)| same(at, &part)))
    }
}

/// A machine without files and variables: what the text alone tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmptyWorld;

impl ReadOnlyWorld for EmptyWorld {
    fn env(&self, _: &str) -> Option<String> {
        None
    }

    fn kind(&self, _: &Path) -> Option<FileKind> {
        None
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    fn list(&self, _: &Path) -> Option<Vec<String>> {
        None
    }

    fn read_small(&self, _: &Path) -> Option<String> {
        None
    }
}
