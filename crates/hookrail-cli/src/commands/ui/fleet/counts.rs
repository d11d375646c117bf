//! The overview, from the counts that the database keeps. Days are those of UTC, and times are bounds of steps of √2.

use super::DAY_MILLIS;
use super::sessions::{counts, verdict};
use crate::commands::fleet::FleetScope;
use crate::current_project::now_millis;
use hookrail_fleet::database::page::{CountFilter, CountedEvents, EventGrouping, EventsOfDay};
use hookrail_fleet::database::queries::{Grouping, RecordFilter, Runs};
use hookrail_fleet::database::{Database, DatabaseError};
use hookrail_store::{JournalRecord, Outcome};
use hookrail_ui::{
    CountedBy, Counts, Day, HookCount, Interruptions, Latency, Overview, ProjectCount, RuleCount, Span, Verdict,
};
use std::collections::BTreeMap;

/// So many rows of a list are sent.
const LONGEST: usize = 40;

pub fn count_filter(
    scope: &FleetScope,
    days: u16,
    project: Option<&String>,
    machine: Option<&String>,
    person: Option<&String>,
) -> CountFilter {
    CountFilter { days, project: project.cloned(), machines: scope.machines(machine), people: scope.people(person) }
}

pub fn overview(database: &mut Database, scope: &FleetScope, span: &Span) -> Result<Overview, DatabaseError> {
    let filter = count_filter(scope, span.days, span.project.as_ref(), span.machine.as_ref(), span.person.as_ref());
    let today = now_millis().div_euclid(DAY_MILLIS);
    let first = today - i64::from(span.days) + 1;
    let by_day = database.events_by_day(&filter)?;
    let of_runs = RecordFilter {
        since: Some(first * DAY_MILLIS),
        projects: filter.project.clone().into_iter().collect(),
        machines: filter.machines.clone(),
        people: filter.people.clone(),
        ..RecordFilter::default()
    };
    let hooks = hook_tallies(&database.runs(&of_runs, Grouping::Hook)?);
    let mut all = EventCounts::default();
    by_day.iter().for_each(|it| all.add(it));
    let days: Vec<(i64, EventCounts)> = (first..=today).map(|day| (day, EventCounts::of_day(day, &by_day))).collect();
    Ok(Overview {
        events: all.times.values().sum(),
        sessions: usize::try_from(database.count_sessions(&filter)?).unwrap_or(usize::MAX),
        counts: all.counts,
        interruptions: interruptions(&days),
        days: days.into_iter().map(|(day, tally)| tally.day(day)).collect(),
        rules: rules(&hooks),
        hooks: hooks.into_iter().map(|(hook, tally)| tally.shown(hook)).collect(),
        projects: database.events_by(&filter, EventGrouping::Project)?.into_iter().take(LONGEST).map(project).collect(),
        machines: database.events_by(&filter, EventGrouping::Machine)?.into_iter().take(LONGEST).map(named).collect(),
        people: database.events_by(&filter, EventGrouping::Person)?.into_iter().take(LONGEST).map(named).collect(),
        latency: all.latency(),
    })
}

fn project(counted: CountedEvents) -> ProjectCount {
    let events = counted.counts.iter().sum();
    ProjectCount { project: counted.name, events, counts: counts(&counted.counts) }
}

fn named(counted: CountedEvents) -> CountedBy {
    let events = counted.counts.iter().sum();
    CountedBy { name: counted.name, events, counts: counts(&counted.counts) }
}

/// Events by verdict and by what they took.
#[derive(Default)]
struct EventCounts {
    counts: Counts,
    times: BTreeMap<u64, u64>,
}

impl EventCounts {
    fn of_day(day: i64, events: &[EventsOfDay]) -> Self {
        let mut tally = Self::default();
        events.iter().filter(|it| it.day == day).for_each(|it| tally.add(it));
        tally
    }

    fn add(&mut self, it: &EventsOfDay) {
        self.counts.add_many(verdict(it.verdict), it.events);
        *self.times.entry(it.at_most_us).or_default() += it.events;
    }

