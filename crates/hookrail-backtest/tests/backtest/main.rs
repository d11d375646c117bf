//! Transcripts that real agents wrote, from their files to a report.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test"
)]

mod readers;
mod report;
