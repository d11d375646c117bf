use super::config::Config;
use super::feature::{Checkout, written_files};
use super::scene::{Finding, Part, decide};
use hookrail_core::display::quoted;
use hookrail_core::{Event, EventName, HookError, NativeHook, OnError, Outcome, World};
use std::path::{Path, PathBuf};

const PART: Part = Part { log_name: "H14_workflow_files", flag: None };

/// H14: keeps tools from the configuration and the development mode of this pack.
///
/// **Why:** a model that is refused something could otherwise switch the guard off and try again.
///
/// **Catches:** any tool that writes, edits or patches a `planning-config.yaml` that is read here, or that would be read if it
/// existed, the development mode's file, or a link to one of them.
///
/// **Leaves alone:** everything else. Lock and state are the workflow's to write, under the lock (H02). People change these
/// files themselves.
#[derive(Debug)]
pub struct ProtectWorkflowFiles;

impl NativeHook for ProtectWorkflowFiles {
    fn id(&self) -> &'static str {
        "planning/protect-workflow-files"
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

    /// Whoever can make it fail must not gain by that.
    fn on_error(&self) -> OnError {
        OnError::Deny
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let checkout =
            Checkout::of(event, world).unwrap_or_else(|_| Checkout { root: event.cwd.clone(), branch: None });
        let Some(path) = touched(&Config::own_files(&checkout, world), event, world) else {
            return Ok(Outcome::silent());
        };
        let reason = format!(
            "DENIED: {} configures the guards of the planning workflow and is not changed by a tool. Do not retry and do not \
             write it another way: go on without the change, or tell the user what should be changed and why.",
            quoted(&path.display().to_string())
        );
        match decide(&PART, event, world, |_| Ok(Finding::deny(&reason))) {
            // Even where nothing can be logged or the configuration cannot be read.
            Err(_) => Ok(Outcome::deny(&reason)),
            outcome => outcome,
        }
    }
}

/// The first written path that is one of these files.
fn touched(files: &[PathBuf], event: &Event, world: &dyn World) -> Option<PathBuf> {
    let protected: Vec<PathBuf> = files.iter().map(|file| world.resolve(file)).collect();
    let is_protected = |path: &PathBuf| protected.iter().any(|file| Path::starts_with(path, file));
    written_files(event, world).into_iter().find(is_protected)
}

#[cfg(test)]
mod tests {
    use super::super::scene_tests::{call, reason, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    const HOOK: ProtectWorkflowFiles = ProtectWorkflowFiles;

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
