//! Pack `planning` as agents meet it: the real binary and real files. There is no `PATH`: nothing external is needed.

mod architect;
mod checkpoints;
mod configuration;
mod contention;
mod day_one;
mod decisions;
mod failure_modes;
mod integrity;
mod interaction;
mod locks;
mod memory;
mod observing;
pub mod project;
mod research;
mod results;
mod specification;
mod stopping;
mod workflow;
