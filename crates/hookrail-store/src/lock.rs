use crate::dir::{Access, Dir};
use crate::error::StoreError;
use crate::waiting::{LockKind, attempt, wait_for_lock};
use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

/// A file that this process alone may use, or read together with other readers, until the value is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Waits for the file to be ours alone, making it if there is none.
    pub fn exclusive(dir: &Dir, name: &str, patience: Duration) -> Result<Self, StoreError> {
        let mut started = None;
        loop {
            let file = dir.open_or_create_unseen(name)?;
            if attempt(&file, LockKind::Exclusive).is_err() {
                wait(dir, name, &file, LockKind::Exclusive, patience, *started.get_or_insert_with(Instant::now))?;
            }
            // Whoever removes a lock holds it. If that happened while we waited, the file of this name is another one.
            if dir.look_at(name, &file)?.is_linked {
                return Ok(Self { file });
            }
        }
    }

    /// Waits until no process writes to a file, if there is one.
    pub fn shared(dir: &Dir, name: &str, patience: Duration) -> Result<Option<Self>, StoreError> {
        let Some(found) = dir.open(name, Access::Read)? else { return Ok(None) };
        if attempt(&found.file, LockKind::Shared).is_err() {
            wait(dir, name, &found.file, LockKind::Shared, patience, Instant::now())?;
        }
        Ok(Some(Self { file: found.file }))
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// Removes the lock's file, where that is safe: a process that waits for it must be able to notice.
    pub fn discard(self, dir: &Dir, name: &str) -> Result<(), StoreError> {
        if cfg!(unix) { dir.remove(name) } else { Ok(()) }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that is just being started may still hold a copy of the handle.
        let _ = self.file.unlock();
    }
}

/// Waits for a file that is locked, at most until `patience` has passed since it was found so.
fn wait(
    dir: &Dir,
    name: &str,
    file: &File,
    kind: LockKind,
    patience: Duration,
    started: Instant,
) -> Result<(), StoreError> {
    wait_for_lock(file, kind, patience.saturating_sub(started.elapsed())).map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::Busy { path: dir.path_of(name), waited: started.elapsed() },
        TryLockError::Error(source) => StoreError::io("lock", &dir.path_of(name), source),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    const SHORT: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(60);

    fn root() -> (tempfile::TempDir, Dir) {
        let place = tempfile::tempdir().unwrap();
        let dir = Dir::open_root(place.path()).unwrap().unwrap();
        (place, dir)
    }

    #[test]
    fn a_lock_that_is_never_released_is_an_error_that_names_it() {
        let (place, dir) = root();
        let _held = Lock::exclusive(&dir, "a", LONG).unwrap();
        let attempts = [Lock::exclusive(&dir, "a", SHORT).unwrap_err(), Lock::shared(&dir, "a", SHORT).unwrap_err()];
        for error in attempts {
            let text = error.to_string();
            assert!(text.contains(&format!("`{}` was locked", place.path().join("a").display())), "{text}");
            assert!(text.contains("\nhint: "), "{text}");
        }
    }

    #[test]
    fn readers_share_a_lock_and_shut_writers_out() {
        let (_place, dir) = root();
        assert!(Lock::shared(&dir, "a", SHORT).unwrap().is_none(), "a reader makes no file");
        drop(Lock::exclusive(&dir, "a", LONG).unwrap());
        let readers = [Lock::shared(&dir, "a", LONG).unwrap(), Lock::shared(&dir, "a", LONG).unwrap()];
        assert!(matches!(Lock::exclusive(&dir, "a", SHORT), Err(StoreError::Busy { .. })));
        drop(readers);
        Lock::exclusive(&dir, "a", LONG).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused_as_a_lock() {
        let (place, dir) = root();
        let status = std::process::Command::new("mkfifo").arg(place.path().join("pipe")).status().unwrap();
        assert!(status.success());
        std::fs::create_dir(place.path().join("folder")).unwrap();
        std::os::unix::fs::symlink("a", place.path().join("link")).unwrap();
        for name in ["pipe", "folder"] {
            let error = Lock::exclusive(&dir, name, SHORT).unwrap_err();
            assert!(matches!(&error, StoreError::WrongKind { expected: "regular file", .. }), "{name}: {error}");
        }
        assert!(matches!(Lock::exclusive(&dir, "link", SHORT), Err(StoreError::Symlink(_))));
    }

    #[test]
    fn who_waits_for_a_lock_that_is_removed_locks_the_next_file_of_that_name() {
        let (place, dir) = root();
        let held = Lock::exclusive(&dir, "a", LONG).unwrap();
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                tell.send(()).unwrap();
                let lock = Lock::exclusive(&dir, "a", LONG).unwrap();
                assert!(dir.look_at("a", lock.file()).unwrap().is_linked);
                assert!(matches!(Lock::exclusive(&dir, "a", SHORT), Err(StoreError::Busy { .. })));
            });
            told.recv().unwrap();
            // Long enough to have opened the file that is removed now.
            thread::sleep(SHORT);
            held.discard(&dir, "a").unwrap();
            waiter.join().unwrap();
        });
        assert!(place.path().join("a").exists());
    }
}
