//! Counting records.

use hookrail_fleet::database::queries::Runs;
use hookrail_store::{Outcome, RecordSummary};
use serde::Serialize;
use std::collections::BTreeMap;

/// The length of a day in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Whether a time is on one of the last `days` days, today included.
pub fn is_within(millis: i64, days: u16, now_millis: i64) -> bool {
    (0..i64::from(days)).contains(&(now_millis.div_euclid(DAY) - millis.div_euclid(DAY)))
}

/// When the first of the last `days` days began.
pub fn first_millis(days: u16, now_millis: i64) -> i64 {
    (now_millis.div_euclid(DAY) - i64::from(days) + 1) * DAY
}

/// What is known of one hook.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tally {
    pub runs: u64,
    pub blocks: u64,
    pub asks: u64,
    pub warnings: u64,
    /// Failed, and so had no say.
    pub fail_opens: u64,
    /// Failed, and its `on_error` objected.
    pub fail_closed: u64,
    pub skipped: u64,
    pub p50_us: u64,
    pub p95_us: u64,
    #[serde(skip)]
    times: Vec<u64>,
    /// Durations and how many runs took them, where a database has counted.
    #[serde(skip)]
    counted_times: BTreeMap<u64, u64>,
}

impl Tally {
    pub fn add(&mut self, record: &RecordSummary<'_>) {
        if self.count(record) {
            self.times.push(record.duration_us);
        }
    }

    /// Counts a record without its time. False for what was not run.
    fn count(&mut self, record: &RecordSummary<'_>) -> bool {
        self.add_outcome(record.outcome, record.decision, 1)
    }

    /// Adds what a database has counted.
    fn add_runs(&mut self, runs: &Runs) {
        let outcome = serde_json::from_value(runs.outcome.as_str().into()).unwrap_or(Outcome::Unknown);
        if self.add_outcome(outcome, runs.decision.as_deref(), runs.runs) {
            *self.counted_times.entry(runs.at_most_us).or_default() += runs.runs;
        }
    }

    /// Whether the hook ran.
    fn add_outcome(&mut self, outcome: Outcome, decision: Option<&str>, count: u64) -> bool {
        match outcome {
            Outcome::Skipped => {
                self.skipped += count;
                return false;
            }
            Outcome::Blocked => self.blocks += count,
            Outcome::Warned => self.warnings += count,
            Outcome::Failed if matches!(decision, Some("block" | "stop" | "ask")) => self.fail_closed += count,
            Outcome::Failed => self.fail_opens += count,
            Outcome::Succeeded | Outcome::Unknown if decision == Some("ask") => self.asks += count,
            Outcome::Succeeded | Outcome::Unknown => {}
        }
        self.runs += count;
        true
    }

    fn finish(&mut self) {
        self.times.sort_unstable();
        (self.p50_us, self.p95_us) = (self.percentile(50), self.percentile(95));
    }

    /// The time that so many of a hundred runs did not exceed.
    fn percentile(&self, percent: usize) -> u64 {
        if !self.counted_times.is_empty() {
            let total: u64 = self.counted_times.values().sum();
            let rank = (total * percent as u64).div_ceil(100);
            let mut passed = 0;
            let reached = self.counted_times.iter().find(|(_, count)| {
                passed += **count;
                passed >= rank
            });
            return reached.map(|(micros, _)| *micros).unwrap_or_default();
        }
        let rank = (self.times.len() * percent).div_ceil(100).saturating_sub(1);
        self.times.get(rank).copied().unwrap_or_default()
    }
}

/// What happened, by kind: the parts of a bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shares {
    pub quiet: u64,
    pub warned: u64,
    pub blocked: u64,
    pub failed: u64,
}

impl Shares {
    pub fn total(self) -> u64 {
        self.quiet + self.warned + self.blocked + self.failed
    }
}

impl From<&Tally> for Shares {
    /// A question to the user counts as a warning: nothing was refused.
    fn from(tally: &Tally) -> Self {
        let (warned, blocked) = (tally.warnings + tally.asks, tally.blocks);
        let failed = tally.fail_opens + tally.fail_closed;
        Self { quiet: tally.runs.saturating_sub(warned + blocked + failed), warned, blocked, failed }
    }
}

