use super::record::{JournalRecord, Outcome};

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
    #[error("`{file}` does not have its last known record where it was written; somebody edited the file")]
    Edited { file: String },
    #[error("`{file}` ends with {lines} lines that do not follow the records before; they were left in place")]
    Foreign { file: String, lines: u64 },
    #[error("`{file}` has {lines} records more than the journal's head knew; an older head may have been put back")]
    Ahead { file: String, lines: u64 },
    /// Without its head, nobody can tell whether the newest records were cut off.
    #[error("the journal's head was missing or damaged; the last record that could be found was taken for the newest")]
    HeadLost { set_aside: Option<String> },
}

impl Recovery {
    pub(super) fn record(&self, now: i64) -> JournalRecord {
        JournalRecord {
            ts: now,
            event: "JournalRecovery".to_owned(),
            hook: "hookrail/journal".to_owned(),
            kind: "journal".to_owned(),
            outcome: Outcome::Warned,
            reason: Some(self.to_string()),
            ..JournalRecord::default()
        }
    }
}
