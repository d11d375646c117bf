//! Sessions and journal of a rehearsal.

use hookrail_core::World;
use hookrail_engine::RealWorld;
use hookrail_store::{
    Appended, Cursor, FileStore, JournalRecord, Pruned, Records, Report, Retention, Session, SessionId, SessionState,
    SetAside, StateRoot, Store, StoreError,
};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A session as it is, copied at its first use; changes happen to the copy. Records are not kept.
#[derive(Debug)]
pub struct CopiedStore {
    real: StateRoot,
    copy: FileStore,
    /// Goes with this.
    _folder: TempDir,
}

impl CopiedStore {
    pub fn new(real: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("hookrail-rehearsal-").tempdir()?;
        let root = StateRoot::at(folder.path().join("state"));
        let copy = FileStore::new(root, || RealWorld::default().now_millis());
        Ok(Self { real: StateRoot::at(real), copy, _folder: folder })
    }

    /// Brings a session over, if that did not happen before. What would be wrong with the real place is wrong here too.
    fn bring(&self, session: &SessionId) -> Result<(), StoreError> {
        self.check()?;
        let file = Path::new("sessions").join(format!("{session}.json"));
        let (from, to) = (self.real.path().join(&file), self.copy.root().path().join(&file));
        if to.exists() || !from.is_file() {
            return Ok(());
        }
        // Makes the folders with the modes they need.
        self.copy.update(session, &mut |state: &mut SessionState| {
            state.once.insert(String::new());
        })?;
        fs::copy(&from, &to).map_err(|source| StoreError::Io { action: "read", path: from, source })?;
        Ok(())
    }

    /// A place that is not there would be made; one that is there must be ours.
    fn check(&self) -> Result<(), StoreError> {
        if self.real.path().exists() { Ok(self.real.check()?) } else { Ok(()) }
    }

    /// A path of the copy, as it would be called in the real place.
    fn real_path(&self, path: &Path) -> PathBuf {
        path.strip_prefix(self.copy.root().path()).map_or_else(|_| path.to_owned(), |rest| self.real.path().join(rest))
    }

    fn real_session(&self, mut session: Session) -> Session {
        session.recovered = session.recovered.map(|aside| SetAside {
            file: self.real_path(&aside.file),
            moved_to: self.real_path(&aside.moved_to),
            why: aside.why,
        });
        session
    }
}

impl Store for CopiedStore {
    fn read(&self, session: &SessionId) -> Result<Session, StoreError> {
        self.bring(session)?;
        self.copy.read(session).map(|session| self.real_session(session))
    }

    fn read_outline(&self, session: &SessionId) -> Result<Session, StoreError> {
        self.bring(session)?;
        self.copy.read_outline(session).map(|session| self.real_session(session))
    }

    fn update(&self, session: &SessionId, change: &mut dyn FnMut(&mut SessionState)) -> Result<Session, StoreError> {
        self.bring(session)?;
        self.copy.update(session, change).map(|session| self.real_session(session))
    }

    fn append_all(&self, records: &[JournalRecord]) -> Result<Appended, StoreError> {
        if records.is_empty() { Ok(Appended::default()) } else { self.check().map(|()| Appended::default()) }
    }

    fn records(&self, from: Cursor) -> Result<Records<'_>, StoreError> {
        self.copy.records(from)
    }

    fn tail(&self, count: u64) -> Result<Cursor, StoreError> {
        self.copy.tail(count)
    }

    fn verify(&self) -> Result<Report, StoreError> {
        self.copy.verify()
    }

    fn spill(&self, session: &SessionId, hint: &str, text: &str) -> Result<PathBuf, StoreError> {
        self.check()?;
        self.copy.spill(session, hint, text).map(|path| self.real_path(&path))
    }

    fn prune(&self, _: &Retention) -> Result<Pruned, StoreError> {
        self.check().map(|()| Pruned::default())
    }
}
