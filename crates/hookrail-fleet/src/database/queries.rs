//! Questions to the database, answered by SQL.

use super::{Database, DatabaseError};
use crate::postgres::Row;
use hookrail_store::JournalRecord;
use serde_json::{Map, Value};

/// How many records are fetched at once where all are wanted.
const PAGE: usize = 2000;
/// Milliseconds of a day, by which counts are kept.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// The bucket of a duration; the same as in the counts that are kept by day.
const BUCKET: &str = "hookrail.bucket(r.duration_us)";
const DAILY: &str = "daily r JOIN hookrail.machines m ON m.id = r.machine";
const DAILY_MACHINES: &str = "daily_machines r JOIN hookrail.machines m ON m.id = r.machine";
/// The project of a record in [`RecordFilter::records_with_heads`].
const HEAD_PROJECT: &str = "coalesce(h.project, r.project, '')";
const RECORDS: &str = "records r JOIN hookrail.machines m ON m.id = r.machine";
pub(super) const RECORD: &str = "m.name, m.person, r.seq, floor(extract(epoch FROM r.ts) * 1000)::bigint, r.session, r.agent, r.event, r.hook, r.kind, r.outcome, \
    r.decision, r.reason, r.duration_us, r.tool, r.subject, r.error, r.part, r.project, r.rest";

/// Which records are meant. Empty lists mean all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordFilter {
    pub sessions: Vec<String>,
    /// Ids, or `pack/` for every hook of a pack.
    pub hooks: Vec<String>,
    pub decisions: Vec<String>,
    pub outcomes: Vec<String>,
    pub machines: Vec<String>,
    pub people: Vec<String>,
    pub agents: Vec<String>,
    pub projects: Vec<String>,
    /// Milliseconds since 1970, both included.
    pub since: Option<i64>,
    pub until: Option<i64>,
}

/// What counts are kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    Hook,
    Machine,
    Person,
    Agent,
    Project,
}

impl Grouping {
    fn column(self) -> &'static str {
        match self {
            Self::Hook => "r.hook",
            Self::Machine => "m.name",
            Self::Person => "m.person",
            Self::Agent => "r.agent",
            Self::Project => "r.project",
        }
    }
}

/// A record and whose it is.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetRecord {
    pub machine: String,
    pub person: String,
    pub seq: u64,
    pub record: JournalRecord,
}

/// So many runs of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    /// The hook, the machine, the day as `2026-11-16`: whatever was grouped by.
    pub label: String,
    pub outcome: String,
    pub decision: Option<String>,
    /// What the runs took at most, within a factor of the square root of two; 0 if it was not asked for.
    pub at_most_us: u64,
    pub runs: u64,
}

/// A machine of the fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineRow {
    pub name: String,
    pub person: String,
    pub os: String,
    pub version: String,
    pub policy: Option<String>,
    pub policy_serial: Option<u64>,
    pub policy_state: String,
    pub intact: bool,
    pub entries: Value,
    /// Seconds since it was seen last.
    pub seen_ago: u64,
    pub clock_offset_ms: i64,
    pub records: u64,
    pub breaks: u64,
}

/// A condition and its parameters.
#[derive(Debug, Default)]
pub(super) struct Condition {
    pub clauses: Vec<String>,
    parameters: Vec<String>,
}

impl Condition {
    pub fn parameter(&mut self, value: String) -> String {
        self.parameters.push(value);
        format!("${}", self.parameters.len())
    }

    /// The column has one of these values.
    pub fn one_of(&mut self, column: &str, values: &[String]) {
        if values.is_empty() {
            return;
        }
        let list: Vec<String> = values.iter().map(|value| self.parameter(value.clone())).collect();
        self.clauses.push(format!("{column} IN ({})", list.join(", ")));
    }

    fn hooks(&mut self, hooks: &[String]) {
        if hooks.is_empty() {
            return;
        }
        let clause = |condition: &mut Self, hook: &String| match hook.strip_suffix('/') {
            Some(pack) => format!("split_part(r.hook, '/', 1) = {}", condition.parameter(pack.to_owned())),
            None => format!("r.hook = {}", condition.parameter(hook.clone())),
        };
        let any: Vec<String> = hooks.iter().map(|hook| clause(self, hook)).collect();
        self.clauses.push(format!("({})", any.join(" OR ")));
    }

    fn compare(&mut self, text: &str, value: Option<i64>) {
        if let Some(value) = value {
            let parameter = self.parameter(value.to_string());
            self.clauses.push(text.replace('?', &parameter));
        }
    }

    pub fn sql(&self) -> String {
        if self.clauses.is_empty() { "true".to_owned() } else { self.clauses.join(" AND ") }
    }

