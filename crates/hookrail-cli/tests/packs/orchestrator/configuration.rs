use crate::orchestrator::project::{ALL_ON, CONFIG, STATE, TeamProject, assert_has};
use serde_json::{Value, json};

/// Each hook's key and an event at which it has something to say when it is on.
fn hooks() -> [(&'static str, &'static str, Value); 4] {
    [
        ("task_verification", "TaskCompleted", json!({"task_id": "1", "task_subject": "Lexer"})),
        ("stop_guard", "Stop", json!({"stop_hook_active": false})),
        ("session_context", "SessionStart", json!({"source": "clear"})),
        ("precompact_state", "PreCompact", json!({"trigger": "auto", "custom_instructions": null})),
    ]
}

#[test]
fn the_example_of_the_document_switches_all_four_hooks_on() {
    // covers: ORCH-3.1 ORCH-4.1 ORCH-5.1 ORCH-6.1
    for config in [CONFIG, ".project-orchestrator/project.yml"] {
        let place = TeamProject::busy().without(CONFIG).file(config, ALL_ON);
        for (key, event, fields) in hooks() {
            let said = place.fire_spec(event, &fields);
            assert!(!said.json().as_object().unwrap().is_empty(), "{key} in {config}: {said:?}");
        }
    }
}

#[test]
fn what_is_not_switched_on_is_silent() {
    // covers: ORCH-2.3 ORCH-2.4 ORCH-3.2
    for (about, config) in [
        ("no section", "name: x\n"),
        ("an empty section", "hooks:\n"),
        ("no key", "hooks:\n  other: true\n"),
        (
            "keys without values",
            "hooks:\n  task_verification:\n  stop_guard:\n  session_context:\n  precompact_state:\n",
        ),
        (
            "off",
            "hooks: {task_verification: \"off\", stop_guard: false, session_context: false, precompact_state: false}\n",
        ),
        ("keys elsewhere", &ALL_ON.replace("hooks:", "other:")),
        ("an empty file", ""),
    ] {
        let place = TeamProject::busy().file(CONFIG, config);
        for (key, event, fields) in hooks() {
            place.fire(event, &fields).assert_silent(&format!("{key}: {about}"));
            place.fire_spec(event, &fields).assert_silent(&format!("{key}: {about}"));
        }
    }
    let place = TeamProject::busy().without(CONFIG);
    for (key, event, fields) in hooks() {
        place.fire(event, &fields).assert_silent(&format!("{key}: no file"));
    }
}

#[test]
fn a_wrong_value_is_told_in_the_words_of_the_document_and_blocks_nothing() {
    for (key, event, fields) in hooks() {
        let expected = match key {
            "task_verification" => "hooks.task_verification must be 'agent', 'prompt', or 'off'".to_owned(),
            key => format!("hooks.{key} must be true or false"),
        };
        for value in ["sometimes", "\"true\"", "3", "[true]"] {
            let place = TeamProject::busy().file(CONFIG, &format!("hooks:\n  {key}: {value}\n"));
            for said in [place.fire(event, &fields), place.fire_spec(event, &fields)] {
                assert_eq!(said.json(), json!({"systemMessage": expected}), "{key}: {value}");
            }
        }
    }
}

#[test]
fn a_file_that_is_no_yaml_is_told_and_blocks_nothing() {
    let place = TeamProject::busy().file(CONFIG, "hooks: [");
    for (_, event, fields) in hooks() {
        let said = place.fire(event, &fields);
        assert_has(&said.message(), &["`.claude/project.yml` is not valid YAML"]);
        assert!(said.json().get("decision").is_none());
    }
}

#[test]
fn without_an_active_plan_everything_is_silent() {
    // covers: ORCH-2.5 ORCH-3.3 ORCH-4.3 ORCH-4.6 ORCH-5.3
    let silent = |about: &str, place: &TeamProject| {
        for (key, event, fields) in hooks() {
            place.fire(event, &fields).assert_silent(&format!("{key}: {about}"));
        }
    };
    // The plan's document is still there and still has open tasks: it is not searched for.
    silent("no state", &TeamProject::busy().without(STATE));
    for (about, state) in [
        ("broken", "{\"active_plan\": "),
        ("empty", ""),
        ("no plan", "{\"team\": \"t\"}"),
        ("a plan outside", "{\"active_plan\": \"../plan.md\"}"),
    ] {
        silent(about, &TeamProject::busy().file(STATE, state));
    }
}
