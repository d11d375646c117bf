//! Every guard against ordinary spellings, with the truth: what a guard lets through runs for real, in a folder of its own,
//! and must leave alone what the guard is there for. What only looks like a change must never be refused.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "helpers of a test may fail it")]

mod branch_guard;
mod branch_spellings;
mod disk;
mod more_spellings;
mod planning_lock;
mod power_shell;
mod protected_paths;
mod reading;
mod research_budget;
mod sandbox;
mod scope_protection;
mod secret_spellings;
mod secret_versions;
mod secrets;
mod spec_immutability;
mod state_validator;
mod tools_of_agents;
mod unclear;
