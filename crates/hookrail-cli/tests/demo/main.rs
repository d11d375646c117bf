//! `hookrail demo`, as run right after cloning the repository.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test"
)]

mod ending;
mod lines;
mod machine;
mod project;
mod screen;
