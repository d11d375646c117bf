//! The tool scheduler with real hook commands.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test loudly"
)]

mod effects;
mod fixture;
mod order;
mod refusals;
