//! What a page shows of all machines: bounded lists of events and sessions, and counts.

use super::queries::{Condition, FleetRecord, RECORD, record};
use super::{Database, DatabaseError};
use crate::postgres::Row;
use serde_json::{Value, json};
use std::fmt;
use std::str::FromStr;

/// Events are listed as far back as this, in days; counts go further. A text is looked for in all records of a time, so in less.
const LIST_DAYS: u32 = 7;
const TEXT_DAYS: u32 = 2;
/// Values of a facet, and names of a count, the most frequent first.
const MOST_NAMES: u32 = 200;
/// An event has at most so many records; in a list not more than a few are looked at.
const MOST_RUNS: u32 = 512;
const LISTED_RUNS: u32 = 64;
/// What happened in a moment may arrive this many seconds later than something that happened after it.
const OVERTAKEN_SECONDS: u32 = 60;

/// Which events are meant. Empty means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    pub session: Option<String>,
    /// A sub-agent; empty for the main agent.
    pub lane: Option<String>,
    pub project: Option<String>,
    pub agent: Option<String>,
    pub hook: Option<String>,
    pub machines: Vec<String>,
    pub people: Vec<String>,
    /// From 0, none, to 6, stop; the numbers of `hookrail.verdict`.
    pub verdicts: Vec<u8>,
    /// In what the event is about, its tool, a reason or its name; case does not matter.
    pub text: Option<String>,
}

/// Where a record is: the key of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordKey {
    pub machine: i64,
    pub epoch: i64,
    pub segment: i64,
    pub seq: i64,
    /// Days since 1970.
    pub day: i64,
}

impl fmt::Display for RecordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}.{}.{}", self.machine, self.epoch, self.segment, self.seq, self.day)
    }
}

impl FromStr for RecordKey {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let numbers: Result<Vec<i64>, _> = text.split('.').map(str::parse).collect();
        match numbers.map_err(drop)?.as_slice() {
            [machine, epoch, segment, seq, day] => {
                Ok(Self { machine: *machine, epoch: *epoch, segment: *segment, seq: *seq, day: *day })
            }
            _ => Err(()),
        }
    }
}

/// How far the database is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    pub records: u64,
    /// Another text whenever something arrived.
    pub mark: String,
}

/// An event with all its records.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetEvent {
    pub key: RecordKey,
    pub records: Vec<(RecordKey, FleetRecord)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOfMachine {
    machine_id: i64,
    pub machine: String,
    pub person: String,
    pub session: String,
    pub agent: String,
    pub project: String,
    /// Milliseconds since 1970.
    pub first: i64,
    pub last: i64,
    pub ended: bool,
    /// Events by verdict, from none to stop.
    pub counts: Vec<u64>,
    /// The newest events, the oldest first.
    pub newest: Vec<EventMark>,
}

/// An event of a session, as small as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventMark {
    pub key: RecordKey,
    pub verdict: u8,
    pub at: i64,
    /// The sub-agent in which it happened, and what kind it is; empty for the main one.
    pub lane: String,
    pub lane_title: String,
    pub event: String,
}

/// Events with the same name, day or the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedEvents {
    pub name: String,
    /// By verdict, from none to stop.
    pub counts: Vec<u64>,
}

/// Events of a day by what became of them and by what their hooks took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventsOfDay {
    /// Days since 1970.
    pub day: i64,
    pub verdict: u8,
    /// Microseconds, within a factor of the square root of two.
    pub at_most_us: u64,
    pub events: u64,
}

/// Whose events are counted, and since when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountFilter {
    /// Days up to today, by the server's clock.
    pub days: u16,
    pub project: Option<String>,
    pub machines: Vec<String>,
    pub people: Vec<String>,
}

/// What events are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventGrouping {
    Project,
    Agent,
    Machine,
    Person,
}

