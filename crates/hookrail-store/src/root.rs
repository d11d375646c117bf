use crate::dir::Dir;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The directory that all state lives in. It is opened, checked and if need be made when it is used, and again if it was removed
/// since. Clones share what is open.
///
/// It must be a directory of our own that no other user can write to: whoever can rename files in it could make hookrail
/// forget a budget or write through a symlink.
#[derive(Clone, Debug)]
pub struct StateRoot {
    path: PathBuf,
    /// Stays open only where that was asked for.
    open: Option<Arc<Mutex<Option<Arc<Dir>>>>>,
}

/// Why a directory is not used for state.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    #[error("no directory for state: neither `HOOKRAIL_STATE_DIR` nor `HOME` is set\nhint: set `HOOKRAIL_STATE_DIR`")]
    Unknown,
    #[error(
        "the state directory `{}` is not an absolute path\nhint: give `HOOKRAIL_STATE_DIR` as one that starts at the root",
        .0.display()
    )]
    Relative(PathBuf),
    #[error(
        "the state directory `{}` is a symlink\nhint: set `HOOKRAIL_STATE_DIR` to the directory that it points to",
        .0.display()
    )]
    Symlink(PathBuf),
    #[error("the state directory `{}` is not a directory\nhint: move it away, or set `HOOKRAIL_STATE_DIR`", .0.display())]
    NotADirectory(PathBuf),
    #[error(
        "the state directory `{}` belongs to user {owner}, not to us, user {user}\n\
         hint: set `HOOKRAIL_STATE_DIR` to a directory of your own",
        .path.display()
    )]
    NotOurs { path: PathBuf, owner: u32, user: u32 },
    #[error("others can write to the state directory `{}` (mode {mode:03o})\nhint: chmod 700 '{}'", .path.display(), .path.display())]
    Writable { path: PathBuf, mode: u32 },
    #[error("cannot {action} the state directory `{}`: {source}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
}

impl StateRoot {
    /// Takes a path as it is, without looking at the disk.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), open: None }
    }

    /// The same for a process that answers one event: the directory is checked once, and stays open.
    #[must_use]
    pub fn kept_open(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), open: Some(Arc::default()) }
    }

    /// Where the environment wants state to be: `$HOOKRAIL_STATE_DIR`, else `hookrail` in `$XDG_STATE_HOME`, else in
    /// `$HOME/.local/state` (on Windows in `%LOCALAPPDATA%`). An empty variable is one that is not set, and so is an
    /// `$XDG_STATE_HOME` that is not absolute.
    pub fn resolve(env: &dyn Fn(&str) -> Option<OsString>) -> Result<PathBuf, RootError> {
        let path = |name| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(chosen) = path("HOOKRAIL_STATE_DIR") {
            return if chosen.is_absolute() { Ok(chosen) } else { Err(RootError::Relative(chosen)) };
        }
        let home = || {
            if cfg!(windows) { path("LOCALAPPDATA") } else { path("HOME").map(|home| home.join(".local/state")) }
        };
        let base = path("XDG_STATE_HOME").filter(|base| base.is_absolute()).or_else(home).ok_or(RootError::Unknown)?;
        let root = base.join("hookrail");
        if root.is_absolute() { Ok(root) } else { Err(RootError::Relative(root)) }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that the directory is ours alone, and makes it if there is none. What is read from a directory that others
    /// can write to would be their word, not ours.
    pub fn check(&self) -> Result<(), RootError> {
        self.open().map(drop)
    }

    /// Whether there is such a directory and it is ours alone. Makes none.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        matches!(self.find(), Ok(Some(_)))
    }

    /// Opens the directory after making sure that it is safe to use; makes it if there is none.
    pub(crate) fn open(&self) -> Result<Arc<Dir>, RootError> {
        if let Some(dir) = self.find()? {
            return Ok(dir);
        }
        Dir::make_root(&self.path)?;
        let vanished = || self.io("open", io::ErrorKind::NotFound.into());
        self.find()?.ok_or_else(vanished)
    }

    /// Like [`StateRoot::open`], but leaves a directory that is not there alone.
    pub(crate) fn find(&self) -> Result<Option<Arc<Dir>>, RootError> {
        let Some(open) = &self.open else { return Ok(Dir::open_root(&self.path)?.map(Arc::new)) };
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_none_or(|dir| !dir.is_linked()) {
            *open = Dir::open_root(&self.path)?.map(Arc::new);
        }
        Ok(open.clone())
    }

    fn io(&self, action: &'static str, source: io::Error) -> RootError {
        RootError::Io { action, path: self.path.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_the_directory() {
        type Variables<'a> = &'a [(&'a str, &'a str)];
        let cases: [(Variables<'_>, Result<&str, &str>); 9] = [
            (&[("HOOKRAIL_STATE_DIR", "/s"), ("XDG_STATE_HOME", "/x"), ("HOME", "/h")], Ok("/s")),
            (&[("XDG_STATE_HOME", "/x"), ("HOME", "/h")], Ok("/x/hookrail")),
            (&[("HOME", "/h")], Ok("/h/.local/state/hookrail")),
            (&[("HOOKRAIL_STATE_DIR", ""), ("XDG_STATE_HOME", ""), ("HOME", "/h")], Ok("/h/.local/state/hookrail")),
            (&[("XDG_STATE_HOME", "x"), ("HOME", "/h")], Ok("/h/.local/state/hookrail")),
            (&[("HOOKRAIL_STATE_DIR", "s"), ("HOME", "/h")], Err("`s` is not an absolute path")),
            (&[("HOME", "h")], Err("`h/.local/state/hookrail` is not an absolute path")),
            (&[("HOME", "")], Err("no directory for state")),
            (&[], Err("no directory for state")),
        ];
        for (variables, expected) in cases {
            let env = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
            match (StateRoot::resolve(&env), expected) {
                (Ok(path), Ok(expected)) => assert_eq!(path, Path::new(expected), "{variables:?}"),
                (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{variables:?}: {error}"),
                (got, _) => panic!("{variables:?}: {got:?}"),
            }
        }
    }
}
