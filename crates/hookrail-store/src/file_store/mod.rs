mod overflow;
mod prune;
mod sessions;

use crate::error::StoreError;
use crate::journal::{self, Anchor, Cursor, JournalRecord, Report, SummaryVisitor, Writer};
use crate::root::StateRoot;
use crate::session_id::SessionId;
use crate::state::SessionState;
use crate::store::{Appended, Pruned, Records, Retention, Session, Store};
use crate::waiting::LOCK_PATIENCE;
use std::fmt;
use std::iter;
use std::path::PathBuf;
use std::time::Duration;

/// How large a file of the journal becomes.
const SEGMENT_BYTES: u64 = 8 * 1024 * 1024;

/// Keeps everything in files below a [`StateRoot`]. Making one touches nothing; each call opens what it needs and
/// leaves nothing open, but for the root itself if that is kept open.
pub struct FileStore {
    root: StateRoot,
    clock: Box<dyn Fn() -> i64 + Send + Sync>,
    lock_patience: Duration,
    segment_bytes: u64,
}

impl FileStore {
    /// `clock` tells milliseconds since 1970.
    pub fn new(root: StateRoot, clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self { root, clock: Box::new(clock), lock_patience: LOCK_PATIENCE, segment_bytes: SEGMENT_BYTES }
    }

    /// How long to wait for another process before giving up, for a caller without a deadline; two seconds unless set.
    #[must_use]
    pub fn with_lock_patience(mut self, patience: Duration) -> Self {
        self.lock_patience = patience;
        self
    }

    /// How large a file of the journal becomes before the next one is begun; 8 MiB unless set.
    #[must_use]
    pub fn with_segment_bytes(mut self, bytes: u64) -> Self {
        self.segment_bytes = bytes;
        self
    }

    #[must_use]
    pub fn root(&self) -> &StateRoot {
        &self.root
    }

    /// Where the journal's files are, to which a [`RecordPosition`](crate::RecordPosition) refers.
    #[must_use]
    pub fn journal_path(&self) -> PathBuf {
        self.root.path().join(journal::DIRECTORY)
    }

    /// Checks the whole journal, and that it still has records that are known from elsewhere.
    pub fn verify_anchors(&self, anchors: &[Anchor]) -> Result<Report, StoreError> {
        match self.root.find()? {
            Some(root) => journal::verify(&root, self.lock_patience, anchors),
            None => Ok(Report::without_journal(anchors)),
        }
    }

    /// How far a record's time may be from its place: a record that is so much newer than another one follows it.
    pub const DISORDER_MILLIS: i64 = journal::DISORDER_MILLIS;

    /// Shows the records from a position on, as much of each as is needed to count them, oldest first, with their numbers. What
    /// cannot be read is shown as an error. Many times as fast as [`Store::records`].
    pub fn glance(&self, from: Cursor, see: &mut SummaryVisitor<'_>) -> Result<(), StoreError> {
        if let Some(dir) = self.find_dir(journal::DIRECTORY)? {
            journal::read_from(dir, from)?.glance(see);
        }
        Ok(())
    }

    /// The newest record, for whoever wants to keep it elsewhere. `None` if there is none or the journal's head cannot be
    /// believed; a check says which.
    pub fn anchor(&self) -> Result<Option<Anchor>, StoreError> {
        self.root.find()?.map_or(Ok(None), |root| journal::newest(&root, self.lock_patience))
    }

    /// A position from which [`Store::records`] comes to the record of this number without reading the whole journal.
    pub fn before(&self, seq: u64) -> Result<Cursor, StoreError> {
        self.find_dir(journal::DIRECTORY)?.map_or_else(|| Ok(Cursor::default()), |dir| journal::file_of(&dir, seq))
    }

    fn now(&self) -> i64 {
        (self.clock)()
    }
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileStore")
            .field("root", &self.root)
            .field("lock_patience", &self.lock_patience)
            .field("segment_bytes", &self.segment_bytes)
            .finish_non_exhaustive()
    }
}

impl Store for FileStore {
    fn read(&self, session: &SessionId) -> Result<Session, StoreError> {
        self.read_session(session)
    }

    fn read_outline(&self, session: &SessionId) -> Result<Session, StoreError> {
        self.read_outline_of_session(session)
    }

    fn update(&self, session: &SessionId, change: &mut dyn FnMut(&mut SessionState)) -> Result<Session, StoreError> {
        self.update_session(session, change)
    }

    fn append_all(&self, records: &[JournalRecord]) -> Result<Appended, StoreError> {
        if records.is_empty() {
            return Ok(Appended::default());
        }
        // Before the journal is locked, so that others wait for the disk only.
        let encoded = records.iter().map(journal::encode).collect::<Result<Vec<_>, _>>()?;
        let root = self.root.open()?;
        let journal = root.subdir(journal::DIRECTORY)?;
        let writer = Writer::open(&root, &journal, self.lock_patience, self.segment_bytes, self.now())?;
        let (last, recovered) = writer.append(&encoded)?;
        Ok(Appended { last, recovered })
    }

    fn records(&self, from: Cursor) -> Result<Records<'_>, StoreError> {
        match self.find_dir(journal::DIRECTORY)? {
            Some(dir) => Ok(Box::new(journal::read_from(dir, from)?)),
            None => Ok(Box::new(iter::empty())),
        }
    }

    fn tail(&self, count: u64) -> Result<Cursor, StoreError> {
        self.find_dir(journal::DIRECTORY)?.map_or_else(|| Ok(Cursor::default()), |dir| journal::tail(&dir, count))
    }

    fn since(&self, millis: i64) -> Result<Cursor, StoreError> {
        let dir = self.find_dir(journal::DIRECTORY)?;
        dir.map_or_else(|| Ok(Cursor::default()), |dir| journal::from_time(&dir, millis))
    }

    fn verify(&self) -> Result<Report, StoreError> {
        self.verify_anchors(&[])
    }

    fn spill(&self, session: &SessionId, hint: &str, text: &str) -> Result<PathBuf, StoreError> {
        self.spill_text(session, hint, text)
    }

    fn prune(&self, retention: &Retention) -> Result<Pruned, StoreError> {
        self.prune_old(retention)
    }
}
