use super::record::{JournalRecord, Outcome};
use super::report::Fault;

/// Something about the journal that an append found not as it should be, and what it did about it. Each is also
/// written to the journal as a record of its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Recovery {
    /// A process died in the middle of a line.
    #[error("the last line of `{file}` had no end; its {bytes} bytes are now in `{set_aside}`")]
    Torn { file: String, bytes: u64, set_aside: String },
    #[error("`{file}` has {found} bytes where {expected} were written; what is missing is lost")]
    Shortened { file: String, expected: u64, found: u64 },
    #[error("`{file}` is gone, with all records in it")]
    FileGone { file: String },
    #[error("`{file}` does not have its last known record where it was written; the file was edited")]
    Edited { file: String },
    #[error("`{file}` ends with {lines} lines that do not follow the records before; they were left in place")]
    Foreign { file: String, lines: u64 },
    #[error("`{file}` has {lines} records more than the journal's head knew; an older head may have been put back")]
    Ahead { file: String, lines: u64 },
    /// The journal's directory is older than its witness: a copy was put back, or the newest records were removed.
    #[error("the journal ended at record {head}, but its witness knows record {witness}; what is missing is lost")]
    RolledBack { head: u64, witness: u64 },
    #[error("the journal's head was missing or damaged and was restored from its witness")]
    HeadRestored { set_aside: Option<String> },
    /// Without its head and witness, it is unknown whether the newest records were cut off.
    #[error("the journal's head was missing or damaged; the last record that could be found was taken for the newest")]
    HeadLost { set_aside: Option<String> },
    /// Without its witness, it is unknown whether the journal is an older copy.
    #[error("the journal's witness was missing or damaged; the journal was taken for the newest")]
    WitnessLost,
}

/// The kind of record that tells of a recovery.
const KIND: &str = "journal";
const MARK: &[u8] = br#""kind":"journal""#;
/// A record's field that says which recovery it tells of.
const FIELD: &str = "recovery";
/// Recoveries after which unknown records may be missing.
const HEAD_LOST: &str = "head_lost";
const WITNESS_LOST: &str = "witness_lost";

impl Recovery {
    pub(super) fn record(&self, now: i64) -> JournalRecord {
        let fault = match self {
            Self::HeadLost { .. } => Some(HEAD_LOST),
            Self::WitnessLost => Some(WITNESS_LOST),
            Self::Torn { .. }
            | Self::Shortened { .. }
            | Self::FileGone { .. }
            | Self::Edited { .. }
            | Self::Foreign { .. }
            | Self::Ahead { .. }
            | Self::RolledBack { .. }
            | Self::HeadRestored { .. } => None,
        };
        JournalRecord {
            extra: fault.into_iter().map(|fault| (FIELD.to_owned(), fault.into())).collect(),
            ts: now,
            event: "JournalRecovery".to_owned(),
            hook: "hookrail/journal".to_owned(),
            kind: KIND.to_owned(),
            outcome: Outcome::Warned,
            reason: Some(self.to_string()),
            ..JournalRecord::default()
        }
    }
}

/// Whether a sound line tells that records before it may be missing. Once that has happened, no later check can be sure.
pub(super) fn fault_in(line: &[u8]) -> Option<Fault> {
    // Almost no line is a recovery, so the few that look like one are all that is parsed.
    if !line.windows(MARK.len()).any(|part| part == MARK) {
        return None;
    }
    let record: JournalRecord = serde_json::from_slice(line).ok()?;
    if record.kind != KIND {
        return None;
    }
    match record.extra.get(FIELD)?.as_str()? {
        HEAD_LOST => Some(Fault::HeadWasLost),
        WITNESS_LOST => Some(Fault::WitnessWasLost),
        _ => None,
    }
}
