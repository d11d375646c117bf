//! The events that the journal knows.

use crate::commands::journal::{self, Period};
use crate::error::CliError;
use hookrail_core::Decision;
use hookrail_store::{Cursor, JournalRecord, Outcome, Store};
use serde_json::Value;
use std::iter::Peekable;

/// What one hook did about an event.
#[derive(Clone, Debug)]
pub struct PastRun {
    pub hook: String,
    pub outcome: Outcome,
    pub decision: Decision,
    pub reason: Option<String>,
    pub error: Option<String>,
    /// It was in mode `shadow`: what it decided was recorded, and not done.
    pub shadow: bool,
}

/// One event, and what every hook did about it.
#[derive(Clone, Debug)]
pub struct PastEvent {
    /// The number of its first record.
    pub seq: u64,
    pub head: JournalRecord,
    pub runs: Vec<PastRun>,
}

/// Which events are wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'a> {
    pub period: Option<&'a Period>,
    pub sessions: &'a [String],
    pub project: Option<&'a str>,
    pub agents: &'a [String],
}

impl Wanted<'_> {
    fn admits(&self, head: &JournalRecord) -> bool {
        let project = |wanted: &str| head.project.as_deref() == Some(wanted);
        self.period.is_none_or(|period| period.contains(head.ts))
            && (self.sessions.is_empty() || self.sessions.contains(&head.session))
            && (self.agents.is_empty() || self.agents.contains(&head.agent))
            && self.project.is_none_or(project)
    }
}

/// Every wanted event, oldest first. `seen` is told the number of each record on the way.
pub fn events<'a>(
    store: &'a dyn Store,
    wanted: &'a Wanted<'a>,
    mut seen: impl FnMut(u64) + 'a,
) -> Result<impl Iterator<Item = PastEvent> + 'a, CliError> {
    let records = store.records(Cursor::default()).map_err(CliError::machine)?;
    let records = records.filter_map(move |item| match item {
        Ok(entry) => {
            seen(entry.seq);
            Some((entry.seq, entry.record))
        }
        Err(error) => {
            journal::complain(&error);
            None
        }
    });
    Ok(events_of(records, wanted))
}

/// Every wanted event of records that follow each other as they were written.
pub fn events_of<'a>(
    records: impl Iterator<Item = (u64, JournalRecord)> + 'a,
    wanted: &'a Wanted<'a>,
) -> impl Iterator<Item = PastEvent> + 'a {
    // What the journal notes about itself, and input that was no event, cannot happen again.
    let mut records = records.filter(|(_, record)| record.kind != "journal" && !record.event.is_empty()).peekable();
    let all = std::iter::from_fn(move || next_event(&mut records));
    all.filter(|event| wanted.admits(&event.head))
}

fn next_event(records: &mut Peekable<impl Iterator<Item = (u64, JournalRecord)>>) -> Option<PastEvent> {
    // The beginning of an event may have been pruned.
    while records.next_if(|(_, record)| record.part > 0).is_some() {}
    let (seq, mut head) = records.next()?;
    let mut runs = vec![run(&mut head)];
    while let Some((_, mut record)) = records.next_if(|(_, record)| record.part > 0) {
        runs.push(run(&mut record));
    }
    Some(PastEvent { seq, head, runs })
}

fn run(record: &mut JournalRecord) -> PastRun {
    PastRun {
        hook: std::mem::take(&mut record.hook),
        outcome: record.outcome,
        decision: match record.decision.as_deref() {
            Some("stop") => Decision::Stop,
            Some(word) => Decision::parse(word).unwrap_or_default(),
            None => Decision::None,
        },
        reason: record.reason.take(),
        error: record.error.take(),
        shadow: record.extra.get("mode").and_then(Value::as_str) == Some("shadow"),
    }
}

impl PastEvent {
    /// The event itself, if the journal kept it.
    pub fn take_input(&mut self) -> Option<serde_json::Map<String, Value>> {
        match self.head.input.take() {
            Some(Value::Object(input)) => Some(input),
            _ => None,
        }
    }
}
