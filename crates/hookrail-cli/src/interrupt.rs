//! The user's wish to end a long work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user wants the work to end.
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
