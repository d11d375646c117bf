//! What a backtest found: everything that its text, its JSON and its page show.
//!
//! The types can be written and read again, so that a program can show a report that another one made. Texts of calls are
//! without secrets and of bounded length; the counts are exact.

mod collect;
mod look;
mod remarks;
mod schema;
mod words;

pub use collect::{Collector, Then};
pub use schema::schema;
pub use words::{counted, number, share};

use crate::judge::CallDecision;
use crate::transcripts::PastDecision;
use serde::{Deserialize, Serialize};

/// The version of this form.
pub const VERSION: u32 = 1;

/// What a configuration would have done to past sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BacktestReport {
    /// The version of this form, [`VERSION`].
    pub version: u32,
    /// When it was made, ISO 8601.
    pub made: String,
    /// The configuration that was tried.
    pub configuration: String,
    /// Where the calls are from.
    pub source: CallSource,
    /// Whether everything was read; not so if it was interrupted.
    pub complete: bool,
    /// What was read.
    pub history: History,
    /// What would have been decided.
    pub decisions: Decisions,
    /// Compared with what was decided then.
    pub score: Score,
    /// Questions to a person, then and with this configuration.
    pub interruptions: Interruptions,
    /// Every pair of what was decided then and what would be now, that happened.
    pub pairs: Vec<Pair>,
    /// By agent.
    pub agents: Vec<AgentRow>,
    /// By day, UTC, the oldest first; days without calls are left out.
    pub days: Vec<DayRow>,
    /// By rule or hook, the busiest first.
    pub rules: Vec<RuleRow>,
    /// By project, the busiest first; of very many, the busiest.
    pub projects: Vec<ProjectRow>,
    /// The refused calls that would have done most harm.
    pub worst: Vec<JudgedCall>,
    /// The calls most worth a look, the most doubtful first.
    pub worth_a_look: Vec<JudgedCall>,
    /// The calls of the rule that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<Selected>,
    /// What another configuration would have done instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<Diff>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Command hooks that would have been asked and were not started, with the number of calls.
    pub not_started: Vec<Counted>,
}

/// Where the calls of a report are from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallSource {
    /// Transcripts that agents wrote.
    #[default]
    Transcripts,
    /// The journal of hookrail.
    Journal,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Sessions with at least one call of their own.
    pub sessions: u64,
    /// Calls, each counted once.
    pub calls: u64,
    /// Events that are no calls, of which only those are reported that are decided otherwise; of the journal only.
    pub other_events: u64,
    /// Calls that stood in several transcripts, because a session was resumed or forked.
    pub repeated: u64,
    /// Calls of sub-agents, which are among the calls.
    pub of_subagents: u64,
    /// Files that were read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The first and the last call, ISO 8601.
    pub first: Option<String>,
    /// See `first`.
    pub last: Option<String>,
    /// Days with at least one call.
    pub days: u64,
    /// Projects with at least one call.
    pub projects: u64,
    /// Calls whose decision rests on files or a repository as they are today; then it may have been another.
    pub may_differ: u64,
}

/// Calls by decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decisions {
    /// Refused.
    pub deny: u64,
    /// A person would be asked.
    pub ask: u64,
    /// Approved without a question.
    pub allow: u64,
    /// No opinion.
    pub none: u64,
}

impl Decisions {
    /// Counts one call.
    pub fn add(&mut self, answer: CallDecision) {
        match answer {
            CallDecision::Deny => self.deny += 1,
            CallDecision::Ask => self.ask += 1,
            CallDecision::Allow => self.allow += 1,
            CallDecision::None => self.none += 1,
        }
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.deny + self.ask + self.allow + self.none
    }
}

/// What was decided now, against what a person decided then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Calls that a person approved then.
    pub approved: u64,
    /// Of these, calls that would be refused now.
    pub approved_denied: u64,
    /// Of these, calls that a person would be asked about again.
    pub approved_asked: u64,
    /// Of these, calls that would be approved without a question.
    pub approved_allowed: u64,
    /// Calls that a person refused then.
    pub refused: u64,
    /// Of these, calls that would be refused or asked about now.
    pub refused_stopped: u64,
    /// Of these, calls that would be approved without a question.
    pub refused_allowed: u64,
    /// Calls that ran, as far as is known without a question.
    pub ran: u64,
    /// Of these, calls that would be refused now.
    pub ran_denied: u64,
}

/// Questions to a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interruptions {
    /// Then, as far as the transcripts tell.
    pub before: u64,
    /// With this configuration.
    pub after: u64,
    /// A day with calls.
    pub before_per_day: f64,
    /// A day with calls.
    pub after_per_day: f64,
}

/// How often one decision of then met one of now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// What was decided then.
    pub then: PastDecision,
    /// What would be now.
    pub now: CallDecision,
    /// How often.
    pub calls: u64,
}

