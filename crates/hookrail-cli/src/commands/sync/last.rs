//! What the last sync did, for `doctor`: a detached process has no terminal.

use super::Done;
use crate::current_project::now_millis;
use crate::error::CliError;
use serde::{Deserialize, Serialize};
use std::path::Path;

const FILE: &str = "last.json";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastSync {
    /// Milliseconds since 1970.
    pub at: i64,
    pub records: u64,
    /// Why it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl LastSync {
    pub(super) fn of(result: &Result<Done, CliError>) -> Self {
        let (records, error) = match result {
            Ok(done) => (done.database.map_or(0, |shipped| shipped.records) + done.collector.unwrap_or(0), None),
            Err(message) => (0, Some(message.to_string())),
        };
        Self { at: now_millis(), records, error }
    }

    /// Kept as well as it can be: the work itself is done.
    pub(super) fn save(&self, folder: &Path) {
        if let Ok(text) = serde_json::to_vec(self) {
            let draft = folder.join(".last.json");
            let _ = std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, folder.join(FILE)));
        }
    }

    /// `None` if there was none yet.
    pub fn read(state: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(state.join("fleet").join(FILE)).ok()?).ok()
    }
}
