//! What is needed to count records, taken from the beginning of a line without reading the rest of it.

use super::chain::Link;
use super::reader::ReadError;
use super::record::{JournalRecord, Outcome};
use memchr::memchr2;

/// The fields of a record that counting and choosing need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordSummary<'a> {
    /// Milliseconds since 1970 when the run ended.
    pub ts: i64,
    pub session: &'a str,
    pub hook: &'a str,
    /// How the hook runs; `journal` for what the journal notes about itself.
    pub kind: &'a str,
    pub outcome: Outcome,
    pub decision: Option<&'a str>,
    pub duration_us: u64,
}

/// Who is shown records, each with its number, or why one cannot be read.
pub type SummaryVisitor<'a> = dyn FnMut(Result<(u64, RecordSummary<'_>), ReadError>) + 'a;

impl<'a> RecordSummary<'a> {
    /// The same of a record that was read whole.
    #[must_use]
    pub fn of(record: &'a JournalRecord) -> Self {
        Self {
            ts: record.ts,
            session: &record.session,
            hook: &record.hook,
            kind: &record.kind,
            outcome: record.outcome,
            decision: record.decision.as_deref(),
            duration_us: record.duration_us,
        }
    }

    /// Reads a line as this version writes it, and its number. `None` for any other, which has to be read whole: one with escapes
    /// in a name, of another version, or damaged.
    pub(super) fn read(line: &'a [u8]) -> Option<(u64, Self)> {
        let mut rest = Rest(line);
        rest.expect(b"{\"v\":1,\"ts\":")?;
        let ts = rest.integer()?;
        rest.expect(b",\"session\":\"")?;
        let session = rest.text()?;
        rest.expect(b",\"agent\":\"")?;
        rest.skip_text()?;
        rest.expect(b",\"event\":\"")?;
        rest.skip_text()?;
        rest.expect(b",\"hook\":\"")?;
        let hook = rest.text()?;
        rest.expect(b",\"kind\":\"")?;
        let kind = rest.text()?;
        rest.expect(b",\"source\":\"")?;
        rest.skip_text()?;
        rest.expect(b",\"outcome\":\"")?;
        let outcome = outcome(rest.text()?)?;
        let decision = match rest.expect(b",\"decision\":\"") {
            Some(()) => Some(rest.text()?),
            None => None,
        };
        if rest.expect(b",\"reason\":\"").is_some() {
            rest.skip_text()?;
        }
        rest.expect(b",\"duration_us\":")?;
        let duration_us = u64::try_from(rest.integer()?).ok()?;
        Some((Link::seq(line)?, Self { ts, session, hook, kind, outcome, decision, duration_us }))
    }
}

/// What is not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn expect(&mut self, text: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    fn integer(&mut self) -> Option<i64> {
        let length = self.0.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'-').count();
        let (digits, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    /// A text without escapes, to the quote at its end.
    fn text(&mut self) -> Option<&'a str> {
        let end = memchr2(b'"', b'\\', self.0)?;
        let (text, rest) = self.0.split_at_checked(end)?;
        self.0 = rest.strip_prefix(b"\"")?;
        std::str::from_utf8(text).ok()
    }

    fn skip_text(&mut self) -> Option<()> {
        loop {
            let at = memchr2(b'"', b'\\', self.0)?;
            let is_end = self.0.get(at) == Some(&b'"');
            // Behind a backslash stands one character that means something else than itself.
            self.0 = self.0.get(at + if is_end { 1 } else { 2 }..)?;
            if is_end {
                return Some(());
            }
        }
    }
}

fn outcome(word: &str) -> Option<Outcome> {
    Some(match word {
        "succeeded" => Outcome::Succeeded,
        "blocked" => Outcome::Blocked,
        "failed" => Outcome::Failed,
        "skipped" => Outcome::Skipped,
        "warned" => Outcome::Warned,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::chain::Tip;
    use super::super::encode;
    use super::*;
    use proptest::prelude::*;

    fn line(record: &JournalRecord) -> Vec<u8> {
        let mut line = Vec::new();
        Tip::NOTHING.extend(&mut line, &encode(record).unwrap());
        line.pop();
        line
    }

    fn record() -> JournalRecord {
        JournalRecord {
            ts: 1_700_000_000_000,
            session: "s".to_owned(),
            hook: "core/x".to_owned(),
            kind: "native".to_owned(),
            outcome: Outcome::Blocked,
            decision: Some("block".to_owned()),
            reason: Some("a \"quoted\" reason \\ with\nlines, \"duration_us\":7".to_owned()),
            duration_us: 42,
            subject: Some("rm -rf /".to_owned()),
            ..JournalRecord::default()
        }
    }

    #[test]
    fn a_glance_at_a_line_is_the_record() {
        let outcomes = [Outcome::Succeeded, Outcome::Blocked, Outcome::Failed, Outcome::Skipped, Outcome::Warned];
        for outcome in outcomes {
            for decision in [None, Some("ask".to_owned())] {
                for reason in [None, Some("x".repeat(3000)), record().reason] {
                    let record = JournalRecord { outcome, decision: decision.clone(), reason, ..record() };
                    assert_eq!(
                        RecordSummary::read(&line(&record)),
                        Some((1, RecordSummary::of(&record))),
                        "{record:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_told_at_a_glance_is_left_to_a_reader() {
        let with = |change: fn(&mut JournalRecord)| {
            let mut record = record();
            change(&mut record);
            line(&record)
        };
        let whole = line(&record());
        let cases = [
            ("escapes in a name", with(|record| record.hook = "a\"b".to_owned())),
            ("another version", with(|record| record.v = 2)),
            ("an outcome of another version", with(|record| record.outcome = Outcome::Unknown)),
            ("no link", encode(&record()).unwrap()),
            ("cut", whole[..whole.len() - 1].to_vec()),
            ("nothing", Vec::new()),
        ];
        for (what, line) in cases {
            assert_eq!(RecordSummary::read(&line), None, "{what}");
        }
    }

    proptest! {
        #[test]
        fn a_glance_never_differs_from_reading(
            session in any::<String>(),
            source in any::<String>(),
            reason in proptest::option::of(any::<String>()),
            ts in any::<i64>(),
            duration_us in any::<u32>(),
        ) {
            let record = JournalRecord { session, source, reason, ts, duration_us: duration_us.into(), ..record() };
            let line = line(&record);
            let read: JournalRecord = serde_json::from_slice(&line).unwrap();
            if let Some((seq, glance)) = RecordSummary::read(&line) {
                prop_assert_eq!((seq, glance), (1, RecordSummary::of(&read)));
            }
        }
    }
}
