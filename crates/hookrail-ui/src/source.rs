//! Where the events of the page come from.

use crate::journal::{Filter, Overview, Span};
use crate::machine::Refused;
use hookrail_store::JournalRecord;
use serde_json::Value;
use std::time::Duration;

/// The journal of this machine, or what many machines shipped.
pub trait EventSource: Send + Sync {
    /// How far the events are read.
    fn progress(&self) -> Progress;

    /// Waits until there is something newer than `version`, or for so long.
    fn wait(&self, version: u64, patience: Duration) -> Progress;

    /// What events can be filtered by: for each name its values and how many events have them.
    fn facets(&self) -> Result<Value, Refused>;

    /// Events by their place among those that match, counted from the oldest: places do not move when events are added. Without
    /// `from` the newest.
    fn events(&self, filter: &Filter, from: Option<usize>, count: usize) -> Result<EventPage, Refused>;

    /// Sessions of the wanted project and agent, those that were active last first.
    fn sessions(&self, filter: &Filter) -> Result<Value, Refused>;

    fn overview(&self, span: &Span) -> Result<Overview, Refused>;

    /// The event that has this record; an error if there is none.
    fn event(&self, record: &str) -> Result<FoundEvent, Refused>;

    /// Whether an event happened in this project.
    fn knows_project(&self, project: &str) -> Result<bool, Refused>;

    fn rule_hits(&self) -> Result<Vec<ShownHits>, Refused>;
}

#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Grows with every change.
    pub version: u64,
    pub events: u64,
    pub records: u64,
    /// Lines of the journal that could not be read.
    pub unreadable: u64,
    /// The end was reached at least once.
    pub is_caught_up: bool,
    /// Why nothing can be read at present.
    pub trouble: Option<String>,
}

/// Some of the events that match.
#[derive(Clone, Debug, Default)]
pub struct EventPage {
    pub matched: usize,
    /// The place of the first row.
    pub from: usize,
    pub rows: Vec<Value>,
}

/// An event with all its records.
#[derive(Clone, Debug)]
pub struct FoundEvent {
    pub row: Value,
    /// The first record.
    pub head: JournalRecord,
    /// Each with its id as `seq`.
    pub records: Vec<Value>,
}

/// How often a rule held.
#[derive(Clone, Debug, Default)]
pub struct ShownHits {
    pub rule: String,
    /// `None` if it is not known, or there were several.
    pub layer: Option<String>,
    pub count: u64,
    pub last: i64,
    /// The newest events, the newest first.
    pub newest: Vec<Value>,
}
