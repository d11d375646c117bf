//! Native hooks: one folder per pack, one file per hook, one table of them all.
//!
//! A hook sees an event and a [`World`](hookrail_core::World) and nothing else; it can be tested without touching the
//! machine. The engine does not know this crate: the binary joins the two.
#![forbid(unsafe_code)]

mod catalogue;
mod changes;
mod contract;
pub mod core;
pub mod fsm;
pub mod isdlc;
mod limits;
pub mod orchestrator;
mod pattern;
pub mod planning;
mod yaml;

pub use catalogue::{CATALOGUE, KnownNames, Pack, PluginHook, check_names, find, hook, model_hooks, packs};
pub use contract::{ModelHook, PackContract, Reply, UsualContract};
pub use pattern::{PathPattern, any_matches};
