use super::active::ActivePlan;
use super::config::{Config, Switch, Verification};
use super::evidence::contradictions;
use super::project::stays_inside;
use super::task_file::{Metadata, Report};
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};
use serde_json::{Value, json};
use std::path::Path;

/// Where it is remembered which tasks were refused.
const REFUSED: &str = "orchestrator/refused-tasks";

/// Looks whether a completed task is.
///
/// **What it catches.** A task of the active plan that is marked as completed although its metadata contradicts the
/// repository: the commit does not exist or is older than the implementation, a file does not exist or was not changed, the
/// tests did not pass. This is refused once; the next completion of the same task passes, and the user is warned.
///
/// **Why.** Implementers review themselves. What a machine can check is checked; for the rest the hook says what to verify,
/// thoroughly (`agent`) or lightly (`prompt`).
///
/// **Caught:** `{"commit": "0000000"}` in the task's metadata, `{"tests_passed": false}`.
/// **Not caught:** a task without metadata, with malformed metadata, or whose `design_doc` is gone; tasks without an active
/// plan.
#[derive(Debug)]
pub struct TaskCompleted;

impl NativeHook for TaskCompleted {
    fn id(&self) -> &'static str {
        "orchestrator/task-completed"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::TaskCompleted]
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let verification = match Config::find(event, world)?.task_verification() {
            Switch::Off => return Ok(Outcome::silent()),
            Switch::Mistaken(mistake) => return Ok(Outcome::silent().with_message(&mistake)),
            Switch::On(verification) => verification,
        };
        let Some(active) = ActivePlan::find(event, world)? else { return Ok(Outcome::silent()) };
        let task = label(event);
        let report = Report::find(event, &active.state, world)?;
        let mut remarks = Vec::new();
        if let Report::Made(metadata) = &report {
            let wrong = contradictions(metadata, event, &active, world);
            if !wrong.is_empty() && is_first_refusal(event, &active, world) {
                return Ok(Outcome::deny(&refusal(&task, &wrong)));
            }
            if !wrong.is_empty() {
                remarks.push(format!("{task} was completed although {}.", wrong.join(", ")));
            }
            remarks.extend(missing_document(metadata, &active, world));
        }
        remarks.push(request(verification, &report, &task, &active.state.active_plan));
        let text = remarks.join(" ");
        // Claude Code takes no context here (errata D8); there the same text is a message.
        Ok(Outcome::silent().with_context(&text).with_message(&text))
    }
}

fn refusal(task: &str, wrong: &[String]) -> String {
    let list: String = wrong.iter().map(|what| format!("\n- {what}")).collect();
    format!(
        "{task} is not complete yet:{list}\nPut this right, or correct the task's metadata if the report is wrong, and then \
         complete the task. Do not repeat the same update unchanged"
    )
}

/// Whether the task has not been refused before; remembers that it has been now. What cannot be remembered is not refused:
/// nobody could ever complete the task.
fn is_first_refusal(event: &Event, active: &ActivePlan, world: &dyn World) -> bool {
    let task = json!([active.state.team, active.state.started, event.text("task_id").unwrap_or_default()]);
    let mut first = false;
    let remembered = world.remember(REFUSED, &mut |refused| {
        let mut tasks = refused.and_then(|refused| refused.as_array().cloned()).unwrap_or_default();
        first = !tasks.contains(&task);
        if first {
            tasks.push(task.clone());
        }
        Some(Value::Array(tasks))
    });
    remembered.is_ok() && first
}

fn missing_document(metadata: &Metadata, active: &ActivePlan, world: &dyn World) -> Option<String> {
    let document = metadata.design_doc.as_deref()?;
    let relative = Path::new(document);
    let roots = active.project.roots();
    let exists = (relative.is_absolute() || stays_inside(relative))
        && roots.iter().any(|root| world.kind(&root.join(relative)).is_ok_and(|kind| kind.is_some()));
    (!exists).then(|| format!("The design document `{document}` that the task names does not exist."))
}

/// What to verify, for whoever reads it.
fn request(verification: Verification, report: &Report, task: &str, plan: &str) -> String {
    match (verification, report) {
        (Verification::Prompt, _) | (_, Report::Malformed) => format!(
            "Light check of {task}: the report should name a commit, the files that were changed and the outcome of the \
             tests. Plan: {plan}"
        ),
        (Verification::Agent, Report::None) => format!(
            "Verify task completion of {task}: it has no metadata, so look for its commit and its files yourself and \
             compare them with what {plan} asks for"
        ),
        (Verification::Agent, Report::Made(_)) => format!(
            "Verify {task} thoroughly against the plan {plan}: its files contain the expected changes, they are \
             committed, and everything the plan asks of this task is done"
        ),
    }
}

