use super::claim;
use super::feature::{Feature, written_files};
use super::lock::{Holder, Lock};
use super::log::timestamp;
use super::pending_state::{pending_state, pending_text};
use super::scene::{Finding, Part, Scene, decide};
use super::workflow_files;
use hookrail_core::display::quoted;
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const PART: Part = Part { log_name: "H02_lock_enforcement", flag: Some("hooks_lock_enforcement") };
const TIMEOUT: &str = "/state/lock/timeout_minutes";
const DEFAULT_TIMEOUT_MINUTES: u64 = 60;
/// Under this name a session remembers the unreadable lock that it wrote.
const WRITTEN: &str = "planning/unreadable-lock";
const MAX_REMEMBERED: usize = 1000;

/// H02: lets only the session that holds the lock write into the folder of the feature that is planned.
///
/// **Why:** two sessions that plan the same feature at once overwrite each other's state.
///
/// **Catches:** any tool that writes, edits or patches a file below the feature's folder, the lock included, while the lock is
/// another session's, cannot be read, or is missing although planning has begun; and a lock that is written for another
/// session than this one. A lock that names no session belongs to the first session that writes under it. The pack's own
/// configuration and its development mode are written by no tool at all.
///
/// **Leaves alone:** taking a lock that is missing or stale, everything before planning has begun, and the last save of the
/// state, when the workflow has given its lock back already. A lock that is older than `state.lock.timeout_minutes` is pointed
/// out and not enforced.
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
        let Some(refusal) = workflow_files::refusal(event, world) else { return decide(&PART, event, world, look) };
        // This is not about the lock, so the lock's switch does not reach it; a configuration that cannot be read opens nothing.
        let part = Part { flag: None, ..PART };
        decide(&part, event, world, |_| Ok(Finding::deny(&refusal))).or_else(|_| Ok(Outcome::deny(&refusal)))
    }
}

/// Whose the lock is, from where this session stands.
enum Standing {
    Missing,
    Corrupt,
    Own,
    /// Another session's.
    Foreign {
        owner: String,
        age_minutes: u64,
    },
    /// Another session's, and so old that it does not count any more.
    Stale {
        owner: String,
        age_minutes: u64,
    },
}

fn look(scene: &Scene<'_>) -> Result<Finding, HookError> {
    let Some(feature) = scene.feature()? else { return Ok(Finding::allow("No feature directory detected")) };
    let folder = scene.world.resolve(&feature.folder);
    let written: Vec<PathBuf> =
        written_files(scene.event, scene.world).into_iter().filter(|path| path.starts_with(&folder)).collect();
    if written.is_empty() {
        return Ok(Finding::allow("No file of the planning workspace is written"));
    }
    let lock = folder.join(".planning.lock");
    if written.contains(&lock)
        && let Some(refusal) = refuse_content(&lock, scene)?
    {
        return Ok(refusal);
    }
    let only_lock = written.iter().all(|path| *path == lock);
    match standing(&feature, scene)? {
        Standing::Missing if only_lock => acquire(&lock, scene),
        Standing::Missing => look_without_lock(&feature, &written, scene),
        Standing::Corrupt if only_lock && is_own_mistake(&lock, scene)? => acquire(&lock, scene),
        Standing::Corrupt => Ok(Finding::deny(&corrupt(&feature))),
        Standing::Own => Ok(Finding::allow(format!("Lock valid for session {}", this_session(scene)))),
        Standing::Stale { .. } if only_lock => Ok(Finding::allow("A stale lock is taken over")),
        Standing::Stale { owner, age_minutes } => Ok(Finding::warn(&format!(
            "WARNING: the planning lock of session {owner} is {age_minutes} minutes old and no longer counts (timeout {} \
             minutes). If that session is gone, take the lock over with this session's id, {}; if it is not, two sessions are \
             planning at once.",
            timeout_minutes(scene),
            this_session(scene)
        ))),
        Standing::Foreign { owner, age_minutes } => Ok(Finding::deny(&format!(
            "DENIED: planning lock owned by another session ({owner}, for {age_minutes} minutes); this session is {}. Do not \
             retry and do not replace or remove the lock: wait until that session releases it, or ask the user, who may \
             delete it if it is stale. It does not count any more after {} minutes.",
            this_session(scene),
            timeout_minutes(scene)
        ))),
    }
}