    pub fn values(&self) -> Vec<Option<&str>> {
        self.parameters.iter().map(|value| Some(value.as_str())).collect()
    }
}

impl RecordFilter {
    fn condition(&self) -> Condition {
        self.condition_on("r.project")
    }

    fn condition_on(&self, project: &str) -> Condition {
        let mut condition = self.shared();
        condition.one_of("r.session", &self.sessions);
        condition.one_of(project, &self.projects);
        condition.one_of("r.decision", &self.decisions);
        condition.compare("r.ts >= to_timestamp(?::bigint / 1000.0)", self.since);
        condition.compare("r.ts <= to_timestamp(?::bigint / 1000.0)", self.until);
        // Partitions that cannot have such records are not looked at; a clock may be wrong by a day.
        condition.compare("r.day >= to_timestamp(?::bigint / 1000.0)::date - 1", self.since);
        condition.compare("r.day <= to_timestamp(?::bigint / 1000.0)::date + 1", self.until);
        condition
    }

    /// What records and the counts by day have in common.
    fn shared(&self) -> Condition {
        let mut condition = Condition::default();
        condition.hooks(&self.hooks);
        condition.one_of("r.outcome", &self.outcomes);
        condition.one_of("r.agent", &self.agents);
        condition.one_of("m.name", &self.machines);
        condition.one_of("m.person", &self.people);
        condition
    }

    /// The counts by day know whole days and no sessions.
    fn fits_daily(&self) -> bool {
        let begins = self.since.is_none_or(|since| since.rem_euclid(DAY) == 0);
        let ends = self.until.is_none_or(|until| (until + 1).rem_euclid(DAY) == 0);
        self.sessions.is_empty() && begins && ends
    }

    /// The period in parts: its whole days, whose counts are kept, and what it has of the days before and after them.
    fn parts(&self) -> Vec<Self> {
        let first = self.since.map(|since| since.saturating_add(DAY - 1).div_euclid(DAY).saturating_mul(DAY));
        let end = self.until.map(|until| until.saturating_add(1).div_euclid(DAY).saturating_mul(DAY));
        let has_whole_day = end.is_none_or(|end| first.is_none_or(|first| first < end));
        if self.fits_daily() || !self.sessions.is_empty() || !has_whole_day {
            return vec![self.clone()];
        }
        let before = Self { until: first.map(|first| first - 1), ..self.clone() };
        let whole = Self { since: first, until: end.map(|end| end - 1), ..self.clone() };
        let after = Self { since: end, ..self.clone() };
        let parts = [(before, first != self.since), (whole, true), (after, end != self.until.map(|until| until + 1))];
        parts.into_iter().filter(|(_, is_needed)| *is_needed).map(|(part, _)| part).collect()
    }

    /// The smallest table of counts by day that can tell.
    fn daily_table(&self, grouping: Option<Grouping>) -> &'static str {
        let of_machine = matches!(grouping, Some(Grouping::Machine | Grouping::Person));
        let of_project = grouping == Some(Grouping::Project) || !self.projects.is_empty();
        let of_hook = matches!(grouping, Some(Grouping::Hook | Grouping::Agent))
            || !self.hooks.is_empty()
            || !self.agents.is_empty();
        let only_some = !self.machines.is_empty() || !self.people.is_empty();
        match (of_project, of_machine || only_some, of_hook) {
            (false, false, _) => "daily_totals r",
            (false, true, false) => DAILY_MACHINES,
            (true, false, false) => "daily_projects r",
            _ => DAILY,
        }
    }

    /// Records beside the first one of their event, which alone names the project.
    fn records_with_heads(&self, condition: &mut Condition) -> String {
        let mut heads = vec!["h.part = 0".to_owned()];
        let bounds = [
            ("h.day >= to_timestamp(?::bigint / 1000.0)::date - 1", self.since),
            ("h.day <= to_timestamp(?::bigint / 1000.0)::date + 1", self.until),
        ];
        for (clause, bound) in bounds {
            heads.extend(bound.map(|bound| clause.replace('?', &condition.parameter(bound.to_string()))));
        }
        format!(
            "{RECORDS} LEFT JOIN (SELECT h.machine, h.epoch, h.seq, h.day, h.project FROM hookrail.records h WHERE {}) h \
             ON h.machine = r.machine AND h.epoch = r.epoch AND h.seq = r.seq - r.part AND h.day = r.day",
            heads.join(" AND ")
        )
    }

    fn daily_condition(&self) -> Condition {
        let mut condition = self.shared();
        condition.one_of("r.project", &self.projects);
        condition.one_of("r.decision", &self.decisions);
        condition.compare("r.day >= to_timestamp(?::bigint / 1000.0)::date", self.since);
        condition.compare("r.day <= to_timestamp(?::bigint / 1000.0)::date", self.until);
        condition
    }
}

