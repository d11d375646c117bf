//! The journal, to look at: a web page on loopback ([`Server`]) and a view in a terminal ([`watch`]).
//!
//! ```text
//! journal files ──tail──▶ Index (events, sessions, sub-agents, counts)
//!                            ├──▶ server: JSON, server-sent events, the page's files
//!                            └──▶ watch: lanes in a terminal
//! Machine (explain, rules, doctor, allow: what the commands of `hookrail` do) ──▶ server
//! ```
//!
//! The crate reads the journal and nothing else. What only the commands know is asked of a [`Machine`], which the binary
//! implements with the commands themselves.

mod assets;
mod journal;
mod machine;
mod server;
pub mod watch;

pub use journal::{FilterError, Tail};
pub use machine::{AllowRequest, Machine, Proposal, Refused, ShownFile, ShownProposal};
pub use server::{Server, ServerError};
