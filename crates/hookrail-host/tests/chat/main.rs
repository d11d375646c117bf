//! Chat sessions with real hook commands and a model that does as it is told.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test loudly")]

mod after_model;
mod before_model;
mod chat_fixture;
mod endings;
mod events;
#[path = "../scheduler/fixture.rs"]
mod fixture;
mod tool_calls;
mod tool_selection;
