use crate::error::StoreError;
use crate::journal::{Cursor, Entry, JournalRecord, ReadError, Recovery, Report};
use crate::session_id::SessionId;
use crate::state::SessionState;
use std::fmt::Debug;
use std::path::PathBuf;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Where sessions and the journal are kept: in files ([`FileStore`](crate::FileStore)), or elsewhere, so that many
/// machines can share them.
pub trait Store: Debug + Send + Sync {
    /// A session's state; an empty one if it has none yet.
    fn read(&self, session: &SessionId) -> Result<Session, StoreError>;

    /// The same without the [`values`](SessionState::values) of packs, which may be long: for whoever asks nothing about them.
    fn read_outline(&self, session: &SessionId) -> Result<Session, StoreError> {
        self.read(session)
    }

    /// Changes a session's state while no other process does. `change` is called once, and not at all if there is an error
    /// before. A change that changes nothing is not written.
    fn update(&self, session: &SessionId, change: &mut dyn FnMut(&mut SessionState)) -> Result<Session, StoreError>;

    /// Adds records to the journal, one after the other, without another process's in between.
    fn append_all(&self, records: &[JournalRecord]) -> Result<Appended, StoreError>;

    /// Adds one record to the journal.
    fn append(&self, record: &JournalRecord) -> Result<Appended, StoreError> {
        self.append_all(slice::from_ref(record))
    }

    /// The records from a position on, in the order in which they were written. To follow the journal, ask again from
    /// the position after the last one.
    fn records(&self, from: Cursor) -> Result<Records<'_>, StoreError>;

    /// The position from which [`Store::records`] yields the newest `count` lines.
    fn tail(&self, count: u64) -> Result<Cursor, StoreError>;

    /// A position before which all records are older than this time, in milliseconds since 1970. Records after it may be, too.
    fn since(&self, _millis: i64) -> Result<Cursor, StoreError> {
        Ok(Cursor::default())
    }

    /// Checks the whole journal and names every place where it is not as it was written.
    fn verify(&self) -> Result<Report, StoreError>;

    /// Keeps a text that is too long for an answer and says where it is. The name contains `hint`, made safe.
    fn spill(&self, session: &SessionId, hint: &str, text: &str) -> Result<PathBuf, StoreError>;

    /// Removes what is older than the retention allows. Meant for the start of a session; nothing in use is removed. A call may
    /// look at a part of what there is, so that it takes no longer the more sessions there are; later calls go on from there.
    fn prune(&self, retention: &Retention) -> Result<Pruned, StoreError>;
}

/// Records, oldest first. A line that cannot be read is an error with its place, and the next item goes on after it.
pub type Records<'a> = Box<dyn Iterator<Item = Result<Entry, ReadError>> + Send + 'a>;

/// A session's state, and what had to be done to get it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// Shared: all hooks of an event see the same one.
    pub state: Arc<SessionState>,
    /// The state could not be read and is a new, empty one; the old file is still there under another name.
    pub recovered: Option<SetAside>,
}

/// A file that could not be used and was renamed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` could not be read ({why}); it is now `{}`", .file.display(), .moved_to.display())]
pub struct SetAside {
    pub file: PathBuf,
    pub moved_to: PathBuf,
    pub why: String,
}

/// Where records ended up, and what had to be put in order first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Appended {
    /// The number of the last record, counted from the journal's beginning.
    pub last: u64,
    pub recovered: Vec<Recovery>,
}

/// How long things are kept after their last use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// For sessions, overflow texts, files that were set aside, and those of `folders`.
    pub sessions: Duration,
    /// For whole files of the journal, counted from their newest record. `None` keeps them forever.
    pub journal: Option<Duration>,
    /// The oldest files of the journal go when it has more bytes. `None` sets no limit.
    pub journal_bytes: Option<u64>,
    /// Folders of the state directory with files that can be made anew or are of no use after a while: caches and logs.
    pub folders: &'static [&'static str],
}

impl Default for Retention {
    fn default() -> Self {
        Self { sessions: 30 * DAY, journal: None, journal_bytes: None, folders: &[] }
    }
}

/// What was removed, and what could not be.
#[derive(Debug, Default)]
pub struct Pruned {
    pub removed: Vec<PathBuf>,
    /// One stubborn file does not keep the others.
    pub failed: Vec<StoreError>,
}
