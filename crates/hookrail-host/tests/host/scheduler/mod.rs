//! The tool scheduler with real hook commands.

mod effects;
pub mod fixture;
mod order;
mod refusals;
