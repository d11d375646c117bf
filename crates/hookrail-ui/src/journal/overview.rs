//! What the overview shows, counted here so that a page never holds the whole journal.

use super::event::{EventRow, Verdict};
use super::index::Index;
use super::names::Name;
use super::session::Counts;
use serde::Serialize;
use std::collections::HashMap;

const MINUTE: i64 = 60 * 1000;
const DAY: i64 = 24 * 60 * MINUTE;
/// So many rows of a list are sent; the page says how many more there are.
const LONGEST: usize = 40;

/// What is counted: so many days up to now, in one project or in all.
#[derive(Clone, Debug)]
pub struct Span {
    pub now: i64,
    pub days: u16,
    /// Minutes east of UTC: a day is the day of the person who looks.
    pub offset: i64,
    pub project: Option<String>,
    /// Only events of many machines have these.
    pub machine: Option<String>,
    pub person: Option<String>,
}

impl Span {
    fn day(&self, millis: i64) -> i64 {
        millis.saturating_add(self.offset.saturating_mul(MINUTE)).div_euclid(DAY)
    }

    fn first_day(&self) -> i64 {
        self.day(self.now) - i64::from(self.days) + 1
    }

    fn contains(&self, row: &EventRow, project: Option<Name>) -> bool {
        (self.first_day()..=self.day(self.now)).contains(&self.day(row.millis))
            && project.is_none_or(|project| row.project == project)
    }
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Overview {
    pub events: u64,
    pub sessions: usize,
    pub counts: Counts,
    pub days: Vec<Day>,
    pub rules: Vec<RuleCount>,
    pub projects: Vec<ProjectCount>,
    pub hooks: Vec<HookCount>,
    pub latency: Latency,
    pub interruptions: Interruptions,
    /// Of many machines only: events by machine and by person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<CountedBy>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<CountedBy>,
}

#[derive(Clone, Debug, Serialize)]
pub struct CountedBy {
    pub name: String,
    pub events: u64,
    #[serde(flatten)]
    pub counts: Counts,
}

#[derive(Clone, Debug, Serialize)]
pub struct Day {
    /// Midnight of the day where the person is, in milliseconds since 1970.
    pub start: i64,
    #[serde(flatten)]
    pub counts: Counts,
    pub p50: u64,
    pub p95: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct RuleCount {
    pub hook: String,
    #[serde(flatten)]
    pub counts: Counts,
    pub total: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct ProjectCount {
    pub project: String,
    pub events: u64,
    #[serde(flatten)]
    pub counts: Counts,
}

#[derive(Clone, Debug, Serialize)]
pub struct HookCount {
    pub hook: String,
    pub runs: u64,
    pub failed: u64,
    pub skipped: u64,
    pub decided: u64,
    pub p50: u64,
    pub p95: u64,
    pub p99: u64,
}

/// What all hooks of an event take together, in microseconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Latency {
    pub p50: u64,
    pub p90: u64,
    pub p95: u64,
    pub p99: u64,
    pub max: u64,
    /// How many events took up to so many microseconds, by powers of two.
    pub histogram: Vec<(u64, u64)>,
}

/// Only a question interrupts a person: a refusal is told to the agent, which tries another way.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Interruptions {
    pub today: u64,
    /// On a day on which an agent was used.
    pub average: f64,
    pub active_days: usize,
}

#[derive(Default)]
struct HookTally {
    runs: u64,
    failed: u64,
    skipped: u64,
    decided: u64,
    counts: Counts,
    times: Vec<u64>,
}

#[derive(Default)]
struct DayTally {
    counts: Counts,
    times: Vec<u64>,
}

impl Overview {
    pub fn of(index: &Index, span: &Span) -> Self {
        let project = match span.project.as_deref() {
            Some(project) => match index.names().find(project) {
                Some(project) => Some(project),
                None => return Self::default(),
            },
            None => None,
        };
        let mut tally = Tally::default();
        index.rows().iter().filter(|row| span.contains(row, project)).for_each(|row| tally.take(row, span));
        tally.finish(index, span)
    }
}

#[derive(Default)]
struct Tally {
    counts: Counts,
    events: u64,
    sessions: HashMap<Name, ()>,
    days: HashMap<i64, DayTally>,
    hooks: HashMap<Name, HookTally>,
    projects: HashMap<Name, (u64, Counts)>,
    times: Vec<u64>,
}

impl Tally {
    fn take(&mut self, row: &EventRow, span: &Span) {
        let micros = row.micros();
        self.events += 1;
        self.counts.add(row.verdict);
        self.sessions.insert(row.session, ());
        let day = self.days.entry(span.day(row.millis)).or_default();
        day.counts.add(row.verdict);
        day.times.push(micros);
        let project = self.projects.entry(row.project).or_default();
        project.0 += 1;
        project.1.add(row.verdict);
        self.times.push(micros);
        for run in &row.runs {
            let hook = self.hooks.entry(run.hook).or_default();
            hook.skipped += u64::from(run.skipped);
            if run.skipped {
                continue;
            }
            hook.runs += 1;
            hook.failed += u64::from(run.failed);
            hook.decided += u64::from(run.verdict > Verdict::Failed);
            hook.counts.add(run.verdict);
            hook.times.push(run.micros);
        }
    }

