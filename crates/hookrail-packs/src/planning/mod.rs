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

mod budget;
mod checkpoint_logger;
mod config;
mod contract;
mod enforce_planning_lock;
mod feature;
mod front_matter;
mod guard_immutable_decisions;
mod keywords;
mod lock;
mod log;
mod pending_state;
mod phase;
mod protect_spec_immutability;
mod research_budget_tracker;
mod scene;
#[cfg(test)]
mod scene_tests;
mod state;

pub use checkpoint_logger::CheckpointLogger;
pub use contract::PlanningContract;
pub use enforce_planning_lock::EnforcePlanningLock;
pub use guard_immutable_decisions::GuardImmutableDecisions;
pub use protect_spec_immutability::ProtectSpecImmutability;
pub use research_budget_tracker::ResearchBudgetTracker;
