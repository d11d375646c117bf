//! The small agent, as a person and as a model see it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

mod decision_matrix;
mod program;
mod turns;
