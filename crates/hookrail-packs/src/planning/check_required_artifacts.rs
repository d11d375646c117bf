use super::feature::{Feature, read_artifact};
use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::stopping;
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};
use std::path::{Component, Path};

const PART: HookSwitch = HookSwitch { log_name: "H11a_required_artifacts", flag: Some("hooks_stop_guard") };

/// What a plan consists of, unless the configuration says otherwise.
const REQUIRED: [&str; 4] = ["design.md", "plan.md", "tasks.md", "test-plan.md"];

/// H11a: keeps the agent from stopping before the plan is there.
///
/// **Why:** a model that stops half way says that it is done all the same.
///
/// **Catches:** a stop before phase `COMPLETION` while one of `design.md`, `plan.md`, `tasks.md` and `test-plan.md` is missing
/// or empty.
///
/// **Leaves alone:** projects where nothing is planned, and a stop that asks the user something or waits for agents. A user who says stop, and a
/// second stop in a row, are let through with a warning.
#[derive(Debug)]
pub struct CheckRequiredArtifacts;

impl NativeHook for CheckRequiredArtifacts {
    fn id(&self) -> &'static str {
        "planning/check-required-artifacts"
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
    let approve = |detail: String| Finding::new("APPROVE", detail, Outcome::silent());
    let Some(phase) = state.phase() else { return Ok(approve("Planning has not begun".to_owned())) };
    if phase.is_completion() {
        return Ok(approve("Phase is COMPLETION".to_owned()));
    }
    let missing = missing_artifacts(&feature, scene)?;
    if missing.is_empty() {
        return Ok(approve(format!("All required artifacts present, phase={phase}")));
    }
    let problem = format!("Missing required artifacts: {} (phase {phase})", missing.join(", "));
    let advice = format!(
        "Go on with the planning workflow and write them to `{}`. If you need the user, ask; if you cannot go on, stop again",
        feature.folder.display()
    );
    Ok(stopping::object(scene, &state, &problem, &advice))
}

fn missing_artifacts<'a>(feature: &Feature, scene: &'a PlanningInput<'_>) -> Result<Vec<&'a str>, HookError> {
    let required = scene.config.texts("/feature_flags/hooks_stop_guard/required_artifacts");
    let mut missing = Vec::new();
    for name in required.unwrap_or_else(|| REQUIRED.to_vec()) {
        // A name that leads out of the feature's folder is no artifact of it.
        let is_inside =
            Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let bytes = if is_inside { read_artifact(&feature.file(name), scene.world)? } else { continue };
        if bytes.is_none_or(|bytes| bytes.trim_ascii().is_empty()) {
            missing.push(name);
        }
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::super::subagent::tests::active_world;
    use super::super::test_events::{event, reason, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::{Value, json};

    const HOOK: CheckRequiredArtifacts = CheckRequiredArtifacts;

    fn stop(fields: &Value) -> Event {
        let mut event = event("/p");
        event.name = EventName::AfterAgent;
        event.payload = fields.as_object().cloned().unwrap_or_default();
        event
    }

    fn world(artifacts: &[(&str, &str)]) -> FakeWorld {
        artifacts.iter().fold(active_world(), |world, (name, text)| world.file(&format!("/p/specs/x/{name}"), text))
    }

    #[test]
    fn a_stop_without_all_artifacts_is_refused() {
        // covers: H11a
        let all = [("design.md", "x"), ("plan.md", "x"), ("tasks.md", "x"), ("test-plan.md", "x")];
        assert_eq!(word(&HOOK, &stop(&json!({})), &world(&all)), "silent");
        assert_eq!(word(&HOOK, &stop(&json!({})), &world(&all[..3])), "deny");
        let mut empty = all;
        empty[0].1 = " \n";
        let told = reason(&HOOK, &stop(&json!({})), &world(&empty));
        assert!(told.starts_with("Missing required artifacts: design.md (phase ARCHITECTURE). Go on"), "{told}");
        let told = reason(&HOOK, &stop(&json!({})), &world(&[]));
        assert!(told.contains("design.md, plan.md, tasks.md, test-plan.md"), "{told}");
    }

    #[test]
    fn a_stop_is_let_through_where_nothing_is_planned_and_at_the_end() {
        // covers: H11a
        let state = |text: &str| world(&[(".planning-state.local.md", text)]);
        for (world, expected) in [
            (FakeWorld::new(), "silent"),
            (FakeWorld::new().file("/p/.git/HEAD", "ref: refs/heads/feature/x"), "silent"),
            (state("---\nphase: COMPLETION\n---\n"), "silent"),
            (state("---\nmode: x\n---\n"), "silent"),
            (state("---\ncurrent_phase: RESEARCH\n---\n"), "deny"),
            (state("---\nphase: [\n---\n"), "error"),
        ] {
            assert_eq!(word(&HOOK, &stop(&json!({})), &world), expected);
        }
    }

    #[test]
    fn user_and_second_stop_are_let_through_with_a_warning_and_a_question_without() {
        // covers: H11a
        for (fields, expected) in [
            (json!({"prompt": "please stop"}), "warn"),
            (json!({"prompt": "don't stop"}), "deny"),
            (json!({"stop_hook_active": true}), "warn"),
            (json!({"stop_hook_active": false}), "deny"),
            (json!({"last_assistant_message": "Which cache?"}), "silent"),
            (json!({"last_assistant_message": "Which cache?", "stop_hook_active": true}), "silent"),
            (json!({"last_assistant_message": "All done."}), "deny"),
            (json!({"background_tasks": [{"type": "subagent", "status": "running"}]}), "silent"),
            (json!({"background_tasks": [{"type": "subagent", "status": "completed"}]}), "deny"),
            (json!({"background_tasks": [{"type": "shell", "status": "running"}]}), "deny"),
        ] {
            assert_eq!(word(&HOOK, &stop(&fields), &world(&[])), expected, "{fields}");
        }
        for (status, expected) in
            [("waiting", "silent"), ("waiting_for_user", "silent"), ("needs-user-input", "silent"), ("active", "deny")]
        {
            let state = format!("---\nphase: RESEARCH\nphase_status: {status}\n---\n");
            let world = world(&[(".planning-state.local.md", &state)]);
            assert_eq!(word(&HOOK, &stop(&json!({})), &world), expected, "{status}");
        }
    }

    #[test]
    fn what_is_required_is_the_configurations_to_say() {
        // covers: H11a
        for (list, expected) in
            [("[]", "silent"), ("[../../../etc/x]", "silent"), ("[notes.md]", "deny"), ("3", "deny")]
        {
            let config = format!("feature_flags: {{hooks_stop_guard: {{required_artifacts: {list}}}}}");
            let world = world(&[]).file("/p/config/planning-config.yaml", &config);
            assert_eq!(word(&HOOK, &stop(&json!({})), &world), expected, "{list}");
        }
    }
}
