//! What the commands that read the journal share.

mod moment;

use super::replay::history::Wanted;
use crate::commands::rules::inventory::Inventory;
use crate::current_project::{CurrentProject, now_millis};
use crate::error::CliError;
use crate::screen::{self, Progress};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hookrail_core::World;
use hookrail_engine::RealWorld;
use hookrail_fleet::database::queries::RecordFilter;
use hookrail_store::{Cursor, FileStore, Outcome, ReadError, RecordSummary, StateRoot, Store};
pub use moment::Moment;
use std::collections::BTreeSet;
use std::ffi::OsString;

/// From when to when.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Period {
    /// Only from then on: an age (30m, 12h, 7d), a day (2026-11-14, today) or a time (2026-11-14T09:30), in UTC
    #[arg(long, value_name = "TIME", value_parser = parse_moment)]
    since: Option<Moment>,
    /// Only up to then
    #[arg(long, value_name = "TIME", value_parser = parse_moment)]
    until: Option<Moment>,
}

impl Period {
    /// Milliseconds since 1970, both included.
    pub fn bounds(&self) -> (Option<i64>, Option<i64>) {
        (self.since.map(|since| since.first), self.until.map(|until| until.last))
    }

    /// Where the records of this period begin; older ones may follow as well.
    pub fn begin(&self, store: &dyn Store) -> Result<Cursor, CliError> {
        let since = self.since.map_or(Ok(Cursor::default()), |since| store.since(since.first));
        since.map_err(CliError::machine)
    }

    /// Whether a record of this time shows that no later one belongs to the period.
    pub fn is_over(&self, millis: i64) -> bool {
        self.until.is_some_and(|until| millis.saturating_sub(FileStore::DISORDER_MILLIS) > until.last)
    }

    pub fn contains(&self, millis: i64) -> bool {
        self.since.is_none_or(|since| since.first <= millis) && self.until.is_none_or(|until| millis <= until.last)
    }
}

/// Which records are wanted.
#[derive(clap::Args)]
pub struct Filter {
    /// Only this session (repeats)
    #[arg(long, value_name = "ID")]
    session: Vec<String>,
    /// Only this hook (`pack/name` or a command hook's name), or every hook of a pack (`pack/`); repeats
    #[arg(long, value_name = "ID")]
    hook: Vec<String>,
    /// Only this decision: stop, deny, ask or allow (repeats)
    #[arg(long, value_name = "WORD", value_parser = decisions())]
    decision: Vec<String>,
    /// Only this outcome (repeats)
    #[arg(long, value_name = "WORD", value_parser = ["succeeded", "blocked", "warned", "failed", "skipped"])]
    outcome: Vec<String>,
    #[command(flatten)]
    period: Period,
}

impl Filter {
    /// The same for the database of a fleet.
    pub fn for_fleet(&self, agents: &[String]) -> RecordFilter {
        let (since, until) = self.period.bounds();
        RecordFilter {
            sessions: self.session.clone(),
            hooks: self.hook.clone(),
            decisions: self.decision.clone(),
            outcomes: self.outcome.clone(),
            agents: agents.to_vec(),
            since,
            until,
            ..RecordFilter::default()
        }
    }

    /// Every record is wanted.
    pub fn is_open(&self) -> bool {
        let Self { session, hook, decision, outcome, period } = self;
        [session, hook, decision, outcome].iter().all(|words| words.is_empty())
            && period.since.is_none()
            && period.until.is_none()
    }

    /// Where no record was found: whether a session or hook is named that does not exist.
    pub fn check_names(&self, store: &dyn Store) -> Result<(), CliError> {
        if self.session.is_empty() && self.hook.is_empty() {
            return Ok(());
        }
        let (mut sessions, mut hooks) = (BTreeSet::new(), known_hooks());
        for entry in store.records(Cursor::default()).map_err(CliError::machine)?.flatten() {
            sessions.insert(entry.record.session);
            hooks.insert(entry.record.hook);
        }
        if let Some(name) = self.session.iter().find(|name| !sessions.contains(*name)) {
            let error = CliError::unknown("session", name, sessions.iter().map(String::as_str));
            return Err(error.hint("`hookrail log` shows the sessions of the journal"));
        }
        let is_unknown = |name: &&String| !name.ends_with('/') && !hooks.contains(*name);
        match self.hook.iter().find(is_unknown) {
            Some(name) => Err(CliError::unknown("hook", name, hooks.iter().map(String::as_str))),
            None => Ok(()),
        }
    }