/// A day's doings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Day {
    /// Such as `2026-11-14`, UTC.
    pub day: String,
    #[serde(flatten)]
    pub shares: Shares,
}

/// Everything that is counted.
#[derive(Clone, Debug, Default)]
pub struct Count {
    pub hooks: BTreeMap<String, Tally>,
    days: BTreeMap<i64, Tally>,
}

impl Count {
    pub fn add(&mut self, record: &RecordSummary<'_>) {
        match self.hooks.get_mut(record.hook) {
            Some(tally) => tally.add(record),
            None => self.hooks.entry(record.hook.to_owned()).or_default().add(record),
        }
        self.days.entry(record.ts.div_euclid(DAY)).or_default().count(record);
    }

    /// Adds what a database has counted for a hook, or whatever was counted by.
    pub fn add_runs(&mut self, runs: &Runs) {
        self.hooks.entry(runs.label.clone()).or_default().add_runs(runs);
    }

    /// Adds what a database has counted for a day.
    pub fn add_day(&mut self, runs: &Runs) {
        if let Ok(day) = runs.label.parse::<jiff::civil::Date>() {
            let number = day.since(jiff::civil::date(1970, 1, 1)).map(|span| i64::from(span.get_days()));
            self.days.entry(number.unwrap_or_default()).or_default().add_runs(runs);
        }
    }

    pub fn finish(&mut self) {
        self.hooks.values_mut().for_each(Tally::finish);
    }

    /// The last `count` days, the newest last, those without records included.
    pub fn days(&self, count: u16, now_millis: i64) -> Vec<Day> {
        let today = now_millis.div_euclid(DAY);
        let day = |number: i64| Day {
            day: hookrail_engine::timestamp_of(number * DAY).get(..10).unwrap_or_default().to_owned(),
            shares: self.days.get(&number).map(Shares::from).unwrap_or_default(),
        };
        (today - i64::from(count) + 1..=today).map(day).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_store::JournalRecord;

    fn record(day: i64, outcome: Outcome, decision: Option<&str>, micros: u64) -> JournalRecord {
        JournalRecord {
            ts: day * DAY + 5,
            hook: "pack/hook".to_owned(),
            outcome,
            decision: decision.map(str::to_owned),
            duration_us: micros,
            ..JournalRecord::default()
        }
    }

    #[test]
    fn every_run_counts_once_and_in_its_place() {
        let mut count = Count::default();
        for (day, outcome, decision) in [
            (8, Outcome::Succeeded, None),
            (8, Outcome::Succeeded, Some("ask")),
            (9, Outcome::Blocked, Some("block")),
            (9, Outcome::Warned, Some("block")),
            (9, Outcome::Failed, None),
            (9, Outcome::Failed, Some("block")),
            (9, Outcome::Skipped, None),
            (2, Outcome::Succeeded, None),
        ] {
            count.add(&RecordSummary::of(&record(day, outcome, decision, 1)));
        }
        count.finish();
        let tally = &count.hooks["pack/hook"];
        let counted =
            [tally.runs, tally.blocks, tally.asks, tally.warnings, tally.fail_opens, tally.fail_closed, tally.skipped];
        assert_eq!(counted, [7, 1, 1, 1, 1, 1, 1]);
        let days = count.days(3, 9 * DAY);
        let shares = |quiet, warned, blocked, failed| Shares { quiet, warned, blocked, failed };
        assert_eq!(
            days.iter().map(|day| day.day.as_str()).collect::<Vec<_>>(),
            ["1970-01-08", "1970-01-09", "1970-01-10"]
        );
        assert_eq!(
            days.iter().map(|day| day.shares).collect::<Vec<_>>(),
            [shares(0, 0, 0, 0), shares(1, 1, 0, 0), shares(0, 1, 1, 2)]
        );
    }

    #[test]
    fn percentiles_are_times_that_were_measured() {
        for (times, expected) in
            [(vec![], (0, 0)), (vec![7], (7, 7)), ((1..=100).collect(), (50, 95)), (vec![1, 9], (1, 9))]
        {
            let mut tally = Tally { times, ..Tally::default() };
            tally.finish();
            assert_eq!((tally.p50_us, tally.p95_us), expected);
        }
    }
}