impl EventGrouping {
    fn column(self) -> &'static str {
        match self {
            Self::Project => "r.project",
            Self::Agent => "r.agent",
            Self::Machine => "m.name",
            Self::Person => "m.person",
        }
    }
}

const EVENTS: &str = "daily_events r JOIN hookrail.machines m ON m.id = r.machine";
const EVENTS_OF_MACHINES: &str = "daily_event_machines r JOIN hookrail.machines m ON m.id = r.machine";

impl CountFilter {
    /// The smallest table of counts that can tell: by what is asked for, or by day and duration.
    fn table(&self, grouping: Option<EventGrouping>) -> &'static str {
        use EventGrouping::{Agent, Machine, Person, Project};
        let only_some_machines = !self.machines.is_empty() || !self.people.is_empty();
        match (grouping, self.project.is_some(), only_some_machines) {
            (None | Some(Agent), false, false) => "daily_event_totals r",
            (Some(Project), _, false) => "daily_event_projects r",
            (Some(Machine | Person), false, _) => EVENTS_OF_MACHINES,
            _ => EVENTS,
        }
    }

    fn condition(&self) -> Condition {
        let mut condition = Condition::default();
        condition.one_of("r.project", self.project.as_slice());
        condition.one_of("m.name", &self.machines);
        condition.one_of("m.person", &self.people);
        condition.clauses.push(since_days("r.day", self.days.into()));
        condition
    }
}

impl EventFilter {
    /// What every record of an event has.
    fn of_any_record(&self) -> Condition {
        let mut condition = Condition::default();
        condition.one_of("r.session", self.session.as_slice());
        condition.one_of("r.agent", self.agent.as_slice());
        condition.one_of("m.name", &self.machines);
        condition.one_of("m.person", &self.people);
        let is_narrow = self.session.is_some() || !self.machines.is_empty() || !self.people.is_empty();
        let days = if self.text.is_some() && !is_narrow { TEXT_DAYS } else { LIST_DAYS };
        condition.clauses.push(since_days("r.day", days));
        condition.clauses.push("r.kind <> 'journal' AND r.event <> ''".to_owned());
        condition
    }

    /// What leads to an event: one of its runs, or else its first record.
    fn anchor(&self, condition: &mut Condition) {
        let before = condition.clauses.len();
        condition.one_of("r.hook", self.hook.as_slice());
        if let Some(text) = &self.text {
            let pattern = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            let pattern = condition.parameter(format!("%{pattern}%"));
            let columns = ["r.subject", "r.tool", "r.event"];
            let any: Vec<String> = columns.iter().map(|column| format!("{column} ILIKE {pattern}")).collect();
            // What an event is about is the same in all its records, so that it is enough to look at the first one.
            condition.clauses.push(format!("(r.part = 0 AND ({}) OR r.reason ILIKE {pattern})", any.join(" OR ")));
        }
        if condition.clauses.len() == before && self.objections().is_empty() {
            condition.clauses.push("r.part = 0".to_owned());
            condition.one_of("r.project", self.project.as_slice());
        }
    }

    /// What only the first record of an event has.
    fn of_first_record(&self, condition: &mut Condition) {
        let before = condition.clauses.len();
        condition.one_of("h.project", self.project.as_slice());
        if let Some(lane) = &self.lane {
            let lane = condition.parameter(lane.clone());
            condition.clauses.push(format!("coalesce(h.rest->'input'->>'agent_id', '') = {lane}"));
        }
        if !self.verdicts.is_empty() {
            let verdicts: Vec<String> = self.verdicts.iter().map(ToString::to_string).collect();
            condition.clauses.push(format!(
                "(SELECT max(hookrail.verdict(x.outcome, x.decision)) FROM hookrail.records x WHERE x.machine = h.machine AND x.epoch = h.epoch \
                 AND x.segment = h.segment AND x.day = h.day AND x.seq >= h.seq AND x.seq < h.seq + {LISTED_RUNS} AND x.seq - x.part = h.seq) \
                 IN ({})",
                verdicts.join(", ")
            ));
        }
        if condition.clauses.len() == before {
            condition.clauses.push("true".to_owned());
        }
    }

