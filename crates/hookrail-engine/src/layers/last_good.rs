//! The last readable text of every configuration file, for the time in which a file cannot be read: a slip of an editor
//! must not switch guards off.

use crate::clock::timestamp_of;
use hookrail_core::World;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A text as it was when it could be read.
#[derive(Serialize, Deserialize)]
pub(super) struct Version {
    path: String,
    /// Of `text`; a copy that does not fit it is damaged and counts as none.
    blake3: String,
    read_at: String,
    pub text: String,
}

impl Version {
    /// How a person is told which version it is.
    pub fn name(&self) -> String {
        format!("of {} (blake3 {})", self.read_at, self.blake3.get(..12).unwrap_or_default())
    }
}

/// Where the versions are kept.
pub(super) struct LastGood<'a> {
    /// `None` keeps and knows nothing.
    folder: Option<PathBuf>,
    world: &'a dyn World,
}

impl<'a> LastGood<'a> {
    /// In a state folder that is its user's alone.
    pub fn new(state: Option<&Path>, world: &'a dyn World) -> Self {
        Self { folder: state.map(|state| state.join("last-good")), world }
    }

    pub fn find(&self, path: &Path) -> Option<Version> {
        let bytes = self.world.read(&self.entry(path)?).ok().flatten()?;
        let version: Version = serde_json::from_slice(&bytes).ok()?;
        let is_whole = version.path == path.to_string_lossy() && version.blake3 == hash(&version.text);
        is_whole.then_some(version)
    }

    /// Keeps a text in place of the version before. A text that is there already keeps the time at which it was read first.
    pub fn keep(&self, path: &Path, text: &str) {
        let Some(entry) = self.entry(path) else { return };
        if self.find(path).is_some_and(|version| version.text == text) {
            return;
        }
        let version = Version {
            path: path.to_string_lossy().into_owned(),
            blake3: hash(text),
            read_at: timestamp_of(self.world.now_millis()),
            text: text.to_owned(),
        };
        // Without a copy the strictest reading holds while the file cannot be read.
        let _ = serde_json::to_vec(&version).map(|bytes| self.world.write(&entry, &bytes));
    }

    fn entry(&self, path: &Path) -> Option<PathBuf> {
        let name = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
        self.folder.as_ref().map(|folder| folder.join(format!("{name}.json")))
    }
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