    fn day(self, day: i64) -> Day {
        let (p50, p95) = (percentile(&self.times, 50), percentile(&self.times, 95));
        Day { start: day * DAY_MILLIS, counts: self.counts, p50, p95 }
    }

    fn latency(&self) -> Latency {
        let mut histogram: Vec<(u64, u64)> = Vec::new();
        for (micros, events) in &self.times {
            let bound = micros.next_power_of_two().max(16);
            match histogram.last_mut() {
                Some((last, count)) if *last == bound => *count += events,
                _ => histogram.push((bound, *events)),
            }
        }
        Latency {
            p50: percentile(&self.times, 50),
            p90: percentile(&self.times, 90),
            p95: percentile(&self.times, 95),
            p99: percentile(&self.times, 99),
            max: self.times.last_key_value().map(|(micros, _)| *micros).unwrap_or_default(),
            histogram,
        }
    }
}

fn interruptions(days: &[(i64, EventCounts)]) -> Interruptions {
    let active_days = days.iter().filter(|(_, tally)| !tally.times.is_empty()).count();
    let asked: u64 = days.iter().map(|(_, tally)| tally.counts.ask).sum();
    Interruptions {
        today: days.last().map(|(_, tally)| tally.counts.ask).unwrap_or_default(),
        average: if active_days == 0 { 0.0 } else { asked as f64 / active_days as f64 },
        active_days,
    }
}

/// Runs of one hook.
#[derive(Default)]
struct HookTally {
    runs: u64,
    failed: u64,
    skipped: u64,
    decided: u64,
    counts: Counts,
    times: BTreeMap<u64, u64>,
}

fn hook_tallies(runs: &[Runs]) -> Vec<(String, HookTally)> {
    let mut hooks: BTreeMap<&str, HookTally> = BTreeMap::new();
    for it in runs {
        hooks.entry(&it.label).or_default().add(it);
    }
    let mut hooks: Vec<(String, HookTally)> = hooks.into_iter().map(|(hook, tally)| (hook.to_owned(), tally)).collect();
    hooks.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.runs));
    hooks
}

impl HookTally {
    fn add(&mut self, it: &Runs) {
        let outcome = serde_json::from_value(it.outcome.as_str().into()).unwrap_or(Outcome::Unknown);
        if outcome == Outcome::Skipped {
            self.skipped += it.runs;
            return;
        }
        let verdict =
            Verdict::of(&JournalRecord { outcome, decision: it.decision.clone(), ..JournalRecord::default() });
        self.runs += it.runs;
        self.failed += if outcome == Outcome::Failed { it.runs } else { 0 };
        self.decided += if verdict > Verdict::Failed { it.runs } else { 0 };
        self.counts.add_many(verdict, it.runs);
        *self.times.entry(it.at_most_us).or_default() += it.runs;
    }

    fn shown(self, hook: String) -> HookCount {
        HookCount {
            hook,
            runs: self.runs,
            failed: self.failed,
            skipped: self.skipped,
            decided: self.decided,
            p50: percentile(&self.times, 50),
            p95: percentile(&self.times, 95),
            p99: percentile(&self.times, 99),
        }
    }
}

fn rules(hooks: &[(String, HookTally)]) -> Vec<RuleCount> {
    let decided = hooks.iter().filter(|(_, tally)| tally.decided > 0);
    let mut rules: Vec<RuleCount> = decided
        .map(|(hook, tally)| RuleCount { hook: hook.clone(), counts: tally.counts, total: tally.decided })
        .collect();
    rules.sort_by(|one, other| other.total.cmp(&one.total).then_with(|| one.hook.cmp(&other.hook)));
    rules.truncate(LONGEST);
    rules
}

/// The bound that so many of a hundred did not exceed.
fn percentile(times: &BTreeMap<u64, u64>, percent: u64) -> u64 {
    let rank = (times.values().sum::<u64>() * percent).div_ceil(100);
    let mut passed = 0;
    let reached = times.iter().find(|(_, count)| {
        passed += **count;
        passed >= rank
    });
    reached.map(|(micros, _)| *micros).unwrap_or_default()
}
