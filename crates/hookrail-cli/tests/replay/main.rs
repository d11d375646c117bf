//! `hookrail replay`: what another configuration would have decided.
#![allow(clippy::unwrap_used, reason = "a broken expectation must fail the test")]

mod commands;
mod configuration;
mod haystack;
mod place;
mod records;
