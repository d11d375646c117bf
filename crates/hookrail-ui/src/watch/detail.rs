//! One event, as the journal has it.

use crate::journal::{EventRow, Index, Verdict};
use hookrail_core::display;
use hookrail_store::{JournalRecord, Store};

/// An event has at most so many records.
const MOST_RUNS: usize = 512;

/// An event that was opened.
#[derive(Clone, Debug, Default)]
pub struct Detail {
    pub title: String,
    pub verdict: Verdict,
    pub facts: Vec<(&'static str, String)>,
    /// What the event is about, with the part that a rule named in the middle.
    pub subject: [String; 3],
    pub runs: Vec<Run>,
    pub scroll: usize,
    /// How many lines it has when it is drawn.
    pub lines: usize,
}

#[derive(Clone, Debug)]
pub struct Run {
    pub hook: String,
    pub verdict: Verdict,
    pub micros: u64,
    pub source: String,
    pub why: String,
}

impl Detail {
    pub fn read(row: &EventRow, index: &Index, store: &dyn Store) -> Self {
        let names = index.names();
        let line = |text: &str| display::one_line(text).into_owned();
        let shown = row.shown(names);
        let subject = shown
            .marked
            .map_or_else(|| [String::new(), String::new(), shown.subject.to_owned()], |parts| parts.map(str::to_owned));
        let mut facts =
            vec![("agent", line(shown.agent)), ("session", line(shown.session)), ("project", line(shown.project))];
        if !shown.lane.is_empty() {
            facts.push(("sub-agent", line(shown.lane)));
        }
        facts.push(("record", shown.decisive.to_string()));
        Self {
            title: line(&format!("{} {}", shown.event, shown.tool)),
            verdict: row.verdict,
            facts,
            subject: subject.map(|part| display::block(&part).into_owned()),
            runs: runs(row, store),
            ..Self::default()
        }
    }
}

fn runs(row: &EventRow, store: &dyn Store) -> Vec<Run> {
    let Ok(records) = store.records(row.at) else { return Vec::new() };
    let mut runs = Vec::new();
    for entry in records.flatten().take(MOST_RUNS) {
        if entry.record.part == 0 && !runs.is_empty() || entry.seq < row.seq {
            break;
        }
        runs.push(run(&entry.record));
    }
    runs
}

fn run(record: &JournalRecord) -> Run {
    let line = |text: &str| display::one_line(text).into_owned();
    let why = record.reason.as_deref().or(record.error.as_deref()).unwrap_or_default();
    Run {
        hook: line(&record.hook),
        verdict: Verdict::of(record),
        micros: record.duration_us,
        source: line(&record.source),
        why: display::block(why).into_owned(),
    }
}
