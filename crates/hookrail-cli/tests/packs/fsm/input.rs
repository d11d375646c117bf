use crate::fsm::project::{SESSION, SkillProject};
use serde_json::{Value, json};

fn place() -> SkillProject {
    SkillProject::new().skill("deploy", &json!([{"id": 1, "subject": "Build"}]))
}

#[test]
fn the_event_of_a_successful_skill_call_hydrates_the_list() {
    // covers: SCN-THS-1.1 REQ-THS-1
    let place = place();
    place.invoke("deploy").assert_continues();
    assert_eq!(place.only_subject(), "Build");
}

#[test]
fn session_and_command_name_are_taken_from_an_input_that_has_nothing_else() {
    // covers: SCN-THS-1.2 REQ-THS-1
    let place = place();
    let cwd = place.project.path();
    place
        .fire(&json!({"session_id": SESSION, "cwd": cwd, "tool_response": {"commandName": "deploy"}}))
        .assert_continues();
    assert_eq!(place.tasks()["1.json"]["metadata"], json!({"fsm": "deploy"}));
}

#[test]
fn input_without_a_session_id_fails_and_says_so() {
    // covers: SCN-THS-1.3 REQ-THS-1
    for session in [None, Some(Value::Null), Some(json!(""))] {
        let place = place();
        let mut event = place.skill_event("deploy");
        event.as_object_mut().unwrap().remove("session_id");
        if let Some(session) = session {
            event["session_id"] = session;
        }
        place.fire(&event).assert_fails(&["missing `session_id`"]);
        assert!(!place.home.exists(".claude/tasks"));
    }
}

#[test]
fn input_without_a_command_name_fails_and_says_so() {
    // covers: SCN-THS-1.4 REQ-THS-1
    let responses = [
        json!({"success": true}),
        json!({"commandName": null}),
        json!({"commandName": ""}),
        json!(null),
        json!("x"),
        json!([]),
    ];
    for response in responses {
        let place = place();
        let mut event = place.skill_event("deploy");
        event["tool_response"] = response;
        place.fire(&event).assert_fails(&["missing `tool_response.commandName`"]);
        event.as_object_mut().unwrap().remove("tool_response");
        place.fire(&event).assert_fails(&["missing `tool_response.commandName`"]);
    }
}

#[test]
fn everything_that_is_missing_or_of_a_wrong_type_is_told_at_once() {
    let place = place();
    place.fire(&json!({})).assert_fails(&["missing `session_id`", "missing `tool_response.commandName`"]);
    let event = json!({"session_id": 7, "tool_response": {"commandName": ["deploy"]}});
    place
        .fire(&event)
        .assert_fails(&["`session_id` in the event is not a text", "commandName` in the event is not a text"]);
}

#[test]
fn input_that_is_no_json_fails_with_the_parsers_message() {
    // covers: SCN-THS-1.5 REQ-THS-1
    let place = place();
    for (stdin, part) in [
        ("{\"session_id\": ", "EOF while parsing"),
        ("nonsense", "expected"),
        ("", "there is no event on stdin"),
        ("null", "stdin is not a JSON object"),
        ("[]", "stdin is not a JSON object"),
    ] {
        place.run(&["hook", "fsm/hydrate-tasks", "--contract=spec"], stdin).assert_fails(&[part]);
        let said = place.run(&["hook", "--pack", "fsm"], stdin);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{stdin}");
        assert!(said.err.contains(part), "{}", said.err);
        let said = place.run(&["hook", "--pack", "fsm", "--pack", "orchestrator"], stdin);
        assert_eq!(said.code, Some(0), "where no guard of tool calls fails closed it is only told: {}", said.err);
        let said = place.run(&["hook", "--pack", "fsm", "--pack", "core"], stdin);
        assert_eq!(said.code, Some(2), "it may have been a write to a protected path: {}", said.err);
    }
}
