//! The journal in memory: events instead of runs, sessions with their sub-agents, and what is counted of them.

mod event;
mod filter;
mod index;
mod names;
mod overview;
mod search;
mod session;
mod tail;

pub use event::{EventRow, Verdict, marked};
pub use filter::{Filter, FilterError};
pub use index::Index;
pub use overview::{Overview, Span};
pub use search::Searches;
pub use session::ShownSession;
pub use tail::{Reading, Tail};
