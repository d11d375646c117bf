//! Pack `orchestrator` as agents and people meet it: the real binary, real files, real repositories.

mod commands;
mod configuration;
mod plugin;
pub mod project;
mod scope;
mod sessions;
mod stopping;
mod verification;
mod workflow;