fn standing(feature: &Feature, scene: &Scene<'_>) -> Result<Standing, HookError> {
    let holder = match Lock::of(feature, scene.world)? {
        None => return Ok(Standing::Missing),
        Some(Lock::Corrupt) => return Ok(Standing::Corrupt),
        Some(Lock::Held(holder)) => holder,
    };
    let age_minutes = holder.age_minutes(feature, scene.world)?;
    let stale = age_minutes >= timeout_minutes(scene);
    let session = match &holder.session {
        Some(session) => session.clone(),
        // Nobody needs to claim what does not count any more.
        None if stale => return Ok(Standing::Own),
        None => claim::owner(feature, &holder, &scene.event.session_id, scene.world)?,
    };
    if session == scene.event.session_id {
        return Ok(Standing::Own);
    }
    let owner = match &holder.user {
        Some(user) => format!("{} of {}", plain(&session), plain(user)),
        None => plain(&session),
    };
    Ok(if stale { Standing::Stale { owner, age_minutes } } else { Standing::Foreign { owner, age_minutes } })
}

/// A lock for another session would keep this one from writing, and could not be replaced either.
fn refuse_content(lock: &Path, scene: &Scene<'_>) -> Result<Option<Finding>, HookError> {
    let Some(text) = pending_text(lock, scene.event, scene.world)? else { return Ok(None) };
    let Lock::Held(Holder { session: Some(session), .. }) = Lock::parse(text.as_bytes()) else { return Ok(None) };
    if session == scene.event.session_id {
        return Ok(None);
    }
    Ok(Some(Finding::deny(&format!(
        "DENIED: the planning lock that is about to be written is for session {}, and this session is {}. Write `{}` instead.",
        quoted(&plain(&session)),
        this_session(scene),
        own_lock(scene)
    ))))
}

/// Nobody could write any more under a lock that cannot be read, and only the user may remove it. So a session that wrote one
/// itself is remembered, and may write it again.
fn acquire(lock: &Path, scene: &Scene<'_>) -> Result<Finding, HookError> {
    let text = pending_text(lock, scene.event, scene.world)?;
    if let Some(text) = text.filter(|text| Lock::parse(text.as_bytes()) == Lock::Corrupt) {
        let cut: String = text.chars().take(MAX_REMEMBERED).collect();
        scene.world.remember(WRITTEN, &mut |_| Some(Value::from(cut.as_str())))?;
    }
    Ok(Finding::allow("The lock is acquired"))
}

/// Whether the lock that cannot be read is what this session wrote.
fn is_own_mistake(lock: &Path, scene: &Scene<'_>) -> Result<bool, HookError> {
    let Some(Value::String(written)) = scene.world.recall(WRITTEN)? else { return Ok(false) };
    let is_short = written.chars().count() < MAX_REMEMBERED;
    Ok(is_short && scene.world.read(lock).ok().flatten().is_some_and(|bytes| bytes == written.as_bytes()))
}

fn own_lock(scene: &Scene<'_>) -> Value {
    json!({"session_id": scene.event.session_id, "timestamp": timestamp(scene.world)})
}

fn corrupt(feature: &Feature) -> String {
    format!(
        "DENIED: the planning lock {} cannot be read, so nobody knows whose it is. Accepted are a JSON object with \
         `session_id` (or `pid`, `timestamp`, `user`), `key: value` lines with the same keys, or a process id, a time and a \
         user on a line each. Do not retry and do not replace it: ask the user to look at it, and to remove it if no other \
         session is planning.",
        quoted(&feature.lock_file().display().to_string())
    )
}

fn this_session(scene: &Scene<'_>) -> String {
    quoted(&plain(&scene.event.session_id))
}

/// Ids and names are short and plain; what is not was not meant to be one, and must not look like part of the sentence.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || " -_.:@+".contains(c);
    text.chars().take(128).map(|c| if is_plain(c) { c } else { '?' }).collect()
}

fn timeout_minutes(scene: &Scene<'_>) -> u64 {
    scene.config.count(TIMEOUT).filter(|minutes| *minutes > 0).unwrap_or(DEFAULT_TIMEOUT_MINUTES)
}

/// Planning begins with a state file; until then there is nothing to lock (errata C27).
fn look_without_lock(feature: &Feature, written: &[PathBuf], scene: &Scene<'_>) -> Result<Finding, HookError> {
    let state = feature.state_file();
    if scene.world.kind(&state)?.is_none() {
        return Ok(Finding::allow("No state file, planning not started"));
    }
    if written.iter().all(|path| *path == scene.world.resolve(&state)) && completes(feature, scene)? {
        return Ok(Finding::allow("Final state of a completed workflow"));
    }
    Ok(Finding::deny(&format!(
        "DENIED: no planning lock acquired. Do not retry before the lock is there: acquire it as phase 1 (SETUP) of the \
         workflow does, by writing `{}` to {}, then write again.",
        own_lock(scene),
        quoted(&feature.lock_file().display().to_string())
    )))
}

/// The workflow is over, or is so with this write (errata C26).
fn completes(feature: &Feature, scene: &Scene<'_>) -> Result<bool, HookError> {
    let is_over = |state: &super::state::State| state.phase().is_some_and(|phase| phase.is_completion());
    if pending_state(feature, scene.event, scene.world)?.is_some_and(|state| is_over(&state)) {
        return Ok(true);
    }
    Ok(feature.read_state(scene.world)?.is_some_and(|state| is_over(&state)))
}

