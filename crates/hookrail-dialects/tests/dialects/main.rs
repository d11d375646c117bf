//! The dialects against payloads of real agents, and against what those agents were seen to do with answers.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test that fails should say where")]
#![allow(clippy::needless_pass_by_value, reason = "cases read better without borrows")]

mod answers;
mod decoding;
mod detection;
mod encoding;
mod fixtures;
mod formats;
mod golden;
mod keys;
mod laws;
mod measured;
mod texts;
mod verdicts;
