use super::event::{EventRow, Verdict};
use super::names::{Name, Names};
use super::session::SessionRow;
use hookrail_store::{Cursor, JournalRecord, Outcome};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Every event of the journal, in the order in which they were recorded.
#[derive(Debug, Default)]
pub struct Index {
    names: Names,
    rows: Vec<EventRow>,
    sessions: Vec<SessionRow>,
    by_session: HashMap<Name, usize>,
    rules: HashMap<(Name, Name), RuleHits>,
    records: u64,
    /// Lines of the journal that could not be read.
    unreadable: u64,
    /// Whether further runs may belong to the newest event.
    open: bool,
}

/// How often a rule held.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RuleHits {
    pub rule: String,
    pub layer: String,
    pub count: u64,
    pub last: i64,
    /// The newest records, the newest last.
    pub newest: Vec<u64>,
}

/// So many of a rule's newest records are kept.
const NEWEST_HITS: usize = 20;

/// What events can be filtered by.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Facets {
    pub projects: BTreeMap<String, u64>,
    pub agents: BTreeMap<String, u64>,
    pub hooks: BTreeMap<String, u64>,
}

impl Index {
    pub fn rows(&self) -> &[EventRow] {
        &self.rows
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    pub fn sessions(&self) -> &[SessionRow] {
        &self.sessions
    }

    pub fn session(&self, id: Name) -> Option<&SessionRow> {
        self.sessions.get(*self.by_session.get(&id)?)
    }

    pub fn records(&self) -> u64 {
        self.records
    }

    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    pub fn rule_hits(&self) -> impl Iterator<Item = &RuleHits> {
        self.rules.values()
    }

    /// The event that has this record.
    pub fn event_of(&self, record: u64) -> Option<&EventRow> {
        let after = self.rows.partition_point(|row| row.seq <= record);
        self.rows.get(after.checked_sub(1)?)
    }

    pub fn note_unreadable(&mut self) {
        self.unreadable += 1;
        self.open = false;
    }

    /// The next record of the journal, and where it begins.
    pub fn add(&mut self, seq: u64, at: Cursor, record: &JournalRecord) {
        self.records += 1;
        // What the journal notes about itself, and input that was no event, is no event.
        if record.kind == "journal" || record.event.is_empty() {
            self.open = false;
            return;
        }
        if record.part == 0 {
            self.begin(seq, at, record);
        } else if !self.open {
            // The beginning of this event was pruned.
            return;
        }
        self.note_rule(seq, record);
        let Some(row) = self.rows.last_mut() else { return };
        let before = row.verdict;
        row.add(seq, record, &mut self.names);
        if let Some(session) = self.by_session.get(&row.session).and_then(|at| self.sessions.get_mut(*at)) {
            session.grow(row, before);
        }
    }

    fn begin(&mut self, seq: u64, at: Cursor, record: &JournalRecord) {
        let row = EventRow::begin(seq, at, record, &mut self.names);
        let sessions = &mut self.sessions;
        let place = *self.by_session.entry(row.session).or_insert_with(|| {
            sessions.push(SessionRow::begin(&row));
            sessions.len() - 1
        });
        if let Some(session) = sessions.get_mut(place) {
            session.enter(&row, record, &mut self.names);
        }
        self.rows.push(row);
        self.open = true;
    }

    fn note_rule(&mut self, seq: u64, record: &JournalRecord) {
        let text = |key: &str| record.extra.get(key).and_then(Value::as_str);
        let Some(rule) = text("rule").filter(|_| record.outcome != Outcome::Skipped) else { return };
        let layer = text("layer").unwrap_or_default();
        let key = (self.names.intern(rule), self.names.intern(layer));
        let hits = self.rules.entry(key).or_insert_with(|| RuleHits {
            rule: rule.to_owned(),
            layer: layer.to_owned(),
            ..RuleHits::default()
        });
        hits.count += 1;
        hits.last = hits.last.max(record.ts);
        if hits.newest.len() == NEWEST_HITS {
            hits.newest.remove(0);
        }
        hits.newest.push(seq);
    }

    /// What there is to filter by.
    pub fn facets(&self) -> Facets {
        let (mut projects, mut agents) = (HashMap::<Name, u64>::new(), HashMap::<Name, u64>::new());
        let mut hooks = HashMap::<Name, u64>::new();
        for row in &self.rows {
            *projects.entry(row.project).or_default() += 1;
            *agents.entry(row.agent).or_default() += 1;
            for run in &row.runs {
                *hooks.entry(run.hook).or_default() += 1;
            }
        }
        let texts = |counts: HashMap<Name, u64>| {
            let named = counts.into_iter().filter(|(name, _)| *name != Name::NONE);
            named.map(|(name, count)| (self.names.text(name).to_owned(), count)).collect()
        };
        Facets { projects: texts(projects), agents: texts(agents), hooks: texts(hooks) }
    }

    /// How many events came to a verdict that a person noticed.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }
}
