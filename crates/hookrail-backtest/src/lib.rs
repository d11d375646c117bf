//! What a configuration would have done to sessions that are over.
//!
//! [`transcripts`] reads what agents left on the disk, a [`Judge`] asks the one engine about each call as it was then, and a
//! [`BacktestReport`] has what came of it, for people and for programs. Nothing is started, nothing is written.
//!
//! ```text
//! files ──readers──▶ steps ──Judge (Engine, PastWorld)──▶ decisions ──Collector──▶ BacktestReport
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod judge;
pub mod page;
mod report;
mod run;
pub mod transcripts;
pub mod world;

pub use judge::{CallDecision, Candidate, HookOpinion, Judge, Judged, NOT_STARTED, Unreadable, before_tool};
pub use report::{
    AgentRow, BacktestReport, CallSource, ChangedCall, Collector, Counted, DayRow, Decisions, Diff, History,
    Interruptions, JudgedCall, Pair, Problem, ProblemKind, ProjectRow, RuleRow, Score, Selected, Shift, Then, VERSION,
    counted, number, schema, share,
};
pub use run::{FoundCall, RecordedCall, RecordedStep, Request, Watcher, find_call, run, run_recorded};
