//! What runs under the real agents have proven, kept in a file that tables in README and book are made from.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The file, from the root of the repository.
const FILE: &str = "spec/agents-proven.json";

/// What the last run of one agent has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Proof {
    pub version: String,
    /// What `hookrail verify` found, by surface.
    pub surfaces: BTreeMap<String, SurfaceResult>,
}

/// One surface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SurfaceResult {
    pub result: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl SurfaceResult {
    pub(crate) fn is_honoured(&self) -> bool {
        self.result == "honoured"
    }
}

/// What `hookrail verify --json` prints.
#[derive(Debug, Deserialize)]
pub(super) struct Report {
    agents: Vec<ReportedAgent>,
}

#[derive(Debug, Deserialize)]
struct ReportedAgent {
    version: Option<String>,
    surfaces: Vec<ReportedSurface>,
}

#[derive(Debug, Deserialize)]
struct ReportedSurface {
    surface: String,
    #[serde(flatten)]
    found: SurfaceResult,
}

impl Report {
    /// The proof of the one agent it is about. Without a version nothing is proven.
    pub(super) fn proof(self) -> Option<Proof> {
        let agent = self.agents.into_iter().next()?;
        let surfaces = agent.surfaces.into_iter().map(|it| (it.surface, it.found)).collect();
        Some(Proof { version: agent.version?, surfaces })
    }
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

    /// Replaces what the file has on an agent: what is broken now is not proven by an earlier run. The rest of the file is
    /// read anew, as another run may have changed it meanwhile.
    pub(super) fn keep(agent: &str, proof: Proof) -> io::Result<()> {
        let mut results = Self::read()?;
        results.0.insert(agent.to_owned(), proof);
        let text = serde_json::to_string_pretty(&results).map_err(io::Error::other)?;
        std::fs::write(file(), text + "\n")
    }
}

impl Proof {
    pub(crate) fn honours(&self, surface: &str) -> bool {
        self.surfaces.get(surface).is_some_and(SurfaceResult::is_honoured)
    }
}

fn file() -> PathBuf {
    Path::new(crate::ROOT).join(FILE)
}
