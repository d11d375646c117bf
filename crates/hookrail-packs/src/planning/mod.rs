//! Pack `planning`: guards for a planning workflow in phases.
//!
//! A feature is planned in a folder of its own ([`Feature`](feature::Feature), `specs/<name>` on branch `feature/<name>`).
//! Its [`PlanningState`](state::State) names the phase and what the user has decided, its [`Lock`](lock::Lock) the session that may
//! write. Every hook goes through [`decide`](input::decide), which knows the switches of `planning-config.yaml`
//! ([`Config`](config::Config)), development mode and the decision log, and gives it a [`PlanningInput`](input::Scene); a hook
//! returns a [`Finding`](input::Finding). Whatever cannot be read is the hook's own error: it is logged, counted by the
//! circuit breaker, and blocks nothing.
//!
//! ```text
//! Event ─Checkout→ Feature ─State, Lock→ ┐
//!       ─Config→ switched on? ───────────┴─ hook ─Finding→ DecisionLog, Outcome
//! ```

mod blueprint;
mod budget;
mod check_required_artifacts;
mod check_workflow_completeness;
mod checkpoint_logger;
mod claim;
mod config;
mod config_file;
mod contract;
mod conversation;
mod enforce_planning_lock;
mod feature;
mod front_matter;
mod guard_immutable_decisions;
mod inject_planning_context;
mod input;
mod keywords;
mod lock;
mod log;
mod markdown;
mod pending_state;
mod phase;
mod plugin;
mod preserve_planning_context;
mod prose;
mod protect_spec_immutability;
mod question;
mod repetition;
mod research_budget_tracker;
mod setup_planning_env;
mod state;
mod stem;
mod stopping;
mod subagent;
mod summary;
mod tasks;
mod test_cases;
#[cfg(test)]
mod test_events;
mod test_id;
mod validate_agent_generic;
mod validate_architect_output;
mod validate_qa_strategist_output;
mod validate_tech_lead_output;
mod vocabulary;
mod workflow_files;

pub use check_required_artifacts::CheckRequiredArtifacts;
pub use check_workflow_completeness::CheckWorkflowCompleteness;
pub use checkpoint_logger::CheckpointLogger;
pub use contract::PlanningContract;
pub use enforce_planning_lock::EnforcePlanningLock;
pub use guard_immutable_decisions::GuardImmutableDecisions;
pub use inject_planning_context::InjectPlanningContext;
pub use preserve_planning_context::PreservePlanningContext;
pub use protect_spec_immutability::ProtectSpecImmutability;
pub use research_budget_tracker::ResearchBudgetTracker;
pub use setup_planning_env::SetupPlanningEnv;
pub use validate_agent_generic::ValidateAgentGeneric;
pub use validate_architect_output::ValidateArchitectOutput;
pub use validate_qa_strategist_output::ValidateQaStrategistOutput;
pub use validate_tech_lead_output::ValidateTechLeadOutput;

pub(crate) use plugin::PLUGIN;
