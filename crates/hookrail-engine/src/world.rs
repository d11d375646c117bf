//! The machine as it really is.

use hookrail_core::{HookError, World};
use std::path::{Component, Path, PathBuf};

/// What native hooks see outside of tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealWorld;

impl World for RealWorld {
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, HookError> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(HookError(format!("cannot read `{}`: {error}", path.display()))),
        }
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        let mut resolved = PathBuf::new();
        for component in path.components() {
            match component {
                Component::ParentDir => {
                    resolved.pop();
                }
                Component::CurDir => {}
                Component::Normal(_) | Component::RootDir | Component::Prefix(_) => resolved.push(component),
            }
            if let Ok(real) = resolved.canonicalize() {
                resolved = real;
            }
        }
        resolved
    }

    #[expect(clippy::disallowed_methods, reason = "this is the rim")]
    fn env(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn now_millis(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_resolved_as_far_as_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        for (path, expected) in [
            ("link/new/file", "real/new/file"),
            ("link/../x", "x"),
            ("real/./a/../b", "real/b"),
            ("none/../real/f", "real/f"),
        ] {
            assert_eq!(RealWorld.resolve(&root.join(path)), root.join(expected), "{path}");
        }
    }

    #[test]
    fn a_missing_file_is_not_an_error_and_an_unreadable_one_is() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(RealWorld.read(&folder.path().join("none")), Ok(None));
        assert!(RealWorld.read(folder.path()).is_err(), "a folder cannot be read as a file");
    }
}
