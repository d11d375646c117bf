use super::delegation::{DelegationCheck, starts_agent};
use super::state::Workflow;
use crate::limits::THOROUGH;
use hookrail_core::{Event, EventName, FileKind, HookError, HookProfile, NativeHook, Outcome, World};

/// Lets implementation begin only once there is a plan.
///
/// **What it catches.** A delegation of `06-implementation`, or of a phase behind it in the workflow, while there is no
/// `docs/isdlc/tasks.md`. Position in the workflow counts, not the number; for workflows without implementation, phases
/// numbered 06 and up. A phase whose name ends in `-plan` makes the plan and needs none (errata E7).
///
/// **Why.** A user who has not seen the plan cannot object to it.
///
/// **Caught:** `Task software-developer` without the file.
/// **Not caught:** the same with the file; `Task requirements-analyst`; `Task` with "generate-plan", which makes the file.
#[derive(Debug)]
pub struct PlanSurfacer;

const PLAN: &str = "docs/isdlc/tasks.md";
const IMPLEMENTATION: u32 = 6;

impl NativeHook for PlanSurfacer {
    fn id(&self) -> &'static str {
        "isdlc/plan-surfacer"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(THOROUGH), may_wait: false, has_breaker: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        starts_agent(event)
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let Some(scene) = DelegationCheck::read(event, world)? else { return Ok(Outcome::silent()) };
        let Some(workflow) = scene.state.workflow()? else { return Ok(Outcome::silent()) };
        if scene.makes_plan || !needs_plan(&scene.target, &workflow) || has_plan(&scene, world)? {
            return Ok(Outcome::silent());
        }
        Ok(Outcome::deny(
            "Task plan (docs/isdlc/tasks.md) not generated. Run generate-plan skill before proceeding.\n\
             Show the plan to the user, then delegate. Do not retry before the file exists.",
        ))
    }
}

fn needs_plan(target: &str, workflow: &Workflow<'_>) -> bool {
    if target.to_lowercase().ends_with("-plan") {
        return false;
    }
    let number = |phase: &str| phase.split('-').next().and_then(|number| number.parse::<u32>().ok());
    let start = workflow.phases.iter().position(|phase| number(phase) == Some(IMPLEMENTATION));
    let place = workflow.phases.iter().position(|phase| phase.eq_ignore_ascii_case(target));
    match (start, place) {
        (Some(start), Some(place)) => place >= start,
        (None, _) | (_, None) => number(target).is_some_and(|number| number >= IMPLEMENTATION),
    }
}

/// In a monorepo the plan may be the project's own or that of the whole.
fn has_plan(scene: &DelegationCheck, world: &dyn World) -> Result<bool, HookError> {
    for folder in [&scene.project.root, &scene.part.folder] {
        if world.kind(&folder.join(PLAN))?.is_some_and(|kind| kind != FileKind::Folder) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isdlc::state::WorkflowState;
    use serde_json::json;

    #[test]
    fn the_order_of_the_workflow_decides_what_comes_after_implementation() {
        let usual: &[&str] =
            &["01-requirements", "05-test-strategy", "06-implementation", "11-local-testing", "07-testing"];
        let odd: &[&str] = &["11-local-testing", "06-implementation", "02-impact", "R1-behavior"];
        let without: &[&str] = &["11-local-testing", "07-testing", "02-impact"];
        let cases = [
            (usual, "06-implementation", true),
            (usual, "11-local-testing", true),
            (usual, "05-test-strategy", false),
            (usual, "01-requirements", false),
            (usual, "09-not-listed", true),
            (usual, "04-not-listed", false),
            (odd, "11-local-testing", false),
            (odd, "02-impact", true),
            (odd, "R1-behavior", true),
            (without, "11-local-testing", true),
            (without, "15-upgrade-plan", false),
            (without, "15-upgrade-execute", true),
            (usual, "16-migration-PLAN", false),
            (without, "02-impact", false),
            (without, "R1-behavior", false),
        ];
        for (phases, target, expected) in cases {
            let state = WorkflowState::new(json!({"active_workflow": {"phases": phases}})).unwrap();
            assert_eq!(needs_plan(target, &state.workflow().unwrap().unwrap()), expected, "{target} in {phases:?}");
        }
    }
}
