//! Bringing new records of this machine.

use super::copy::{Days, STATEMENT, date, line};
use super::{Database, DatabaseError};
use crate::departure::{Departure, Detail};
use crate::postgres::PgError;
use hookrail_store::{Entry, FileStore, ReadError, Store};
use serde_json::Value;

/// How many records, and about how many bytes, go at once.
const BATCH_RECORDS: usize = 5000;
const BATCH_BYTES: usize = 8 << 20;
/// A batch that loses against another process this often is left for the next time.
const ATTEMPTS: usize = 5;

/// Who a machine is and how it stands.
#[derive(Clone, Debug)]
pub struct MachineReport {
    /// Known to this machine only and the same at every sync.
    pub key: String,
    pub name: String,
    pub person: String,
    pub os: String,
    /// hookrail's version.
    pub version: String,
    pub policy: Option<(String, u64)>,
    /// Such as `in-force` or `altered`.
    pub policy_state: String,
    /// The state of each agent's entries.
    pub entries: Value,
    /// Policy and entries are as they were installed.
    pub intact: bool,
    /// Milliseconds since 1970 by this machine's clock.
    pub now: i64,
}

/// What a sync did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shipped {
    pub records: u64,
    pub batches: u64,
    /// The journal was another one than the one that was shipped before, so often.
    pub started_over: u64,
    /// Lines that are no records; they stay where they are and are named in the database.
    pub unreadable: u64,
}

/// What of a machine arrived last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShippedPosition {
    pub epoch: String,
    pub seq: u64,
    pub hash: String,
}

/// What the journal has after a mark.
#[derive(Debug, Default)]
struct Batch {
    entries: Vec<Entry>,
    /// Place and reason of lines that cannot be shipped.
    unreadable: Vec<(String, &'static str, String)>,
    /// The record at the mark is another one, or the journal ends before it.
    replaced: Option<&'static str>,
}

impl Database {
    /// Brings everything that is not there yet.
    pub fn ship(
        &mut self,
        report: &MachineReport,
        journal: &FileStore,
        departure: Departure,
    ) -> Result<Shipped, DatabaseError> {
        self.check_schema()?;
        let (machine, mut mark) = self.hello(report)?;
        let mut shipped = Shipped::default();
        let mut lost_races = 0;
        loop {
            let batch = read(journal, &mark, departure)?;
            for (place, kind, why) in &batch.unreadable {
                shipped.unreadable += 1;
                let parameters = [Some(machine.as_str()), Some(kind), Some(place), Some(why)];
                self.client.query("SELECT hookrail.report_break($1::int, $2, $3, $4)", &parameters)?;
            }
            if let Some(why) = batch.replaced {
                self.start_over(&machine, &mark, why, journal)?;
                shipped.started_over += 1;
                mark = self.resume(&machine)?;
                continue;
            }
            let Some(last) = batch.entries.last() else { return Ok(shipped) };
            let next = ShippedPosition { epoch: mark.epoch.clone(), seq: last.seq, hash: last.link.hash().to_owned() };
            match self.send(&machine, &mark, &batch.entries)? {
                Sent::Arrived => {
                    shipped.records += batch.entries.len() as u64;
                    shipped.batches += 1;
                    lost_races = 0;
                    mark = next;
                }
                Sent::Overtaken => {
                    lost_races += 1;
                    if lost_races == ATTEMPTS {
                        return Ok(shipped);
                    }
                    mark = self.resume(&machine)?;
                }
            }
        }
    }

    fn hello(&mut self, report: &MachineReport) -> Result<(String, ShippedPosition), DatabaseError> {
        let (policy, serial) = match &report.policy {
            Some((name, serial)) => (Some(name.as_str()), Some(serial.to_string())),
            None => (None, None),
        };
        let (entries, now) = (report.entries.to_string(), report.now.to_string());
        let parameters = [
            Some(report.key.as_str()),
            Some(&report.name),
            Some(&report.person),
            Some(&report.os),
            Some(&report.version),
            policy,
            serial.as_deref(),
            Some(&report.policy_state),
            Some(&entries),
            Some(if report.intact { "true" } else { "false" }),
            Some(&now),
        ];
        let statement = "SELECT machine, epoch, seq, hash FROM hookrail.hello($1, $2, $3, $4, $5, $6, $7::bigint, $8, $9::jsonb, $10::boolean, $11::bigint)";
        let rows = self.client.query(statement, &parameters)?;
        let row = rows.first().ok_or_else(|| PgError::Protocol("no answer to hello".to_owned()))?;
        Ok((row.text(0), ShippedPosition { epoch: row.text(1), seq: row.read(2), hash: row.text(3) }))
    }

    /// What arrived last; locked if in a transaction.
    fn resume(&mut self, machine: &str) -> Result<ShippedPosition, DatabaseError> {
        let rows = self.client.query("SELECT epoch, seq, hash FROM hookrail.resume($1::int)", &[Some(machine)])?;
        let row = rows.first().ok_or_else(|| PgError::Protocol("no answer to resume".to_owned()))?;
        Ok(ShippedPosition { epoch: row.text(0), seq: row.read(1), hash: row.text(2) })
    }

