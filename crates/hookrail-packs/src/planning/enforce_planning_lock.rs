use super::claim;
use super::feature::Feature;
use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::lock::{Holder, Lock};
use super::log::timestamp;
use super::pending_state::{pending_state, pending_text};
use super::workflow_files;
use crate::changes::{changes_within, may_change_files, question_about_unread};
use crate::limits::QUICK;
use hookrail_core::display::quoted;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};
use hookrail_effects::Effects;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const PART: HookSwitch = HookSwitch { log_name: "H02_lock_enforcement", flag: Some("hooks_lock_enforcement") };
const TIMEOUT: &str = "/state/lock/timeout_minutes";
const DEFAULT_TIMEOUT_MINUTES: u64 = 60;
/// Under this name a session remembers the unreadable lock that it wrote.
const WRITTEN: &str = "planning/unreadable-lock";
const MAX_REMEMBERED: usize = 1000;

/// H02: lets only the session that holds the lock write into the folder of the feature that is planned.
///
/// **Why:** two sessions that plan the same feature at once overwrite each other's state.
///
/// **Catches:** any tool that writes, deletes, moves, links or changes the permissions of something in the feature's folder,
/// the lock included, or of the folder itself, while the lock is another session's, cannot be read, or is missing although
/// planning has begun: edits and patches, shell commands, tools of MCP servers. So is a lock that is written for another
/// session than this one. A lock that names no session belongs to the first session that writes under it. Lock and state are
/// written by editing tools alone, not by a shell command or a tool of an MCP server, whoever holds the lock. The pack's own
/// configuration and its development mode are changed by no tool at all.
///
/// **Leaves alone:** taking a lock that is missing or stale, deleting one's own, everything before planning has begun, and the
/// last save of the state, when the workflow has given its lock back already. A lock that is older than
/// `state.lock.timeout_minutes` is pointed out and not enforced.
#[derive(Debug)]
pub struct EnforcePlanningLock;

