use crate::place::{CONTINUE, Place, tagged};
use serde_json::{Value, json};

fn good() -> Place {
    Place::new().skill("s", &json!([{"id": 1, "subject": "a"}]))
}

fn bad() -> Place {
    Place::new().skill("s", &json!([{"id": 1}])).task("1.json", &tagged(1, "old"))
}

fn typed(place: &Place, command: &str) -> Value {
    let mut event = place.skill_event(command);
    let fields = event.as_object_mut().unwrap();
    for key in ["tool_name", "tool_input", "tool_response", "tool_use_id"] {
        fields.remove(key);
    }
    fields.insert("hook_event_name".to_owned(), json!("UserPromptExpansion"));
    fields.insert("expansion_type".to_owned(), json!("slash_command"));
    fields.insert("command_name".to_owned(), json!(command));
    fields.insert("command_args".to_owned(), json!(""));
    fields.insert("prompt".to_owned(), json!(format!("/{command}")));
    event
}

#[test]
fn after_hydration_the_answer_is_continue_with_exit_0() {
    // covers: SCN-THS-8.1 REQ-THS-8
    for args in
        [&["hook", "fsm/hydrate-tasks"][..], &["hook", "--pack=fsm"], &["hook", "--pack=fsm", "--contract=spec"]]
    {
        let place = good();
        place.run(args, &place.skill_event("s").to_string()).assert_continues();
        assert_eq!(place.tasks().len(), 1);
    }
}

#[test]
fn with_nothing_to_do_the_answer_is_the_same() {
    // covers: SCN-THS-8.2 REQ-THS-8
    let place = good();
    for contract in ["agent", "spec"] {
        let args = ["hook", "fsm/hydrate-tasks", "--contract", contract];
        place.run(&args, &place.skill_event("none").to_string()).assert_continues();
        let mut other_tool = place.skill_event("s");
        other_tool["tool_name"] = json!("Bash");
        place.run(&args, &other_tool.to_string()).assert_continues();
    }
    assert!(!place.list().exists());
}

#[test]
fn an_error_has_the_exit_code_of_its_contract() {
    let place = bad();
    let event = place.skill_event("s").to_string();
    place.run(&["hook", "--pack", "fsm", "--contract", "spec"], &event).assert_fails(&["missing `subject`"]);
    for contract in [&["hook", "fsm/hydrate-tasks"][..], &["hook", "--agent=claude", "--pack=fsm", "--contract=agent"]]
    {
        let said = place.run(contract, &event);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "Claude Code hands stderr to the model at 2");
        assert!(said.err.contains("missing `subject`"), "{}", said.err);
    }
}

#[test]
fn mistakes_of_a_skill_never_make_the_hook_rest() {
    let place = bad();
    for _ in 0..5 {
        place.invoke("s").assert_fails(&["missing `subject`"]);
    }
}

#[test]
fn among_other_packs_the_agents_own_form_is_used() {
    let place = bad();
    let event = place.skill_event("s").to_string();
    let said = place.run(&["hook", "--pack=fsm", "--pack=core"], &event);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(answer["decision"], "block");
    assert!(answer["reason"].as_str().unwrap().contains("missing `subject`"), "{answer}");
    let place = good();
    let said = place.run(&["hook", "--pack=fsm", "--pack=core"], &place.skill_event("s").to_string());
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "no opinion is silence");
    assert_eq!(place.tasks().len(), 1);
}

#[test]
fn the_pack_works_unasked_once_it_is_switched_on() {
    let place = good();
    let event = place.skill_event("s").to_string();
    assert_eq!(place.run(&["hook"], &event).out, "");
    assert!(!place.list().exists());
    place.project.write(".hookrail/hookrail.toml", "[packs.fsm]\nenabled = true\n");
    assert_eq!(place.run(&["hook"], &event).out, "");
    assert_eq!(place.tasks().len(), 1);
}

#[test]
fn other_events_are_answered_as_the_agent_expects() {
    let place = good();
    let event = json!({"session_id": "s", "cwd": "/", "hook_event_name": "Stop"});
    let said = place.run(&["hook", "fsm/hydrate-tasks"], &event.to_string());
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""));
}

#[test]
fn a_skill_that_a_user_typed_is_hydrated_just_as_well() {
    for command in ["s", "/s"] {
        let place = good();
        place.fire(&typed(&place, command)).assert_continues();
        assert_eq!(place.tasks()["1.json"]["metadata"], json!({"fsm": "s"}));
    }
    let place = bad();
    place.fire(&typed(&place, "s")).assert_fails(&["missing `subject`"]);
    let said = place.run(&["hook", "fsm/hydrate-tasks"], &typed(&place, "s").to_string());
    assert_eq!(said.code, Some(2));
    let place = good();
    let mut event = typed(&place, "s");
    event.as_object_mut().unwrap().remove("command_name");
    place.fire(&event).assert_fails(&["missing `command_name`"]);
    let mut event = typed(&place, "s");
    event["expansion_type"] = json!("mcp_prompt");
    assert_eq!(place.fire(&event).out, CONTINUE);
    assert!(!place.list().exists(), "a prompt of a server is not a skill");
}
