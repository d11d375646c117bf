//! Pack `isdlc` as agents meet it: the real binary, real files, real repositories.

mod branches;
mod delegations;
mod failing_open;
mod modes;
mod monorepo;
mod observers;
mod plugin;
pub mod project;
#[cfg(unix)]
mod reading;
mod workflow;
