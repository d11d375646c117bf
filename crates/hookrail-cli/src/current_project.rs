//! The project a command is run in, with the configuration and the state folder that apply there.

use crate::error::CliError;
use hookrail_core::World;
use hookrail_engine::RealWorld;
use hookrail_engine::layers::{ConfigCache, LayerFiles, Settings, project_root};
use hookrail_store::{FileStore, StateRoot};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

pub struct CurrentProject {
    pub world: RealWorld,
    /// The working directory.
    pub folder: PathBuf,
    /// The project the working directory belongs to.
    pub project: PathBuf,
    /// The state folder, or why there is none.
    pub state: Result<PathBuf, CliError>,
    /// The configuration that applies, with its problems.
    pub settings: Settings,
}

impl CurrentProject {
    /// The project of the working directory.
    pub fn here() -> Result<Self, CliError> {
        Ok(Self::at(&working_folder()?))
    }

    pub fn at(folder: &Path) -> Self {
        let world = RealWorld::default();
        let env = |name: &str| world.env(name).map(OsString::from);
        let state = StateRoot::resolve(&env).map_err(CliError::machine);
        let project = project_root(&world, folder);
        let cache = ConfigCache::looking(state.as_ref().ok().map(StateRoot::at));
        let mut settings = cache.load(&LayerFiles::usual(&world, &project), &world);
        hookrail_packs::check_names(&mut |group, known| settings.check_names(group, known));
        Self { world, folder: folder.to_path_buf(), project, state, settings }
    }

    pub fn state_root(&self) -> Result<StateRoot, CliError> {
        self.state.as_ref().map(StateRoot::at).map_err(Clone::clone)
    }

    pub fn store(&self) -> Result<FileStore, CliError> {
        Ok(FileStore::new(self.state_root()?, now_millis))
    }

    /// A path as a person in this folder would write it.
    pub fn shown<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.folder).unwrap_or(path)
    }
}

/// A path, perhaps with a line and a column behind it, as people write it: relative to the project, or to home as `~`.
pub fn spelled(path: &str, project: &Path, world: &dyn World) -> String {
    let path = Path::new(path);
    if let Ok(inner) = path.strip_prefix(project) {
        return inner.display().to_string();
    }
    below_home(path, world)
}

/// A path as people write it: relative to home as `~`.
pub fn below_home(path: &Path, world: &dyn World) -> String {
    let home = world.env("HOME").filter(|home| !home.is_empty());
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(inner) if inner.as_os_str().is_empty() => "~".to_owned(),
        Some(inner) => format!("~/{}", inner.display()),
        None => path.display().to_string(),
    }
}

pub fn now_millis() -> i64 {
    RealWorld::default().now_millis()
}

#[expect(clippy::disallowed_methods, reason = "a person's command is about the folder they are in")]
pub fn working_folder() -> Result<PathBuf, CliError> {
    std::env::current_dir()
        .map_err(|error| CliError::machine(format!("cannot determine the working directory: {error}")))
}

/// Writes what a person asked for, as readable as any file a program writes. Never through a link, which a project may have
/// laid to somewhere else.
pub fn write_file(path: &Path, text: &str) -> Result<(), CliError> {
    let write = || {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(io::Error::other("it is a symbolic link"));
        }
        if let Some(folder) = path.parent() {
            let unusable = |error| io::Error::other(format!("`{}` is not a folder: {error}", folder.display()));
            fs::create_dir_all(folder).map_err(unusable)?;
        }
        fs::write(path, text)
    };
    write().map_err(|error| CliError::machine(format!("cannot write `{}`: {error}", path.display())))
}

/// The file itself, or every wanted file below a folder, sorted. Links are not followed: they may lead in circles.
pub fn files_below(path: &Path, skipped: &[&str], wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>, CliError> {
    if !fs::metadata(path).map_err(|error| CliError::unreadable(path, error))?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| CliError::unreadable(&folder, error))? {
            let entry = entry.map_err(|error| CliError::unreadable(&folder, error))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(|error| CliError::unreadable(&path, error))?;
            if kind.is_dir() && !skipped.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            } else if !kind.is_dir() && wanted(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
