use super::feature::written_files;
use super::scene::{Finding, Part, Scene, decide};
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};

const PART: Part = Part { log_name: "H04_spec_protection", flag: Some("hooks_spec_protection") };

/// H04: keeps the specification as it was when planning began.
///
/// **Why:** design, tests and tasks are made from `spec.md`. Whoever changes it half way makes all of them wrong without
/// anybody noticing.
///
/// **Catches:** any tool that writes, edits or patches the `spec.md` of the feature that is planned, however the path is
/// spelled, once the state's phase is past `SETUP`. A phase nobody knows is past it.
///
/// **Leaves alone:** a state without a phase, another feature's `spec.md`, and what a shell command writes.
#[derive(Debug)]
pub struct ProtectSpecImmutability;

impl NativeHook for ProtectSpecImmutability {
    fn id(&self) -> &'static str {
        "planning/protect-spec-immutability"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn concerns(&self, event: &Event) -> bool {
        event.tool.as_ref().is_some_and(|tool| !tool.touched_paths().is_empty())
    }

    /// It reads a few small files, and nothing that could be a pipe.
    fn may_wait(&self) -> bool {
        false
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &Scene<'_>) -> Result<Finding, HookError> {
    let (event, world) = (scene.event, scene.world);
    let Some(feature) = scene.feature()? else { return Ok(Finding::nothing()) };
    let specification = world.resolve(&feature.specification());
    if !written_files(event, world).contains(&specification) {
        return Ok(Finding::nothing());
    }
    let Some(state) = feature.read_state(world)? else {
        return Ok(Finding::allow("No state file, spec still editable"));
    };
    let Some(phase) = state.phase().filter(|phase| !phase.is_setup()) else {
        return Ok(Finding::allow("Planning is not past SETUP, spec still editable"));
    };
    Ok(Finding::deny(&format!(
        "DENIED: spec.md is immutable after planning has started (current phase: {phase}). Changing it would invalidate \
         every artifact made from it. Do not retry and do not write it another way: go on with the specification as it \
         is. If the requirements have changed, tell the user that planning has to be aborted and restarted."
    )))
}

#[cfg(test)]
mod tests {
    use super::super::scene_tests::{call, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    fn check(state: Option<&str>, path: &str) -> &'static str {
        let world = FakeWorld::new()
            .file("/p/.git/HEAD", "ref: refs/heads/feature/x")
            .file("/p/specs/x/spec.md", "spec")
            .link("/p/specs/x/same.md", "spec.md")
            .link("/p/alias", "specs/x");
        let world = match state {
            Some(state) => world.file("/p/specs/x/.planning-state.local.md", state),
            None => world,
        };
        word(&ProtectSpecImmutability, &call("/p", "Write", json!({"file_path": path, "content": "x"})), &world)
    }

    #[test]
    fn the_specification_is_closed_once_planning_is_past_setup() {
        // covers: H04
        let state = |phase: &str| format!("---\nphase: {phase}\n---\n");
        for (state, expected) in [
            (None, "silent"),
            (Some(state("SETUP")), "silent"),
            (Some(state("")), "silent"),
            (Some(state("''")), "silent"),
            (Some(state("ARCHITECTURE")), "deny"),
            (Some(state("COMPLETION")), "deny"),
            (Some(state("SOMETHING_NEW")), "deny"),
            (Some("---\ncurrent_phase: RESEARCH\n---\n".to_owned()), "deny"),
            (Some("---\nphase: [\n---\n".to_owned()), "error"),
            (Some("no front matter\nphase: RESEARCH\n".to_owned()), "error"),
        ] {
            assert_eq!(check(state.as_deref(), "/p/specs/x/spec.md"), expected, "{state:?}");
        }
    }

    #[test]
    fn however_the_path_is_spelled_it_is_the_same_file() {
        // covers: H04
        for (path, expected) in [
            ("/p/specs/x/spec.md", "deny"),
            ("specs/x/spec.md", "deny"),
            ("specs/x/../x/./spec.md", "deny"),
            ("specs/x/same.md", "deny"),
            ("alias/spec.md", "deny"),
            ("specs/y/spec.md", "silent"),
            ("spec.md", "silent"),
            ("specs/x/design.md", "silent"),
            ("specs/x/spec.md.bak", "silent"),
            ("", "silent"),
        ] {
            assert_eq!(check(Some("---\nphase: RESEARCH\n---\n"), path), expected, "{path}");
        }
    }
}