/// What to call the task (errata D9).
fn label(event: &Event) -> String {
    let text = |key: &str| event.text(key).map(str::trim).filter(|text| !text.is_empty());
    match (text("task_id"), text("task_subject")) {
        (Some(id), Some(subject)) => format!("Task #{id}: {subject}"),
        (Some(id), None) => format!("Task #{id}"),
        (None, Some(subject)) => subject.to_owned(),
        (None, None) => "the completed task".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_core::Decision;
    use hookrail_testkit::world::FakeWorld;

    const COMMIT: &str = "abc1234";

    /// A world in which git knows one commit, made at this second, with `src/a.rs` in it.
    fn world(seconds: &str, metadata: &Value) -> FakeWorld {
        let names = "--name-only -z --no-ext-diff --no-renames";
        FakeWorld::new()
            .env("HOME", "/home/me")
            .file("/p/.claude/project.yml", "hooks: {task_verification: agent}")
            .file(
                "/p/.claude/orchestrator-state.json",
                r#"{"active_plan": "p.md", "team": "t", "started": "1970-01-01T00:01:40Z"}"#,
            )
            .file("/p/p.md", "# Plan")
            .file("/p/src/a.rs", "")
            .file("/p/src/b.rs", "")
            .file("/home/me/.claude/tasks/t/1.json", &json!({"metadata": metadata}).to_string())
            .git("/p", "rev-parse --show-toplevel", Some("/p\n"))
            .git("/p", &format!("show --no-patch --no-show-signature --format=%ct {COMMIT}^{{commit}}"), Some(seconds))
            .git("/p", "show --no-patch --no-show-signature --format=%ct 0000000^{commit}", None)
            .git("/p", &format!("show --format= --no-show-signature -m {names} {COMMIT}"), Some("src/a.rs\0"))
            .git("/p", &format!("diff {names} {COMMIT}"), Some(""))
            .git(
                "/p",
                &format!("log --format= --no-show-signature --since=1970-01-01T00:01:40Z {names} {COMMIT}"),
                Some(""),
            )
            .git("/p", "ls-files --others --exclude-standard --full-name -z", Some(""))
    }

    fn refusal_of(world: &FakeWorld) -> Option<String> {
        let event = Event {
            name: EventName::TaskCompleted,
            native_name: String::new(),
            session_id: "s".to_owned(),
            cwd: "/p".into(),
            timestamp: String::new(),
            transcript_path: String::new(),
            tool: None,
            payload: json!({"task_id": "1"}).as_object().unwrap().clone(),
        };
        let output = TaskCompleted.check(&event, world).unwrap().into_output().unwrap();
        (output.decision == Decision::Block).then(|| output.reason().unwrap().to_owned())
    }

    #[test]
    fn a_report_is_compared_with_the_repository() {
        for (seconds, metadata, expected) in [
            ("100\n", json!({"commit": COMMIT, "files_changed": ["src/a.rs"]}), None),
            ("99\n", json!({"commit": COMMIT}), Some("older than")),
            ("100\n", json!({"commit": "0000000"}), Some("`0000000` does not exist")),
            (
                "100\n",
                json!({"commit": COMMIT, "files_changed": ["src/b.rs"]}),
                Some("`src/b.rs` is not in the commit"),
            ),
            ("100\n", json!({"commit": COMMIT, "files_changed": ["src/c.rs"]}), Some("`src/c.rs` does not exist")),
            ("100\n", json!({"files_changed": ["src/b.rs"]}), None),
            ("100\n", json!({"tests_passed": false}), Some("`tests_passed` is false")),
            // A question that this git cannot be asked.
            ("100\n", json!({"commit": "fffffff"}), None),
        ] {
            let world = world(seconds, &metadata);
            let refusal = refusal_of(&world);
            assert_eq!(refusal.is_some(), expected.is_some(), "{metadata}: {refusal:?}");
            assert!(expected.is_none_or(|part| refusal.unwrap().contains(part)), "{metadata}");
            assert_eq!(refusal_of(&world), None, "nothing is refused twice: {metadata}");
        }
    }
}