    /// The verdicts that lead to an event; none if events without one are wanted as well.
    fn objections(&self) -> &[u8] {
        if self.verdicts.contains(&0) { &[] } else { &self.verdicts }
    }

    /// Runs that lead to events. One verdict at a time, because that is how an index can tell them in order.
    fn anchors(&self, condition: &str, limit: usize) -> String {
        let of = |verdict: &str| {
            format!(
                "(SELECT r.machine, r.epoch, r.segment, r.seq - r.part AS seq, r.day, r.ts FROM hookrail.records r \
                 JOIN hookrail.machines m ON m.id = r.machine WHERE {condition}{verdict} ORDER BY r.ts DESC LIMIT {limit})"
            )
        };
        match self.objections() {
            [] => of(""),
            verdicts => {
                let each = |it: &u8| of(&format!(" AND hookrail.verdict(r.outcome, r.decision) = {it}"));
                verdicts.iter().map(each).collect::<Vec<_>>().join(" UNION ALL ")
            }
        }
    }

    fn narrows_first_record(&self) -> bool {
        self.project.is_some() || self.lane.is_some() || !self.verdicts.is_empty()
    }
}

impl Database {
    /// A question of a page that takes longer than this is given up: a person waits for it.
    pub fn limit_questions(&mut self, seconds: u32) -> Result<(), DatabaseError> {
        self.check_schema()?;
        self.client.execute(&format!("SET statement_timeout = '{seconds}s'"))?;
        Ok(())
    }

    pub fn arrival(&mut self) -> Result<Arrival, DatabaseError> {
        let statement =
            "SELECT coalesce(sum(last_seq), 0), count(*), sum(epoch), max(last_seen)::text FROM hookrail.machines";
        let rows = self.client.query(statement, &[])?;
        let Some(row) = rows.first() else { return Ok(Arrival::default()) };
        let mark = (0..4).map(|column| row.text(column)).collect::<Vec<_>>().join(" ");
        Ok(Arrival { records: row.read(0), mark })
    }

    /// The moment by the server's clock, for [`Self::newest_events`].
    pub fn moment(&mut self) -> Result<String, DatabaseError> {
        let rows = self.client.query("SELECT clock_timestamp()::text", &[])?;
        Ok(rows.first().map(|row| row.text(0)).unwrap_or_default())
    }

    /// How many events there are.
    pub fn count_events(&mut self) -> Result<u64, DatabaseError> {
        let rows = self.client.query("SELECT coalesce(sum(events), 0) FROM hookrail.daily_event_totals", &[])?;
        Ok(rows.first().map(|row| row.read(0)).unwrap_or_default())
    }