    /// One transaction: all of these records and the new mark, or nothing. Records that the server cannot hold are sent again
    /// without their texts, alone.
    fn send(&mut self, machine: &str, mark: &ShippedPosition, entries: &[Entry]) -> Result<Sent, DatabaseError> {
        let days = self.days()?;
        self.ensure_days(entries, days)?;
        self.client.execute("BEGIN")?;
        let sent = self.send_locked(machine, mark, entries, days);
        match sent {
            Ok(Sent::Arrived) => self.client.execute("COMMIT").map(|()| Sent::Arrived).map_err(Into::into),
            Ok(Sent::Overtaken) => self.client.execute("ROLLBACK").map(|()| Sent::Overtaken).map_err(Into::into),
            Err(error) => {
                let _ = self.client.execute("ROLLBACK");
                if !error.is_about_data() {
                    return Err(error.into());
                }
                self.send_by_halves(machine, mark, entries)
            }
        }
    }

    fn send_locked(
        &mut self,
        machine: &str,
        mark: &ShippedPosition,
        entries: &[Entry],
        days: Days,
    ) -> Result<Sent, PgError> {
        let rows = self.client.query("SELECT epoch, seq, hash FROM hookrail.resume($1::int)", &[Some(machine)])?;
        let there = rows.first().map(|row| ShippedPosition { epoch: row.text(0), seq: row.read(1), hash: row.text(2) });
        if there.as_ref() != Some(mark) {
            return Ok(Sent::Overtaken);
        }
        let mut data = Vec::with_capacity(entries.len() * 512);
        entries.iter().for_each(|entry| line(&mut data, machine, &mark.epoch, days, entry));
        self.client.copy_in(STATEMENT, &data)?;
        Ok(Sent::Arrived)
    }

    fn send_by_halves(
        &mut self,
        machine: &str,
        mark: &ShippedPosition,
        entries: &[Entry],
    ) -> Result<Sent, DatabaseError> {
        if let [entry] = entries {
            let bare = Departure { detail: Detail::Minimal }.prepare(entry.record.clone());
            return self.send(machine, mark, &[Entry { record: bare, ..entry.clone() }]);
        }
        let (former, latter) = entries.split_at(middle(entries));
        if self.send(machine, mark, former)? == Sent::Overtaken {
            return Ok(Sent::Overtaken);
        }
        let Some(last) = former.last() else { return Ok(Sent::Overtaken) };
        let mark = ShippedPosition { epoch: mark.epoch.clone(), seq: last.seq, hash: last.link.hash().to_owned() };
        self.send(machine, &mark, latter)
    }

    fn days(&mut self) -> Result<Days, DatabaseError> {
        let statement = "SELECT first - date '1970-01-01', today - date '1970-01-01' FROM hookrail.days()";
        let rows = self.client.query(statement, &[])?;
        let row = rows.first().ok_or_else(|| PgError::Protocol("the server has no date".to_owned()))?;
        Ok(Days { first: row.read(0), today: row.read(1) })
    }

    fn ensure_days(&mut self, entries: &[Entry], days: Days) -> Result<(), DatabaseError> {
        let mut wanted: Vec<i64> = entries.iter().map(|entry| days.of(entry.record.ts)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let wanted: Vec<String> = wanted.into_iter().map(date).collect();
        let list = format!("{{{}}}", wanted.join(","));
        self.client.query("SELECT hookrail.ensure_days($1::date[])", &[Some(&list)])?;
        Ok(())
    }
}

/// Where a batch is split in two: between two events if there are two.
fn middle(entries: &[Entry]) -> usize {
    let half = entries.len() / 2;
    let begins = |(_, entry): &(usize, &Entry)| entry.record.part == 0;
    let event = entries.iter().enumerate().skip(1).filter(begins).min_by_key(|(index, _)| index.abs_diff(half));
    event.map_or(half, |(index, _)| index)
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    Arrived,
    /// Another process of this machine shipped meanwhile.
    Overtaken,
}

/// What the journal has after a mark, as much as goes at once.
fn read(journal: &FileStore, mark: &ShippedPosition, departure: Departure) -> Result<Batch, DatabaseError> {
    let mut batch = Batch::default();
    let (mut bytes, mut newest) = (0, 0);
    let mut seen = mark.seq;
    for item in journal.records(journal.before(mark.seq)?)? {
        let entry = match item {
            Ok(entry) => entry,
            Err(ReadError::Broken { place, why, .. }) => {
                // What stands before the mark was told when it was passed.
                if newest >= mark.seq {
                    batch.unreadable.push((place.to_string(), "unreadable", why));
                }
                continue;
            }
            Err(ReadError::Store(error)) => return Err(error.into()),
        };
        newest = newest.max(entry.seq);
        if entry.seq == mark.seq && entry.link.hash() != mark.hash {
            batch.replaced = Some("replaced");
            return Ok(batch);
        }
        if entry.seq <= seen {
            if seen > mark.seq {
                batch.unreadable.push((
                    entry.place.to_string(),
                    "repeated",
                    format!("record {} stands here again", entry.seq),
                ));
            }
            continue;
        }
        // An event is counted by the batch that has its first record, so a batch ends with a whole event.
        let is_full = batch.entries.len() >= BATCH_RECORDS || bytes > BATCH_BYTES;
        if is_full && (entry.record.part == 0 || batch.entries.len() >= 2 * BATCH_RECORDS) {
            break;
        }
        seen = entry.seq;
        bytes += 512 + entry.record.input.as_ref().map_or(0, |input| input.to_string().len());
        batch.entries.push(Entry { record: departure.prepare(entry.record), ..entry });
    }
    if newest > 0 && newest < mark.seq {
        batch.replaced = Some("rewound");
    }
    Ok(batch)
}
