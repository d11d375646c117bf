//! The journal in memory: events instead of runs, sessions with their sub-agents, and what is counted of them.

mod event;
mod filter;
mod index;
mod names;
mod overview;
mod search;
mod session;
mod source;
mod tail;

pub use event::{EventRow, Verdict, marked, shown_event};
pub use filter::{Filter, FilterError};
pub use index::Index;
pub use overview::{CountedBy, Day, HookCount, Interruptions, Latency, Overview, ProjectCount, RuleCount, Span};
pub use search::Searches;
pub use session::{Counts, ShownLane, ShownSession};
pub use source::{JournalSource, newest_sessions, numbered};
pub use tail::Tail;
