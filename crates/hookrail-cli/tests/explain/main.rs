//! `hookrail explain` with the real binary: it says what `hookrail hook` does, and does nothing.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test"
)]

mod project;
mod sameness;
mod stillness;
