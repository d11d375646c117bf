//! What a program that is an agent embeds, as such a program uses it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test"
)]

mod chat;
mod rpc;
mod scheduler;
mod translate;
mod triggers;
