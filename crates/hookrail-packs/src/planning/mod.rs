//! Pack `planning`: guards for a planning workflow in phases.
//!
//! A feature is planned in a folder of its own ([`Feature`](feature::Feature), `specs/<name>` on branch `feature/<name>`).
//! Its [`State`](state::State) names the phase and what the user has decided, its [`Lock`](lock::Lock) the session that may
//! write. Every hook goes through [`decide`](scene::decide), which knows the switches of `planning-config.yaml`
//! ([`Config`](config::Config)), development mode and the decision log, and gives it a [`Scene`](scene::Scene); a hook
//! returns a [`Finding`](scene::Finding). Whatever cannot be read is the hook's own error: it is logged, counted by the
//! circuit breaker, and blocks nothing.
//!
//! ```text
//! Event ─Checkout→ Feature ─State, Lock→ ┐
//!       ─Config→ switched on? ───────────┴─ hook ─Finding→ DecisionLog, Outcome
//! ```

#![allow(dead_code, reason = "the hooks that use it all are on their way")]

mod config;
mod contract;
mod feature;
mod front_matter;
mod lock;
mod log;
mod phase;
mod protect_spec_immutability;
mod scene;
#[cfg(test)]
mod scene_tests;
mod state;

pub use contract::PlanningContract;
pub use protect_spec_immutability::ProtectSpecImmutability;
