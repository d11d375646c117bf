//! Session state and the audit journal.
//!
//! A [`Store`] keeps what must outlive one short hook process: the counters, flags and values of a session
//! ([`SessionState`]), the record of every hook run ([`JournalRecord`]), and texts too long for a model
//! ([`Store::spill`]). [`FileStore`] does it with plain files below a [`StateRoot`]:
//!
//! ```text
//! <root>/                       0700, ours, not a symlink; every file in it 0600
//!   sessions/<id>.json          one session's state, replaced by rename
//!   sessions/<id>.lock          held during read-modify-write
//!   journal/<first record>.jsonl    the records, chained by hash, a new file every 8 MiB
//!   journal/head                the newest record's number and hash; its lock serialises the appends
//!   journal.witness             a copy of the head, in case the directory is cut or replaced
//!   overflow/<id>/<name>.txt    texts that were cut in an answer
//!   **/*.corrupt-<time>         what could not be used and was set aside
//! ```
//!
//! **Many processes at once.** Every write happens under a lock. Who waits for it is blocked in the kernel, which wakes waiters
//! in turn, for a bounded time: two seconds unless set otherwise, or what a deadline set by [`with_deadline`] leaves. So a stuck
//! process makes an error and never a hang.
//!
//! **Sudden death.** A process may be killed at any instruction without damage: state files are renamed into place, and
//! the next append puts the journal's end in order (see [`journal`]).
//!
//! **Power loss.** Nothing is synced to the disk, because a sync costs a hundred times what the rest of an append does.
//! A machine that loses power may lose the newest records and changes. What is left is still checked: a damaged
//! state file is set aside, and records that are gone are named by [`Store::verify`].
#![forbid(unsafe_code)]

mod careful_read;
mod dir;
mod error;
mod event_store;
mod file_store;
pub mod journal;
mod lock;
mod nesting;
mod root;
mod session_id;
mod state;
mod store;
mod waiting;

pub use careful_read::{FileError, Links, SpecialFile, careful_open, careful_read};
pub use error::{StoreError, is_machine_condition};
pub use event_store::EventStore;
pub use file_store::FileStore;
pub use journal::{
    Anchor, ChainLink, Cursor, Entry, Fault, JournalRecord, NotAnAnchor, Note, Outcome, Problem, ReadError,
    RecordPosition, RecordSummary, Recovery, Report,
};
pub use root::{RootError, StateRoot};
pub use session_id::SessionId;
pub use state::{Breaker, SessionState};
pub use store::{Appended, Pruned, Records, Retention, Session, SetAside, Store};
pub use waiting::{LockKind, wait_for_lock, with_deadline};
