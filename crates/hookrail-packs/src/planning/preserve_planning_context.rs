use super::inject_planning_context::tell;
use super::input::{HookSwitch, decide};
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

const PART: HookSwitch = HookSwitch { log_name: "H12_preserve_context", flag: Some("hooks_context_preservation") };

/// H12: brings the state of the workflow through a compaction.
///
/// **Why:** a summary of a long conversation loses the phase, decisions and gates. Hardly any agent takes text for the model
/// before it compacts (errata X9), so the same is told right after it, when the session starts again.
///
/// **Catches:** a compaction while the feature of this branch has a state file, and the start of a session that follows one:
/// the `<planning-state>` block, as with every prompt.
///
/// **Leaves alone:** other starts of a session, and compactions where nothing is planned.
#[derive(Debug)]
pub struct PreservePlanningContext;

impl NativeHook for PreservePlanningContext {
    fn id(&self) -> &'static str {
        "planning/preserve-planning-context"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::PreCompress, EventName::SessionStart]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), may_wait: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        event.name == EventName::PreCompress || matches!(event.text("source"), Some("compact" | "compress"))
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, |scene| tell(scene, "PRESERVE"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::subagent::tests::active_world;
    use super::super::test_events::{event, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    #[test]
    fn the_state_is_told_before_a_compaction_and_after_it() {
        // covers: H12
        for (name, source, expected) in [
            (EventName::PreCompress, "", "warn"),
            (EventName::SessionStart, "compact", "warn"),
            (EventName::SessionStart, "compress", "warn"),
            (EventName::SessionStart, "startup", "silent"),
            (EventName::SessionStart, "resume", "silent"),
        ] {
            let mut event = event("/p");
            event.name = name;
            event.payload.insert("source".to_owned(), json!(source));
            assert_eq!(word(&PreservePlanningContext, &event, &active_world()), expected, "{source}");
            assert_eq!(word(&PreservePlanningContext, &event, &FakeWorld::new()), "silent", "{source}");
        }
    }
}
