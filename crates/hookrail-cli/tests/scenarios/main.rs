//! `hookrail test` with the real binary, and the examples of every hook, which are scenarios.
#![cfg(unix)]

mod examples;
mod isolation;
mod place;
mod reading;
mod updating;
