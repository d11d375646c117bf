//! Runs shell commands side by side under a deadline, and never leaves anything of them behind when the deadline passes.
//!
//! One call of [`run_all`] is one group of commands. Each gets its own process group, its input on stdin, and one deadline over
//! spawning, writing, reading and waiting. What the commands do with their pipes cannot hold up the caller: input that is not read,
//! output without end, and a background process that keeps a pipe open are all survived.

mod cancel;
mod capture;
mod signal;
mod start_error;
mod stdin;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use cancel::CancelToken;
pub use capture::Captured;
pub use signal::signal_name;
pub use stdin::Stdin;

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Every command sees this variable. Its value names the run the command belongs to, which is how processes that left the command's
/// process group are found when the run has to be ended. Runs nest: a hook that runs hookrail passes its own mark on.
pub const RUN_MARK: &str = "HOOKRAIL_RUN";

/// One command to run, complete: the shell text is already expanded.
#[derive(Debug, Clone)]
pub struct ProcessSpec {
    /// Text for a shell, or the path of a program.
    pub command: String,
    /// What reads the text.
    pub program: Program,
    /// The directory it runs in.
    pub cwd: PathBuf,
    /// Set on top of the inherited environment.
    pub env: Vec<(OsString, OsString)>,
    /// Written to the command's stdin, which is then closed.
    pub stdin: Stdin,
    /// Counts from the start of this command, not from the call.
    pub timeout: Duration,
    /// Files that the command refers to by their numbers, which it inherits. Nothing opens or closes them here.
    pub inherited: Vec<Arc<File>>,
}

/// Who reads the text of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Program {
    /// `/bin/sh -c` on Unix, `cmd /C` on Windows.
    #[default]
    SystemShell,
    /// `bash`, wherever it is found.
    Bash,
    /// PowerShell, wherever it is found.
    PowerShell,
    /// None: the command is a program, and these are its arguments.
    Executable(Vec<String>),
}

/// What holds for every command of one call.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How much of stderr is kept. The rest is read and dropped, so that the command never blocks on it.
    pub capture_bytes: usize,
    /// How much longer than its input a command's stdout may be. A hook that returns the conversation it was sent must not be
    /// cut, however long the conversation is.
    pub answer_bytes: usize,
    /// How long a command may take to end after SIGTERM, before SIGKILL.
    pub grace: Duration,
    /// How long to go on reading after the command ended, while something it left behind holds its pipes open.
    pub drain: Duration,
    /// Whether commands go on if this process ends or is killed meanwhile: for those that are not waited for.
    pub outlive_caller: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            capture_bytes: 1 << 20,
            answer_bytes: 64 << 20,
            grace: Duration::from_secs(5),
            drain: Duration::from_millis(50),
            outlive_caller: false,
        }
    }
}

impl Limits {
    /// How much is kept of an answer to a question of this size. Memory is taken as the answer comes, not before.
    #[must_use]
    pub fn answer_to(&self, sent: usize) -> usize {
        self.answer_bytes.saturating_add(sent)
    }
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// It exited by itself.
    Code(i32),
    /// Ended by the signal of this number, sent by someone else; see [`signal_name`].
    Signal(i32),
    /// Still running at its deadline, and ended for that. How it took the end does not matter.
    TimedOut,
    /// Ended, or never started, because the call was cancelled.
    Cancelled,
    /// Nothing ran, or how it ended cannot be known. The text says why.
    NotStarted(String),
}

/// What came of one command.
#[derive(Debug, Clone)]
pub struct ProcessOutcome {
    /// How it ended.
    pub exit: Exit,
    /// What it printed.
    pub stdout: Captured,
    /// What it printed there.
    pub stderr: Captured,
    /// From the start of this command to its end; zero if it never started.
    pub duration: Duration,
}

impl ProcessOutcome {
    /// The outcome of a command of which no process ever existed.
    fn without_process(exit: Exit) -> Self {
        Self { exit, stdout: Captured::default(), stderr: Captured::default(), duration: Duration::ZERO }
    }
}

/// Runs all commands at the same time and blocks until every one is done. The outcomes are in the order of the specs.
///
/// A command for which there are no file descriptors or processes left waits until another one of the call is done.
/// The calling program must ignore SIGPIPE, as every Rust program does unless told otherwise.
pub fn run_all(specs: &[ProcessSpec], limits: &Limits, cancel: &CancelToken) -> Vec<ProcessOutcome> {
    run_all_while(specs, limits, cancel, &|| {})
}

/// The same; what need not wait for the commands is done `meanwhile`, at most once, when they have been started. On Unix it is not done
/// if all of them are over by then.
pub fn run_all_while(
    specs: &[ProcessSpec],
    limits: &Limits,
    cancel: &CancelToken,
    meanwhile: &dyn Fn(),
) -> Vec<ProcessOutcome> {
    #[cfg(unix)]
    return unix::run_all(specs, limits, cancel, meanwhile);
    #[cfg(windows)]
    return windows::run_all(specs, limits, cancel, meanwhile);
}
