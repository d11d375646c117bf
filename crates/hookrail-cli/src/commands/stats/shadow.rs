//! `hookrail stats --shadow`: what hooks in mode `shadow` would have done, compared with what happened.

use crate::commands::journal::ReadProgress;
use crate::commands::replay::history::{self, PastEvent, Wanted};
use crate::commands::replay::opinion::{EventResult, Opinion};
use crate::error::CliError;
use crate::screen::{Align, Table, columns, one_line, shorten, visible_width};
use hookrail_engine::timestamp_of;
use hookrail_store::Store;
use owo_colors::OwoColorize;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};

/// How many calls are shown.
const SHOWN: usize = 10;
/// The length of a day in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Events by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DecisionCounts {
    pub deny: u64,
    pub ask: u64,
    pub allow: u64,
}

impl DecisionCounts {
    fn add(&mut self, answer: EventResult) {
        match answer {
            EventResult::Block | EventResult::Stop => self.deny += 1,
            EventResult::Ask => self.ask += 1,
            EventResult::Allow => self.allow += 1,
            EventResult::None | EventResult::Failed | EventResult::Warned => {}
        }
    }
}

/// One hook in mode `shadow`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ShadowHook {
    /// How often it was asked.
    pub runs: u64,
    /// What it would have done.
    #[serde(flatten)]
    pub would: DecisionCounts,
    /// How often it alone would have refused what happened.
    pub new_denials: u64,
    /// How often it alone would have asked about what happened.
    pub new_questions: u64,
}

/// An event that would have become another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShadowedEvent {
    pub seq: u64,
    pub time: String,
    pub agent: String,
    pub tool: Option<String>,
    pub subject: Option<String>,
    pub live: &'static str,
    pub candidate: &'static str,
    pub hooks: Vec<String>,
}

/// What came of it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ShadowCount {
    pub events: u64,
    pub days: u64,
    /// What happened.
    pub live: DecisionCounts,
    /// What would have happened with the hooks that are in the shadow.
    pub candidate: DecisionCounts,
    pub changed: u64,
    pub hooks: BTreeMap<String, ShadowHook>,
    /// The newest ones.
    pub newest: VecDeque<ShadowedEvent>,
    #[serde(skip)]
    known_days: BTreeSet<i64>,
}

/// Counts the events at which a hook in mode `shadow` was asked.
pub fn count(store: &dyn Store, wanted: &Wanted<'_>) -> Result<ShadowCount, CliError> {
    let mut progress = ReadProgress::new("comparing", store);
    let mut count = ShadowCount::default();
    for event in history::events(store, wanted, |seq| progress.reached(seq))? {
        if event.runs.iter().any(|run| run.shadow) {
            count.add(event);
        }
    }
    count.days = count.known_days.len() as u64;
    Ok(count)
}

impl ShadowCount {
    fn add(&mut self, event: PastEvent) {
        let live = Opinion::live(&event.runs).answer;
        self.events += 1;
        self.known_days.insert(event.head.ts.div_euclid(DAY));
        self.live.add(live);
        let (mut candidate, mut hooks) = (live, Vec::new());
        for run in event.runs.iter().filter(|run| run.shadow) {
            let would = EventResult::of_decision(run.decision);
            let hook = self.hooks.entry(run.hook.clone()).or_default();
            hook.runs += 1;
            hook.would.add(would);
            let is_new = would > live;
            hook.new_denials += u64::from(is_new && would >= EventResult::Block);
            hook.new_questions += u64::from(is_new && would == EventResult::Ask);
            if is_new && would > EventResult::None {
                hooks.push(run.hook.clone());
            }
            candidate = candidate.max(would);
        }
        self.candidate.add(candidate);
        // An approval is no other end than no opinion: the call ran.
        if candidate > live && candidate >= EventResult::Ask {
            self.changed += 1;
            self.newest.push_back(ShadowedEvent {
                seq: event.seq,
                time: timestamp_of(event.head.ts),
                agent: event.head.agent,
                tool: event.head.tool,
                subject: event.head.subject,
                live: word(live),
                candidate: word(candidate),
                hooks,
            });
            if self.newest.len() > SHOWN {
                self.newest.pop_front();
            }
        }
    }
}

fn many(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A decision in the words of the book.
fn word(answer: EventResult) -> &'static str {
    match answer {
        EventResult::None | EventResult::Failed | EventResult::Warned => "none",
        EventResult::Allow => "allow",
        EventResult::Ask => "ask",
        EventResult::Block => "deny",
        EventResult::Stop => "stop",
    }
}

pub fn write(count: &ShadowCount, out: &mut dyn Write) -> io::Result<()> {
    if count.hooks.is_empty() {
        return writeln!(
            out,
            "no hook or rule in mode `shadow` was asked\nhint: `mode = \"shadow\"` on a rule, a hook or a pack records what it would do"
        );
    }
    let DecisionCounts { deny, ask, .. } = count.live;
    writeln!(
        out,
        "{} event{} on {} day{}: {} refused and {} asked about; with what is in the shadow {} and {}",
        count.events,
        many(count.events),
        count.days,
        many(count.days),
        deny,
        ask,
        count.candidate.deny,
        count.candidate.ask
    )?;
    let mut table = Table::new([
        ("in the shadow", Align::Left),
        ("asked", Align::Right),
        ("would deny", Align::Right),
        ("would ask", Align::Right),
        ("would allow", Align::Right),
        ("new denials", Align::Right),
        ("new questions", Align::Right),
    ]);
    for (hook, row) in &count.hooks {
        let numbers = [row.runs, row.would.deny, row.would.ask, row.would.allow, row.new_denials, row.new_questions];
        table.row(std::iter::once(one_line(hook)).chain(numbers.map(|number| number.to_string())));
    }
    table.write(out)?;
    for event in &count.newest {
        let what =
            [event.tool.as_deref(), event.subject.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let time = event.time.get(..16).unwrap_or(&event.time).replace('T', " ");
        let head = format!("{}  {} → {}  #{}  ", time.dimmed(), event.live, event.candidate.red(), event.seq);
        let room = columns().saturating_sub(visible_width(&head)).max(24);
        writeln!(out, "{head}{}", shorten(&one_line(&what), room))?;
    }
    Ok(())
}
