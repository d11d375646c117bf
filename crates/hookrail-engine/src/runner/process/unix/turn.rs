//! One turn of the loop: everything that is decided in it is decided on the same facts.

use super::super::Limits;
use super::process_table::ProcessTable;
use std::cell::LazyCell;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct Turn<'a> {
    pub(super) now: Instant,
    pub(super) cancelled: bool,
    pub(super) limits: &'a Limits,
    /// Read at most once a turn, and only when something has to be ended: many commands may meet their deadline together.
    pub(super) table: LazyCell<Option<ProcessTable>>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(limits: &'a Limits, cancelled: bool) -> Self {
        Self { now: Instant::now(), cancelled, limits, table: LazyCell::new(ProcessTable::read) }
    }

    /// A moment that does not exist never comes.
    pub(super) fn is_past(&self, moment: Option<Instant>) -> bool {
        moment.is_some_and(|moment| self.now >= moment)
    }
}

/// The moment `wait` after `now`; none if the clock does not reach that far.
pub(super) fn later(now: Instant, wait: Duration) -> Option<Instant> {
    now.checked_add(wait)
}
