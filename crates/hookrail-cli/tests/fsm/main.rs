//! Pack `fsm` as agents and people meet it: the real binary, real files.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a broken expectation must fail the test, and one that cannot be checked must say so"
)]

mod answering;
mod commands;
mod crowd;
mod errata;
mod faults;
mod input;
mod installations;
mod locating;
mod marking;
mod numbering;
mod project;
mod system_calls;
mod validation;
