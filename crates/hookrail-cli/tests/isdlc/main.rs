//! Pack `isdlc` as agents meet it: the real binary, real files, real repositories.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test"
)]

mod branches;
mod delegations;
mod failing_open;
mod modes;
mod monorepo;
mod observers;
mod plugin;
mod project;
#[cfg(unix)]
mod reading;
mod workflow;
