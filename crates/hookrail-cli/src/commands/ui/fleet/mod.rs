//! `hookrail ui --fleet`: the page over all machines. Lists are bounded and counts are made by the database.

mod counts;
mod machine;
mod sessions;
mod window;

pub use machine::FleetCommands;

use crate::commands::fleet::FleetScope;
use crate::error::CliError;
use hookrail_fleet::database::page::{EventFilter, EventGrouping, FleetEvent, RecordKey};
use hookrail_fleet::database::{Database, DatabaseError};
use hookrail_ui::{EventPage, EventSource, Filter, FoundEvent, Overview, Progress, Refused, ShownHits, Span, Verdict};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use window::Windows;

/// How often it is looked whether something arrived.
const PULSE: Duration = Duration::from_secs(2);
/// A person does not wait longer for a list.
const PATIENCE_SECONDS: u32 = 20;
/// What there is to filter by, and the number of all events, may be this old.
const FRESH: Duration = Duration::from_secs(30);
/// Filters offer what happened in so many days.
const FACET_DAYS: u16 = 14;
/// So many sessions, each with so many of its newest events.
const SESSIONS: usize = 60;
const MARKS: usize = 60;
/// So many newest events of a rule.
const NEWEST_HITS: usize = 20;
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// What many machines shipped.
pub struct FleetSource {
    scope: FleetScope,
    connection: Mutex<Option<Database>>,
    windows: Mutex<Windows>,
    facets: Mutex<Option<(Instant, Value)>>,
    progress: Mutex<Progress>,
    changed: Condvar,
}

impl FleetSource {
    /// Connects, and from then on looks whether something arrived.
    pub fn follow(scope: &FleetScope) -> Result<Arc<Self>, CliError> {
        let database = connect(scope)?;
        let source = Arc::new(Self {
            scope: scope.clone(),
            connection: Mutex::new(Some(database)),
            windows: Mutex::default(),
            facets: Mutex::default(),
            progress: Mutex::default(),
            changed: Condvar::new(),
        });
        let watcher = Arc::clone(&source);
        std::thread::spawn(move || watcher.watch());
        Ok(source)
    }

    fn watch(&self) {
        let mut known = None;
        let (mut events, mut counted) = (0, None::<Instant>);
        loop {
            let looked = self.ask(|database| {
                let arrival = database.arrival()?;
                if counted.is_none_or(|at| at.elapsed() > FRESH) {
                    (events, counted) = (database.count_events()?, Some(Instant::now()));
                }
                Ok(arrival)
            });
            self.note(|progress| {
                progress.is_caught_up = true;
                progress.events = events;
                match looked {
                    Ok(arrival) => {
                        progress.records = arrival.records;
                        progress.trouble = None;
                        known.replace(arrival.mark.clone()) != Some(arrival.mark)
                    }
                    Err(Refused(why)) => progress.trouble.replace(why.clone()) != Some(why),
                }
            });
            std::thread::sleep(PULSE);
        }
    }

    fn note(&self, change: impl FnOnce(&mut Progress) -> bool) {
        let mut progress = lock(&self.progress);
        if change(&mut progress) {
            progress.version += 1;
            self.changed.notify_all();
        }
    }

    /// Asks the database. A connection that was lost is made anew by the next question.
    fn ask<T>(&self, question: impl FnOnce(&mut Database) -> Result<T, DatabaseError>) -> Result<T, Refused> {
        let mut connection = lock(&self.connection);
        let mut database = match connection.take() {
            Some(database) => database,
            None => connect(&self.scope)?,
        };
        match question(&mut database) {
            Ok(answer) => {
                *connection = Some(database);
                Ok(answer)
            }
            Err(error) if error.is_given_up() => {
                *connection = Some(database);
                let why = format!(
                    "the database needed more than {PATIENCE_SECONDS} s\nhint: narrow it by a project, a machine, a person or a decision"
                );
                Err(Refused(why))
            }
            Err(error) => Err(Refused(error.to_string())),
        }
    }

    fn filter(&self, filter: &Filter) -> EventFilter {
        let number = |verdict: &Verdict| u8::try_from(*verdict as usize).unwrap_or_default();
        EventFilter {
            session: filter.session.clone(),
            lane: filter.lane.clone(),
            project: filter.project.clone(),
            agent: filter.agent.clone(),
            hook: filter.hook.clone(),
            machines: self.scope.machines(filter.machine.as_ref()),
            people: self.scope.people(filter.person.as_ref()),
            verdicts: filter.decisions.iter().map(number).collect(),
            text: filter.text.clone(),
        }
    }

    fn rows(&self, keys: &[RecordKey]) -> Result<Vec<Value>, Refused> {
        let events = self.ask(|database| database.events(keys))?;
        // A row that was dropped meanwhile keeps its place.
        let mut found: BTreeMap<RecordKey, Value> =
            events.iter().filter_map(|event| Some((event.key, shown(event)?))).collect();
        Ok(keys.iter().map(|key| found.remove(key).unwrap_or_else(|| dropped(*key))).collect())
    }
}

impl EventSource for FleetSource {
    fn progress(&self) -> Progress {
        lock(&self.progress).clone()
    }