impl Database {
    /// The newest records of all machines, the newest last.
    pub fn newest(&mut self, filter: &RecordFilter, limit: usize) -> Result<Vec<FleetRecord>, DatabaseError> {
        self.check_schema()?;
        let condition = filter.condition();
        let limit = if limit == 0 { String::new() } else { format!("LIMIT {limit}") };
        let statement = format!(
            "SELECT {RECORD} FROM hookrail.records r JOIN hookrail.machines m ON m.id = r.machine WHERE {} \
             ORDER BY r.ts DESC, r.machine DESC, r.epoch DESC, r.seq DESC {limit}",
            condition.sql()
        );
        let mut records: Vec<FleetRecord> =
            self.client.query(&statement, &condition.values())?.iter().map(record).collect();
        records.reverse();
        Ok(records)
    }

    /// Every record, machine by machine and in the order in which it was written, which is that of an index, a page at a time. Stops early if `take` says so.
    pub fn each(
        &mut self,
        filter: &RecordFilter,
        mut take: impl FnMut(FleetRecord) -> bool,
    ) -> Result<(), DatabaseError> {
        self.check_schema()?;
        let condition = filter.condition();
        self.client.execute("BEGIN READ ONLY")?;
        let declare = format!(
            "DECLARE each NO SCROLL CURSOR FOR SELECT {RECORD} FROM hookrail.records r JOIN hookrail.machines m ON m.id = r.machine \
             WHERE {} ORDER BY r.machine, r.epoch, r.segment, r.seq",
            condition.sql()
        );
        self.client.query(&declare, &condition.values())?;
        let fetch = format!("FETCH {PAGE} FROM each");
        loop {
            let rows = self.client.query(&fetch, &[])?;
            let is_last = rows.len() < PAGE;
            if rows.iter().map(record).any(|record| !take(record)) || is_last {
                break;
            }
        }
        self.client.execute("COMMIT")?;
        Ok(())
    }

    /// How often hooks ran, how it ended and how long it took. Several rows may tell of the same.
    pub fn runs(&mut self, filter: &RecordFilter, grouping: Grouping) -> Result<Vec<Runs>, DatabaseError> {
        self.count(filter, Some(grouping))
    }

    /// The same by day.
    pub fn runs_by_day(&mut self, filter: &RecordFilter) -> Result<Vec<Runs>, DatabaseError> {
        self.count(filter, None)
    }

    fn count(&mut self, filter: &RecordFilter, grouping: Option<Grouping>) -> Result<Vec<Runs>, DatabaseError> {
        self.check_schema()?;
        let mut counted = Vec::new();
        for part in filter.parts() {
            counted.extend(self.count_part(&part, grouping)?);
        }
        Ok(counted)
    }

    /// By what was asked for with durations, or by day without.
    fn count_part(&mut self, filter: &RecordFilter, grouping: Option<Grouping>) -> Result<Vec<Runs>, DatabaseError> {
        let is_of_project = grouping == Some(Grouping::Project) || !filter.projects.is_empty();
        let mut label = grouping.map_or("r.day::text", Grouping::column);
        let (table, condition, bucket, runs, decision) = if filter.fits_daily() {
            let table = filter.daily_table(grouping).to_owned();
            (table, filter.daily_condition(), "r.bucket", "sum(r.runs)", "r.decision")
        } else {
            let mut condition = filter.condition_on(HEAD_PROJECT);
            condition.clauses.push("r.kind <> 'journal'".to_owned());
            let table = if is_of_project { filter.records_with_heads(&mut condition) } else { RECORDS.to_owned() };
            label = if grouping == Some(Grouping::Project) { HEAD_PROJECT } else { label };
            (table, condition, BUCKET, "count(*)", "coalesce(r.decision, '')")
        };
        let bucket = if grouping.is_some() { bucket } else { "NULL" };
        let statement = format!(
            "SELECT {label}, r.outcome, {decision}, {bucket}, {runs} FROM hookrail.{table} WHERE {} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
            condition.sql()
        );
        let rows = self.client.query(&statement, &condition.values())?;
        let counted = |row: &Row| Runs {
            label: row.text(0),
            outcome: row.text(1),
            decision: Some(row.text(2)).filter(|decision| !decision.is_empty()),
            at_most_us: row.get(3).and_then(|text| text.parse().ok()).map_or(0, bound),
            runs: row.read(4),
        };
        Ok(rows.iter().map(counted).collect())
    }

