use super::feature::{Feature, written_files};
use super::lock::{Holder, Lock};
use super::log::one_line;
use super::pending_state::pending_state;
use super::scene::{Finding, Part, Scene, decide};
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};
use std::path::PathBuf;

const PART: Part = Part { log_name: "H02_lock_enforcement", flag: Some("hooks_lock_enforcement") };
const TIMEOUT: &str = "/state/lock/timeout_minutes";
const DEFAULT_TIMEOUT_MINUTES: u64 = 60;

/// H02: lets only the session that holds the lock write into the folder of the feature that is planned.
///
/// **Why:** two sessions that plan the same feature at once overwrite each other's state.
///
/// **Catches:** any tool that writes, edits or patches a file below the feature's folder while the lock is another
/// session's, cannot be read, or is missing although planning has begun.
///
/// **Leaves alone:** the lock itself, everything before planning has begun, the last save of the state, when the workflow
/// has given its lock back already, and what a shell command writes. A lock that names no session is accepted. One that is
/// older than `state.lock.timeout_minutes` is pointed out and not enforced.
#[derive(Debug)]
pub struct EnforcePlanningLock;

impl NativeHook for EnforcePlanningLock {
    fn id(&self) -> &'static str {
        "planning/enforce-planning-lock"
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
    let Some(feature) = scene.feature()? else { return Ok(Finding::allow("No feature directory detected")) };
    let guarded = guarded_files(&feature, scene);
    if guarded.is_empty() {
        return Ok(Finding::allow("No file of the planning workspace is written"));
    }
    match Lock::of(&feature, scene.world)? {
        None => look_without_lock(&feature, &guarded, scene),
        Some(Lock::Corrupt) => Ok(Finding::deny(&format!(
            "DENIED: the planning lock `{}` cannot be read, so nobody knows whose it is. Do not retry: ask the user \
             whether another session is planning, and write the lock anew for this session only if none is.",
            feature.lock_file().display()
        ))),
        Some(Lock::Held(holder)) => look_at_holder(&holder, &feature, scene),
    }
}

/// The files of the workspace that are written, apart from the lock itself (errata C25, C26).
fn guarded_files(feature: &Feature, scene: &Scene<'_>) -> Vec<PathBuf> {
    let folder = scene.world.resolve(&feature.folder);
    let lock = folder.join(".planning.lock");
    let inside = |path: &PathBuf| path.starts_with(&folder) && *path != lock;
    written_files(scene.event, scene.world).into_iter().filter(inside).collect()
}

/// Planning begins with a state file; until then there is nothing to lock (errata C27).
fn look_without_lock(feature: &Feature, guarded: &[PathBuf], scene: &Scene<'_>) -> Result<Finding, HookError> {
    let state = feature.state_file();
    if scene.world.kind(&state)?.is_none() {
        return Ok(Finding::allow("No state file, planning not started"));
    }
    if guarded.iter().all(|path| *path == scene.world.resolve(&state)) && completes(feature, scene)? {
        return Ok(Finding::allow("Final state of a completed workflow"));
    }
    Ok(Finding::deny(
        "DENIED: no planning lock acquired. Do not retry before the lock is there: acquire it as phase 1 (SETUP) of the \
         workflow does, by writing `.planning.lock` with this session's id in the feature directory, then write again.",
    ))
}

/// The workflow is over, or is so with this write (errata C26).
fn completes(feature: &Feature, scene: &Scene<'_>) -> Result<bool, HookError> {
    let is_over = |state: &super::state::State| state.phase().is_some_and(|phase| phase.is_completion());
    if pending_state(feature, scene.event, scene.world)?.is_some_and(|state| is_over(&state)) {
        return Ok(true);
    }
    Ok(feature.read_state(scene.world)?.is_some_and(|state| is_over(&state)))
}

fn look_at_holder(holder: &Holder, feature: &Feature, scene: &Scene<'_>) -> Result<Finding, HookError> {
    let Some(session) = &holder.session else { return Ok(Finding::allow("Lock names no session, accepted")) };
    if *session == scene.event.session_id {
        return Ok(Finding::allow(format!("Lock valid for session {session}")));
    }
    let timeout = scene.config.count(TIMEOUT).filter(|minutes| *minutes > 0).unwrap_or(DEFAULT_TIMEOUT_MINUTES);
    let age = holder.age_minutes(feature, scene.world)?;
    let owner = match &holder.user {
        Some(user) => format!("{} of {}", one_line(session, 64), one_line(user, 64)),
        None => one_line(session, 64),
    };
    if age >= timeout {
        return Ok(Finding::warn(&format!(
            "WARNING: the planning lock of session {owner} is {age} minutes old and no longer counts (timeout {timeout} \
             minutes). If that session is gone, take the lock over; if it is not, two sessions are planning at once."
        )));
    }
    Ok(Finding::deny(&format!(
        "DENIED: planning lock owned by another session ({owner}, for {age} minutes). Do not retry and do not remove the \
         lock yourself: wait until that session releases it, or ask the user, who may delete it if it is stale."
    )))
}

