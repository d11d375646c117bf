//! When a workflow may be left before its end.

use super::conversation;
use super::input::{Finding, PlanningInput};
use super::state::PlanningState;
use hookrail_core::{Event, Outcome, display};
use serde_json::Value;

/// Why a stop is let through although work is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StopPermission {
    /// It is the user's turn (errata C58), or that of agents that work in the background.
    Waiting,
    /// The user wants it (errata C56).
    UserAsked,
    /// It has been refused once already (errata C56).
    SecondStop,
}

/// Whether this stop follows one that a hook refused.
pub(super) fn is_second_stop(event: &Event) -> bool {
    event.payload.get("stop_hook_active") == Some(&Value::Bool(true))
}

/// What becomes of a stop that leaves something undone: refused, unless there is a reason to let it through.
pub(super) fn object(scene: &PlanningInput<'_>, state: &PlanningState, problem: &str, advice: &str) -> Finding {
    let warning = |why: &str| {
        let text = display::one_line(&format!("{why} {problem}.")).into_owned();
        Finding::new("APPROVE+WARN", text.clone(), Outcome::silent().with_message(&text))
    };
    match leave(scene, state) {
        Some(StopPermission::Waiting) => Finding::new("APPROVE", format!("Waiting. {problem}"), Outcome::silent()),
        Some(StopPermission::UserAsked) => warning("Stopped because the user asked for it."),
        Some(StopPermission::SecondStop) => warning("Stopped although planning is not complete."),
        None => Finding::block(&format!("{problem}. {advice}"), &format!("Planning goes on: {problem}.")),
    }
}

fn leave(scene: &PlanningInput<'_>, state: &PlanningState) -> Option<StopPermission> {
    let answer = conversation::last_answer(scene.event, scene.world);
    if has_agents_at_work(scene.event)
        || is_waiting(&state.text("phase_status"))
        || answer.is_some_and(|answer| conversation::asks_user(&answer))
    {
        return Some(StopPermission::Waiting);
    }
    let prompt = conversation::last_prompt(scene.event, scene.world);
    if prompt.is_some_and(|prompt| conversation::asks_to_stop(&prompt)) {
        return Some(StopPermission::UserAsked);
    }
    is_second_stop(scene.event).then_some(StopPermission::SecondStop)
}

/// Whether agents go on working after the stop, which will be told when they are done.
fn has_agents_at_work(event: &Event) -> bool {
    let tasks = event.payload.get("background_tasks").and_then(Value::as_array);
    let is = |task: &Value, field: &str, word: &str| task.get(field).and_then(Value::as_str) == Some(word);
    tasks.is_some_and(|tasks| tasks.iter().any(|task| is(task, "type", "subagent") && is(task, "status", "running")))
}

/// `waiting`, `waiting_for_user`, `needs-user-input`.
fn is_waiting(status: &str) -> bool {
    let status = status.to_ascii_lowercase().replace(['-', ' '], "_");
    status.starts_with("waiting") || status == "needs_user_input"
}