    /// Every machine, those that need a look first.
    pub fn machines(&mut self) -> Result<Vec<MachineRow>, DatabaseError> {
        self.check_schema()?;
        let statement = "SELECT m.name, m.person, m.os, m.version, m.policy, m.policy_serial, m.policy_state, m.intact, m.entries, \
            extract(epoch FROM now() - m.last_seen)::bigint, m.clock_offset_ms, m.last_seq, \
            (SELECT count(*) FROM hookrail.breaks b WHERE b.machine = m.id) FROM hookrail.machines m \
            ORDER BY m.intact, m.name, m.person";
        let rows = self.client.query(statement, &[])?;
        let machine = |row: &Row| MachineRow {
            name: row.text(0),
            person: row.text(1),
            os: row.text(2),
            version: row.text(3),
            policy: row.get(4).map(str::to_owned),
            policy_serial: row.get(5).and_then(|text| text.parse().ok()),
            policy_state: row.text(6),
            intact: row.get(7) == Some("t"),
            entries: row.get(8).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default(),
            seen_ago: row.read(9),
            clock_offset_ms: row.read(10),
            records: row.read(11),
            breaks: row.read(12),
        };
        Ok(rows.iter().map(machine).collect())
    }
}

/// The longest duration of a bucket, in microseconds.
pub(super) fn bound(bucket: i32) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most two to the thirtieth")]
    let bound = 2f64.powf(f64::from(bucket.clamp(0, 60)) / 2.0).round() as u64;
    bound
}

pub(super) fn record(row: &Row) -> FleetRecord {
    let rest = row.get(18).and_then(|text| serde_json::from_str(text).ok());
    let mut fields: Map<String, Value> = rest.unwrap_or_default();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(name.to_owned(), value);
        }
    };
    let number = |column: usize| row.get(column)?.parse::<i64>().ok().map(Value::from);
    let text = |column: usize| row.get(column).map(Value::from);
    put("ts", number(3));
    for (column, name) in [(4, "session"), (5, "agent"), (6, "event"), (7, "hook"), (8, "kind"), (9, "outcome")] {
        put(name, text(column));
    }
    for (column, name) in
        [(10, "decision"), (11, "reason"), (13, "tool"), (14, "subject"), (15, "error"), (17, "project")]
    {
        put(name, text(column));
    }
    put("duration_us", number(12));
    put("part", number(16));
    // What a newer hookrail wrote and this one cannot read keeps at least its columns.
    let record = serde_json::from_value(Value::Object(fields)).unwrap_or_else(|_| JournalRecord {
        ts: row.read(3),
        session: row.text(4),
        agent: row.text(5),
        event: row.text(6),
        hook: row.text(7),
        kind: row.text(8),
        ..JournalRecord::default()
    });
    FleetRecord { machine: row.text(0), person: row.text(1), seq: row.read(2), record }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_cut_into_whole_days_and_what_is_left_of_others() {
        type Bounds = (Option<i64>, Option<i64>);
        let cases: [(Bounds, &[Bounds]); 8] = [
            ((None, None), &[(None, None)]),
            ((Some(2 * DAY), Some(4 * DAY - 1)), &[(Some(2 * DAY), Some(4 * DAY - 1))]),
            ((Some(DAY + 5), None), &[(Some(DAY + 5), Some(2 * DAY - 1)), (Some(2 * DAY), None)]),
            ((None, Some(2 * DAY + 5)), &[(None, Some(2 * DAY - 1)), (Some(2 * DAY), Some(2 * DAY + 5))]),
            (
                (Some(DAY + 5), Some(3 * DAY + 7)),
                &[
                    (Some(DAY + 5), Some(2 * DAY - 1)),
                    (Some(2 * DAY), Some(3 * DAY - 1)),
                    (Some(3 * DAY), Some(3 * DAY + 7)),
                ],
            ),
            ((Some(DAY + 5), Some(DAY + 9)), &[(Some(DAY + 5), Some(DAY + 9))]),
            ((Some(DAY + 5), Some(2 * DAY + 9)), &[(Some(DAY + 5), Some(2 * DAY + 9))]),
            ((Some(3 * DAY), Some(DAY)), &[(Some(3 * DAY), Some(DAY))]),
        ];
        for ((since, until), expected) in cases {
            let parts = RecordFilter { since, until, ..RecordFilter::default() }.parts();
            let bounds: Vec<_> = parts.iter().map(|part| (part.since, part.until)).collect();
            assert_eq!(bounds, expected, "{since:?} {until:?}");
        }
    }
}
