use super::{FileStore, overflow, sessions};
use crate::dir::{CORRUPT, Dir, DirEntry, EntryKind};
use crate::error::StoreError;
use crate::journal::{self, Keep};
use crate::lock::Lock;
use crate::store::{Pruned, Retention};
use std::collections::BTreeMap;
use std::time::Duration;

/// How many entries of a folder one call looks at, so that starting a session takes no longer the more there are.
const PIECE: usize = 400;
/// How many old things of a folder one call removes: removing takes longer than looking.
const MOST_REMOVED: usize = 20;
/// Where the next call goes on in folders that are larger than that.
const POSITIONS: &str = "prune-positions.json";
const POSITIONS_DRAFT: &str = "prune-positions.draft";
const MAX_POSITIONS: u64 = 4096;

impl FileStore {
    pub(super) fn prune_old(&self, retention: &Retention) -> Result<Pruned, StoreError> {
        let mut pruned = Pruned::default();
        let Some(root) = self.root.find()? else { return Ok(pruned) };
        let cutoff = self.cutoff(retention.sessions);
        let mut positions = Positions::read(&root);
        if let Some(dir) = root.find_dir(sessions::DIRECTORY)? {
            let mut left = MOST_REMOVED;
            for entry in positions.take(sessions::DIRECTORY, &dir)? {
                let before = pruned.removed.len();
                prune_entry(&dir, &entry, cutoff, &mut pruned)?;
                left -= usize::from(pruned.removed.len() > before);
                if left == 0 {
                    break;
                }
            }
        }
        if let Some(dir) = root.find_dir(overflow::DIRECTORY)? {
            let entries = positions.take(overflow::DIRECTORY, &dir)?;
            prune_overflow(&dir, entries, cutoff, &mut pruned)?;
        }
        for name in retention.folders {
            if let Some(dir) = find_folder(&root, name)? {
                remove_files(&dir, positions.take(name, &dir)?, |file| file.modified < cutoff, &mut pruned);
            }
        }
        positions.save(&root);
        if let Some(dir) = root.find_dir(journal::DIRECTORY)? {
            let aside = |file: &DirEntry| file.modified < cutoff && file.name.contains(CORRUPT);
            remove_files(&dir, dir.entries()?, aside, &mut pruned);
            self.retire_journal(&root, &dir, retention, &mut pruned);
        }
        Ok(pruned)
    }

    fn retire_journal(&self, root: &Dir, dir: &Dir, retention: &Retention, pruned: &mut Pruned) {
        if retention.journal.is_none() && retention.journal_bytes.is_none() {
            return;
        }
        let cutoff = retention.journal.map_or(i64::MIN, |age| self.cutoff(age));
        let keep = Keep { cutoff, bytes: retention.journal_bytes.unwrap_or(u64::MAX) };
        match journal::retire(root, dir, self.lock_patience, keep) {
            Ok(names) => pruned.removed.extend(names.iter().map(|name| dir.path_of(name))),
            Err(error) => pruned.failed.push(error),
        }
    }

    /// Before this time, something must have been changed for the last time to be removed.
    fn cutoff(&self, age: Duration) -> i64 {
        self.now().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
    }
}

/// How far earlier calls have come in each folder that is larger than a piece. Two calls at once may look at the same piece, and a
/// file that is lost begins at the beginning: both are harmless.
struct Positions {
    known: BTreeMap<String, i64>,
    changed: bool,
}

impl Positions {
    fn read(root: &Dir) -> Self {
        let bytes = root.open(POSITIONS, crate::dir::Access::Read).ok().flatten();
        let bytes = bytes.and_then(|file| file.read_at_most(MAX_POSITIONS).ok().flatten());
        let known = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { known, changed: false }
    }

    /// The next entries of a folder.
    fn take(&mut self, folder: &str, dir: &Dir) -> Result<Vec<DirEntry>, StoreError> {
        let from = self.known.get(folder).copied().unwrap_or_default();
        let some = dir.some_entries(from, PIECE)?;
        let before = match some.next {
            Some(next) => self.known.insert(folder.to_owned(), next),
            None => self.known.remove(folder),
        };
        self.changed |= before != some.next;
        Ok(some.entries)
    }

