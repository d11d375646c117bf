use super::names::{Name, Names};
use hookrail_store::{Cursor, JournalRecord, Outcome};
use serde::Serialize;
use serde_json::Value;

/// Bytes that are kept of what an event is about, and of a reason; the whole is read again when an event is opened.
const SUBJECT_KEPT: usize = 400;
const REASON_KEPT: usize = 400;

/// What became of an event or of one hook run. The order is that of severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    #[default]
    None,
    /// A hook could not do its work, and nothing followed from that.
    Failed,
    /// A hook would have objected, but its mode is `warn` or `shadow`.
    Warned,
    Allow,
    Ask,
    Deny,
    Stop,
}

impl Verdict {
    pub const ALL: [Self; 7] = [Self::None, Self::Failed, Self::Warned, Self::Allow, Self::Ask, Self::Deny, Self::Stop];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Failed => "failed",
            Self::Warned => "warned",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Stop => "stop",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == word)
    }

    pub fn of(record: &JournalRecord) -> Self {
        let decided = match record.decision.as_deref() {
            Some("stop") => Self::Stop,
            Some("block" | "deny") => Self::Deny,
            Some("ask") => Self::Ask,
            Some("allow" | "approve") => Self::Allow,
            _ => Self::None,
        };
        match record.outcome {
            Outcome::Skipped => Self::None,
            Outcome::Warned => Self::Warned,
            // A failure objects only if its `on_error` does.
            Outcome::Failed if decided < Self::Ask => Self::Failed,
            Outcome::Blocked => decided.max(Self::Deny),
            Outcome::Succeeded | Outcome::Failed | Outcome::Unknown => decided,
        }
    }
}

/// What one hook did about an event.
#[derive(Clone, Copy, Debug)]
pub struct RunMark {
    pub hook: Name,
    pub verdict: Verdict,
    pub failed: bool,
    pub skipped: bool,
    pub micros: u64,
}

/// One event with all its hook runs. Small, because all of them are kept.
#[derive(Clone, Debug)]
pub struct EventRow {
    /// The number of its first record.
    pub seq: u64,
    /// The number of the record that made the event as severe as it is.
    pub decisive: u64,
    /// Where its first record begins.
    pub at: Cursor,
    pub millis: i64,
    pub session: Name,
    pub agent: Name,
    pub project: Name,
    pub event: Name,
    pub tool: Name,
    /// The sub-agent in which it happened; none in the main one.
    pub lane: Name,
    pub subject: Box<str>,
    pub reason: Box<str>,
    /// The part of the subject that a rule named, in bytes.
    pub span: Option<(u32, u32)>,
    pub verdict: Verdict,
    pub runs: Vec<RunMark>,
}

impl EventRow {
    pub fn begin(seq: u64, at: Cursor, record: &JournalRecord, names: &mut Names) -> Self {
        let text = |value: &Option<String>| value.as_deref().unwrap_or_default().to_owned();
        Self {
            seq,
            decisive: seq,
            at,
            millis: record.ts,
            session: names.intern(&record.session),
            agent: names.intern(&record.agent),
            project: names.intern(&text(&record.project)),
            event: names.intern(&record.event),
            tool: names.intern(&text(&record.tool)),
            lane: names.intern(sub_agent(record, "agent_id").unwrap_or_default()),
            subject: cut(&text(&record.subject), SUBJECT_KEPT).into(),
            reason: Box::default(),
            span: None,
            verdict: Verdict::None,
            runs: Vec::new(),
        }
    }

    pub fn add(&mut self, seq: u64, record: &JournalRecord, names: &mut Names) {
        let verdict = Verdict::of(record);
        self.runs.push(RunMark {
            hook: names.intern(&record.hook),
            verdict,
            failed: record.outcome == Outcome::Failed,
            skipped: record.outcome == Outcome::Skipped,
            micros: record.duration_us,
        });
        if verdict > self.verdict {
            self.verdict = verdict;
            self.decisive = seq;
            let why = record.reason.as_deref().or(record.error.as_deref()).unwrap_or_default();
            self.reason = cut(why, REASON_KEPT).into();
            self.span = named_part(record, &self.subject);
        }
    }

    /// What its hooks took together.
    pub fn micros(&self) -> u64 {
        self.runs.iter().map(|run| run.micros).sum()
    }

    pub fn shown<'n>(&'n self, names: &'n Names) -> ShownEvent<'n> {
        let run = |run: &RunMark| ShownRun {
            hook: names.text(run.hook).to_owned(),
            verdict: run.verdict,
            failed: run.failed,
            skipped: run.skipped,
            micros: run.micros,
        };
        ShownEvent {
            seq: self.seq,
            decisive: self.decisive,
            ts: self.millis,
            session: names.text(self.session),
            agent: names.text(self.agent),
            project: names.text(self.project),
            event: names.text(self.event),
            tool: names.text(self.tool),
            lane: names.text(self.lane),
            subject: &self.subject,
            reason: &self.reason,
            marked: self.span.and_then(|span| marked(&self.subject, span)),
            verdict: self.verdict,
            micros: self.micros(),
            runs: self.runs.iter().map(run).collect(),
        }
    }
}

