use super::change;
use super::definition::FsmFile;
use super::error::FsmError;
use super::folders::Folders;
use super::hydration::{Hydration, Scope};
use super::locator;
use super::request::Request;
use super::skill_name::SkillName;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, OnError, Outcome, World, display};

/// Brings the tasks of an invoked skill into the agent's task list.
///
/// **What it does.** When a skill was invoked, by the model or by a user who typed it as a command, and there is an
/// `fsm.json` for it, that file's tasks are added to the session's task list. Their ids follow those of the tasks that are
/// there, and so do their dependencies. Tasks that a skill brought before make room; a person's own are never touched.
///
/// **Why.** A skill that is a procedure can say what its steps are and which waits for which; the agent then works them
/// off instead of recalling them.
///
/// **Added:** two tasks, for a skill whose `fsm.json` is
/// `[{"id": 1, "subject": "Build"}, {"id": 2, "subject": "Test", "blockedBy": [1]}]`.
/// **Refused, all errors at once, with the list as it was:** `[{"id": 1}, {"id": 1, "subject": "Test", "blockedBy": [7]}]`.
#[derive(Debug)]
pub struct HydrateTasks;

impl NativeHook for HydrateTasks {
    fn id(&self) -> &'static str {
        "fsm/hydrate-tasks"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::AfterTool, EventName::PromptExpand]
    }

    fn concerns(&self, event: &Event) -> bool {
        match event.name {
            EventName::PromptExpand => event.text("expansion_type").is_none_or(|kind| kind == "slash_command"),
            // Claude Code's spelling: other agents have skills, but no task list of this kind.
            _ => event.tool.as_ref().is_some_and(|tool| tool.name == "Skill"),
        }
    }

    fn profile(&self) -> HookProfile {
        HookProfile {
            // A list that is not what the skill needs is worth saying.
            on_error: OnError::Deny,
            ..HookProfile::DEFAULT
        }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        // Neither a mistake in the file nor a full disk is a failure of the hook: the circuit breaker would disable it, and
        // then there would be no sign that the tasks are missing.
        Ok(hydrate(event, world).map_or_else(|error| refuse(&error), |()| Outcome::silent()))
    }
}

/// Both the model, which would look for the tasks, and the user, whose file it is, are told.
fn refuse(error: &FsmError) -> Outcome {
    let text = error.to_string();
    let text = display::block(&text);
    Outcome::deny(&text).with_message(&format!("The tasks of the skill were not added: {text}"))
}

fn hydrate(event: &Event, world: &dyn World) -> Result<(), FsmError> {
    let Some(request) = Request::read(event)? else { return Ok(()) };
    let name = SkillName::parse(request.command)?;
    let folders = Folders::find(world)?;
    let list = folders.task_list(request.session_id, world);
    change::recover(&list, world)?;
    let Some(found) = locator::find(&name, &event.cwd, &folders, world)? else { return Ok(()) };
    let machine = FsmFile::read(&found.content).map_err(|source| FsmError::Definition { path: found.path, source })?;
    let scope = Scope::read(world.settings("fsm"))?;
    let command = request.command.to_owned();
    change::hydrate(&list, &Hydration { command, scope, form: request.form, tasks: machine.tasks }, world)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_core::{Decision, ToolCall, ToolKind};
    use hookrail_testkit::world::FakeWorld;
    use serde_json::{Value, json};

    const LIST: &str = "/home/me/.claude/tasks/s1";

    fn event(fields: &Value) -> Event {
        Event {
            name: EventName::AfterTool,
            native_name: String::new(),
            session_id: "s1".to_owned(),
            cwd: "/project".into(),
            timestamp: String::new(),
            transcript_path: String::new(),
            tool: Some(ToolCall::new("Skill", &Value::Null, |_, _| ToolKind::Other)),
            payload: fields.as_object().unwrap().clone(),
        }
    }

    /// The world after a skill with this file was invoked, and what was refused.
    fn invoke(fsm: &str) -> (FakeWorld, Option<String>) {
        let world = FakeWorld::new()
            .env("HOME", "/home/me")
            .file("/project/.claude/skills/ship/fsm.json", fsm)
            .file(&format!("{LIST}/1.json"), r#"{"id": "1", "subject": "mine"}"#);
        let event = event(&json!({"tool_response": {"commandName": "ship"}}));
        assert!(HydrateTasks.concerns(&event));
        let output = HydrateTasks.check(&event, &world).unwrap().into_output();
        let refusal = output.filter(|output| output.decision == Decision::Block);
        (world, refusal.and_then(|output| output.reason().map(str::to_owned)))
    }

    #[test]
    fn the_example_that_is_added_is_added() {
        let (world, refusal) =
            invoke(r#"[{"id": 1, "subject": "Build"}, {"id": 2, "subject": "Test", "blockedBy": [1]}]"#);
        assert_eq!(refusal, None);
        let task: Value = serde_json::from_str(&world.text(&format!("{LIST}/3.json"))).unwrap();
        assert_eq!((&task["subject"], &task["blockedBy"]), (&json!("Test"), &json!(["2"])));
        let names = world.list(LIST.as_ref()).unwrap().unwrap();
        assert_eq!(names, ["1.json", "2.json", "3.json"]);
    }

    #[test]
    fn the_example_that_is_refused_is_refused() {
        let (world, refusal) = invoke(r#"[{"id": 1}, {"id": 1, "subject": "Test", "blockedBy": [7]}]"#);
        let refusal = refusal.unwrap();
        for part in ["has 3 errors", "missing `subject`", "duplicate id 1", "refers to 7"] {
            assert!(refusal.contains(part), "{refusal}");
        }
        assert_eq!(world.list(LIST.as_ref()).unwrap().unwrap(), ["1.json"]);
    }
}
