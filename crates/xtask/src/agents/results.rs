//! What runs under the real agents have proven, kept in a file that the compatibility table is made from.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The file, from the root of the repository.
const FILE: &str = "spec/agents-proven.json";

/// What the last run of one agent has proven.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Proof {
    pub version: String,
    /// `Event/wish`, in hookrail's words.
    pub proven: Vec<String>,
}

/// The proofs by agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Results(BTreeMap<String, Proof>);

impl Results {
    /// What is known; nothing if there never was a run.
    pub(crate) fn read() -> io::Result<Self> {
        match std::fs::read(file()) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn of(&self, agent: &str) -> Option<&Proof> {
        self.0.get(agent)
    }

    /// Replaces what was known of an agent: a promise that is broken now is not proven by an earlier run.
    pub(crate) fn put(&mut self, agent: &str, proof: Proof) {
        self.0.insert(agent.to_owned(), proof);
    }

    pub(crate) fn write(&self) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        std::fs::write(file(), text + "\n")
    }
}

impl Proof {
    pub(crate) fn covers(&self, event: &str, wish: &str) -> bool {
        self.proven.contains(&format!("{event}/{wish}"))
    }
}

fn file() -> PathBuf {
    Path::new(crate::ROOT).join(FILE)
}
