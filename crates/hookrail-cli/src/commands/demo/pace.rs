//! How fast things are shown, and when to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often somebody who waits looks up.
const PULSE: Duration = Duration::from_millis(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// For reading along.
    Readable,
    Fast,
}

/// The user's wish to end it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to the keyboard. Without a handler an interrupt just ends the program.
    pub fn listen() -> Self {
        let interrupt = Self::default();
        #[cfg(unix)]
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
            let _ = signal_hook::flag::register(signal, Arc::clone(&interrupt.0));
        }
        interrupt
    }

    pub fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Pace {
    /// Waits so that what was shown can be read.
    pub fn pause(self, time: Duration, interrupt: &Interrupt) {
        if self == Self::Fast {
            return;
        }
        let end = Instant::now() + time;
        while Instant::now() < end && !interrupt.came() {
            thread::sleep(PULSE.min(end.saturating_duration_since(Instant::now())));
        }
    }
}
