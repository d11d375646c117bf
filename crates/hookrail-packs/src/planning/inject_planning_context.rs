use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::summary::Summary;
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

const PART: HookSwitch = HookSwitch { log_name: "H06_context_injection", flag: Some("hooks_context_preservation") };

/// H06: tells the model with every prompt where the workflow stands.
///
/// **Why:** after a resume or a compaction it has forgotten the phase, what the user has decided and what was made already,
/// and asks or makes it again.
///
/// **Catches:** a prompt while the feature of this branch has a state file: the `<planning-state>` block with phase, mode,
/// decisions, artifacts, gates and lock goes along.
///
/// **Leaves alone:** prompts where nothing is planned.
#[derive(Debug)]
pub struct InjectPlanningContext;

impl NativeHook for InjectPlanningContext {
    fn id(&self) -> &'static str {
        "planning/inject-planning-context"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeAgent]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), may_wait: false, ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, |scene| tell(scene, "INJECT"))
    }
}

/// The block of the feature's state, if there is one, logged under this word.
pub(super) fn tell(scene: &PlanningInput<'_>, word: &'static str) -> Result<Finding, HookError> {
    let Some(feature) = scene.feature()? else { return Ok(Finding::nothing()) };
    let Some(summary) = Summary::of(&feature, &scene.event.session_id, scene.world)? else {
        return Ok(Finding::nothing());
    };
    Ok(Finding::new(word, summary.line, Outcome::silent().with_context(&summary.block)))
}

#[cfg(test)]
mod tests {
    use super::super::subagent::tests::active_world;
    use super::super::test_events::event;
    use super::*;
    use hookrail_testkit::world::FakeWorld;

    #[test]
    fn a_prompt_brings_the_state_along_where_something_is_planned() {
        // covers: H06
        let told = |world: &FakeWorld| {
            let output = InjectPlanningContext.check(&event("/p"), world).unwrap().into_output()?;
            output.additional_context().map(str::to_owned)
        };
        assert!(told(&active_world()).is_some_and(|text| text.starts_with("<planning-state>\nphase: ARCHITECTURE\n")));
        assert_eq!(told(&FakeWorld::new()), None);
        assert_eq!(told(&FakeWorld::new().file("/p/.git/HEAD", "ref: refs/heads/feature/x")), None);
        let broken = active_world().file("/p/specs/x/.planning-state.local.md", "no front matter");
        assert!(InjectPlanningContext.check(&event("/p"), &broken).is_err());
    }
}
