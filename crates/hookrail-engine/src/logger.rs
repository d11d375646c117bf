//! Where the engine talks about its own work.

use std::fmt::Debug;

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What happened, for debugging.
    Debug,
    /// Something is wrong and worth a look, though the agent goes on.
    Warn,
}

/// Takes the engine's log lines. The engine itself never writes to stdout or stderr: those belong to the program.
pub trait DebugLogger: Debug + Send + Sync {
    /// Whether lines of this level are wanted; nothing is formatted otherwise.
    fn enabled(&self, level: Level) -> bool;

    /// Takes one line. It has no control characters, whatever hooks printed.
    fn log(&self, level: Level, line: &str);
}

/// Wants nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct SilentLogger;

impl DebugLogger for SilentLogger {
    fn enabled(&self, _: Level) -> bool {
        false
    }

    fn log(&self, _: Level, _: &str) {}
}

/// Shows a hook's `statusMessage` while the hook runs.
pub trait StatusDisplay: Debug + Send + Sync {
    /// A hook is about to run. The message is for one line of a screen; it has no control characters.
    fn show(&self, hook: &str, message: &str);
}

/// Formats a line only if it is logged.
pub(crate) fn log(logger: &dyn DebugLogger, level: Level, line: impl FnOnce() -> String) {
    if logger.enabled(level) {
        logger.log(level, &sanitised(&line()));
    }
}

/// A hook's output may end up in a log line; it must not be able to forge another one or drive a terminal.
pub(crate) fn sanitised(line: &str) -> String {
    line.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
