//! How far a collector has the journal, signal by signal.

use super::Signal;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

const FILE: &str = "otlp.json";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ExportedPosition {
    pub seq: u64,
    pub hash: String,
    pub ts: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ExportedPositions {
    endpoint: String,
    logs: ExportedPosition,
    traces: ExportedPosition,
    metrics: ExportedPosition,
}

impl ExportedPositions {
    /// Those of this collector; another one has nothing yet.
    pub fn read(folder: &Path, endpoint: &str) -> Self {
        let kept = std::fs::read(folder.join(FILE)).ok().and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        let fresh = || Self { endpoint: endpoint.to_owned(), ..Self::default() };
        kept.filter(|kept| kept.endpoint == endpoint).unwrap_or_else(fresh)
    }

    pub fn of(&self, signal: Signal) -> &ExportedPosition {
        match signal {
            Signal::Logs => &self.logs,
            Signal::Traces => &self.traces,
            Signal::Metrics => &self.metrics,
        }
    }

    pub fn put(&mut self, signal: Signal, mark: ExportedPosition) {
        match signal {
            Signal::Logs => self.logs = mark,
            Signal::Traces => self.traces = mark,
            Signal::Metrics => self.metrics = mark,
        }
    }

    pub fn save(&self, folder: &Path) -> io::Result<()> {
        let mut draft = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut draft, self)?;
        draft.persist(folder.join(FILE)).map(drop).map_err(|error| error.error)
    }
}
