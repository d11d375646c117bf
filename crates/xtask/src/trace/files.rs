//! Reading the workspace, with paths shown from its root.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::catalogue::CatalogueError;

/// Why nothing can be said at all.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error("cannot read `{path}`: {source}")]
    Read { path: String, source: io::Error },
    #[error("`{path}` is not what it should be: {source}")]
    Toml { path: String, source: Box<toml::de::Error> },
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
}

impl TraceError {
    fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.display().to_string(), source }
    }
}

pub fn read(path: &Path) -> Result<String, TraceError> {
    fs::read_to_string(path).map_err(|error| TraceError::read(path, error))
}

pub fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T, TraceError> {
    toml::from_str(&read(path)?)
        .map_err(|error| TraceError::Toml { path: path.display().to_string(), source: Box::new(error) })
}

/// What a folder holds, sorted. A folder that does not exist is empty. Links are left out: what they lead to is
/// either read at its own place or not ours.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, TraceError> {
    let mut paths = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder).map_err(|error| TraceError::read(folder, error))? {
            let path = entry.map_err(|error| TraceError::read(folder, error))?.path();
            if !path.is_symlink() {
                paths.push(path);
            }
        }
    }
    paths.sort();
    Ok(paths)
}

pub fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extensions.contains(&extension))
}

/// The path as it is shown: from the workspace, with slashes.
pub fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}