/// An event as it is sent to the page.
#[derive(Clone, Debug, Serialize)]
pub struct ShownEvent<'n> {
    pub seq: u64,
    pub decisive: u64,
    pub ts: i64,
    pub session: &'n str,
    pub agent: &'n str,
    pub project: &'n str,
    pub event: &'n str,
    pub tool: &'n str,
    pub lane: &'n str,
    pub subject: &'n str,
    pub reason: &'n str,
    /// The subject in three parts, the middle one to be underlined. JavaScript counts other units than bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marked: Option<[&'n str; 3]>,
    pub verdict: Verdict,
    pub micros: u64,
    pub runs: Vec<ShownRun>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ShownRun {
    pub hook: String,
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    pub micros: u64,
}

/// An event as it is sent to the page, of records with ids of their own; `None` without records.
pub fn shown_event<'r>(records: impl IntoIterator<Item = (&'r str, &'r JournalRecord)>) -> Option<Value> {
    let mut names = Names::default();
    let (mut row, mut ids): (Option<EventRow>, Vec<&str>) = (None, Vec::new());
    for (seq, (id, record)) in (0..).zip(records) {
        let row = row.get_or_insert_with(|| EventRow::begin(seq, Cursor::default(), record, &mut names));
        row.add(seq, record, &mut names);
        ids.push(id);
    }
    let row = row?;
    let mut shown = serde_json::to_value(row.shown(&names)).ok()?;
    let fields = shown.as_object_mut()?;
    let id = |seq: u64| ids.get(usize::try_from(seq).ok()?).map(|id| Value::from(*id));
    fields.insert("seq".to_owned(), id(row.seq)?);
    fields.insert("decisive".to_owned(), id(row.decisive)?);
    Some(shown)
}

/// What the event's payload tells about the sub-agent it happened in.
pub fn sub_agent<'r>(record: &'r JournalRecord, key: &str) -> Option<&'r str> {
    record.input.as_ref()?.get(key)?.as_str().filter(|text| !text.is_empty())
}

pub fn marked(text: &str, (start, end): (u32, u32)) -> Option<[&str; 3]> {
    let (start, end) = (start as usize, end as usize);
    Some([text.get(..start)?, text.get(start..end)?, text.get(end..)?])
}

/// The part of the call that the rule of this record named first.
fn named_part(record: &JournalRecord, subject: &str) -> Option<(u32, u32)> {
    let span = record.extra.get("hits")?.pointer("/0/span")?;
    let bound = |index: usize| u32::try_from(span.get(index).and_then(Value::as_u64)?).ok();
    let span = (bound(0)?, bound(1)?);
    // What was cut off cannot be underlined.
    marked(subject, span).map(|_| span)
}

/// At most so many bytes, and whole characters.
fn cut(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_run_is_as_severe_as_what_followed_from_it() {
        for (outcome, decision, expected) in [
            (Outcome::Succeeded, None, Verdict::None),
            (Outcome::Succeeded, Some("ask"), Verdict::Ask),
            (Outcome::Succeeded, Some("allow"), Verdict::Allow),
            (Outcome::Blocked, Some("block"), Verdict::Deny),
            (Outcome::Blocked, None, Verdict::Deny),
            (Outcome::Blocked, Some("stop"), Verdict::Stop),
            (Outcome::Warned, Some("block"), Verdict::Warned),
            (Outcome::Failed, None, Verdict::Failed),
            (Outcome::Failed, Some("block"), Verdict::Deny),
            (Outcome::Skipped, Some("block"), Verdict::None),
            (Outcome::Unknown, Some("word of a later version"), Verdict::None),
        ] {
            let decision = decision.map(str::to_owned);
            let record = JournalRecord { outcome, decision, ..JournalRecord::default() };
            assert_eq!(Verdict::of(&record), expected, "{outcome:?} {:?}", record.decision);
        }
    }

    #[test]
    fn the_underlined_part_is_what_the_rule_named_and_never_half_a_character() {
        for (subject, span, expected) in [
            ("rm -rf ~/x", json!([7, 10]), Some(["rm -rf ", "~/x", ""])),
            ("rm ä", json!([3, 4]), None),
            ("rm", json!([0, 9]), None),
            ("rm", json!("no span"), None),
        ] {
            let mut names = Names::default();
            let mut record = JournalRecord {
                subject: Some(subject.to_owned()),
                outcome: Outcome::Blocked,
                ..JournalRecord::default()
            };
            record.extra.insert("hits".to_owned(), json!([{ "span": span }]));
            let mut row = EventRow::begin(1, Cursor::default(), &record, &mut names);
            row.add(1, &record, &mut names);
            assert_eq!(row.shown(&names).marked, expected, "{subject} {span}");
        }
    }
}
