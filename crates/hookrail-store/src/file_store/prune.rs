use super::{FileStore, overflow, sessions};
use crate::dir::{CORRUPT, Dir, DirEntry, EntryKind};
use crate::error::StoreError;
use crate::journal;
use crate::lock::Lock;
use crate::store::{Pruned, Retention};
use std::collections::BTreeMap;
use std::time::Duration;

impl FileStore {
    pub(super) fn prune_old(&self, retention: &Retention) -> Result<Pruned, StoreError> {
        let mut pruned = Pruned::default();
        let Some(root) = self.root.find()? else { return Ok(pruned) };
        let cutoff = self.cutoff(retention.sessions);
        if let Some(dir) = root.find_dir(sessions::DIRECTORY)? {
            prune_sessions(&dir, cutoff, &mut pruned)?;
        }
        if let Some(dir) = root.find_dir(overflow::DIRECTORY)? {
            prune_overflow(&dir, cutoff, &mut pruned)?;
        }
        if let Some(dir) = root.find_dir(journal::DIRECTORY)? {
            prune_files(&dir, |file| file.modified < cutoff && file.name.contains(CORRUPT), &mut pruned)?;
            if let Some(age) = retention.journal {
                match journal::retire(&root, &dir, self.lock_patience, self.cutoff(age)) {
                    Ok(names) => pruned.removed.extend(names.iter().map(|name| dir.path_of(name))),
                    Err(error) => pruned.failed.push(error),
                }
            }
        }
        Ok(pruned)
    }

    /// Before this time, something must have been changed for the last time to be removed.
    fn cutoff(&self, age: Duration) -> i64 {
        self.now().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
    }
}

fn prune_sessions(dir: &Dir, cutoff: i64, pruned: &mut Pruned) -> Result<(), StoreError> {
    prune_files(dir, |file| file.modified < cutoff && file.name.contains(CORRUPT), pruned)?;
    // A lock keeps the time of its first use, so only the youngest file tells when a session was used.
    let mut last_use: BTreeMap<String, i64> = BTreeMap::new();
    for file in files(dir)? {
        if let Some(session) = session_of(&file.name) {
            let time = last_use.entry(session.to_owned()).or_insert(i64::MIN);
            *time = file.modified.max(*time);
        }
    }
    for session in last_use.iter().filter(|(_, time)| **time < cutoff).map(|(session, _)| session) {
        match prune_session(dir, session, cutoff) {
            Ok(names) => pruned.removed.extend(names.iter().map(|name| dir.path_of(name))),
            // It is in use this very moment.
            Err(StoreError::Busy { .. }) => {}
            Err(error) => pruned.failed.push(error),
        }
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

fn prune_overflow(dir: &Dir, cutoff: i64, pruned: &mut Pruned) -> Result<(), StoreError> {
    for session in dir.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Directory) {
        let Some(texts) = dir.find_dir(&session.name)? else { continue };
        let before = pruned.removed.len();
        prune_files(&texts, |file| file.modified < cutoff, pruned)?;
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

fn prune_files(dir: &Dir, is_old: impl Fn(&DirEntry) -> bool, pruned: &mut Pruned) -> Result<(), StoreError> {
    for file in files(dir)?.filter(is_old) {
        match dir.remove(&file.name) {
            Ok(()) => pruned.removed.push(dir.path_of(&file.name)),
            Err(error) => pruned.failed.push(error),
        }
    }
    Ok(())
}

/// Regular files only: what a symlink points to is not ours to remove.
fn files(dir: &Dir) -> Result<impl Iterator<Item = DirEntry>, StoreError> {
    Ok(dir.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::File))
}

fn session_of(file: &str) -> Option<&str> {
    [sessions::STATE, sessions::LOCK, sessions::DRAFT].into_iter().find_map(|suffix| file.strip_suffix(suffix))
}
