use super::budget::Budget;
use super::feature::{Feature, read_file, written_files};
use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::log::{one_line, timestamp};
use super::phase::Phase;
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

const PART: HookSwitch = HookSwitch { log_name: "H05_checkpoint_logger", flag: None };

/// H05: writes down when the workflow goes from one phase to the next, and renews the phase's research calls.
///
/// **Why:** without a log it cannot be told later when a phase was entered, or whether it was.
///
/// **Catches:** a state file with another phase than the last one in `.planning-audit.log`, whichever tool wrote it:
/// `[2026-02-04T14:23:15Z] CHECKPOINT: RESEARCH → CLARIFICATION | session=abc123 | mode=complete`.
///
/// **Leaves alone:** a state file with the same phase, and other files.
#[derive(Debug)]
pub struct CheckpointLogger;

impl NativeHook for CheckpointLogger {
    fn id(&self) -> &'static str {
        "planning/checkpoint-logger"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::AfterTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        event.tool.as_ref().is_some_and(|tool| !tool.touched_paths().is_empty())
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let (event, world) = (scene.event, scene.world);
    let Some(feature) = scene.feature()? else { return Ok(Finding::nothing()) };
    if !written_files(event, world).contains(&world.resolve(&feature.state_file())) {
        return Ok(Finding::nothing());
    }
    let skip = |why: String| Ok(Finding::new("SKIP", why, Outcome::silent()));
    // A save that cannot be parsed is the workflow's mistake and not this hook's: it is skipped, and never counted.
    let state = match feature.read_state(world) {
        Ok(Some(state)) => state,
        Ok(None) => return Ok(Finding::nothing()),
        Err(error) => return skip(error.to_string()),
    };
    let Some(phase) = state.phase().filter(Phase::is_readable) else { return skip("No phase in state".to_owned()) };
    let mode = one_line(&state.mode(), 64);
    // Two agents may save the state at once; the trail must name each change once (errata C41).
    let held = world.lock(&feature.folder)?;
    let before = last_phase(&feature, world)?;
    if before.as_ref() == Some(&phase) {
        return skip(format!("Phase unchanged: {phase}"));
    }
    Budget::begin_phase(&phase, world)?;
    let before = before.as_ref().map_or("UNKNOWN", Phase::as_str);
    let session = one_line(&event.session_id, 128);
    let checkpoint = format!("CHECKPOINT: {before} → {phase} | session={session} | mode={mode}");
    world.append(&feature.audit_log(), &format!("[{}] {checkpoint}\n", timestamp(world)))?;
    drop(held);
    let detail = format!("Phase transition: {before} → {phase}");
    Ok(Finding::new("LOG", detail, Outcome::silent().with_message(&checkpoint)))
}

/// The phase after the arrow of the last line (errata C38); `None` if there is no such line.
fn last_phase(feature: &Feature, world: &dyn World) -> Result<Option<Phase>, HookError> {
    let bytes = read_file(&feature.audit_log(), world)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().rev().find_map(|line| line.split_once("CHECKPOINT: "));
    let entered = line.and_then(|(_, checkpoint)| checkpoint.split('|').next()?.split_once('→'));
    Ok(entered.and_then(|(_, phase)| Phase::new(phase)))
}

#[cfg(test)]
mod tests {
    use super::super::test_events::{call, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;
    use std::path::Path;

    const STATE: &str = "/p/specs/x/.planning-state.local.md";
    const LOG: &str = "/p/specs/x/.planning-audit.log";

    fn world() -> FakeWorld {
        FakeWorld::new().at_millis(1_770_214_995_000).file("/p/.git/HEAD", "ref: refs/heads/feature/x")
    }

    fn written(tool: &str, path: &str) -> Event {
        let event = call("/p", tool, json!({"file_path": path, "content": "x"}));
        Event { name: EventName::AfterTool, ..event }
    }

    fn save(world: &FakeWorld, yaml: &str) -> &'static str {
        world.write(Path::new(STATE), format!("---\n{yaml}\n---\n").as_bytes()).unwrap();
        word(&CheckpointLogger, &written("Write", STATE), world)
    }

    #[test]
    fn each_change_of_phase_is_logged_once() {
        // covers: H05
        let world = world();
        for (yaml, expected) in [
            ("phase: SETUP\nmode: complete", "warn"),
            ("phase: SETUP\nmode: complete", "silent"),
            ("current_phase: RESEARCH\nanalysis_mode: rapid", "warn"),
            ("phase: RESEARCH\nmode: \"a\\nb | c\"", "silent"),
            ("phase: \"X → Y | session=me\"", "warn"),
            ("mode: none", "silent"),
            ("phase: [", "silent"),
        ] {
            assert_eq!(save(&world, yaml), expected, "{yaml}");
        }
        let line = |text: &str| format!("[2026-02-04T14:23:15Z] CHECKPOINT: {text}\n");
        let expected = [
            "UNKNOWN → SETUP | session=abc | mode=complete",
            "SETUP → RESEARCH | session=abc | mode=rapid",
            "RESEARCH → X___Y___SESSION_ME | session=abc | mode=",
        ];
        assert_eq!(world.text(LOG), expected.map(line).concat());
    }

    #[test]
    fn only_the_state_of_this_feature_is_looked_at() {
        // covers: H05
        for (tool, path, expected) in [
            ("Edit", STATE, true),
            ("MultiEdit", "specs/x/../x/.planning-state.local.md", true),
            ("Write", "specs/x/design.md", false),
            ("Write", "specs/y/.planning-state.local.md", false),
            ("Write", ".planning-state.local.md", false),
        ] {
            let world = world().file(STATE, "---\nphase: SETUP\n---\n");
            word(&CheckpointLogger, &written(tool, path), &world);
            assert_eq!(world.exists(LOG), expected, "{tool} {path}");
        }
        let gone = world();
        assert_eq!(word(&CheckpointLogger, &written("Write", STATE), &gone), "silent");
        assert!(!gone.exists(LOG));
    }

    #[test]
    fn a_trail_that_cannot_be_written_is_an_error_of_the_hook() {
        // covers: H05
        let world = world().link(LOG, "/home/me/.bashrc").file("/home/me/.bashrc", "mine");
        assert_eq!(save(&world, "phase: SETUP"), "error");
        assert_eq!(world.text("/home/me/.bashrc"), "mine");
    }
}
