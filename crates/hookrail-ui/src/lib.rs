//! The journal, to look at: a web page on loopback ([`Server`]) and a view in a terminal ([`watch`]).
//!
//! ```text
//! journal files ──tail──▶ Index (events, sessions, sub-agents, counts)
//!                            ├──▶ JournalSource ─┐
//!                            │    other sources ─┴▶ server: JSON, server-sent events, the page's files
//!                            └──▶ watch: lanes in a terminal
//! Machine (explain, rules, doctor, allow: what the commands of `hookrail` do) ──▶ server
//! ```
//!
//! The crate reads the journal and nothing else; events of many machines come from another [`EventSource`]. What only the commands know is asked of a [`CommandBackend`], which the binary
//! implements with the commands themselves.
#![forbid(unsafe_code)]

mod assets;
mod journal;
mod machine;
mod server;
mod source;
pub mod watch;

pub use journal::{
    CountedBy, Counts, Day, Filter, FilterError, HookCount, Interruptions, JournalSource, Latency, Overview,
    ProjectCount, RuleCount, ShownLane, ShownSession, Span, Tail, Verdict, numbered, shown_event,
};
pub use machine::{AllowRequest, CommandBackend, Proposal, Refused, ShownFile, ShownProposal};
pub use server::{Server, ServerError};
pub use source::{EventPage, EventSource, FoundEvent, Progress, ShownHits};
