//! The token that ends running commands from another thread.

#[cfg(unix)]
use std::io::{self, PipeReader, PipeWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Ends everything that runs under it. Clones share one state; once cancelled, a token stays cancelled.
#[derive(Debug, Clone, Default)]
pub struct CancelToken {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    #[cfg(unix)]
    alarms: Mutex<Alarms>,
}

impl CancelToken {
    /// A token that nothing runs under yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Kills every command that runs under this token, and lets none start. May be called from any thread, though not from a signal
    /// handler: it takes a lock.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::SeqCst);
        #[cfg(unix)]
        self.shared.alarms().ring();
    }

    /// Whether [`CancelToken::cancel`] was called on this token or on a clone of it.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
    }

    /// A pipe that becomes readable at `cancel()`, and is at once if that was called before.
    #[cfg(unix)]
    pub(super) fn alarm(&self) -> io::Result<Alarm> {
        let (reader, writer) = io::pipe()?;
        let number = self.shared.alarms().add(writer);
        if self.is_cancelled() {
            self.shared.alarms().ring();
        }
        Ok(Alarm { reader, number, shared: Arc::clone(&self.shared) })
    }
}

#[cfg(unix)]
impl Shared {
    fn alarms(&self) -> MutexGuard<'_, Alarms> {
        self.alarms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writing ends of all waiters, by number.
#[cfg(unix)]
#[derive(Debug, Default)]
struct Alarms {
    waiting: Vec<(u64, PipeWriter)>,
    count: u64,
}

#[cfg(unix)]
impl Alarms {
    fn add(&mut self, writer: PipeWriter) -> u64 {
        self.count += 1;
        self.waiting.push((self.count, writer));
        self.count
    }

    fn ring(&mut self) {
        for (_, mut writer) in self.waiting.drain(..) {
            // Closing alone would not do: a process forked off in this instant may hold a copy of the end. The write can neither block
            // nor fail: the pipe is empty, and its reader leaves only after taking this end away.
            let _ = writer.write(&[1]);
        }
    }
}

#[cfg(unix)]
#[derive(Debug)]
pub(super) struct Alarm {
    pub(super) reader: PipeReader,
    number: u64,
    shared: Arc<Shared>,
}

#[cfg(unix)]
impl Drop for Alarm {
    fn drop(&mut self) {
        self.shared.alarms().waiting.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_cancel_reaches_every_clone_and_every_alarm_once() {
        let token = CancelToken::new();
        let clone = token.clone();
        let mut alarms = [token.alarm().unwrap(), clone.alarm().unwrap()];
        assert!(!token.is_cancelled());

        std::thread::spawn(move || clone.cancel()).join().unwrap();
        assert!(token.is_cancelled());
        for alarm in &mut alarms {
            let mut bytes = Vec::new();
            alarm.reader.read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes, [1]);
        }
    }

    #[test]
    fn an_alarm_nobody_waits_for_any_more_is_forgotten() {
        let token = CancelToken::new();
        let kept = token.alarm().unwrap();
        drop(token.alarm().unwrap());
        let numbers: Vec<u64> = token.shared.alarms().waiting.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [kept.number]);
        drop(kept);
        assert!(token.shared.alarms().waiting.is_empty());
        token.cancel();
    }
}
