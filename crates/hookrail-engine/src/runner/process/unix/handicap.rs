//! Takes away what not every Unix has, for the tests of this thread.

use std::cell::Cell;

thread_local! {
    /// No descriptor tells of the end of a process.
    pub(super) static WITHOUT_PIDFD: Cell<bool> = const { Cell::new(false) };
    /// There is no table of processes.
    pub(super) static WITHOUT_PROC: Cell<bool> = const { Cell::new(false) };
}
