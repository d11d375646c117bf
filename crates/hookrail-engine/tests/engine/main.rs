//! The whole engine, as its callers meet it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test, and a hook may be broken"
)]

mod asking;
mod configuration;
mod document;
mod identity;
#[cfg(unix)]
mod knowledge;
mod layers;
mod lifecycle;
mod one_pipeline;
mod preview;
mod running;
mod support;
