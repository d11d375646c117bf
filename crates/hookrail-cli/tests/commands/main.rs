//! The commands, with the real binary.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a broken expectation must fail the test, and one that cannot be checked must say so"
)]

#[cfg(unix)]
mod allowing;
#[cfg(unix)]
mod completions;
#[cfg(unix)]
mod doctor;
mod exit_codes;
#[cfg(unix)]
mod explain;
#[cfg(unix)]
mod install;
mod journal;
#[cfg(unix)]
mod json;
mod one_engine;
#[cfg(unix)]
mod policy;
mod replay;
mod rules;
#[cfg(unix)]
mod self_version;
#[cfg(unix)]
mod tryout;
#[cfg(unix)]
mod validate;
#[cfg(unix)]
mod verify;
#[cfg(unix)]
mod watch;