/// One agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRow {
    /// Its name.
    pub agent: String,
    /// What people call it.
    pub title: String,
    /// Files.
    pub files: u64,
    /// Bytes.
    pub bytes: u64,
    /// Sessions.
    pub sessions: u64,
    /// What would have been decided.
    pub decisions: Decisions,
    /// Whether its transcripts tell what a person approved.
    pub notes_approvals: bool,
}

/// One day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayRow {
    /// Such as `2026-11-14`.
    pub day: String,
    /// What would have been decided.
    pub decisions: Decisions,
    /// Questions to a person then, as far as the transcripts tell.
    pub asked_then: u64,
    /// Questions to a person with this configuration.
    pub asked_now: u64,
}

/// One rule or hook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleRow {
    /// Its name.
    pub rule: String,
    /// Calls that it had an opinion on.
    pub calls: u64,
    /// What it said, whether or not that decided.
    pub said: Decisions,
    /// It is in mode `shadow` or `warn`, and decides nothing.
    pub withheld: bool,
    /// Of the calls that it would stop, those that a person approved then.
    pub approved_then: u64,
    /// Of the calls that it would stop, those that a person refused then.
    pub refused_then: u64,
    /// A call to look at.
    pub example: Option<JudgedCall>,
}

/// One project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRow {
    /// Its folder.
    pub project: String,
    /// What would have been decided.
    pub decisions: Decisions,
    /// Questions to a person then, as far as the transcripts tell.
    pub asked_then: u64,
}

/// A call, and what would have been decided about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedCall {
    /// What names it: for `hookrail backtest --scenario`, `hookrail try --call` and `hookrail explain --call`.
    pub call: String,
    /// The agent.
    pub agent: String,
    /// The session.
    pub session: String,
    /// The folder of the project.
    pub project: String,
    /// When, ISO 8601.
    pub time: String,
    /// The tool.
    pub tool: String,
    /// What it was about: the command, the file, the address. Without secrets, and shortened.
    pub subject: String,
    /// What would be decided now.
    pub now: CallDecision,
    /// What was decided then.
    pub then: PastDecision,
    /// The rules and hooks that decide so now.
    pub rules: Vec<String>,
    /// Why, without secrets.
    pub reason: Option<String>,
    /// The effect that counts, and its place.
    pub effect: Option<String>,
    /// See [`History::may_differ`].
    pub may_differ: bool,
    /// The agent cannot ask a person, so that what would be asked is refused.
    pub cannot_ask: bool,
    /// How many calls like this there were.
    pub times: u64,
}

/// The calls of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selected {
    /// The rule.
    pub rule: String,
    /// The newest of its calls.
    pub calls: Vec<JudgedCall>,
    /// How many more there are.
    pub left_off: u64,
}

/// What another configuration would have done instead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diff {
    /// The other configuration.
    pub other: String,
    /// What it would have decided.
    pub decisions: Decisions,
    /// Questions to a person with it.
    pub asked: u64,
    /// Calls about which the two differ.
    pub changed: u64,
    /// How often one decision would become another, the most frequent first.
    pub shifts: Vec<Shift>,
    /// The calls that changed, those that a person decided about first.
    pub calls: Vec<ChangedCall>,
}

/// How often one decision would become another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// With the configuration of the report.
    pub from: CallDecision,
    /// With the other one.
    pub to: CallDecision,
    /// How often.
    pub calls: u64,
}

/// A call about which two configurations differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedCall {
    /// The call under the configuration of the report.
    pub call: JudgedCall,
    /// What the other one would decide.
    pub other: CallDecision,
    /// The rules and hooks that decide so there.
    pub other_rules: Vec<String>,
}

/// What could not be read or decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// A line or row of a transcript is not what it should be.
    #[default]
    BrokenLine,
    /// A file or folder cannot be read.
    UnreadableFile,
    /// A transcript is of a version that was not tested; it is read all the same.
    UntestedVersion,
    /// A transcript has a form that is not known.
    UnknownForm,
    /// The configuration cannot be used in a project.
    UnknownConfiguration,
    /// The journal did not keep an event.
    NotKept,
    /// An event was too large for the journal.
    TooLarge,
    /// An event is of an agent, a pack or a hook that this version does not have.
    UnknownEvent,
    /// An event was cut or had a secret in it, and is decided from what is left.
    CutEvent,
    /// A command hook was to be run and is not trusted.
    UntrustedCommand,
    /// Events at which no hook looked are not in the journal.
    UnlistedEvents,
}

/// Something that could not be read or decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The agent; empty where it is about no one agent.
    pub agent: String,
    /// What it is.
    pub kind: ProblemKind,
    /// How often.
    pub count: u64,
    /// Where, for the first ones, and what is wrong.
    pub examples: Vec<String>,
}

/// Something with a number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Its name.
    pub name: String,
    /// How often.
    pub count: u64,
}
