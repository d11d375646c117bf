//! Finds mistakes in the hook configurations of AI coding agents, and in the scripts those name.
//!
//! A file is recognised ([`recognise`]), read into a tree that knows its places, and shown to every lint of [`LINTS`].
//! Scripts are read as text and never run. What a lint says about an agent was measured on it or read in its program.
#![forbid(unsafe_code)]

mod agents;
mod check;
mod command;
mod finding;
mod hooks;
mod lint;
mod lints;
mod listing;
mod matcher;
mod recognise;
mod script;
mod surroundings;
mod tree;

pub use check::{check, from_diagnostic, unread};
pub use finding::{Finding, Severity, Source, SourcePosition};
pub use hookrail_dialects::{Agent, agent, agents};
pub use hooks::Role;
pub use lint::Lint;
pub use lints::LINTS;
pub use listing::{ListedHook, list};
pub use recognise::{Kind, kind_of, recognise};
pub use surroundings::{FoundFile, Surroundings};
