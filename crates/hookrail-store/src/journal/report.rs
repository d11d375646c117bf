use super::anchor::Anchor;
use std::fmt;

/// What a check of the journal found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub files: u64,
    /// Lines that were checked.
    pub lines: u64,
    /// Records that are as they were written and where they belong.
    pub sound: u64,
    /// In the order of their places.
    pub problems: Vec<Problem>,
    /// Problems beyond those that are listed.
    pub more_problems: u64,
    /// What is worth knowing and no sign of meddling.
    pub notes: Vec<Note>,
}

impl Report {
    /// Nothing is there, which is fine unless something is known to have been.
    pub(crate) fn without_journal(anchors: &[Anchor]) -> Self {
        let place = RecordPosition { file: super::head::NAME.to_owned(), line: 1 };
        let missing = |anchor: &Anchor| Problem { place: place.clone(), fault: Fault::AnchorMissing(*anchor) };
        Self { problems: anchors.iter().map(missing).collect(), ..Self::default() }
    }

    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.problems.is_empty()
    }
}

/// A line of one of the journal's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPosition {
    /// The file's name in the journal's directory.
    pub file: String,
    /// Counted from 1.
    pub line: u64,
}

impl fmt::Display for RecordPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A place where the journal is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct Problem {
    pub place: RecordPosition,
    pub fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("this is not a record of the journal")]
    Unreadable,
    #[error("the record was changed after it was written")]
    Changed,
    #[error("the record was replaced: what was written after it carries the hash of another one")]
    Replaced,
    #[error("the record has no line break after it, though more was written")]
    Unfinished,
    #[error("{} missing before this line", records(*.from, *.to))]
    Missing { from: u64, to: u64 },
    /// A whole file, or the end of the file before.
    #[error("{} missing: the file `{file}` is gone, or the one before it was cut", records(*.from, *.to))]
    FileMissing { file: String, from: u64, to: u64 },
    #[error("the journal ends too early: {} missing", records(*.from, *.to))]
    CutOff { from: u64, to: u64 },
    #[error("record {seq} stands after newer ones")]
    OutOfOrder { seq: u64 },
    #[error("record {seq} was there already")]
    Repeated { seq: u64 },
    #[error("{records} records more than the head knows, which is more than a killed process leaves")]
    Ahead { records: u64 },
    #[error("the journal's head is missing, so it is unknown whether the newest records were cut off")]
    HeadMissing,
    #[error("the journal's head is damaged, so it is unknown whether the newest records were cut off")]
    HeadDamaged,
    /// The next append restores it.
    #[error("the journal's head is missing; its witness was used instead")]
    HeadReplaced,
    #[error(
        "the journal's head knows record {head}, but its witness record {witness}; an older or another journal was put in its place"
    )]
    RolledBack { head: u64, witness: u64 },
    #[error(
        "the journal's witness is missing or damaged, so it is unknown whether an older or another journal was put in its place"
    )]
    WitnessLost,
    #[error("the journal's head was lost here, so records before this line may be missing")]
    HeadWasLost,
    #[error("the journal's witness was lost here, so records before this line may be missing")]
    WitnessWasLost,
    #[error("the record is not the one of the anchor `{0}`")]
    NotTheAnchor(Anchor),
    #[error("the record of the anchor `{0}` is missing: the journal is older, or another one")]
    AnchorMissing(Anchor),
}

fn records(from: u64, to: u64) -> String {
    if from == to { format!("record {from} is") } else { format!("records {from} to {to} are") }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// The writing process was killed before it could update the head.
    #[error("the newest {records} records are sound, but the head does not know them yet")]
    Unconfirmed { records: u64 },
    /// The writing process was killed in the middle of the line.
    #[error("{place}: an unfinished line of {bytes} bytes; the next record will set it aside")]
    Torn { place: RecordPosition, bytes: u64 },
    #[error("records up to {last} were removed because of their age")]
    Pruned { last: u64 },
    #[error("the record of the anchor `{0}` was removed because of its age, so it says nothing any more")]
    AnchorPruned(Anchor),
    #[error("`{file}` holds what could not be used and was set aside")]
    SetAside { file: String },
}