    /// The events of the wanted sessions and times, whatever hooks did about them.
    pub fn events(&self) -> Wanted<'_> {
        Wanted { period: Some(&self.period), sessions: &self.session, project: None, agents: &[] }
    }

    /// From when to when.
    pub fn period(&self) -> &Period {
        &self.period
    }

    pub fn admits(&self, record: &RecordSummary<'_>) -> bool {
        let is = |wanted: &[String], value: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == value);
        let hook = |wanted: &String| match wanted.strip_suffix('/') {
            Some(pack) => record.hook.split_once('/').is_some_and(|(named, _)| named == pack),
            None => record.hook == wanted.as_str(),
        };
        self.period.contains(record.ts)
            && (self.hook.is_empty() || self.hook.iter().any(hook))
            && is(&self.session, record.session)
            && is(&self.decision, record.decision.unwrap_or_default())
            && is(&self.outcome, outcome_word(record.outcome))
    }
}

/// Hooks of packs, command hooks of this project, and rules, by the names that the journal has for them.
fn known_hooks() -> BTreeSet<String> {
    let packs = hookrail_packs::packs().flat_map(|pack| pack.hooks().iter().map(|hook| hook.id().to_owned()));
    let mut known: BTreeSet<String> = packs.collect();
    if let Ok(place) = CurrentProject::here() {
        known.extend(place.settings.commands().into_iter().map(|hook| hook.name));
        let rules = Inventory::of(&place).rules;
        let name = |id: &String| if id.contains('/') { id.clone() } else { format!("rule/{id}") };
        known.extend(rules.iter().map(|listed| name(&listed.rule.id)));
    }
    known
}

/// The journal has the word `block` for a deny.
fn decisions() -> impl TypedValueParser<Value = String> {
    let words = PossibleValuesParser::new(["stop", "deny", "block", "ask", "allow"]);
    words.map(|word| if word == "deny" { "block".to_owned() } else { word })
}

/// The word the journal itself has for an outcome.
pub fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "succeeded",
        Outcome::Blocked => "blocked",
        Outcome::Failed => "failed",
        Outcome::Skipped => "skipped",
        Outcome::Warned => "warned",
        Outcome::Unknown => "unknown",
    }
}

/// The journal of this user.
pub fn open() -> Result<FileStore, CliError> {
    let world = RealWorld::default();
    let env = |name: &str| world.env(name).map(OsString::from);
    let folder = StateRoot::resolve(&env).map_err(CliError::machine)?;
    Ok(FileStore::new(StateRoot::at(folder), now_millis))
}

/// How far the journal is read, for a person who waits.
#[derive(Debug)]
pub struct ReadProgress {
    progress: Progress,
    reached: u64,
}

impl ReadProgress {
    pub fn new(what: &str, store: &dyn Store) -> Self {
        let newest = || store.records(store.tail(1).ok()?).ok()?.find_map(Result::ok);
        Self { progress: Progress::new(what, newest().map_or(0, |entry| entry.seq)), reached: 0 }
    }

    /// The record of this number was read.
    pub fn reached(&mut self, seq: u64) {
        self.progress.advance(seq.saturating_sub(self.reached));
        self.reached = seq;
    }
}

/// Says what cannot be read, on stderr.
pub fn complain(error: &ReadError) {
    screen::warn(screen::one_line(&error.to_string()));
}

fn parse_moment(text: &str) -> Result<Moment, CliError> {
    Moment::parse(text, now_millis())
}
