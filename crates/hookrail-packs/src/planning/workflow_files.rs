//! The files that the guards stand on.
//!
//! No tool changes those that configure them: a model that is refused something could otherwise switch the guard off and try
//! again. Lock and state are written by the agent's editing tools alone, whose text can be looked at before it is written.

use super::config::Config;
use super::feature::{Checkout, Feature};
use crate::changes::names_of;
use hookrail_core::display::quoted;
use hookrail_core::{Event, ToolKind, World};
use hookrail_effects::{Act, Effect, Effects, PathObject};
use std::path::Path;

/// Why a tool call must not happen that changes a `planning-config.yaml` which is read here, or would be read if it existed, or
/// the file of development mode, or a link to one of them.
pub(super) fn refusal(effects: &Effects, event: &Event, world: &dyn World) -> Option<String> {
    let checkout = Checkout::of(event, world).unwrap_or_else(|_| Checkout { root: event.cwd.clone(), branch: None });
    let files = Config::own_files(&checkout, world);
    let is_one = |(effect, path): &(&Effect, &PathObject)| files.iter().any(|file| changes(effect, path, file, world));
    let (_, path) = effects.changed_paths().find(is_one)?;
    Some(format!(
        "DENIED: {} configures the guards of the planning workflow and is not changed by a tool. Do not retry and do not \
         write it another way: go on without the change, or tell the user what should be changed and why.",
        quoted(&path.real().display().to_string())
    ))
}

/// What happens to a folder happens to a file in it only if that is there: most projects have a `config` and no such file.
fn changes(effect: &Effect, path: &PathObject, file: &Path, world: &dyn World) -> bool {
    names_of(file, world).iter().any(|name| {
        let is_it = !path.pattern && (path.real().starts_with(name) || path.resolved == *name);
        is_it || effect.touches(name) && !matches!(world.kind(name), Ok(None))
    })
}

/// Why a shell command or a tool of an MCP server must not change the feature's lock or state, if it would. `releases` says
/// whether this session may remove the lock: no editing tool can.
pub(super) fn wrong_tool(
    feature: &Feature,
    effects: &Effects,
    releases: bool,
    event: &Event,
    world: &dyn World,
) -> Option<String> {
    let kind = event.tool.as_ref().map(|tool| &tool.kind)?;
    if !matches!(kind, ToolKind::Shell { .. } | ToolKind::Mcp { .. }) {
        return None;
    }
    let files = [feature.lock_file(), feature.state_file()];
    let removes_lock = |effect: &Effect, path: &PathObject| {
        let is_lock = || files.first().is_some_and(|lock| names_of(lock, world).iter().any(|name| path.real() == name));
        releases && effect.act == Act::FsDelete && !path.pattern && is_lock()
    };
    let is_changed = |file: &Path| {
        let names = names_of(file, world);
        let mut changes = effects.changed_paths().filter(|(effect, path)| !removes_lock(effect, path));
        changes.any(|(effect, path)| names.iter().any(|name| is_about(effect, path, name, world)))
    };
    let file = files.iter().find(|file| is_changed(file))?;
    Some(format!(
        "DENIED: {} belongs to the planning workflow. Only the agent's own editing tool writes it, for the session that holds \
         the lock; a shell command or a tool of an MCP server does not. Do not retry this way: write the whole file with that \
         tool. The lock may be given back by deleting it, and nothing else with it.",
        quoted(&file.display().to_string())
    ))
}

/// Whether an effect is about a file itself. What is written somewhere into a folder above it is not; what deletes or moves
/// such a folder is, if the file is there.
fn is_about(effect: &Effect, path: &PathObject, file: &Path, world: &dyn World) -> bool {
    if !path.pattern && (path.real() == file || path.resolved == file) {
        return true;
    }
    // A shell's `*` does not stand for a name that begins with a dot.
    let is_beside = path.pattern && path.resolved.components().count() == file.components().count();
    let is_dotted = path.resolved.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let takes_away = matches!(effect.act, Act::FsDelete | Act::FsMove) && !matches!(world.kind(file), Ok(None));
    effect.touches(file) && if is_beside { is_dotted } else { takes_away }
}

#[cfg(test)]
mod tests {
    use super::super::enforce_planning_lock::EnforcePlanningLock;
    use super::super::test_events::{call, reason, shell, word};
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

    #[test]
    fn no_shell_command_changes_configuration_or_development_mode() {
        // covers: AC6
        let world = || world().file("/p/config/planning-config.yaml", "a: 1").file("/p/hooks/run.sh", "x");
        for (command, expected) in [
            ("touch ../hooks/.dev-mode", "deny"),
            ("touch /plugin/hooks/.dev-mode", "deny"),
            (": > ../hooks/.dev-mode", "deny"),
            ("cd .. && touch hooks/.dev-mode", "deny"),
            ("cp run.sh ../hooks/.dev-mode", "deny"),
            ("ln -s /dev/null ../hooks/.dev-mode", "deny"),
            ("sed -i s/true/false/ ../config/planning-config.yaml", "deny"),
            ("yq -i '.a = 2' ../config/planning-config.yaml", "deny"),
            ("echo 'a: 2' > ../config/planning-config.yaml", "deny"),
            ("echo 'a: 2' | tee ../innocent.yaml", "deny"),
            ("mv ../config ../config.old", "deny"),
            ("rm -rf ../config", "deny"),
            ("rm ../config/*.yaml", "deny"),
            ("chmod 000 ../config/planning-config.yaml", "deny"),
            ("git checkout main -- ../config/planning-config.yaml", "deny"),
            ("bash -c 'rm ../config/planning-config.yaml'", "deny"),
            ("cat ../config/planning-config.yaml", "silent"),
            ("git diff ../config/planning-config.yaml", "silent"),
            ("git add ../config", "silent"),
            ("git commit -m 'touch ../hooks/.dev-mode'", "silent"),
            ("ls ../hooks/.dev-mode", "silent"),
            ("mkdir -p ../config/", "silent"),
            ("rm -rf ../hooks", "silent"),
            ("chmod -R +x ../hooks", "silent"),
            ("echo x > ../config/other.yaml", "silent"),
        ] {
            assert_eq!(word(&HOOK, &shell("/p/src", command), &world()), expected, "{command}");
        }
    }
}
