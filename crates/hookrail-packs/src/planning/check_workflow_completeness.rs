use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::state::PlanningState;
use super::stopping;
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

const PART: HookSwitch = HookSwitch { log_name: "H11b_workflow_completeness", flag: Some("hooks_stop_guard") };

/// H11b: keeps the agent from stopping before the workflow is through, or with a gate that says no.
///
/// **Why:** all files can be there and the plan still be one that its own validation refused.
///
/// **Catches:** a stop in any phase but `COMPLETION`, and in any phase a stop while a gate or the validation is `RED`. Of several
/// results of the same gate the last one counts.
///
/// **Leaves alone:** projects where nothing is planned, and a stop that asks the user something or waits for agents. A user who says stop, and a
/// second stop in a row, are let through with a warning. No model is needed to know all that.
#[derive(Debug)]
pub struct CheckWorkflowCompleteness;

impl NativeHook for CheckWorkflowCompleteness {
    fn id(&self) -> &'static str {
        "planning/check-workflow-completeness"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::AfterAgent]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), may_wait: false, ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let Some(feature) = scene.feature()? else { return Ok(Finding::nothing()) };
    let Some(state) = feature.read_state(scene.world)? else { return Ok(Finding::nothing()) };
    let approve = |detail: &str| Finding::new("APPROVE", detail.to_owned(), Outcome::silent());
    let Some(phase) = state.phase() else { return Ok(approve("Planning has not begun")) };
    let mut problems = Vec::new();
    if !phase.is_completion() {
        let left = state.missing_phases().join(", ");
        problems.push(format!("Workflow at phase {phase}, not complete. Missing phases: {left}"));
    }
    if let Some(red) = red_gate(&state) {
        problems.push(format!("Validation failed (RED) at {red}. Needs revision before stopping"));
    }
    if problems.is_empty() {
        return Ok(approve("Phase is COMPLETION, no RED gate"));
    }
    let advice = "Go on with the workflow, and save the state at the end of each phase. If you need the user, ask; if you \
                  cannot go on, stop again";
    Ok(stopping::object(scene, &state, &problems.join(". "), advice))
}

/// A gate whose last word is `RED`.
fn red_gate(state: &PlanningState) -> Option<String> {
    let gates = state.gates();
    let is_last =
        |index: usize, name: &str| name.is_empty() || !gates.iter().skip(index + 1).any(|gate| gate.name == name);
    let red = gates.iter().enumerate().find(|(index, gate)| gate.verdict == "RED" && is_last(*index, &gate.name));
    let name = red.map(|(_, gate)| match gate.name.as_str() {
        "" => "a gate".to_owned(),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("gate {name}"),
        name => name.to_owned(),
    });
    name.or_else(|| (state.validation() == "RED").then(|| "VALIDATION".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::subagent::tests::active_world;
    use super::super::test_events::{event, reason, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::{Value, json};

    const HOOK: CheckWorkflowCompleteness = CheckWorkflowCompleteness;

    fn stop(fields: &Value) -> Event {
        let mut event = event("/p");
        event.name = EventName::AfterAgent;
        event.payload = fields.as_object().cloned().unwrap_or_default();
        event
    }

    fn world(yaml: &str) -> FakeWorld {
        active_world().file("/p/specs/x/.planning-state.local.md", &format!("---\n{yaml}\n---\n"))
    }

    #[test]
    fn a_workflow_is_complete_in_its_last_phase_without_a_red_gate() {
        // covers: H11b
        for (yaml, expected) in [
            ("phase: COMPLETION", ""),
            ("phase: completion\ngate_results: [{phase: 1, verdict: PASS}]\nvalidation: {status: GREEN}", ""),
            ("current_phase: COMPLETION\nvalidation: {status: YELLOW}", ""),
            ("mode: x", ""),
            (
                "phase: EXPERT_REVIEW",
                "Workflow at phase EXPERT_REVIEW, not complete. Missing phases: TEST_STRATEGY, \
                 TEST_COVERAGE_VALIDATION, COMPLETION. Go on with the workflow",
            ),
            (
                "phase: COMPLETION\ngate_results: [{phase: 6, verdict: RED}]",
                "Validation failed (RED) at gate 6. Needs revision",
            ),
            ("phase: COMPLETION\ngate_results: [{phase: DESIGN, status: red}]", "Validation failed (RED) at DESIGN."),
            ("phase: COMPLETION\nvalidation: {status: RED}", "Validation failed (RED) at VALIDATION."),
            ("phase: COMPLETION\ngate_results: [{phase: 6, verdict: RED}, {phase: 6, verdict: PASS}]", ""),
            ("phase: COMPLETION\ngate_results: [{phase: 6, verdict: PASS}, {phase: 6, verdict: RED}]", "at gate 6"),
            ("phase: COMPLETION\ngate_results: [RED, PASS]", "at a gate"),
            ("phase: SETUP\nvalidation: RED", "COMPLETION. Validation failed (RED) at VALIDATION."),
        ] {
            assert_eq!(
                word(&HOOK, &stop(&json!({})), &world(yaml)),
                if expected.is_empty() { "silent" } else { "deny" }
            );
            let told = reason(&HOOK, &stop(&json!({})), &world(yaml));
            assert!(told.contains(expected), "{yaml}: {told}");
        }
        assert_eq!(word(&HOOK, &stop(&json!({})), &FakeWorld::new()), "silent");
        assert_eq!(word(&HOOK, &stop(&json!({})), &world("phase: [")), "error");
    }

    #[test]
    fn the_users_stop_word_is_found_in_the_transcript() {
        // covers: H11b
        let said = |text: &str| json!({"type": "user", "message": {"role": "user", "content": text}}).to_string();
        let feedback = json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": "stop again"}});
        for (lines, expected) in [
            (said("please stop here"), "warn"),
            (format!("{}\n{}", said("quit"), said("no, go on")), "deny"),
            (format!("{}\n{feedback}", said("plan it")), "deny"),
            ("not json".to_owned(), "deny"),
        ] {
            let mut event = stop(&json!({}));
            event.transcript_path = "/t.jsonl".to_owned();
            assert_eq!(word(&HOOK, &event, &world("phase: RESEARCH").file("/t.jsonl", &lines)), expected, "{lines}");
        }
    }

    #[test]
    fn a_second_stop_passes_with_a_warning_and_a_question_in_silence() {
        // covers: H11b
        for (fields, expected) in [
            (json!({"stop_hook_active": true}), "warn"),
            (json!({"last_assistant_message": "Shall I go on?"}), "silent"),
            (json!({}), "deny"),
        ] {
            assert_eq!(word(&HOOK, &stop(&fields), &world("phase: RESEARCH")), expected, "{fields}");
        }
        let red = "phase: COMPLETION\nvalidation: RED";
        assert_eq!(word(&HOOK, &stop(&json!({"stop_hook_active": true})), &world(red)), "warn");
    }
}
