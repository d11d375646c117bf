//! How fast things are shown, and when to stop.

use crate::interrupt::Interrupt;
use std::thread;
use std::time::{Duration, Instant};

/// How often a waiting person is updated.
const PULSE: Duration = Duration::from_millis(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// For reading along.
    Readable,
    Fast,
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
