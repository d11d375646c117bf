//! What the page asks of the commands of `hookrail`.

use hookrail_store::JournalRecord;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Why something cannot be shown or done: what is wrong, and after `hint: ` what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

impl From<String> for Refused {
    fn from(why: String) -> Self {
        Self(why)
    }
}

/// The commands of `hookrail`, as far as the page shows what they print.
pub trait CommandBackend: Send + Sync {
    /// What `hookrail explain --json` prints about the event that this record begins.
    fn explain(&self, head: &JournalRecord) -> Result<Value, Refused>;

    /// What other configurations decide about the event: a list of `{ name, decision, rules }`.
    fn compare(&self, head: &JournalRecord) -> Result<Value, Refused>;

    /// What `hookrail rules show --json` prints, for every rule of a project, with the rule's text.
    fn rules(&self, project: Option<&Path>) -> Result<Value, Refused>;

    /// What `hookrail doctor --json` prints.
    fn doctor(&self, project: Option<&Path>) -> Result<Value, Refused>;

    /// The last results of `hookrail verify`, one for each agent.
    fn verified(&self) -> Result<Value, Refused>;

    /// What `hookrail backtest --json` prints. It may take minutes.
    fn backtest(&self) -> Result<Value, Refused>;

    /// Whether changes are possible at all: `Err` says why not.
    fn may_write(&self) -> Result<(), Refused>;

    /// What `hookrail allow` would write. Nothing is written.
    fn propose(&self, request: &AllowRequest) -> Result<Box<dyn Proposal>, Refused>;
}

/// What a person wants to let through.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowRequest {
    /// The record in which a rule refused the call.
    pub record: u64,
    #[serde(default)]
    pub once: bool,
    #[serde(default)]
    pub until: Option<String>,
    #[serde(default)]
    pub reason: Option<String>,
}

/// A change that was shown and not yet made.
pub trait Proposal: Send {
    fn shown(&self) -> ShownProposal;

    /// Makes the change; the files that were written.
    fn write(&self) -> Result<Vec<PathBuf>, Refused>;
}

/// A proposal as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct ShownProposal {
    pub rule: String,
    /// What the rule decided, and what is decided about the same call with the exception.
    pub before: String,
    pub after: String,
    /// Rules that refuse the call all the same.
    pub still: Vec<String>,
    pub files: Vec<ShownFile>,
}

/// A file that would be changed, as a unified diff.
#[derive(Clone, Debug, Serialize)]
pub struct ShownFile {
    pub path: String,
    pub is_new: bool,
    pub diff: String,
}
