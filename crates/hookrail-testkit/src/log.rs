//! A log that remembers what was written to it.

use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

/// Lines in the order they were logged. Clones share the same list, so that a test keeps one handle and gives the
/// other to the code under test, on whatever thread that logs.
///
/// ```
/// let log = hookrail_testkit::log::CapturedLog::default();
/// log.push("warn", "hook `lint` timed out");
/// assert_eq!(log.lines(), ["warn: hook `lint` timed out"]);
/// assert!(log.contains("timed out"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct CapturedLog {
    lines: Arc<Mutex<Vec<String>>>,
}

impl CapturedLog {
    /// Adds a line, kept as `level: line`.
    pub fn push(&self, level: impl Display, line: impl Display) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{level}: {line}"));
    }

    /// Every line so far, each as `level: line`.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether some line, its level included, has `needle` in it.
    pub fn contains(&self, needle: &str) -> bool {
        self.lines().iter().any(|line| line.contains(needle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn clones_share_their_lines_across_threads() {
        let log = CapturedLog::default();
        thread::scope(|scope| {
            for writer in 0..4 {
                let log = log.clone();
                scope.spawn(move || (0..100).for_each(|n| log.push("info", format_args!("{writer}/{n}"))));
            }
        });
        assert_eq!(log.lines().len(), 400);
        assert!(log.contains("info: 3/99"));
        assert!(!log.contains("info: 4/0"));
    }

    #[test]
    fn lines_keep_the_order_in_which_they_came() {
        let log = CapturedLog::default();
        log.push("error", "first");
        log.push("debug", "second");
        assert_eq!(log.lines(), ["error: first", "debug: second"]);
    }
}