#[cfg(test)]
mod tests {
    use super::super::scene_tests::{call, reason, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    const LOCK: &str = "/p/specs/x/.planning.lock";
    const STATE: &str = "/p/specs/x/.planning-state.local.md";
    const MINUTE: i64 = 60_000;

    fn world() -> FakeWorld {
        FakeWorld::new().file("/p/.git/HEAD", "ref: refs/heads/feature/x")
    }

    fn planning() -> FakeWorld {
        world().file(STATE, "---\nphase: RESEARCH\n---\n")
    }

    fn write(path: &str) -> Event {
        call("/p", "Write", json!({"file_path": path, "content": "x"}))
    }

    fn check(world: &FakeWorld, event: &Event) -> &'static str {
        word(&EnforcePlanningLock, event, world)
    }

    #[test]
    fn the_lock_decides_who_may_write() {
        // covers: H02
        for (lock, expected) in [
            (Some(r#"{"session_id": "abc"}"#), "silent"),
            (Some(r#"{"session_id": "other"}"#), "deny"),
            (Some(r#"{"pid": 3, "user": "me"}"#), "silent"),
            (Some("pid: 3\n"), "silent"),
            (Some("{\"session_id\""), "deny"),
            (Some(""), "deny"),
            (None, "deny"),
        ] {
            let world = match lock {
                Some(lock) => planning().file(LOCK, lock),
                None => planning(),
            };
            assert_eq!(check(&world, &write("/p/specs/x/design.md")), expected, "{lock:?}");
        }
    }

    #[test]
    fn only_what_lies_in_the_workspace_needs_the_lock() {
        // covers: H02
        let world = planning().link("/p/alias", "specs/x").link("/p/specs/x/out", "/tmp/out");
        for (path, expected) in [
            ("/p/specs/x/design.md", "deny"),
            ("specs/x/design.md", "deny"),
            ("specs/x/deep/er/new.md", "deny"),
            ("src/../specs/x/design.md", "deny"),
            ("alias/design.md", "deny"),
            ("/p/specs/x-v2/design.md", "silent"),
            ("/p/specs/design.md", "silent"),
            ("/tmp/test.md", "silent"),
            ("specs/x/../y/design.md", "silent"),
            ("specs/x/out/file", "silent"),
            ("specs/x/.planning.lock", "silent"),
            ("specs/x/deep/.planning.lock", "deny"),
        ] {
            assert_eq!(check(&world, &write(path)), expected, "{path}");
        }
        let edit = call("/p", "Edit", json!({"file_path": "specs/x/design.md", "old_string": "a", "new_string": "b"}));
        assert_eq!(check(&world, &edit), "deny");
        assert_eq!(check(&FakeWorld::new(), &write("specs/x/design.md")), "silent", "no feature");
    }

    #[test]
    fn before_planning_has_begun_only_a_foreign_lock_is_in_the_way() {
        // covers: H02
        let other = r#"{"session_id": "other"}"#;
        assert_eq!(check(&world(), &write("specs/x/spec.md")), "silent");
        assert_eq!(check(&world().file(LOCK, other), &write("specs/x/spec.md")), "deny");
        assert_eq!(check(&world().file(LOCK, other), &write("specs/x/.planning.lock")), "silent");
    }

    #[test]
    fn an_old_lock_of_another_session_is_pointed_out_and_not_enforced() {
        // covers: H02
        let lock = r#"{"session_id": "other", "user": "Ann", "timestamp": "1970-01-01T00:00:00Z"}"#;
        for (minutes, timeout, expected) in [
            (59, "", "deny"),
            (60, "", "warn"),
            (10, "10", "warn"),
            (10, "11", "deny"),
            (61, "0", "warn"),
            (59, "x", "deny"),
        ] {
            let config = format!("state: {{lock: {{timeout_minutes: {timeout}}}}}");
            let world =
                planning().at_millis(minutes * MINUTE).file(LOCK, lock).file("/p/config/planning-config.yaml", &config);
            let event = write("specs/x/design.md");
            assert_eq!(check(&world, &event), expected, "{minutes} {timeout}");
            let said = reason(&EnforcePlanningLock, &event, &world);
            assert!(said.contains("other of Ann") && said.contains(&format!("{minutes} minutes")), "{said}");
        }
    }

    #[test]
    fn the_last_save_of_the_state_needs_no_lock() {
        // covers: H02
        let save = |phase: &str| {
            call("/p", "Write", json!({"file_path": STATE, "content": format!("---\nphase: {phase}\n---\n")}))
        };
        let edit = |old: &str, new: &str| {
            call("/p", "Edit", json!({"file_path": STATE, "old_string": old, "new_string": new}))
        };
        for (event, expected) in [
            (save("COMPLETION"), "silent"),
            (save("VALIDATION"), "deny"),
            (edit("phase: RESEARCH", "phase: COMPLETION"), "silent"),
            (edit("phase: NOWHERE", "phase: COMPLETION"), "deny"),
            (edit("RESEARCH", "VALIDATION"), "deny"),
        ] {
            assert_eq!(check(&planning(), &event), expected, "{:?}", event.payload);
        }
        let over = world().file(STATE, "---\nphase: COMPLETION\n---\n");
        assert_eq!(check(&over, &save("COMPLETION")), "silent");
        assert_eq!(check(&over, &write("specs/x/design.md")), "deny");
    }
}
