//! Pack `orchestrator` as agents and people meet it: the real binary, real files, real repositories.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test, and one that cannot be checked must say so"
)]

mod commands;
mod configuration;
mod plugin;
mod project;
mod scope;
mod sessions;
mod stopping;
mod verification;
mod workflow;
