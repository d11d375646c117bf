//! `skills-manifest.json`: the agents there are and the phases they serve.

use super::phase_key::fits;
use super::project::Project;
use super::state::Workflow;
use super::words::{bare_name, position_of_phase};
use hookrail_core::{HookError, World};
use serde_json::Value;

/// What `phase` says of an agent that prepares a project.
const SETUP: &str = "setup";
/// What `phase` says of an agent that runs the workflow itself.
const ALL: &str = "all";
/// The agent that runs the workflow, whatever the manifest says.
const ORCHESTRATOR: &str = "sdlc-orchestrator";
/// Agents that serve more phases than a manifest with one phase per agent can say.
const SEVERAL_PHASES: [(&str, &[&str]); 2] = [
    ("upgrade-engineer", &["15-upgrade-plan", "15-upgrade-execute"]),
    ("environment-builder", &["11-local-testing", "12-remote-build"]),
];

/// The agents and their phases, in the manifest's order.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    agents: Vec<(String, Vec<String>)>,
}

impl Manifest {
    pub fn read(project: &Project, world: &dyn World) -> Result<Self, HookError> {
        Ok(Self::parse(&project.read_config("skills-manifest.json", world)?.unwrap_or_default()))
    }

    fn parse(manifest: &Value) -> Self {
        let ownership = manifest.get("ownership").and_then(Value::as_object).into_iter().flatten();
        let agents = ownership.filter_map(|(agent, entry)| {
            let agent = bare_name(agent);
            let mut phases: Vec<String> = match entry.get("phase")? {
                Value::String(phase) => vec![phase.clone()],
                Value::Array(phases) => phases.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                _ => return None,
            };
            let known = SEVERAL_PHASES.iter().filter(|(name, _)| *name == agent).flat_map(|(_, known)| known.iter());
            phases.extend(known.map(|phase| (*phase).to_owned()));
            (!phases.is_empty()).then_some((agent, phases))
        });
        Self { agents: agents.collect() }
    }

    /// Whether an agent runs the workflow: what it delegates is the workflow's own step.
    pub fn is_orchestrator(&self, agent: &str) -> bool {
        let runs_all = |phases: &[String]| phases.iter().any(|phase| phase == ALL);
        agent == ORCHESTRATOR || self.agents.iter().any(|(name, phases)| name == agent && runs_all(phases))
    }

    /// The phase that an agent serves now: the current one if it is among its own, else the first of its own that the
    /// workflow has.
    pub fn phase_of(&self, agent: &str, workflow: &Workflow<'_>) -> Known {
        let Some((_, phases)) = self.agents.iter().find(|(name, _)| name == agent) else { return Known::No };
        let own: Vec<&str> = phases.iter().map(String::as_str).filter(|phase| is_phase(phase)).collect();
        let current = workflow.current.filter(|current| own.iter().any(|phase| fits(phase, current)));
        let listed = || workflow.phases.iter().copied().find(|listed| own.iter().any(|phase| fits(phase, listed)));
        match current.or_else(listed).or(own.first().copied()) {
            Some(phase) => Known::Phase(phase.to_owned()),
            None => Known::OfNoPhase,
        }
    }

    /// The phase that these words name first: by its own name or number, or by the name of an agent that serves it. Of
    /// several phases with one number the current one is meant.
    pub fn named_in(&self, words: &[String], workflow: &Workflow<'_>) -> Option<String> {
        let by_name = self.named_phase(words, workflow);
        let by_agent = self.agents.iter().filter_map(|(name, _)| {
            let index = words.iter().position(|word| word == name)?;
            match self.phase_of(name, workflow) {
                Known::Phase(phase) => Some((index, phase)),
                Known::OfNoPhase | Known::No => None,
            }
        });
        by_name.into_iter().chain(by_agent).min_by_key(|(index, _)| *index).map(|(_, phase)| phase)
    }

    /// The phase that these words name first by its own name or number (errata E5).
    pub fn named_phase(&self, words: &[String], workflow: &Workflow<'_>) -> Option<(usize, String)> {
        let manifest = self.agents.iter().flat_map(|(_, phases)| phases).map(String::as_str);
        let phases = workflow.current.into_iter().chain(workflow.phases.iter().copied()).chain(manifest);
        let named = phases.filter(|phase| is_phase(phase));
        let named = named.filter_map(|phase| Some((position_of_phase(words, phase)?, phase)));
        let (index, phase) = named.min_by_key(|(index, _)| *index)?;
        let phase = workflow.current.filter(|current| fits(phase, current)).unwrap_or(phase);
        Some((index, phase.to_owned()))
    }
}

/// What a manifest says of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing.
    No,
    /// It belongs to the setup or to the workflow as a whole.
    OfNoPhase,
    Phase(String),
}

fn is_phase(phase: &str) -> bool {
    phase != SETUP && phase != ALL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isdlc::state::WorkflowState;
    use serde_json::json;

    #[test]
    fn an_agent_serves_the_current_phase_if_it_is_one_of_its_own() {
        let manifest = Manifest::parse(&json!({"ownership": {
            "upgrade-engineer": {"phase": "15-upgrade"},
            "environment-builder": {"phase": "10-local-testing"},
            "tester": {"phase": ["07-testing", "11-local-testing"]},
            "isdlc:Reviewer": {"phase": "08-code-review"},
            "sdlc-orchestrator": {"phase": "all"},
            "odd": {"phase": 3},
        }}));
        let phases = ["07-testing", "11-local-testing", "12-remote-build", "15-upgrade-plan", "15-upgrade-execute"];
        for (agent, current, expected) in [
            ("upgrade-engineer", "15-upgrade-plan", "15-upgrade-plan"),
            ("upgrade-engineer", "15-upgrade-execute", "15-upgrade-execute"),
            ("upgrade-engineer", "07-testing", "15-upgrade-plan"),
            ("environment-builder", "11-local-testing", "11-local-testing"),
            ("environment-builder", "12-remote-build", "12-remote-build"),
            ("environment-builder", "07-testing", "11-local-testing"),
            ("tester", "07-testing", "07-testing"),
            ("tester", "11-local-testing", "11-local-testing"),
            ("reviewer", "07-testing", "08-code-review"),
        ] {
            let state =
                WorkflowState::new(json!({"active_workflow": {"phases": phases, "current_phase": current}})).unwrap();
            let workflow = state.workflow().unwrap().unwrap();
            assert_eq!(manifest.phase_of(agent, &workflow), Known::Phase(expected.to_owned()), "{agent} in {current}");
            assert_eq!(manifest.phase_of("sdlc-orchestrator", &workflow), Known::OfNoPhase);
            assert_eq!(manifest.phase_of("odd", &workflow), Known::No);
        }
    }
}
