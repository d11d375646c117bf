//! The steps of the pipeline, one by one.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a broken expectation must fail the test, and steps are asked for without the engine"
)]

mod chaining;
mod js_regex;
mod lattice;
mod merging;
mod planning;
mod policy;
mod process_results;
mod words;
