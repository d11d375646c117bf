//! The journal of this machine as the page asks for it.

use super::filter::Filter;
use super::index::Index;
use super::overview::{Overview, Span};
use super::search::Searches;
use super::session::ShownSession;
use super::tail::{Tail, TailProgress};
use crate::machine::Refused;
use crate::source::{EventPage, EventSource, FoundEvent, Progress, ShownHits};
use hookrail_store::{JournalRecord, Store};
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// So many sessions are sent at once, the newest first.
const MOST_SESSIONS: usize = 60;
/// An event has at most so many records; a journal that was put together by hand is not read to its end.
const MOST_RUNS: usize = 512;

pub struct JournalSource {
    tail: Tail,
    searches: Mutex<Searches>,
    store: Arc<dyn Store>,
}

impl fmt::Debug for JournalSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournalSource").field("tail", &self.tail).finish_non_exhaustive()
    }
}

impl JournalSource {
    /// Begins to read the journal and goes on until the process ends.
    pub fn follow(store: Arc<dyn Store>) -> Self {
        Self { tail: Tail::follow(Arc::clone(&store)), searches: Mutex::default(), store }
    }

    fn shown(&self, reading: TailProgress) -> Progress {
        let index = self.tail.index();
        Progress {
            version: reading.version,
            events: index.rows().len() as u64,
            records: index.records(),
            unreadable: index.unreadable(),
            is_caught_up: reading.is_caught_up,
            trouble: reading.trouble,
        }
    }

    /// Every record of the event that has this record.
    fn records_of(&self, wanted: &str) -> Result<Vec<(u64, JournalRecord)>, Refused> {
        let gone = || Refused(format!("the journal has no record {wanted} any more"));
        let (first, at) = {
            let index = self.tail.index();
            let row = wanted.parse().ok().and_then(|number| index.event_of(number)).ok_or_else(gone)?;
            (row.seq, row.at)
        };
        let read = self.store.records(at).map_err(|error| Refused(error.to_string()))?;
        let mut records: Vec<(u64, JournalRecord)> = Vec::new();
        for entry in read.flatten().take(MOST_RUNS) {
            if entry.record.part == 0 && !records.is_empty() || entry.seq < first {
                break;
            }
            records.push((entry.seq, entry.record));
        }
        if records.first().is_none_or(|(seq, _)| *seq != first) { Err(gone()) } else { Ok(records) }
    }
}

impl EventSource for JournalSource {
    fn progress(&self) -> Progress {
        self.shown(self.tail.reading())
    }

    fn wait(&self, version: u64, patience: Duration) -> Progress {
        self.shown(self.tail.wait(version, patience))
    }

    fn facets(&self) -> Result<Value, Refused> {
        to_json(&self.tail.index().facets())
    }

    fn events(&self, filter: &Filter, from: Option<usize>, count: usize) -> Result<EventPage, Refused> {
        let index = self.tail.index();
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let found = searches.find(filter, &index);
        let from = from.unwrap_or_else(|| found.len().saturating_sub(count)).min(found.len());
        let places = found.iter().skip(from).take(count);
        let rows = places.filter_map(|place| shown(&index, *place as usize)).collect();
        Ok(EventPage { matched: found.len(), from, rows })
    }

    fn sessions(&self, filter: &Filter) -> Result<Value, Refused> {
        to_json(&newest_sessions(&self.tail.index(), filter))
    }

    fn overview(&self, span: &Span) -> Result<Overview, Refused> {
        Ok(Overview::of(&self.tail.index(), span))
    }

    fn event(&self, record: &str) -> Result<FoundEvent, Refused> {
        let records = self.records_of(record)?;
        let index = self.tail.index();
        let row = records.first().and_then(|(seq, _)| index.event_of(*seq)).map(|row| row.shown(index.names()));
        let row = to_json(&row)?;
        let shown = records.iter().map(|(seq, record)| numbered((*seq).into(), record)).collect();
        let head = records.into_iter().next().map(|(_, head)| head);
        Ok(FoundEvent { row, records: shown, head: head.unwrap_or_default() })
    }

    fn knows_project(&self, project: &str) -> Result<bool, Refused> {
        Ok(self.tail.index().names().find(project).is_some())
    }

    fn rule_hits(&self) -> Result<Vec<ShownHits>, Refused> {
        let index = self.tail.index();
        let hits = index.rule_hits().map(|hits| ShownHits {
            rule: hits.rule.clone(),
            layer: Some(hits.layer.clone()),
            count: hits.count,
            last: hits.last,
            newest: hits.newest.iter().rev().filter_map(|seq| row(&index, *seq)).collect(),
        });
        Ok(hits.collect())
    }
}

/// A record as the page reads it, with its id.
pub fn numbered(id: Value, record: &JournalRecord) -> Value {
    let mut value = serde_json::to_value(record).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("seq".to_owned(), id);
    }
    value
}

/// Sessions of the wanted project and agent, those that were active last first.
pub fn newest_sessions(index: &Index, filter: &Filter) -> Vec<ShownSession> {
    let names = index.names();
    let is = |wanted: &Option<String>, name| wanted.as_deref().is_none_or(|wanted| wanted == names.text(name));
    let mut wanted: Vec<_> = index
        .sessions()
        .iter()
        .filter(|session| is(&filter.project, session.project) && is(&filter.agent, session.agent))
        .collect();
    wanted.sort_by_key(|session| std::cmp::Reverse(session.last));
    wanted.into_iter().take(MOST_SESSIONS).map(|session| session.shown(names)).collect()
}

fn row(index: &Index, seq: u64) -> Option<Value> {
    serde_json::to_value(index.event_of(seq)?.shown(index.names())).ok()
}

fn shown(index: &Index, place: usize) -> Option<Value> {
    serde_json::to_value(index.rows().get(place)?.shown(index.names())).ok()
}

fn to_json(value: &impl serde::Serialize) -> Result<Value, Refused> {
    serde_json::to_value(value).map_err(|error| Refused(error.to_string()))
}