    fn wait(&self, version: u64, patience: Duration) -> Progress {
        let is_old = |progress: &mut Progress| progress.version <= version;
        let waited = self.changed.wait_timeout_while(lock(&self.progress), patience, is_old);
        waited.unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    fn facets(&self) -> Result<Value, Refused> {
        let mut kept = lock(&self.facets);
        if let Some((at, facets)) = &*kept
            && at.elapsed() < FRESH
        {
            return Ok(facets.clone());
        }
        let filter = counts::count_filter(&self.scope, FACET_DAYS, None, None, None);
        let facets = self.ask(|database| {
            let mut facets = Map::new();
            let groups = [
                ("projects", EventGrouping::Project),
                ("agents", EventGrouping::Agent),
                ("machines", EventGrouping::Machine),
                ("people", EventGrouping::Person),
            ];
            for (name, grouping) in groups {
                let values: Map<String, Value> = database
                    .events_by(&filter, grouping)?
                    .into_iter()
                    .filter(|counted| !counted.name.is_empty())
                    .map(|counted| (counted.name, counted.counts.iter().sum::<u64>().into()))
                    .collect();
                facets.insert(name.to_owned(), Value::Object(values));
            }
            let hooks = database.hooks()?.into_iter().map(|(hook, runs, _)| (hook, runs.into()));
            facets.insert("hooks".to_owned(), Value::Object(hooks.collect()));
            Ok(Value::Object(facets))
        })?;
        *kept = Some((Instant::now(), facets.clone()));
        Ok(facets)
    }

    fn events(&self, filter: &Filter, from: Option<usize>, count: usize) -> Result<EventPage, Refused> {
        let version = lock(&self.progress).version;
        let wanted = self.filter(filter);
        let mut windows = lock(&self.windows);
        let keys = self.ask(|database| windows.find(&wanted, version, database))?;
        let from = from.unwrap_or_else(|| keys.len().saturating_sub(count)).min(keys.len());
        let page: Vec<RecordKey> = keys.iter().skip(from).take(count).copied().collect();
        let matched = keys.len();
        drop(windows);
        Ok(EventPage { matched, from, rows: self.rows(&page)? })
    }

    fn sessions(&self, filter: &Filter) -> Result<Value, Refused> {
        let filter = self.filter(filter);
        let found = self.ask(|database| database.newest_sessions(&filter, SESSIONS, MARKS))?;
        Ok(found.iter().map(sessions::shown).collect())
    }

    fn overview(&self, span: &Span) -> Result<Overview, Refused> {
        self.ask(|database| counts::overview(database, &self.scope, span))
    }

    fn event(&self, record: &str) -> Result<FoundEvent, Refused> {
        let gone = || Refused(format!("the database has no record {record} any more"));
        let key: RecordKey = record.parse().map_err(|()| gone())?;
        let found = self.ask(|database| database.events(&[key]))?;
        let event = found.into_iter().next().ok_or_else(gone)?;
        let row = shown(&event).ok_or_else(gone)?;
        let of = |(key, it): &(RecordKey, hookrail_fleet::database::queries::FleetRecord)| {
            hookrail_ui::numbered(key.to_string().into(), &it.record)
        };
        let records = event.records.iter().map(of).collect();
        let head = event.records.into_iter().next().map(|(_, it)| it.record).ok_or_else(gone)?;
        Ok(FoundEvent { row, head, records })
    }

    fn knows_project(&self, project: &str) -> Result<bool, Refused> {
        Ok(self.facets()?.pointer("/projects").and_then(|projects| projects.get(project)).is_some())
    }

    fn rule_hits(&self) -> Result<Vec<ShownHits>, Refused> {
        let (hooks, newest) = self.ask(|database| {
            let hooks = database.hooks()?;
            let rules: Vec<String> = hooks.iter().map(|(hook, ..)| hook.clone()).filter(|hook| is_rule(hook)).collect();
            let newest = if rules.is_empty() { Vec::new() } else { database.newest_of_hooks(&rules, NEWEST_HITS)? };
            Ok((hooks, newest))
        })?;
        let rules = hooks.into_iter().filter(|(hook, ..)| is_rule(hook)).map(|(hook, count, day)| {
            let keys: Vec<RecordKey> = newest.iter().filter(|(of, _)| *of == hook).map(|(_, key)| *key).collect();
            let newest = self.rows(&keys)?;
            let seen = newest.first().and_then(|row| row.get("ts")).and_then(Value::as_i64);
            let rule = hook.strip_prefix("rule/").unwrap_or(&hook).to_owned();
            Ok(ShownHits { rule, layer: None, count, last: seen.unwrap_or(day * DAY_MILLIS), newest })
        });
        rules.collect()
    }
}

fn connect(scope: &FleetScope) -> Result<Database, CliError> {
    let mut database = scope.connect()?;
    database.limit_questions(PATIENCE_SECONDS).map_err(CliError::machine)?;
    Ok(database)
}

/// A hook whose name is that of a rule.
fn is_rule(hook: &str) -> bool {
    hook.starts_with("rule/") || hook.starts_with("safety/")
}

/// An event as the page reads it, and whose it is.
fn shown(event: &FleetEvent) -> Option<Value> {
    let ids: Vec<String> = event.records.iter().map(|(key, _)| key.to_string()).collect();
    let records = event.records.iter().map(|(_, it)| &it.record);
    let mut row = hookrail_ui::shown_event(ids.iter().map(String::as_str).zip(records))?;
    let (_, first) = event.records.first()?;
    let fields = row.as_object_mut()?;
    fields.insert("machine".to_owned(), first.machine.clone().into());
    fields.insert("person".to_owned(), first.person.clone().into());
    Some(row)
}

/// In place of an event whose day was dropped while the page was open.
fn dropped(key: RecordKey) -> Value {
    json!({
        "seq": key.to_string(), "decisive": key.to_string(), "ts": key.day * DAY_MILLIS, "session": "", "agent": "", "project": "",
        "event": "no longer kept", "tool": "", "lane": "", "subject": "", "reason": "", "verdict": "none", "micros": 0, "runs": [],
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
