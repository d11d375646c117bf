use crate::current_project::CurrentProject;
use hookrail_core::World;
use hookrail_lint::{FoundFile, Surroundings};
use hookrail_store::{Links, careful_read};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// Longer scripts are not looked into.
const SCRIPT_BYTES: u64 = 256 * 1024;

/// This machine, for lints to look at.
pub struct Disk<'a> {
    place: &'a CurrentProject,
    programs: Vec<PathBuf>,
}

impl<'a> Disk<'a> {
    pub fn new(place: &'a CurrentProject) -> Self {
        let path = place.world.env("PATH").unwrap_or_default();
        Self { place, programs: std::env::split_paths(&path).collect() }
    }
}

impl std::fmt::Debug for Disk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Disk").field("programs", &self.programs).finish_non_exhaustive()
    }
}

impl Surroundings for Disk<'_> {
    fn look(&self, path: &Path) -> FoundFile {
        match std::fs::metadata(path) {
            Ok(found) if found.is_file() => FoundFile::File { executable: is_executable(&found) },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => FoundFile::Nothing,
            Ok(_) | Err(_) => FoundFile::Other,
        }
    }

    fn read_script(&self, path: &Path) -> Option<String> {
        let text = String::from_utf8(careful_read(path, Links::Follow, SCRIPT_BYTES).ok()?).ok()?;
        (!text.contains('\0')).then_some(text)
    }

    fn has_program(&self, name: &str) -> bool {
        self.programs.iter().any(|folder| is_program(&folder.join(name)))
    }

    fn home(&self) -> Option<PathBuf> {
        self.place.world.env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
    }

    fn project(&self) -> PathBuf {
        self.place.project.clone()
    }
}

/// Whether a path is a file that may be executed.
pub fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && is_executable(&found))
}

#[cfg(unix)]
fn is_executable(found: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    true
}
