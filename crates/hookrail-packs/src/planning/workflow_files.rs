//! The files that configure the guards: no tool changes them.
//!
//! A model that is refused something could otherwise switch the guard off and try again.

use super::config::Config;
use super::feature::{Checkout, written_files};
use hookrail_core::display::quoted;
use hookrail_core::{Event, World};
use std::path::PathBuf;

/// Why a tool call must not happen that writes a `planning-config.yaml` which is read here, or would be read if it existed, or the
/// file of development mode, or a link to one of them.
pub(super) fn refusal(event: &Event, world: &dyn World) -> Option<String> {
    let checkout = Checkout::of(event, world).unwrap_or_else(|_| Checkout { root: event.cwd.clone(), branch: None });
    let files: Vec<PathBuf> = Config::own_files(&checkout, world).iter().map(|file| world.resolve(file)).collect();
    let is_one = |path: &PathBuf| files.iter().any(|file| path.starts_with(file));
    let path = written_files(event, world).into_iter().find(is_one)?;
    Some(format!(
        "DENIED: {} configures the guards of the planning workflow and is not changed by a tool. Do not retry and do not \
         write it another way: go on without the change, or tell the user what should be changed and why.",
        quoted(&path.display().to_string())
    ))
}

#[cfg(test)]
mod tests {
    use super::super::enforce_planning_lock::EnforcePlanningLock;
    use super::super::scene_tests::{call, reason, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    const HOOK: EnforcePlanningLock = EnforcePlanningLock;

    fn world() -> FakeWorld {
        FakeWorld::new()
            .file("/p/.git/HEAD", "ref: refs/heads/main")
            .env("CLAUDE_PLUGIN_ROOT", "/plugin")
            .settings("planning", json!({"config": "conf/own.yaml"}))
            .link("/p/innocent.yaml", "/plugin/config/planning-config.yaml")
    }

    fn write(path: &str) -> Event {
        call("/p/src", "Write", json!({"file_path": path, "content": "x"}))
    }

    #[test]
    fn configuration_and_development_mode_are_nobodys_to_write() {
        // covers: AC6
        for (path, expected) in [
            ("/plugin/config/planning-config.yaml", "deny"),
            ("/plugin/hooks/.dev-mode", "deny"),
            ("/p/config/planning-config.yaml", "deny"),
            ("../config/planning-config.yaml", "deny"),
            ("/p/hooks/.dev-mode", "deny"),
            ("/p/conf/own.yaml", "deny"),
            ("/p/innocent.yaml", "deny"),
            ("/p/config/other.yaml", "silent"),
            ("/p/specs/x/.planning.lock", "silent"),
            ("/p/src/planning-config.yaml", "silent"),
        ] {
            assert_eq!(word(&HOOK, &write(path), &world()), expected, "{path}");
            let edit = call("/p/src", "Edit", json!({"file_path": path, "old_string": "a", "new_string": "b"}));
            assert_eq!(word(&HOOK, &edit, &world()), expected, "{path}");
        }
        let told = reason(&HOOK, &write("/plugin/hooks/.dev-mode"), &world());
        assert!(told.contains("`/plugin/hooks/.dev-mode`") && told.contains("tell the user"), "{told}");
    }

    #[test]
    fn a_dev_mode_file_of_another_name_is_protected_and_a_broken_configuration_opens_nothing() {
        // covers: AC6
        let file = "/plugin/config/planning-config.yaml";
        let named = world().file(file, "feature_flags: {hooks_enforcement: {dev_mode_file: off.txt}}");
        assert_eq!(word(&HOOK, &write("/plugin/off.txt"), &named), "deny");
        assert_eq!(word(&HOOK, &write("/plugin/hooks/.dev-mode"), &world().file(file, "a: [")), "deny");
        assert_eq!(word(&HOOK, &write(file), &world().file(file, "a: [")), "deny");
    }
}
