use hookrail_store::{Cursor, Entry, FileStore, JournalRecord, Outcome, SessionId, StateRoot, Store};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// When tests take place, unless they say otherwise.
pub const NOW: i64 = 1_700_000_000_000;

/// A store in a directory of its own.
pub struct Fixture {
    place: TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        Self { place: tempfile::tempdir().unwrap() }
    }

    pub fn root(&self) -> PathBuf {
        self.place.path().join("state")
    }

    pub fn path(&self, below_root: &str) -> PathBuf {
        self.root().join(below_root)
    }

    pub fn store(&self) -> FileStore {
        store_at(&self.root(), NOW)
    }

    /// A store that begins a new journal file with every record.
    pub fn store_of_small_files(&self) -> FileStore {
        self.store().with_segment_bytes(1)
    }

    pub fn append(&self, count: u64) {
        append(&self.store(), count);
    }

    pub fn head(&self) -> PathBuf {
        self.path("journal/head")
    }

    pub fn witness(&self) -> PathBuf {
        self.path("journal.witness")
    }

    /// The journal's file that begins with this record.
    pub fn segment(&self, first: u64) -> PathBuf {
        self.path(&format!("journal/{}", segment_name(first)))
    }

    pub fn lines(&self, first: u64) -> Vec<String> {
        fs::read_to_string(self.segment(first)).unwrap().lines().map(str::to_owned).collect()
    }

    pub fn write_lines(&self, first: u64, lines: &[String]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.segment(first), text).unwrap();
    }

    /// The names in a directory below the root, sorted.
    pub fn names(&self, below_root: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(below_root)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// A store that waits as long as it takes a loaded machine.
pub fn store_at(root: &Path, now: i64) -> FileStore {
    FileStore::new(StateRoot::at(root), move || now).with_lock_patience(Duration::from_secs(120))
}

pub fn append(store: &FileStore, count: u64) {
    for _ in 0..count {
        store.append(&record("hook/a")).unwrap();
    }
}

pub fn segment_name(first: u64) -> String {
    format!("{first:012}.jsonl")
}

pub fn session(raw: &str) -> SessionId {
    SessionId::new(raw, Path::new("/project"))
}

pub fn record(hook: &str) -> JournalRecord {
    JournalRecord {
        ts: NOW,
        session: "s".into(),
        agent: "claude".into(),
        event: "BeforeTool".into(),
        hook: hook.into(),
        kind: "native".into(),
        outcome: Outcome::Succeeded,
        ..JournalRecord::default()
    }
}

/// All records, none of them broken.
pub fn entries(store: &FileStore) -> Vec<Entry> {
    store.records(Cursor::default()).unwrap().map(|entry| entry.unwrap()).collect()
}
