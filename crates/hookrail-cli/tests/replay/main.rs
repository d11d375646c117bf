//! `hookrail replay`: what another configuration would have decided.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

mod commands;
mod configuration;
mod haystack;
mod project;
mod records;