    /// The newest events that match, the oldest first; only those that arrived about or after a moment if one is given.
    pub fn newest_events(
        &mut self,
        filter: &EventFilter,
        arrived_after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RecordKey>, DatabaseError> {
        let mut condition = filter.of_any_record();
        filter.anchor(&mut condition);
        if let Some(moment) = arrived_after {
            let moment = condition.parameter(moment.to_owned());
            condition.clauses.push(format!("r.received > {moment}::timestamptz - interval '{OVERTAKEN_SECONDS} s'"));
        }
        let anchors = condition.sql();
        condition.clauses.clear();
        filter.of_first_record(&mut condition);
        // More runs than wanted, because several may be of one event and not every event may be wanted; a bound all the same.
        let runs = limit * if filter.narrows_first_record() { 4 } else { 2 };
        let statement = format!(
            "WITH anchors AS MATERIALIZED ({}), \
             heads AS (SELECT a.machine, a.epoch, a.segment, a.seq, a.day, max(a.ts) AS ts FROM anchors a GROUP BY 1, 2, 3, 4, 5) \
             SELECT h.machine, h.epoch, h.segment, h.seq, h.day - date '1970-01-01' FROM heads a JOIN hookrail.records h \
               ON h.machine = a.machine AND h.epoch = a.epoch AND h.segment = a.segment AND h.seq = a.seq AND h.day = a.day \
             WHERE h.part = 0 AND {} ORDER BY a.ts DESC, h.machine DESC, h.seq DESC LIMIT {limit}",
            filter.anchors(&anchors, runs),
            condition.sql()
        );
        let mut keys: Vec<RecordKey> =
            self.client.query(&statement, &condition.values())?.iter().map(|row| key(row, 0)).collect();
        keys.reverse();
        Ok(keys)
    }

    /// These events with their records, in this order; what is gone is left out.
    pub fn events(&mut self, keys: &[RecordKey]) -> Result<Vec<FleetEvent>, DatabaseError> {
        let wanted: Vec<Value> = (0..)
            .zip(keys)
            .map(|(number, key): (u32, _)| {
                json!({ "n": number, "machine": key.machine, "epoch": key.epoch, "segment": key.segment, "seq": key.seq, "day": key.day })
            })
            .collect();
        let most = if keys.len() == 1 { MOST_RUNS } else { LISTED_RUNS };
        let statement = format!(
            "SELECT {RECORD}, r.machine, r.epoch, r.segment, r.seq, r.day - date '1970-01-01', k.n \
             FROM jsonb_to_recordset($1::jsonb) AS k(n int, machine int, epoch int, segment bigint, seq bigint, day int) \
             JOIN hookrail.machines m ON m.id = k.machine CROSS JOIN LATERAL (SELECT x.* FROM hookrail.records x WHERE x.machine = k.machine \
               AND x.epoch = k.epoch AND x.segment = k.segment AND x.day = date '1970-01-01' + k.day AND x.seq >= k.seq \
               AND x.seq < k.seq + {most} AND x.seq - x.part = k.seq) r ORDER BY k.n, r.seq"
        );
        let wanted = Value::Array(wanted).to_string();
        let mut events: Vec<FleetEvent> = Vec::new();
        let mut last = None;
        for row in self.client.query(&statement, &[Some(&wanted)])? {
            let (key, number) = (key(&row, 19), row.text(24));
            if last.as_ref() != Some(&number) {
                events.push(FleetEvent { key, records: Vec::new() });
                last = Some(number);
            }
            if let Some(event) = events.last_mut() {
                event.records.push((key, record(&row)));
            }
        }
        Ok(events)
    }

    /// The sessions that were active last, the newest first, with their newest events.
    pub fn newest_sessions(
        &mut self,
        filter: &EventFilter,
        limit: usize,
        marks: usize,
    ) -> Result<Vec<SessionOfMachine>, DatabaseError> {
        let mut condition = Condition::default();
        condition.one_of("s.project", filter.project.as_slice());
        condition.one_of("s.agent", filter.agent.as_slice());
        condition.one_of("m.name", &filter.machines);
        condition.one_of("m.person", &filter.people);
        let statement = format!(
            "SELECT s.machine, m.name, m.person, s.session, s.agent, s.project, floor(extract(epoch FROM s.first) * 1000)::bigint, \
             floor(extract(epoch FROM s.last) * 1000)::bigint, s.ended, array_to_string(s.counts, ',') \
             FROM hookrail.sessions s JOIN hookrail.machines m ON m.id = s.machine WHERE {} ORDER BY s.last DESC LIMIT {limit}",
            condition.sql()
        );
        let rows = self.client.query(&statement, &condition.values())?;
        let mut sessions: Vec<SessionOfMachine> = rows.iter().map(session).collect();
        self.mark_events(&mut sessions, marks)?;
        Ok(sessions)
    }

    fn mark_events(&mut self, sessions: &mut [SessionOfMachine], marks: usize) -> Result<(), DatabaseError> {
        let wanted: Vec<Value> = (0..)
            .zip(&*sessions)
            .map(|(number, it): (u32, _)| {
                json!({ "n": number, "machine": it.machine_id, "session": it.session, "last": it.last })
            })
            .collect();
        // Runs of one event stand together, so that the oldest one of these may be cut.
        let statement = format!(
            "SELECT r.machine, r.epoch, r.segment, r.seq - r.part, r.day - date '1970-01-01', k.n, max(hookrail.verdict(r.outcome, r.decision)), \
               floor(extract(epoch FROM min(r.ts)) * 1000)::bigint, coalesce(max(r.rest->'input'->>'agent_id'), ''), \
               coalesce(max(r.rest->'input'->>'agent_type'), ''), max(r.event) \
             FROM jsonb_to_recordset($1::jsonb) AS k(n int, machine int, session text, last bigint) \
             CROSS JOIN LATERAL (SELECT x.* FROM hookrail.records x WHERE x.machine = k.machine AND x.session = k.session AND x.kind <> 'journal' \
               AND x.day BETWEEN to_timestamp(k.last / 1000)::date - 1 AND to_timestamp(k.last / 1000)::date + 1 \
               ORDER BY x.ts DESC, x.seq DESC LIMIT {}) r GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY k.n, 2, 4",
            marks * 4
        );
        let wanted = Value::Array(wanted).to_string();
        for row in self.client.query(&statement, &[Some(&wanted)])? {
            let mark = EventMark {
                key: key(&row, 0),
                verdict: row.read(6),
                at: row.read(7),
                lane: row.text(8),
                lane_title: row.text(9),
                event: row.text(10),
            };
            if let Some(session) = sessions.get_mut(row.read::<usize>(5)) {
                session.newest.push(mark);
            }
        }
        for session in sessions {
            let too_many = session.newest.len().saturating_sub(marks);
            session.newest.drain(..too_many);
        }
        Ok(())
    }

    /// Events of each day.
    pub fn events_by_day(&mut self, filter: &CountFilter) -> Result<Vec<EventsOfDay>, DatabaseError> {
        let condition = filter.condition();
        let statement = format!(
            "SELECT r.day - date '1970-01-01', r.verdict, r.bucket, sum(r.events) FROM hookrail.{} WHERE {} \
             GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
            filter.table(None),
            condition.sql()
        );
        let of_day = |row: &Row| EventsOfDay {
            day: row.read(0),
            verdict: row.read(1),
            at_most_us: super::queries::bound(row.read(2)),
            events: row.read(3),
        };
        Ok(self.client.query(&statement, &condition.values())?.iter().map(of_day).collect())
    }

    /// Events by what was asked for, the most first.
    pub fn events_by(
        &mut self,
        filter: &CountFilter,
        grouping: EventGrouping,
    ) -> Result<Vec<CountedEvents>, DatabaseError> {
        let condition = filter.condition();
        let sums: Vec<String> =
            (0..7).map(|verdict| format!("coalesce(sum(r.events) FILTER (WHERE r.verdict = {verdict}), 0)")).collect();
        let statement = format!(
            "SELECT {}, {}, sum(r.events) FROM hookrail.{} WHERE {} GROUP BY 1 ORDER BY 9 DESC, 1 LIMIT {MOST_NAMES}",
            grouping.column(),
            sums.join(", "),
            filter.table(Some(grouping)),
            condition.sql()
        );
        let counted =
            |row: &Row| CountedEvents { name: row.text(0), counts: (1..8).map(|column| row.read(column)).collect() };
        Ok(self.client.query(&statement, &condition.values())?.iter().map(counted).collect())
    }

    /// How many sessions had an event in these days.
    pub fn count_sessions(&mut self, filter: &CountFilter) -> Result<u64, DatabaseError> {
        let mut condition = Condition::default();
        condition.one_of("s.project", filter.project.as_slice());
        condition.one_of("m.name", &filter.machines);
        condition.one_of("m.person", &filter.people);
        condition
            .clauses
            .push(format!("s.last >= (now() AT TIME ZONE 'UTC')::date - {}", filter.days.saturating_sub(1)));
        let statement = format!(
            "SELECT count(*) FROM hookrail.sessions s JOIN hookrail.machines m ON m.id = s.machine WHERE {}",
            condition.sql()
        );
        let rows = self.client.query(&statement, &condition.values())?;
        Ok(rows.first().map(|row| row.read(0)).unwrap_or_default())
    }

    /// The newest events in which one of these hooks objected or failed, with the hook's name, the newest first; of the last two
    /// days only.
    pub fn newest_of_hooks(
        &mut self,
        hooks: &[String],
        of_each: usize,
    ) -> Result<Vec<(String, RecordKey)>, DatabaseError> {
        let mut condition = Condition::default();
        condition.one_of("r.hook", hooks);
        let statement = format!(
            "SELECT f.machine, f.epoch, f.segment, f.head, f.day - date '1970-01-01', f.hook FROM (SELECT r.machine, r.epoch, r.segment, \
               r.seq - r.part AS head, r.day, r.hook, r.ts, row_number() OVER (PARTITION BY r.hook ORDER BY r.ts DESC) AS place \
               FROM hookrail.records r WHERE (r.outcome <> 'succeeded' OR r.decision IS NOT NULL) AND r.outcome <> 'skipped' \
               AND r.ts > now() - interval '2 days' AND {} AND {}) f \
             WHERE f.place <= {of_each} ORDER BY f.hook, f.ts DESC",
            since_days("r.day", 3),
            condition.sql()
        );
        let rows = self.client.query(&statement, &condition.values())?;
        Ok(rows.iter().map(|row| (row.text(5), key(row, 0))).collect())
    }

    /// How often each hook ran, skipped runs left out, and the last day on which it did, in days since 1970.
    pub fn hooks(&mut self) -> Result<Vec<(String, u64, i64)>, DatabaseError> {
        let statement = "SELECT r.hook, sum(r.runs), max(r.day) - date '1970-01-01' FROM hookrail.daily_totals r \
            WHERE r.outcome <> 'skipped' GROUP BY 1 ORDER BY 2 DESC, 1";
        let rows = self.client.query(statement, &[])?;
        Ok(rows.iter().map(|row| (row.text(0), row.read(1), row.read(2))).collect())
    }
}

/// Today and the days before it, so many in all. At least, not more than: otherwise the partition of the day before is read as well.
fn since_days(column: &str, days: u32) -> String {
    format!("{column} >= (now() AT TIME ZONE 'UTC')::date - {}", days.saturating_sub(1))
}

fn key(row: &Row, column: usize) -> RecordKey {
    RecordKey {
        machine: row.read(column),
        epoch: row.read(column + 1),
        segment: row.read(column + 2),
        seq: row.read(column + 3),
        day: row.read(column + 4),
    }
}

fn session(row: &Row) -> SessionOfMachine {
    SessionOfMachine {
        machine_id: row.read(0),
        machine: row.text(1),
        person: row.text(2),
        session: row.text(3),
        agent: row.text(4),
        project: row.text(5),
        first: row.read(6),
        last: row.read(7),
        ended: row.get(8) == Some("t"),
        counts: row.text(9).split(',').map(|count| count.parse().unwrap_or_default()).collect(),
        newest: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_is_written_and_nothing_else_is() {
        let key = RecordKey { machine: 12, epoch: 1, segment: 7, seq: 900, day: 20_773 };
        assert_eq!(key.to_string().parse(), Ok(key));
        for wrong in ["", "7", "1.2.3.4", "1.2.3.4.5.6", "1.2.x.4.5", "1.2.3.4.'; DROP"] {
            assert_eq!(wrong.parse::<RecordKey>(), Err(()), "{wrong}");
        }
    }
}
