//! The workflow's own agents, and what becomes of an end that comes too early.

use super::conversation;
use super::feature::Feature;
use super::input::{Finding, PlanningInput};
use super::state::PlanningState;
use super::stopping::is_second_stop;
use hookrail_core::{Event, HookError, Outcome, display};

/// What the names of the workflow's agents begin with.
const WORKFLOW: &str = "product-planning:";

pub(super) const TECH_LEAD: &str = "tech-lead";
pub(super) const ARCHITECT: &str = "software-architect";
pub(super) const QA_STRATEGIST: &str = "qa-strategist";

/// Agents with a hook of their own.
pub(super) const DEDICATED: [&str; 3] = [TECH_LEAD, ARCHITECT, QA_STRATEGIST];

/// The agent that is about to end, without the workflow's prefix; `None` if it is none of the workflow's, or if the
/// event does not name it (errata C53, C54).
pub(super) fn name(event: &Event) -> Option<&str> {
    let named = ["agent_type", "agent_name"].iter().find_map(|field| event.text(field).filter(|name| !name.is_empty()));
    // The document's own input has it among the arguments of a tool.
    let documented = || event.tool_input()?.get("agent_name")?.as_str();
    named.or_else(documented)?.strip_prefix(WORKFLOW).filter(|name| !name.is_empty())
}

/// The feature an agent works on, while its workflow is under way.
pub(super) fn active_feature(scene: &PlanningInput<'_>) -> Result<Option<Feature>, HookError> {
    let Some(feature) = scene.feature()? else { return Ok(None) };
    let over = |state: &PlanningState| state.phase().is_some_and(|phase| phase.is_completion());
    Ok(feature.read_state(scene.world)?.filter(|state| !over(state)).map(|_| feature))
}

/// The feature an agent works on that has a state file, in whatever phase: the tech lead works in the last one (errata C49).
pub(super) fn planned_feature(scene: &PlanningInput<'_>) -> Result<Option<Feature>, HookError> {
    let Some(feature) = scene.feature()? else { return Ok(None) };
    Ok(scene.world.kind(&feature.state_file())?.map(|_| feature))
}

/// What the agent said last; empty if it said nothing. The document's own input has it as `reason`.
pub(super) fn output(scene: &PlanningInput<'_>) -> String {
    let said = conversation::last_answer(scene.event, scene.world);
    said.or_else(|| scene.event.text("reason").map(str::to_owned)).unwrap_or_default()
}

/// What is wrong with an agent's work and how it is put right.
pub(super) struct Review {
    pub problems: Vec<String>,
    /// What the agent has to do now.
    pub advice: String,
    /// For the log, if nothing is wrong.
    pub praise: String,
}

impl Review {
    /// Holds the agent until its work is complete, once: who cannot do better must not try for ever (errata C49).
    pub fn into_finding(self, scene: &PlanningInput<'_>) -> Finding {
        if self.problems.is_empty() {
            return Finding::new("APPROVE", self.praise, Outcome::silent());
        }
        let agent = name(scene.event).unwrap_or("an agent");
        let problems = self.problems.join(". ");
        if is_second_stop(scene.event) {
            let text = format!("{agent} ended although its output is not complete: {problems}.");
            let text = display::one_line(&text).into_owned();
            return Finding::new("APPROVE+WARN", text.clone(), Outcome::silent().with_message(&text));
        }
        let reason = format!("{problems}. {}", self.advice);
        Finding::block(&reason, &format!("{agent} is asked to go on: {problems}."))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::test_events;
    use super::*;
    use hookrail_core::EventName;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::{Value, json};

    /// A repository on `feature/x` with a workflow in phase `ARCHITECTURE`.
    pub fn active_world() -> FakeWorld {
        FakeWorld::new()
            .file("/p/.git/HEAD", "ref: refs/heads/feature/x")
            .file("/p/specs/x/.planning-state.local.md", "---\nphase: ARCHITECTURE\n---\n")
    }

    /// The end of an agent.
    pub fn end_of(agent: &str, fields: &Value) -> Event {
        let mut event = test_events::event("/p");
        event.name = EventName::SubagentStop;
        event.tool = None;
        event.payload.clear();
        event.payload.insert("agent_type".to_owned(), json!(agent));
        event.payload.extend(fields.as_object().cloned().unwrap_or_default());
        event
    }

    #[test]
    fn only_agents_of_the_workflow_have_a_name_here() {
        for (agent, expected) in [
            ("product-planning:tech-lead", Some("tech-lead")),
            ("product-planning:researcher", Some("researcher")),
            ("x-product-planning:tech-lead", None),
            ("product-planning:", None),
            ("general-purpose", None),
            ("", None),
        ] {
            assert_eq!(name(&end_of(agent, &json!({}))), expected, "{agent}");
        }
        assert_eq!(name(&end_of("", &json!({"agent_name": "product-planning:tech-lead"}))), Some("tech-lead"));
    }
}
