use super::active::ActivePlan;
use super::config::{Config, Switch};
use super::evidence::Evidence;
use super::project::stays_inside;
use super::task_file::Report;
use super::verification::{CompletedTask, contradiction, first_refusal, missing_document, remark, request};
use crate::limits::THOROUGH;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Where it is remembered how often each task was refused.
const REFUSED: &str = "orchestrator/refused-tasks";
/// How often a task is refused that the evidence contradicts. After that a person has to look, and is told.
const MOST_REFUSALS: u64 = 3;
/// More tasks than a session has.
const REMEMBERED: usize = 1000;

/// Has every completed task verified.
///
/// **What it catches.** The first completion of each task of the active plan: it is refused once with the check list, which
/// is how the model comes to read it. The next one passes, unless the evidence contradicts it: the commit does not exist or
/// is older than the implementation, a file does not exist or has not changed since the start, tests failed. That is refused
/// three times at most; then it passes and the user is warned.
///
/// **Why.** Implementers review themselves. What a machine can check is checked, in the task's metadata or, where there is
/// none, in the plan, the repository and the transcript; for the rest the check list says what to verify, thoroughly
/// (`agent`) or lightly (`prompt`).
///
/// **Caught:** any first completion; `{"commit": "0000000"}` in the task's metadata, `{"tests_passed": false}`.
/// **Not caught:** the second completion of a task that nothing contradicts; tasks without an active plan.
#[derive(Debug)]
pub struct TaskCompleted;

impl NativeHook for TaskCompleted {
    fn id(&self) -> &'static str {
        "orchestrator/task-completed"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::TaskCompleted]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(THOROUGH), ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let verification = match Config::find(event, world)?.task_verification() {
            Switch::Off => return Ok(Outcome::silent()),
            Switch::Mistaken(mistake) => return Ok(Outcome::silent().with_message(&mistake)),
            Switch::On(verification) => verification,
        };
        let Some(active) = ActivePlan::find(event, world)? else { return Ok(Outcome::silent()) };
        let task = CompletedTask::of(event);
        let report = Report::find(event, &active.state, world)?;
        let evidence = Evidence::gather(&report, event, &active, world);
        let mut request = request(verification, &report, &task, &active.state.active_plan);
        let gone = gone_document(&report, &active, world);
        request.extend(gone.iter().map(|remark| format!(" {remark}")));
        let contradicted = !evidence.contradictions.is_empty();
        let most = if contradicted { MOST_REFUSALS } else { 1 };
        if is_refused(event, &active, most, world)? {
            // The document has context where nothing is wrong, so there the check list is context: agents append it to the
            // reason, the document's own form leaves the refusal out.
            return Ok(match contradicted {
                true => Outcome::deny(&contradiction(&task, &evidence, &request)),
                false => Outcome::deny(&first_refusal(&task, &evidence)).with_context(&request),
            });
        }
        let remarks: Vec<String> = remark(&task, &evidence).into_iter().chain(gone).collect();
        let remarks = remarks.join(" ");
        let context = if contradicted { format!("{request} {remarks}") } else { request };
        Ok(Outcome::silent().with_context(&context).with_message(&remarks))
    }
}

/// Whether a task was refused less often than this; counts the refusal. What cannot be counted is an error: a refusal without a
/// count would be repeated for ever, and `on_error` decides.
fn is_refused(event: &Event, active: &ActivePlan, most: u64, world: &dyn World) -> Result<bool, HookError> {
    let name = ["task_id", "task_subject"].iter().find_map(|key| event.text(key).filter(|text| !text.is_empty()));
    let task = json!([active.state.team, active.state.started, name]).to_string();
    let mut refused = false;
    world.remember(REFUSED, &mut |tasks| {
        let mut tasks = match tasks {
            Some(Value::Object(tasks)) if tasks.len() < REMEMBERED => tasks,
            _ => Map::new(),
        };
        let count = tasks.get(&task).and_then(Value::as_u64).unwrap_or_default();
        refused = count < most;
        if refused {
            tasks.insert(task.clone(), json!(count + 1));
        }
        Some(Value::Object(tasks))
    })?;
    Ok(refused)
}

fn gone_document(report: &Report, active: &ActivePlan, world: &dyn World) -> Option<String> {
    let Report::Made(metadata) = report else { return None };
    let document = metadata.design_doc.as_deref()?;
    let relative = Path::new(document);
    let roots = active.project.roots();
    let exists = (relative.is_absolute() || stays_inside(relative))
        && roots.iter().any(|root| world.kind(&root.join(relative)).is_ok_and(|kind| kind.is_some()));
    (!exists).then(|| missing_document(document))
}
