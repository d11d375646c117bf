use crate::{ConfigSource, Decision, HookOutput, Misread, Mode, OnError, Origin};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How a hook is named in results: enough to find it again. Made by [`HookEntry::reference`](crate::HookEntry::reference),
/// so that a result names a hook that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookRef {
    /// What people call it; see [`HookEntry::id`](crate::HookEntry::id). Two hooks may have one.
    pub id: Arc<str>,
    /// The kind of action; see [`HookAction::kind`](crate::HookAction::kind).
    pub kind: &'static str,
    /// Who configured it.
    pub source: ConfigSource,
    /// Where it was configured.
    pub origin: Origin,
    /// What its failure decides.
    pub on_error: OnError,
    /// How seriously it was taken.
    pub mode: Mode,
    /// Whether it is disabled for the rest of a session in which it keeps failing.
    pub breaker: bool,
    /// The number of characters of its context that reach a model, if its configuration has a limit of its own.
    pub context_limit: Option<usize>,
    /// Whether its allow is an approval that the agent is told of.
    pub approves: bool,
}

impl HookRef {
    /// What makes it this hook and no other: a native hook is known by its id, everything else by where it is configured
    /// and what it is called there. A name alone can be taken by any file.
    #[must_use]
    pub fn key(&self) -> Cow<'_, str> {
        if self.kind == "native" {
            Cow::Borrowed(&self.id)
        } else {
            // Asked for several times a run.
            Cow::Owned([self.source.as_str(), ":", &*self.origin.place, "#", &*self.id].concat())
        }
    }
}

/// Why a hook could not do its work. Data, not an exception: the hook's `on_error` decides what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Exit code other than 0 and 2.
    Exit(i32),
    /// A signal ended it; this is its name.
    Signal(String),
    /// It took longer than this, and was ended.
    TimedOut(Duration),
    /// The agent lost interest in the answer, and the hook was ended.
    Cancelled,
    /// Never ran: no command, no program, no permission, not trusted.
    NotStarted(String),
    /// Code of this process panicked, with this message.
    Panicked(String),
    /// Ran, and reports that it could not decide.
    Error(String),
    /// Ran, and could not decide because the disk was full or another process held a lock: not a failure of the hook.
    Machine(String),
    /// Ran, and its answer cannot be read.
    Unreadable(String),
}

impl Failure {
    /// What to report as an error. A process that ran and exited told its story itself, through code and stderr.
    #[must_use]
    pub fn error_text(&self) -> Option<String> {
        match self {
            Self::Exit(_) | Self::Signal(_) => None,
            Self::TimedOut(_)
            | Self::Cancelled
            | Self::NotStarted(_)
            | Self::Panicked(_)
            | Self::Error(_)
            | Self::Machine(_)
            | Self::Unreadable(_) => Some(self.to_string()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit code {code}"),
            Self::Signal(name) => write!(f, "killed by {name}"),
            Self::TimedOut(limit) => write!(f, "timed out after {} ms", limit.as_millis()),
            Self::Cancelled => f.write_str("cancelled"),
            Self::NotStarted(why) => f.write_str(why),
            Self::Panicked(message) => write!(f, "panicked: {message}"),
            Self::Error(message) | Self::Machine(message) => f.write_str(message),
            Self::Unreadable(why) => write!(f, "its answer cannot be read: {why}"),
        }
    }
}

/// How a run ended: the hook's health, which is not its opinion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// Ran, and its output counts.
    Succeeded,
    /// Exit code 2: not a success by the protocol (HOOK-070), not a failure either.
    Blocked,
    /// Could not do its work. What that means for the operation, its `on_error` says.
    Failed(Failure),
    /// Planned, and for this reason not run.
    Skipped(String),
}

/// One hook run, complete.
#[derive(Clone, Debug)]
pub struct HookRun {
    /// Which hook it was.
    pub hook: HookRef,
    /// How it ended.
    pub status: RunStatus,
    /// What the hook said, or what its `on_error` made of its failure.
    pub output: Option<HookOutput>,
    /// The same as JSON, if it came as JSON.
    pub raw: Option<Value>,
    /// What of it could not be understood.
    pub misread: Vec<Misread>,
    /// What the hook said in `warn` mode, where it is recorded and not done.
    pub withheld: Option<Box<HookOutput>>,
    /// Absent when the hook was killed by a signal or is not a process (errata B11).
    pub exit_code: Option<i32>,
    /// What a process printed, as far as it was kept; empty for other hooks.
    pub stdout: String,
    /// What a process printed there, as far as it was kept; for other hooks what is worth telling about the run.
    pub stderr: String,
    /// The hook printed more than was kept.
    pub truncated: bool,
    /// From the start of the hook to its end, or to the moment at which it was ended.
    pub duration: Duration,
    /// What the journal is told beside what the hook said.
    pub record: Map<String, Value>,
}

impl HookRun {
    /// A run that left nothing but its end.
    #[must_use]
    pub fn new(hook: HookRef, status: RunStatus, output: Option<HookOutput>, duration: Duration) -> Self {
        Self {
            hook,
            status,
            output,
            raw: None,
            misread: Vec::new(),
            withheld: None,
            exit_code: None,
            stdout: String::new(),
            stderr: String::new(),
            truncated: false,
            duration,
            record: Map::new(),
        }
    }

    /// Execution health only; ask the output for policy (HOOK-213).
    #[must_use]
    pub fn success(&self) -> bool {
        matches!(self.status, RunStatus::Succeeded | RunStatus::Skipped(_))
    }

    /// Whether the hook approved the call, and may approve.
    #[must_use]
    pub fn approves(&self) -> bool {
        self.hook.approves && self.output.as_ref().is_some_and(|output| output.verdict() == Decision::Allow)
    }

    /// Why it could not do its work, if that is so.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        match &self.status {
            RunStatus::Failed(failure) => Some(failure),
            RunStatus::Succeeded | RunStatus::Blocked | RunStatus::Skipped(_) => None,
        }
    }

    /// The signal that ended the process, if one did.
    #[must_use]
    pub fn signal(&self) -> Option<&str> {
        match self.failure() {
            Some(Failure::Signal(name)) => Some(name),
            _ => None,
        }
    }

    /// Whether it was ended because it took too long.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        matches!(self.failure(), Some(Failure::TimedOut(_)))
    }

    /// The failure as text, unless the process told its story itself; see [`Failure::error_text`].
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.failure().and_then(Failure::error_text)
    }
}
