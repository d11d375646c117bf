//! `hookrail doctor` on machines of every state of health, with the real binary.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test"
)]

mod entries;
mod health;
mod machine;
mod mending;
