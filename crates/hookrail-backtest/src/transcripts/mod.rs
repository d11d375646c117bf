//! The transcripts that agents leave on the disk, read as they are: one file per agent, one line at a time.
//!
//! A reader never fails as a whole. What cannot be read is counted and named ([`Trouble`]), and the rest is read all the same.
//! Memory does not grow with the size or the number of files.

mod claude;
mod codex;
mod folders;
mod gemini;
mod lines;
mod opencode;
mod outcome;
mod sqlite;

pub use folders::{Homes, SessionFile};

use serde_json::{Map, Value};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A tool call that an agent made.
#[derive(Clone, Debug, PartialEq)]
pub struct PastCall {
    /// The session it belongs to; a sub-agent's calls are those of the session that started it.
    pub session: String,
    /// The agent's id of it.
    pub id: String,
    /// The tool, as the agent's hooks would be given it.
    pub tool: String,
    /// Its input, likewise.
    pub input: Map<String, Value>,
    /// The folder that the agent worked in.
    pub cwd: PathBuf,
    /// The branch that was checked out, where the agent noted it.
    pub branch: Option<String>,
    /// The agent's permission mode, where it noted it.
    pub mode: Option<String>,
    /// The sub-agent that made it, by its name or type; empty if only its existence is known.
    pub subagent: Option<String>,
    /// When, in milliseconds since 1970.
    pub millis: i64,
}

/// What happened in a session, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A person said something: a new turn.
    Prompt {
        /// The session.
        session: String,
        /// When.
        millis: i64,
    },
    /// A call was made.
    Call(Box<PastCall>),
    /// A call ended.
    End {
        /// The session.
        session: String,
        /// The call's id.
        call: String,
        /// How.
        end: CallEnd,
    },
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEnd {
    /// Whether it ran.
    pub outcome: Outcome,
    /// What was decided before it ran, and by whom.
    pub decision: PastDecision,
}

/// Whether a call succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded.
    Ok,
    /// It failed, or a command ended with another status than 0.
    Failed,
    /// It did not run.
    NotRun,
    /// The transcript does not tell.
    #[default]
    Unknown,
}

/// What was decided about a call then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PastDecision {
    /// A person was asked and approved it.
    Approved,
    /// A person was asked and refused it.
    Refused,
    /// It ran without a question.
    Unasked,
    /// Settings, a hook or a sandbox refused it, without a question.
    Blocked,
    /// The transcript does not tell.
    #[default]
    Unknown,
}

/// Something in a transcript that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A file that cannot be opened or read to its end.
    Unreadable(String),
    /// A line, or row, that is not what it should be.
    BrokenLine {
        /// Its number, counted from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// A file written by a version that was not tested; it is read all the same.
    UntestedVersion(String),
    /// A file in a form that this version does not read.
    UnknownForm(String),
}

/// Takes what a reader finds.
pub trait Sink {
    /// What happened next.
    fn step(&mut self, step: Step);
    /// What could not be read.
    fn trouble(&mut self, file: &Path, trouble: Trouble);
    /// So many more bytes were read; the answer may end the reading.
    fn advance(&mut self, bytes: u64) -> ControlFlow<()>;
}

/// Takes the files that are found; the answer may end the search.
type Found<'a> = &'a mut dyn FnMut(SessionFile) -> ControlFlow<()>;

/// An agent whose transcripts can be read.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// The agent's name.
    pub agent: &'static str,
    /// Gives every file of a session below the agent's folder; the answer may end the search.
    find: fn(&Homes, Found<'_>) -> ControlFlow<()>,
    read: fn(&SessionFile, &mut dyn Sink) -> ControlFlow<()>,
    /// Whether what the person decided is noted.
    pub notes_approvals: bool,
}

/// Every agent whose transcripts can be read.
pub static READERS: &[Reader] = &[
    Reader { agent: "claude", find: claude::find, read: claude::read, notes_approvals: true },
    Reader { agent: "codex", find: codex::find, read: codex::read, notes_approvals: true },
    Reader { agent: "gemini", find: gemini::find, read: gemini::read, notes_approvals: false },
    Reader { agent: "opencode", find: opencode::find, read: opencode::read, notes_approvals: false },
];

impl Reader {
    /// Gives every file of a session, in an order in which sub-agents follow the session that started them.
    pub fn find(&self, homes: &Homes, found: &mut dyn FnMut(SessionFile) -> ControlFlow<()>) -> ControlFlow<()> {
        (self.find)(homes, found)
    }

    /// Reads one file to its end, or until the sink has enough.
    pub fn read(&self, file: &SessionFile, sink: &mut dyn Sink) -> ControlFlow<()> {
        (self.read)(file, sink)
    }
}

/// Milliseconds since 1970 of an ISO 8601 time; 0 if it is none.
fn millis(text: &str) -> i64 {
    text.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_millisecond)
}

/// Says that a version was not tested, if it is newer than the newest that was.
fn check_version(file: &Path, version: &str, newest: (u64, u64), sink: &mut dyn Sink) {
    let mut numbers = version.split('.').map(|part| part.parse::<u64>().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(major), Some(minor)) if (major, minor) <= newest => {}
        _ => sink.trouble(file, Trouble::UntestedVersion(version.to_owned())),
    }
}
