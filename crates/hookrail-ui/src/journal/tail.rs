use super::index::Index;
use hookrail_store::{Cursor, ReadError, Store, StoreError};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

/// How often the journal is looked at. An event is to be seen within 300 ms, and the page's own work takes some of that.
const PULSE: Duration = Duration::from_millis(60);
/// So many records are read before those who look at the index get a turn.
const BATCH: usize = 4000;

/// The index of a journal, kept up to date by a thread.
#[derive(Clone, Debug)]
pub struct Tail {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    index: RwLock<Index>,
    state: Mutex<TailProgress>,
    changed: Condvar,
}

/// How far the journal was read.
#[derive(Clone, Debug, Default)]
pub struct TailProgress {
    /// Grows with every change of the index.
    pub version: u64,
    /// The end was reached at least once.
    pub is_caught_up: bool,
    /// Why the journal cannot be read at present.
    pub trouble: Option<String>,
}

impl Tail {
    /// Begins to read the journal and goes on until the process ends.
    pub fn follow(store: Arc<dyn Store>) -> Self {
        let tail = Self::of(Index::default());
        let reader = tail.clone();
        std::thread::spawn(move || reader.run(&*store));
        tail
    }

    fn of(index: Index) -> Self {
        let shared = Shared { index: RwLock::new(index), state: Mutex::default(), changed: Condvar::new() };
        Self { shared: Arc::new(shared) }
    }

    pub fn index(&self) -> RwLockReadGuard<'_, Index> {
        self.shared.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn reading(&self) -> TailProgress {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until the index is newer than `version`, or for so long.
    pub fn wait(&self, version: u64, patience: Duration) -> TailProgress {
        let state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = |state: &mut TailProgress| state.version <= version;
        let waited = self.shared.changed.wait_timeout_while(state, patience, is_old);
        waited.unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    fn run(&self, store: &dyn Store) {
        let mut cursor = Cursor::default();
        loop {
            match self.read_on(store, &mut cursor) {
                Ok(0) => self.note(false, |state| {
                    state.is_caught_up = true;
                    state.trouble = None;
                }),
                Ok(_) => continue,
                Err(error) => self.note(false, |state| {
                    state.is_caught_up = true;
                    state.trouble = Some(error.to_string());
                }),
            }
            std::thread::sleep(PULSE);
        }
    }

    /// Reads the next records, not too many; how many there were.
    fn read_on(&self, store: &dyn Store, cursor: &mut Cursor) -> Result<usize, StoreError> {
        let mut batch = Vec::new();
        let mut end = *cursor;
        for item in store.records(*cursor)?.take(BATCH) {
            match item {
                Ok(entry) => {
                    let at = std::mem::replace(&mut end, entry.next);
                    batch.push(Some((entry.seq, at, entry.record)));
                }
                Err(ReadError::Broken { next, .. }) => {
                    end = next;
                    batch.push(None);
                }
                Err(ReadError::Store(error)) if batch.is_empty() => return Err(error),
                Err(ReadError::Store(_)) => break,
            }
        }
        *cursor = end;
        if batch.is_empty() {
            return Ok(0);
        }
        let count = batch.len();
        self.take(batch);
        self.note(true, |_| {});
        Ok(count)
    }

    fn take(&self, batch: Vec<Option<(u64, Cursor, hookrail_store::JournalRecord)>>) {
        let mut index = self.shared.index.write().unwrap_or_else(PoisonError::into_inner);
        for record in batch {
            match record {
                Some((seq, at, record)) => index.add(seq, at, &record),
                None => index.note_unreadable(),
            }
        }
    }

    /// Changes the state; those who wait are told if it is another one.
    fn note(&self, grown: bool, change: impl FnOnce(&mut TailProgress)) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let before = (state.is_caught_up, state.trouble.clone());
        change(&mut state);
        if grown || before != (state.is_caught_up, state.trouble.clone()) {
            state.version += 1;
            self.shared.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_store::{FileStore, JournalRecord, StateRoot};
    use std::time::Instant;

    #[test]
    fn a_record_is_seen_within_300_milliseconds_of_being_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = || FileStore::new(StateRoot::at(folder.path().join("state")), || 0);
        let record = JournalRecord { event: "BeforeTool".to_owned(), ..JournalRecord::default() };
        store().append(&record).unwrap();
        let tail = Tail::follow(Arc::new(store()));
        let mut seen = tail.wait(0, Duration::from_secs(10));
        while !seen.is_caught_up {
            seen = tail.wait(seen.version, Duration::from_secs(10));
        }
        assert_eq!(tail.index().rows().len(), 1);
        // The median, because a busy machine may be late once.
        let mut late: Vec<Duration> = (0..9)
            .map(|_| {
                let version = tail.reading().version;
                store().append(&record).unwrap();
                let written = Instant::now();
                assert!(tail.wait(version, Duration::from_secs(10)).version > version);
                written.elapsed()
            })
            .collect();
        late.sort();
        assert!(late[4] < Duration::from_millis(300), "{late:?}");
        assert_eq!(tail.index().rows().len(), 10);
    }
}
