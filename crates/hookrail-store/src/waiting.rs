//! Waiting for a lock: blocked in the kernel, which wakes whoever waits in turn, and with a timer.

use std::cell::{Cell, LazyCell};
use std::fs::{File, TryLockError};
use std::io;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a lock is waited for by a caller without a deadline.
pub(crate) const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// Most locks are held for microseconds: these pauses are shorter than starting a thread takes.
const PAUSES: [Duration; 3] = [Duration::from_micros(40), Duration::from_micros(80), Duration::from_micros(160)];
/// How often a lock is tried where no thread can be had.
const POLL: Duration = Duration::from_millis(2);
/// What is left of a deadline when waiting ends, so that there is time to decide what follows.
const RESERVE: Duration = Duration::from_millis(200);

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// No other process holds it.
    Exclusive,
    /// Others may hold it for reading.
    Shared,
}

thread_local! {
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Runs something that has a deadline: no lock is waited for longer than until shortly before it, or shortly before what was
/// set around this call. So a busy lock is told from work that takes too long.
pub fn with_deadline<T>(deadline: Instant, work: impl FnOnce() -> T) -> T {
    /// Also if the work panics, the thread goes on to something else.
    struct Restored(Option<Instant>);
    impl Drop for Restored {
        fn drop(&mut self) {
            DEADLINE.set(self.0);
        }
    }
    let before = DEADLINE.get();
    let _restored = Restored(before);
    DEADLINE.set(Some(before.map_or(deadline, |before| before.min(deadline))));
    work()
}

/// Waits for a lock on an open file, at most for `patience`. [`TryLockError::WouldBlock`] says that another one still holds it.
///
/// The lock belongs to the open file: it ends when that is closed, or unlocked.
pub fn wait_for_lock(file: &File, kind: LockKind, patience: Duration) -> Result<(), TryLockError> {
    // Most locks are free: nobody waits for them, and no clock is read.
    let started = LazyCell::new(Instant::now);
    for pause in PAUSES {
        match attempt(file, kind) {
            Err(TryLockError::WouldBlock) => {}
            ended => return ended,
        }
        if bounded(patience, started.elapsed()).is_zero() {
            return Err(TryLockError::WouldBlock);
        }
        thread::sleep(pause);
    }
    block(file, kind, bounded(patience, started.elapsed())).unwrap_or_else(|| poll(file, kind, patience, *started))
}

/// How long the deadline around this call lets it wait.
pub(crate) fn time_to_wait() -> Option<Duration> {
    let left = DEADLINE.get()?.saturating_duration_since(Instant::now());
    // A short deadline has a short reserve.
    Some(left.saturating_sub(RESERVE.min(left / 4)))
}

/// What is left of the patience, and of the deadline around this call.
fn bounded(patience: Duration, waited: Duration) -> Duration {
    let left = patience.saturating_sub(waited);
    time_to_wait().map_or(left, |time| left.min(time))
}

pub(crate) fn attempt(file: &File, kind: LockKind) -> Result<(), TryLockError> {
    match kind {
        LockKind::Exclusive => file.try_lock(),
        LockKind::Shared => file.try_lock_shared(),
    }
}

/// Blocks on another thread, which can be left behind when the time is up. `None` if there is no such thread.
fn block(file: &File, kind: LockKind, patience: Duration) -> Option<Result<(), TryLockError>> {
    let copy = match file.try_clone() {
        Ok(copy) => copy,
        Err(_) => return None,
    };
    let (tell, told) = sync_channel(1);
    let waiter = move || hand_over(&copy, kind, &tell);
    thread::Builder::new().name("hookrail-lock".to_owned()).stack_size(64 << 10).spawn(waiter).ok()?;
    Some(match told.recv_timeout(patience) {
        Ok(locked) => locked.map_err(TryLockError::Error),
        Err(RecvTimeoutError::Timeout) => Err(TryLockError::WouldBlock),
        Err(RecvTimeoutError::Disconnected) => return None,
    })
}

/// A lock that comes too late is given back. One that comes in the very moment in which the waiter leaves ends with the file,
/// which the waiter closes.
fn hand_over(file: &File, kind: LockKind, tell: &SyncSender<io::Result<()>>) {
    let locked = match kind {
        LockKind::Exclusive => file.lock(),
        LockKind::Shared => file.lock_shared(),
    };
    if tell.send(locked).is_err() {
        // Nothing can be done about a lock that cannot be given back, and it ends with this file.
        let _ = file.unlock();
    }
}

fn poll(file: &File, kind: LockKind, patience: Duration, started: Instant) -> Result<(), TryLockError> {
    loop {
        match attempt(file, kind) {
            Err(TryLockError::WouldBlock) if !bounded(patience, started.elapsed()).is_zero() => thread::sleep(POLL),
            ended => return ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(30);

    fn lock_file() -> (tempfile::TempDir, impl Fn() -> File) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        File::create(&path).unwrap();
        (folder, move || File::open(&path).unwrap())
    }

    fn is_busy(result: Result<(), TryLockError>) -> bool {
        result.is_err_and(|error| matches!(error, TryLockError::WouldBlock))
    }

    #[test]
    fn a_lock_is_had_when_its_holder_lets_go() {
        let (_folder, open) = lock_file();
        let held = open();
        held.lock().unwrap();
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let file = open();
                wait_for_lock(&file, LockKind::Exclusive, LONG).unwrap();
                assert!(is_busy(open().try_lock()), "the waiter's own file holds it");
            });
            thread::sleep(SHORT);
            held.unlock().unwrap();
            waiter.join().unwrap();
        });
        assert!(open().try_lock().is_ok(), "and lets go when it is closed");
    }

    #[test]
    fn waiting_ends_with_the_patience_or_shortly_before_the_deadline_around_it() {
        let (_folder, open) = lock_file();
        let held = open();
        held.lock().unwrap();
        let waiter = open();
        assert!(is_busy(wait_for_lock(&waiter, LockKind::Exclusive, SHORT)));
        let deadline = Instant::now() + SHORT * 4;
        assert!(is_busy(with_deadline(deadline, || wait_for_lock(&waiter, LockKind::Exclusive, LONG))));
        assert!(Instant::now() < deadline, "there is time left to decide");
        let outer = with_deadline(deadline, || {
            with_deadline(Instant::now() + LONG, || wait_for_lock(&waiter, LockKind::Shared, LONG))
        });
        assert!(is_busy(outer), "the nearest deadline counts");
        assert_eq!(DEADLINE.get(), None);
    }

    #[test]
    fn a_waiter_that_left_does_not_keep_the_lock() {
        let (_folder, open) = lock_file();
        for kind in [LockKind::Exclusive, LockKind::Shared] {
            let held = open();
            held.lock().unwrap();
            assert!(is_busy(wait_for_lock(&open(), kind, SHORT)));
            held.unlock().unwrap();
            let next = open();
            wait_for_lock(&next, LockKind::Exclusive, LONG).unwrap();
        }
    }

    #[test]
    fn everyone_in_a_crowd_gets_its_turn() {
        let (_folder, open) = lock_file();
        let turns = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| {
                    let file = open();
                    wait_for_lock(&file, LockKind::Exclusive, LONG).unwrap();
                    let before = turns.load(Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(1));
                    turns.store(before + 1, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(turns.into_inner(), 32, "one at a time");
    }
}