    fn finish(mut self, index: &Index, span: &Span) -> Overview {
        let latency = Latency::of(&mut self.times);
        let interruptions = self.interruptions(span);
        let days = self.days(span);
        let text = |name: Name| index.names().text(name).to_owned();
        let mut rules: Vec<RuleCount> = self
            .hooks
            .iter()
            .filter(|(_, tally)| tally.decided > 0)
            .map(|(hook, tally)| RuleCount { hook: text(*hook), counts: tally.counts, total: tally.decided })
            .collect();
        rules.sort_by(|one, other| other.total.cmp(&one.total).then_with(|| one.hook.cmp(&other.hook)));
        rules.truncate(LONGEST);
        let mut projects: Vec<ProjectCount> = self
            .projects
            .into_iter()
            .map(|(project, (events, counts))| ProjectCount { project: text(project), events, counts })
            .collect();
        projects.sort_by(|one, other| other.events.cmp(&one.events).then_with(|| one.project.cmp(&other.project)));
        projects.truncate(LONGEST);
        let mut hooks: Vec<HookCount> = self.hooks.into_iter().map(|(hook, tally)| tally.finish(text(hook))).collect();
        hooks.sort_by(|one, other| other.runs.cmp(&one.runs).then_with(|| one.hook.cmp(&other.hook)));
        Overview {
            events: self.events,
            sessions: self.sessions.len(),
            counts: self.counts,
            days,
            rules,
            projects,
            hooks,
            latency,
            interruptions,
            ..Overview::default()
        }
    }

    /// Every day of the span, those without events included.
    fn days(&mut self, span: &Span) -> Vec<Day> {
        let day = |number: i64| {
            let mut tally = self.days.remove(&number).unwrap_or_default();
            tally.times.sort_unstable();
            Day {
                start: number * DAY - span.offset * MINUTE,
                counts: tally.counts,
                p50: percentile(&tally.times, 50),
                p95: percentile(&tally.times, 95),
            }
        };
        (span.first_day()..=span.day(span.now)).map(day).collect()
    }

