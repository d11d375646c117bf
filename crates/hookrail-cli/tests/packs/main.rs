//! Each pack as agents and people meet it: the real binary, real files, real repositories.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a broken expectation must fail the test, and one that cannot be checked must say so"
)]

mod fsm;
mod isdlc;
mod orchestrator;
mod planning;
#[cfg(unix)]
mod small_truths;