    /// What cannot be kept is looked at again.
    fn save(&self, root: &Dir) {
        if self.changed
            && let Ok(text) = serde_json::to_vec(&self.known)
        {
            let _ = root.replace(POSITIONS, POSITIONS_DRAFT, &text);
        }
    }
}

/// A folder below the state root, such as `planning/claims`.
fn find_folder(root: &Dir, path: &str) -> Result<Option<Dir>, StoreError> {
    let mut names = path.split('/');
    let Some(mut dir) = names.next().map_or(Ok(None), |name| root.find_dir(name))? else { return Ok(None) };
    for name in names {
        let Some(inner) = dir.find_dir(name)? else { return Ok(None) };
        dir = inner;
    }
    Ok(Some(dir))
}

/// A file of a session, or one that was set aside.
fn prune_entry(dir: &Dir, file: &DirEntry, cutoff: i64, pruned: &mut Pruned) -> Result<(), StoreError> {
    if file.kind != EntryKind::File || file.modified >= cutoff {
        return Ok(());
    }
    if file.name.contains(CORRUPT) {
        remove(dir, &file.name, pruned);
        return Ok(());
    }
    let Some(session) = session_of(&file.name) else { return Ok(()) };
    // It may have gone together with another file of its session.
    if dir.entry(&file.name)?.is_none() {
        return Ok(());
    }
    // A lock keeps the time of its first use, and is as old as the state beside it.
    let state = format!("{session}{}", sessions::STATE);
    if dir.entry(&state)?.is_some_and(|state| state.modified >= cutoff) {
        return Ok(());
    }
    match prune_session(dir, session, cutoff) {
        Ok(names) => pruned.removed.extend(names.iter().map(|name| dir.path_of(name))),
        // It is in use this very moment.
        Err(StoreError::Busy { .. }) => {}
        Err(error) => pruned.failed.push(error),
    }
    Ok(())
}

fn prune_session(dir: &Dir, session: &str, cutoff: i64) -> Result<Vec<String>, StoreError> {
    let lock_name = format!("{session}{}", sessions::LOCK);
    let lock = Lock::exclusive(dir, &lock_name, Duration::ZERO)?;
    let mut removed = Vec::new();
    for name in [sessions::STATE, sessions::DRAFT].map(|suffix| format!("{session}{suffix}")) {
        match dir.entry(&name)? {
            // Used between the listing and the lock.
            Some(file) if file.modified >= cutoff => return Ok(removed),
            Some(_) => {
                dir.remove(&name)?;
                removed.push(name);
            }
            None => {}
        }
    }
    lock.discard(dir, &lock_name)?;
    removed.push(lock_name);
    Ok(removed)
}

fn prune_overflow(dir: &Dir, entries: Vec<DirEntry>, cutoff: i64, pruned: &mut Pruned) -> Result<(), StoreError> {
    for session in entries.into_iter().filter(|entry| entry.kind == EntryKind::Directory) {
        let Some(texts) = dir.find_dir(&session.name)? else { continue };
        let before = pruned.removed.len();
        remove_files(&texts, texts.entries()?, |file| file.modified < cutoff, pruned);
        if session.modified < cutoff || pruned.removed.len() > before {
            match dir.remove_empty_dir(&session.name) {
                Ok(true) => pruned.removed.push(dir.path_of(&session.name)),
                Ok(false) => {}
                Err(error) => pruned.failed.push(error),
            }
        }
    }
    Ok(())
}

/// Regular files only: what a symlink points to is not ours to remove.
fn remove_files(dir: &Dir, entries: Vec<DirEntry>, is_old: impl Fn(&DirEntry) -> bool, pruned: &mut Pruned) {
    let files = entries.into_iter().filter(|entry| entry.kind == EntryKind::File);
    files.filter(is_old).take(MOST_REMOVED).for_each(|file| remove(dir, &file.name, pruned));
}

fn remove(dir: &Dir, name: &str, pruned: &mut Pruned) {
    match dir.remove(name) {
        Ok(()) => pruned.removed.push(dir.path_of(name)),
        Err(error) => pruned.failed.push(error),
    }
}

fn session_of(file: &str) -> Option<&str> {
    [sessions::STATE, sessions::LOCK, sessions::DRAFT].into_iter().find_map(|suffix| file.strip_suffix(suffix))
}
