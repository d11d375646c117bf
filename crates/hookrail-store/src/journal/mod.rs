//! The audit journal: one line of JSON for each hook run, chained by hashes.
//!
//! # Format
//!
//! A line is a [`JournalRecord`] with three more fields at its end: `seq`, the record's number from 1 on; `prev`, the
//! hash of the record before; `hash`, the BLAKE3 hash of the line up to here. A file is named after its first record's
//! number; the chain goes on from file to file. Beside them, `head` knows the newest record, the length of its file, and
//! what was removed on purpose at the old end. `head` is rewritten in place, always with the same length. Outside of the
//! directory, `journal.witness` in the state root is a copy of `head`, written after it.
//!
//! # What a check can find
//!
//! A changed byte makes a line disagree with its own hash. A line that was removed, inserted, moved or replaced as a
//! whole disagrees with its neighbours. A change at the very end disagrees with `head`. If `head` went away together with the
//! newest records, or the whole directory was replaced by an older copy or removed, the witness knows the record that is
//! missing; the next append goes on from there, so that the gap stays. If head and witness are both gone, the next append
//! says so in a record of its own, and every later check names it.
//!
//! The hashes have no secret in them: whoever rewrites every line from some place on, `head` and the witness, or puts
//! back an older copy of all of them, is not found by what is on the disk. An [`Anchor`] that is kept elsewhere finds it.
//!
//! # What sudden death leaves behind
//!
//! A record is written first and `head` second. A process that is killed in between leaves `head` behind by what one
//! process writes at once, at most [`MAX_BATCH`] records. So up to that many records after the one that `head` knows, if
//! each follows correctly, are *unconfirmed*, which is not a fault; the next append confirms them. A last line without an
//! end, after what `head` knows, is *torn*, which is no fault either; the next append moves it to a file `*.corrupt-<time>`
//! and says so in the journal. Anything else that does not fit is left where it is as evidence, the next append says so in
//! the journal, and the chain goes on from what `head` knew, so that a check shows what is missing.

mod anchor;
mod chain;
mod encoding;
mod glance;
mod head;
mod lines;
mod reader;
mod record;
mod recovery;
mod repair;
mod report;
mod retire;
mod segment;
mod verify;
mod walk;
mod witness;
mod writer;

pub use anchor::{Anchor, NotAnAnchor};
pub use glance::{RecordSummary, SummaryVisitor};
pub use reader::{ChainLink, Cursor, Entry, ReadError};
pub use record::{JournalRecord, Outcome};
pub use recovery::Recovery;
pub use report::{Fault, Note, Problem, RecordPosition, Report};

pub(crate) use encoding::encode;
pub(crate) use reader::{DISORDER_MILLIS, file_of, from_time, read_from, tail};
pub(crate) use retire::{Keep, retire};
pub(crate) use verify::{newest, verify};
pub(crate) use writer::Writer;

/// How many records are written at once at most.
pub const MAX_BATCH: usize = 64;

/// The journal's directory in the state root.
pub(crate) const DIRECTORY: &str = "journal";
