use crate::error::StoreError;
use crate::journal::{Cursor, JournalRecord, Report};
use crate::session_id::SessionId;
use crate::state::SessionState;
use crate::store::{Appended, Pruned, Records, Retention, Session, Store};
use crate::waiting::{LOCK_PATIENCE, time_to_wait, with_deadline};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A store as one event sees it: whoever asks for the session gets what the first one got, until it is changed here.
/// Changes are made to what is there at that moment, as ever. How long its lock was waited for in vain counts for all hooks of
/// the event: they do not wait one after the other for the same stuck process.
#[derive(Debug)]
pub struct EventStore {
    inner: Arc<dyn Store>,
    seen: Mutex<Option<(SessionId, Arc<SessionState>)>>,
    waited: Mutex<Duration>,
}

impl EventStore {
    #[must_use]
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, seen: Mutex::default(), waited: Mutex::default() }
    }

    fn update_in_time(
        &self,
        session: &SessionId,
        change: &mut dyn FnMut(&mut SessionState),
    ) -> Result<Session, StoreError> {
        let mut waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        let updated = if waited.is_zero() {
            self.inner.update(session, change)
        } else {
            let patience = time_to_wait().unwrap_or(LOCK_PATIENCE).saturating_sub(*waited);
            with_deadline(Instant::now() + patience, || self.inner.update(session, change))
        };
        if let Err(StoreError::Busy { waited: in_vain, .. }) = &updated {
            *waited += *in_vain;
        }
        updated
    }

    fn seen(&self) -> MutexGuard<'_, Option<(SessionId, Arc<SessionState>)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for EventStore {
    fn read(&self, session: &SessionId) -> Result<Session, StoreError> {
        let mut seen = self.seen();
        if let Some((_, state)) = seen.as_ref().filter(|(known, _)| known == session) {
            return Ok(Session { state: Arc::clone(state), recovered: None });
        }
        let read = self.inner.read(session)?;
        *seen = Some((session.clone(), Arc::clone(&read.state)));
        Ok(read)
    }

    /// Not seen by others: they may ask for all of it.
    fn read_outline(&self, session: &SessionId) -> Result<Session, StoreError> {
        match self.seen().as_ref().filter(|(known, _)| known == session) {
            Some((_, state)) => Ok(Session { state: Arc::clone(state), recovered: None }),
            None => self.inner.read_outline(session),
        }
    }

    fn update(&self, session: &SessionId, change: &mut dyn FnMut(&mut SessionState)) -> Result<Session, StoreError> {
        let mut seen = self.seen();
        *seen = None;
        let updated = self.update_in_time(session, change)?;
        *seen = Some((session.clone(), Arc::clone(&updated.state)));
        Ok(updated)
    }

    fn append_all(&self, records: &[JournalRecord]) -> Result<Appended, StoreError> {
        self.inner.append_all(records)
    }

    fn records(&self, from: Cursor) -> Result<Records<'_>, StoreError> {
        self.inner.records(from)
    }

    fn tail(&self, count: u64) -> Result<Cursor, StoreError> {
        self.inner.tail(count)
    }

    fn since(&self, millis: i64) -> Result<Cursor, StoreError> {
        self.inner.since(millis)
    }

    fn verify(&self) -> Result<Report, StoreError> {
        self.inner.verify()
    }

    fn spill(&self, session: &SessionId, hint: &str, text: &str) -> Result<PathBuf, StoreError> {
        self.inner.spill(session, hint, text)
    }

    fn prune(&self, retention: &Retention) -> Result<Pruned, StoreError> {
        self.inner.prune(retention)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileStore, StateRoot};
    use std::path::Path;

    #[test]
    fn a_session_is_read_once_until_it_is_changed_here() {
        let folder = tempfile::tempdir().unwrap();
        let files: Arc<dyn Store> = Arc::new(FileStore::new(StateRoot::at(folder.path().join("state")), || 0));
        let session = SessionId::new("s", Path::new("/p"));
        let spend = |store: &dyn Store| {
            store.update(&session, &mut |state| *state.budgets.entry("x".to_owned()).or_default() += 1).unwrap();
        };
        let spent = |store: &dyn Store| store.read(&session).unwrap().state.budgets.get("x").copied();
        let event = EventStore::new(Arc::clone(&files));
        spend(files.as_ref());
        assert_eq!(spent(&event), Some(1));
        spend(files.as_ref());
        assert_eq!(spent(&event), Some(1), "seen once is seen");
        spend(&event);
        assert_eq!((spent(&event), spent(files.as_ref())), (Some(3), Some(3)), "a change counts on what is there");
        let outline = |store: &dyn Store| store.read_outline(&session).unwrap().state.budgets.get("x").copied();
        spend(files.as_ref());
        assert_eq!(outline(&event), Some(3), "what was seen has an outline, too");
        let event = EventStore::new(Arc::clone(&files));
        assert_eq!(outline(&event), Some(4));
        spend(files.as_ref());
        assert_eq!(spent(&event), Some(5), "an outline is not all there is to see");
        let other = SessionId::new("other", Path::new("/p"));
        assert_eq!(event.read(&other).unwrap().state.budgets.get("x"), None);
    }
}