#[cfg(test)]
mod tests {
    use super::super::scene_tests::{call, reason, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;

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
        assert_eq!(check(&world().file(LOCK, other), &write("specs/x/.planning.lock")), "deny");
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

    fn lock_with(content: &str) -> Event {
        call("/p", "Write", json!({"file_path": LOCK, "content": content}))
    }

    #[test]
    fn a_tool_writes_the_lock_only_if_it_is_missing_stale_or_its_own_sessions() {
        // covers: H02
        let own = r#"{"session_id": "abc"}"#;
        let of = |session: &str, time: &str| format!(r#"{{"session_id": "{session}", "timestamp": "{time}"}}"#);
        let (old, fresh, future) = ("1970-01-01T00:00:00Z", "1970-01-01T01:59:00Z", "1970-01-02T00:00:00Z");
        for (before, after, expected) in [
            (None, own.to_owned(), "silent"),
            (None, "pid: 7\n".to_owned(), "silent"),
            (None, of("other", fresh), "deny"),
            (Some(of("abc", fresh)), own.to_owned(), "silent"),
            (Some(of("abc", fresh)), of("other", fresh), "deny"),
            (Some(of("other", fresh)), own.to_owned(), "deny"),
            (Some(of("other", old)), own.to_owned(), "silent"),
            (Some(of("other", future)), own.to_owned(), "deny"),
            (Some("garbage".to_owned()), own.to_owned(), "deny"),
        ] {
            let world = planning().at_millis(120 * MINUTE);
            let world = match &before {
                Some(before) => world.file(LOCK, before),
                None => world,
            };
            assert_eq!(check(&world, &lock_with(&after)), expected, "{before:?} {after}");
        }
        let told = reason(&EnforcePlanningLock, &lock_with(&of("other", fresh)), &planning());
        assert!(told.contains("this session is `abc`") && told.contains(r#"Write `{"session_id":"abc""#), "{told}");
    }

    #[test]
    fn a_lock_without_a_session_is_the_first_writers_until_it_is_written_anew() {
        // covers: H02
        let event_of = |session: &str| Event { session_id: session.to_owned(), ..write("specs/x/design.md") };
        let world = planning().file(LOCK, "pid: 7\nuser: Ann\n");
        assert_eq!(check(&world, &event_of("one")), "silent");
        assert_eq!(check(&world, &event_of("two")), "deny");
        assert_eq!(check(&world, &event_of("one")), "silent");
        assert!(reason(&EnforcePlanningLock, &event_of("two"), &world).contains("one of Ann"));
        let world = world.at_millis(59 * MINUTE);
        assert_eq!(check(&world, &event_of("two")), "deny", "the age is the lock's own");
        let world = world.at_millis(60 * MINUTE);
        assert_eq!(check(&world, &event_of("two")), "silent", "a stale lock does not count");
        let world = world.file(LOCK, "pid: 8\nuser: Ann\n");
        assert_eq!(check(&world, &event_of("two")), "silent", "a new lock is unclaimed");
        assert_eq!(check(&world, &event_of("one")), "deny");
    }

    #[test]
    fn a_session_may_correct_a_lock_that_it_wrote_wrongly_and_no_other() {
        // covers: H02
        let world = planning();
        assert_eq!(check(&world, &lock_with("mine!")), "silent");
        world.write(Path::new(LOCK), b"mine!").unwrap();
        assert_eq!(check(&world, &write("specs/x/design.md")), "deny");
        assert_eq!(check(&world, &lock_with(r#"{"session_id": "abc"}"#)), "silent");
        world.write(Path::new(LOCK), b"somebody else's!").unwrap();
        assert_eq!(check(&world, &lock_with(r#"{"session_id": "abc"}"#)), "deny");
    }

    #[test]
    fn a_refusal_says_what_this_session_has_to_write_and_why_a_lock_cannot_be_read() {
        // covers: H02
        let told = reason(&EnforcePlanningLock, &write("specs/x/design.md"), &planning());
        assert!(told.contains(r#"{"session_id":"abc","timestamp":"#) && told.contains(LOCK), "{told}");
        let told = reason(&EnforcePlanningLock, &write("specs/x/design.md"), &planning().file(LOCK, "?"));
        assert!(told.contains("`session_id`") && told.contains("ask the user"), "{told}");
        let hostile = "{\"session_id\": \"a`\\u001b[2J\\nobey\"}";
        let told = reason(&EnforcePlanningLock, &write("specs/x/design.md"), &planning().file(LOCK, hostile));
        assert!(!told.contains('\u{1b}') && !told.contains('\n') && !told.contains("a`"), "{told}");
    }
}
