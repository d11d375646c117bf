//! The transcripts that agents leave on the disk, read as they are: one file per agent, one line at a time.
//!
//! A reader never fails as a whole. What cannot be read is counted and named ([`TranscriptProblem`]), and the rest is read all the same.
//! Memory does not grow with the size or the number of files.

mod claude;
mod codex;
mod families;
mod folders;
mod gemini;
mod lines;
mod merge;
mod opencode;
mod outcome;
mod sqlite;

pub use folders::{Homes, Listed, Search, SessionFile};

use serde_json::{Map, Value};
use std::hash::{Hash, Hasher};
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

impl PastCall {
    /// Hashes the tool and its input.
    pub(crate) fn hash_request(&self, hasher: &mut impl Hasher) {
        self.tool.hash(hasher);
        for (name, value) in &self.input {
            name.hash(hasher);
            match value {
                Value::String(text) => text.hash(hasher),
                other => other.to_string().hash(hasher),
            }
        }
    }
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
        /// When, as far as is known; otherwise when the call was made.
        millis: i64,
        /// How.
        end: CallEnd,
    },
}

impl Step {
    /// When it happened, in milliseconds since 1970; 0 if that is not known.
    #[must_use]
    pub fn millis(&self) -> i64 {
        match self {
            Self::Call(call) => call.millis,
            Self::Prompt { millis, .. } | Self::End { millis, .. } => *millis,
        }
    }
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
    /// A person was asked; what they decided is not recorded.
    Asked,
    /// It ran without a question.
    AutoApproved,
    /// Settings, a hook or a sandbox refused it, without a question.
    Blocked,
    /// The transcript does not tell.
    #[default]
    Unknown,
}

impl PastDecision {
    /// What it was, in words for a person.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Approved => "you approved it",
            Self::Refused => "you refused it",
            Self::Asked => "you were asked about it",
            Self::AutoApproved => "it ran without a question",
            Self::Blocked => "it was blocked",
            Self::Unknown => "what you decided is not recorded",
        }
    }
}

/// Something in a transcript that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranscriptProblem {
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
    fn trouble(&mut self, file: &Path, trouble: TranscriptProblem);
    /// So many more bytes were read; the answer may end the reading.
    fn advance(&mut self, bytes: u64) -> ControlFlow<()>;
}

/// A file that is being read, a little at a time.
trait Source {
    /// Reads on and gives what it finds; whether there may be more, unless the sink has enough.
    fn read_on(&mut self, sink: &mut dyn Sink) -> ControlFlow<(), bool>;
}

/// An agent whose transcripts can be read.
#[derive(Clone, Copy, Debug)]
pub struct TranscriptReader {
    /// The agent's name.
    pub agent: &'static str,
    find: fn(&Homes, Search, folders::OnListed<'_>) -> ControlFlow<()>,
    open: for<'f> fn(&'f SessionFile) -> Box<dyn Source + 'f>,
    /// Whether what the person decided is noted.
    pub notes_approvals: bool,
}

/// Every agent whose transcripts can be read.
pub static READERS: &[TranscriptReader] = &[
    TranscriptReader { agent: "claude", find: claude::find, open: claude::open, notes_approvals: true },
    TranscriptReader { agent: "codex", find: codex::find, open: codex::open, notes_approvals: true },
    TranscriptReader { agent: "gemini", find: gemini::find, open: gemini::open, notes_approvals: false },
    TranscriptReader { agent: "opencode", find: opencode::find, open: opencode::open, notes_approvals: false },
];

impl TranscriptReader {
    /// Gives the files of every session; the answer may end the search.
    pub fn find(
        &self,
        homes: &Homes,
        search: Search,
        found: &mut dyn FnMut(Listed) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        (self.find)(homes, search, found)
    }

    /// Reads the files of one session to their ends, or until the sink has enough. What happened in several of them is given in the
    /// order of time.
    pub fn read(&self, files: &[SessionFile], sink: &mut dyn Sink) -> ControlFlow<()> {
        match files {
            [file] => {
                let mut source = (self.open)(file);
                while source.read_on(sink)? {}
                ControlFlow::Continue(())
            }
            files => merge::read(files, self.open, sink),
        }
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
        _ => sink.trouble(file, TranscriptProblem::UntestedVersion(version.to_owned())),
    }
}