    fn interruptions(&self, span: &Span) -> Interruptions {
        let asked = |day: &DayTally| day.counts.ask;
        let active_days = self.days.len();
        let all: u64 = self.days.values().map(asked).sum();
        Interruptions {
            today: self.days.get(&span.day(span.now)).map(asked).unwrap_or_default(),
            average: if active_days == 0 { 0.0 } else { all as f64 / active_days as f64 },
            active_days,
        }
    }
}

impl HookTally {
    fn finish(mut self, hook: String) -> HookCount {
        self.times.sort_unstable();
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

impl Latency {
    fn of(times: &mut [u64]) -> Self {
        times.sort_unstable();
        let mut histogram: Vec<(u64, u64)> = Vec::new();
        for time in times.iter() {
            let bound = time.next_power_of_two().max(16);
            match histogram.last_mut() {
                Some((last, count)) if *last == bound => *count += 1,
                _ => histogram.push((bound, 1)),
            }
        }
        Self {
            p50: percentile(times, 50),
            p90: percentile(times, 90),
            p95: percentile(times, 95),
            p99: percentile(times, 99),
            max: times.last().copied().unwrap_or_default(),
            histogram,
        }
    }
}

/// A time that was measured, and that so many of a hundred did not exceed.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_store::{Cursor, JournalRecord, Outcome};

    /// When, project, hook, outcome, decision, microseconds.
    type Case<'c> = (i64, &'c str, &'c str, Outcome, Option<&'c str>, u64);

    fn index(records: &[Case<'_>]) -> Index {
        let mut index = Index::default();
        for (seq, (ts, project, hook, outcome, decision, micros)) in (1..).zip(records) {
            let record = JournalRecord {
                ts: *ts,
                session: format!("session-{project}"),
                event: "BeforeTool".to_owned(),
                hook: (*hook).to_owned(),
                project: Some((*project).to_owned()),
                outcome: *outcome,
                decision: decision.map(str::to_owned),
                duration_us: *micros,
                ..JournalRecord::default()
            };
            index.add(seq, Cursor::default(), &record);
        }
        index
    }

    fn span(days: u16, offset: i64, project: Option<&str>) -> Span {
        Span { now: 10 * DAY + DAY / 2, days, offset, project: project.map(str::to_owned), machine: None, person: None }
    }

    #[test]
    fn events_are_counted_by_day_rule_hook_and_project() {
        let index = index(&[
            (8 * DAY, "/a", "rule/x", Outcome::Blocked, Some("block"), 100),
            (9 * DAY, "/a", "rule/x", Outcome::Succeeded, Some("ask"), 200),
            (10 * DAY, "/b", "core/y", Outcome::Failed, None, 300),
            (10 * DAY + 1, "/b", "core/z", Outcome::Skipped, None, 0),
            (10 * DAY + 2, "/a", "rule/x", Outcome::Succeeded, Some("ask"), 400),
            (2 * DAY, "/a", "rule/old", Outcome::Blocked, None, 1),
        ]);
        let all = Overview::of(&index, &span(3, 0, None));
        assert_eq!((all.events, all.sessions), (5, 2));
        let days: Vec<_> = all.days.iter().map(|day| (day.start / DAY, day.counts.deny, day.counts.ask)).collect();
        assert_eq!(days, [(8, 1, 0), (9, 0, 1), (10, 0, 1)]);
        assert_eq!(all.rules.iter().map(|rule| (rule.hook.as_str(), rule.total)).collect::<Vec<_>>(), [("rule/x", 3)]);
        let hook = |name: &str| all.hooks.iter().find(|hook| hook.hook == name).unwrap();
        assert_eq!((hook("core/y").runs, hook("core/y").failed), (1, 1));
        assert_eq!((hook("core/z").runs, hook("core/z").skipped), (0, 1));
        assert_eq!((all.interruptions.today, all.interruptions.active_days), (1, 3));
        assert_eq!((all.latency.p50, all.latency.max), (200, 400));
        let one = Overview::of(&index, &span(3, 0, Some("/b")));
        assert_eq!((one.events, one.projects.len()), (2, 1));
        assert_eq!(Overview::of(&index, &span(3, 0, Some("/nowhere"))).events, 0);
    }

    #[test]
    fn a_day_is_the_day_of_the_person_who_looks() {
        let index = index(&[(10 * DAY - 60 * MINUTE, "/a", "h", Outcome::Blocked, None, 1)]);
        for (offset, expected) in [(0, 0), (120, 1)] {
            let today = Overview::of(&index, &span(1, offset, None));
            assert_eq!(today.events, expected, "{offset} minutes east");
        }
    }
}
