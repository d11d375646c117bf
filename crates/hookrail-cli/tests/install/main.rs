//! `hookrail install` and `uninstall` on real files, with the real binary.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test"
)]

mod edits;
mod forms;
mod identity;
mod managed;
mod packs;
mod refusals;
mod registrations;
mod scene;
mod scopes;
mod starting;
