//! `hookrail test` with the real binary, and the examples of every hook, which are scenarios.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test"
)]

mod examples;
mod isolation;
mod project;
mod reading;
mod safety;
mod updating;
