//! Records as lines of a COPY.

use hookrail_store::{Entry, JournalRecord};
use serde_json::{Map, Value};

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// The statement that takes the lines of [`line`].
pub(super) const STATEMENT: &str = "COPY hookrail.records (machine, epoch, segment, seq, day, ts, session, agent, event, hook, kind, \
    outcome, decision, reason, duration_us, tool, subject, error, part, project, rest, prev, hash, sound) FROM STDIN";

/// The days that a record may have, counted from 1970, by the server's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Days {
    pub first: i64,
    pub today: i64,
}

impl Days {
    /// The day of a record; the day of its arrival if the clock that wrote it cannot be right, or it is too old to be kept.
    pub fn of(&self, ts: i64) -> i64 {
        let day = ts.div_euclid(DAY);
        if (self.first..=self.today + 1).contains(&day) { day } else { self.today }
    }
}

/// Adds the line of an entry, whose record was made fit to leave.
pub(super) fn line(out: &mut Vec<u8>, machine: &str, epoch: &str, days: Days, entry: &Entry) {
    let record = &entry.record;
    let outcome = serde_json::to_value(record.outcome).ok().and_then(|word| word.as_str().map(str::to_owned));
    let mut row = RowWriter { out, first: true };
    row.text(machine);
    row.text(epoch);
    row.text(&entry.link.segment().to_string());
    row.text(&entry.seq.to_string());
    row.text(&date(days.of(record.ts)));
    row.text(&time(record.ts));
    row.text(&record.session);
    row.text(&record.agent);
    row.text(&record.event);
    row.text(&record.hook);
    row.text(&record.kind);
    row.text(&outcome.unwrap_or_default());
    row.optional(record.decision.as_deref());
    row.optional(record.reason.as_deref());
    row.text(&i64::try_from(record.duration_us).unwrap_or(i64::MAX).to_string());
    row.optional(record.tool.as_deref());
    row.optional(record.subject.as_deref());
    row.optional(record.error.as_deref());
    row.text(&i32::try_from(record.part).unwrap_or(i32::MAX).to_string());
    row.optional(record.project.as_deref());
    row.optional(rest(record).as_deref());
    row.text(&format!("\\x{}", entry.link.prev()));
    row.text(&format!("\\x{}", entry.link.hash()));
    row.text(if entry.link.is_sound() { "t" } else { "f" });
    out.push(b'\n');
}

/// What has no column, as JSON without the one character that PostgreSQL cannot hold.
fn rest(record: &JournalRecord) -> Option<String> {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value, is_empty: bool| {
        if !is_empty {
            fields.insert(name.to_owned(), value);
        }
    };
    put("v", record.v.into(), record.v == JournalRecord::VERSION);
    put("source", record.source.clone().into(), record.source.is_empty());
    put("asked", record.asked.clone().into(), record.asked.is_empty());
    put("redacted", record.redacted.into(), record.redacted == 0);
    put("cut", record.cut.into(), record.cut == 0);
    put("extra", Value::Object(record.extra.clone()), record.extra.is_empty());
    put("dropped", record.dropped.clone().into(), record.dropped.is_empty());
    if let Some(input) = &record.input {
        put("input", input.clone(), false);
    }
    let mut value = Value::Object(fields);
    without_nul(&mut value);
    (value != Value::Object(Map::new())).then(|| value.to_string())
}

fn without_nul(value: &mut Value) {
    match value {
        Value::String(text) if text.contains('\0') => *text = text.replace('\0', "\u{fffd}"),
        Value::Array(items) => items.iter_mut().for_each(without_nul),
        Value::Object(fields) => {
            if fields.keys().any(|key| key.contains('\0')) {
                let cleaned =
                    std::mem::take(fields).into_iter().map(|(key, value)| (key.replace('\0', "\u{fffd}"), value));
                *fields = cleaned.collect();
            }
            fields.values_mut().for_each(without_nul);
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

struct RowWriter<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

impl RowWriter<'_> {
    fn text(&mut self, text: &str) {
        self.separate();
        for byte in text.bytes() {
            match byte {
                b'\\' => self.out.extend_from_slice(b"\\\\"),
                b'\n' => self.out.extend_from_slice(b"\\n"),
                b'\r' => self.out.extend_from_slice(b"\\r"),
                b'\t' => self.out.extend_from_slice(b"\\t"),
                0 => self.out.extend_from_slice("\u{fffd}".as_bytes()),
                _ => self.out.push(byte),
            }
        }
    }

    fn optional(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => {
                self.separate();
                self.out.extend_from_slice(b"\\N");
            }
        }
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b'\t');
        }
    }
}

/// A day, counted from 1970, as `2026-11-16`.
pub(super) fn date(day: i64) -> String {
    let (year, month, day) = civil(day);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Milliseconds since 1970 as PostgreSQL reads them. What is further away than it can hold is put at its ends.
fn time(millis: i64) -> String {
    // Years 1 to 9999.
    let millis = millis.clamp(-62_135_596_800_000, 253_402_300_799_999);
    let of_day = millis.rem_euclid(DAY);
    let (hours, minutes, seconds) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1000 % 60);
    format!("{} {hours:02}:{minutes:02}:{seconds:02}.{:03}+00", date(millis.div_euclid(DAY)), of_day % 1000)
}

/// Year, month and day; the algorithm is Howard Hinnant's `civil_from_days`.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_postgresql_reads_them() {
        let cases = [
            (0, "1970-01-01 00:00:00.000+00"),
            (1_794_823_200_123, "2026-11-16 10:00:00.123+00"),
            (951_782_400_000, "2000-02-29 00:00:00.000+00"),
            (-1, "1969-12-31 23:59:59.999+00"),
            (i64::MAX, "9999-12-31 23:59:59.999+00"),
            (i64::MIN, "0001-01-01 00:00:00.000+00"),
        ];
        for (millis, expected) in cases {
            assert_eq!(time(millis), expected);
        }
    }

    #[test]
    fn a_clock_that_cannot_be_right_does_not_choose_the_partition() {
        let days = Days { first: 100, today: 190 };
        for (day, expected) in [(100, 100), (190, 190), (191, 191), (192, 190), (99, 190), (-5, 190), (99_999, 190)] {
            assert_eq!(days.of(day * DAY + 5), expected, "{day}");
        }
    }
}