impl NativeHook for EnforcePlanningLock {
    fn id(&self) -> &'static str {
        "planning/enforce-planning-lock"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile {
            timeout: Some(QUICK),
            // It reads a few small files, and nothing that could be a pipe.
            may_wait: false,
            ..HookProfile::DEFAULT
        }
    }

    fn concerns(&self, event: &Event) -> bool {
        may_change_files(event)
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let Some(effects) = hookrail_effects::of(event, world) else { return Ok(Outcome::silent()) };
        // Most shell commands change nothing, and are not worth a line in the log either.
        if effects.changed_paths().next().is_none() && !effects.over_limit() {
            return Ok(Outcome::silent());
        }
        let Some(refusal) = workflow_files::refusal(&effects, event, world) else {
            return decide(&PART, event, world, |scene| look(scene, &effects));
        };
        // This is not about the lock, so the lock's switch does not reach it; a configuration that cannot be read opens nothing.
        let part = HookSwitch { flag: None, ..PART };
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

fn look(scene: &PlanningInput<'_>, effects: &Effects) -> Result<Finding, HookError> {
    let Some(feature) = scene.feature()? else { return Ok(Finding::allow("No feature directory detected")) };
    let folder = scene.world.resolve(&feature.folder);
    let written = changes_within(effects, &feature.folder, scene.world);
    if written.is_empty() {
        return Ok(match question_about_unread(effects, "the planning workspace") {
            Some(question) => Finding::new("ASK", "the call was not read to its end".to_owned(), question),
            None => Finding::allow("No file of the planning workspace is written"),
        });
    }
    let lock = folder.join(".planning.lock");
    if written.contains(&lock)
        && let Some(refusal) = refuse_content(&lock, scene)?
    {
        return Ok(refusal);
    }
    let only_lock = written.iter().all(|path| *path == lock);
    let standing = standing(&feature, scene)?;
    let releases = matches!(standing, Standing::Own | Standing::Stale { .. });
    if !matches!(standing, Standing::Foreign { .. } | Standing::Corrupt)
        && let Some(refusal) = workflow_files::wrong_tool(&feature, effects, releases, scene.event, scene.world)
    {
        return Ok(Finding::deny(&refusal));
    }
    match standing {
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

fn standing(feature: &Feature, scene: &PlanningInput<'_>) -> Result<Standing, HookError> {
    let holder = match Lock::of(feature, scene.world)? {
        None => return Ok(Standing::Missing),
        Some(Lock::Corrupt) => return Ok(Standing::Corrupt),
        Some(Lock::Held(holder)) => holder,
    };
    let age_minutes = holder.age_minutes(feature, scene.world)?;
    let stale = age_minutes >= timeout_minutes(scene);
    let session = match &holder.session {
        Some(session) => session.clone(),
        // What no longer counts need not be claimed.
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
fn refuse_content(lock: &Path, scene: &PlanningInput<'_>) -> Result<Option<Finding>, HookError> {
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

/// No session could write any more under a lock that cannot be read, and only the user may remove it. So a session that wrote one
/// itself is remembered, and may write it again.
fn acquire(lock: &Path, scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let text = pending_text(lock, scene.event, scene.world)?;
    if let Some(text) = text.filter(|text| Lock::parse(text.as_bytes()) == Lock::Corrupt) {
        let cut: String = text.chars().take(MAX_REMEMBERED).collect();
        scene.world.remember(WRITTEN, &mut |_| Some(Value::from(cut.as_str())))?;
    }
    Ok(Finding::allow("The lock is acquired"))
}

/// Whether the lock that cannot be read is what this session wrote.
fn is_own_mistake(lock: &Path, scene: &PlanningInput<'_>) -> Result<bool, HookError> {
    let Some(Value::String(written)) = scene.world.recall(WRITTEN)? else { return Ok(false) };
    let is_short = written.chars().count() < MAX_REMEMBERED;
    Ok(is_short && scene.world.read(lock).ok().flatten().is_some_and(|bytes| bytes == written.as_bytes()))
}

fn own_lock(scene: &PlanningInput<'_>) -> Value {
    json!({"session_id": scene.event.session_id, "timestamp": timestamp(scene.world)})
}

fn corrupt(feature: &Feature) -> String {
    format!(
        "DENIED: the planning lock {} cannot be read, so its owner is unknown. Accepted are a JSON object with \
         `session_id` (or `pid`, `timestamp`, `user`), `key: value` lines with the same keys, or a process id, a time and a \
         user on a line each. Do not retry and do not replace it: ask the user to look at it, and to remove it if no other \
         session is planning.",
        quoted(&feature.lock_file().display().to_string())
    )
}

fn this_session(scene: &PlanningInput<'_>) -> String {
    quoted(&plain(&scene.event.session_id))
}

/// Ids and names are short and plain; what is not was not meant to be one, and must not look like part of the sentence.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || " -_.:@+".contains(c);
    text.chars().take(128).map(|c| if is_plain(c) { c } else { '?' }).collect()
}

fn timeout_minutes(scene: &PlanningInput<'_>) -> u64 {
    scene.config.count(TIMEOUT).filter(|minutes| *minutes > 0).unwrap_or(DEFAULT_TIMEOUT_MINUTES)
}

/// Planning begins with a state file; until then there is nothing to lock (errata C27).
fn look_without_lock(feature: &Feature, written: &[PathBuf], scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
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
fn completes(feature: &Feature, scene: &PlanningInput<'_>) -> Result<bool, HookError> {
    let is_over = |state: &super::state::PlanningState| state.phase().is_some_and(|phase| phase.is_completion());
    if pending_state(feature, scene.event, scene.world)?.is_some_and(|state| is_over(&state)) {
        return Ok(true);
    }
    Ok(feature.read_state(scene.world)?.is_some_and(|state| is_over(&state)))
}

#[cfg(test)]
#[path = "enforce_planning_lock_tests.rs"]
mod tests;
