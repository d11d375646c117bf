use crate::isdlc::project::WorkflowProject;
use serde_json::{Value, json};

fn phase(record: &Value) -> Value {
    json!({"phases": {"01-requirements": record}})
}

#[test]
fn claims_of_unearned_progress_are_pointed_out() {
    // covers: FR-05 AC-05a AC-05b AC-05c AC-05d
    let validation = |value: Value| phase(&json!({"constitutional_validation": value}));
    let inner = |key: &str, value: Value| phase(&json!({"iteration_requirements": {key: value}}));
    let menus = |count: Value| inner("interactive_elicitation", json!({"completed": true, "menu_interactions": count}));
    let tests = |count: Value| inner("test_iteration", json!({"completed": true, "current_iteration": count}));
    let cases = [
        (validation(json!({"completed": true, "iterations_used": 0})), Some("iterations_used is 0")),
        (validation(json!({"completed": true})), Some("iterations_used is missing")),
        (validation(json!({"completed": true, "iterations_used": -1})), Some("iterations_used is -1")),
        (validation(json!({"completed": true, "iterations_used": "0"})), Some("iterations_used is \"0\"")),
        (validation(json!({"completed": true, "iterations_used": "many"})), Some("iterations_used is \"many\"")),
        (validation(json!({"completed": true, "iterations_used": 1})), None),
        (validation(json!({"completed": true, "iterations_used": "2"})), None),
        (validation(json!({"completed": false, "iterations_used": 0})), None),
        (validation(json!({"iterations_used": 0})), None),
        (menus(json!(1)), Some("menu_interactions is 1; at least 3")),
        (menus(json!("2")), Some("menu_interactions is \"2\"")),
        (menus(json!(null)), Some("menu_interactions is null")),
        (menus(json!(3)), None),
        (
            json!({"phases": {"02-x": {"iteration_requirements": {"interactive_elicitation": {"completed": true, "menu_interactions": 1}}}}}),
            None,
        ),
        (tests(json!(0)), Some("current_iteration is 0")),
        (tests(json!(1)), None),
        (json!({"phases": []}), None),
        (json!({}), None),
    ];
    for (state, expected) in cases {
        let place = WorkflowProject::with(&state);
        let said = place.fire("state-write-validator", &place.wrote("Write", place.project.at(".isdlc/state.json")));
        match expected {
            Some(part) => {
                let warning = said.warning(&state.to_string());
                assert!(warning.contains(part) && warning.contains("01-requirements"), "{warning}");
            }
            None => said.assert_silent(&state.to_string()),
        }
    }
}

#[test]
fn state_files_are_known_by_their_place() {
    // covers: AC-05
    let fake = phase(&json!({"constitutional_validation": {"completed": true}}));
    let cases = [
        ("Write", ".isdlc/state.json", true),
        ("Edit", ".isdlc/state.json", true),
        ("MultiEdit", ".isdlc/state.json", true),
        ("Write", ".isdlc/projects/web/state.json", true),
        ("Write", "state.json", false),
        ("Write", "src/state.json", false),
        ("Write", ".isdlc/projects/state.json/x", false),
        ("Write", ".isdlc/old-state.json", false),
        ("Read", ".isdlc/state.json", false),
    ];
    for (tool, path, warned) in cases {
        let place = WorkflowProject::empty().file(path, &fake.to_string());
        for spelled in [place.project.at(path), path.into()] {
            let said = place.fire("state-write-validator", &place.wrote(tool, spelled));
            if warned {
                said.warning(path);
            } else {
                said.assert_silent(path);
            }
        }
    }
}

#[test]
fn in_a_monorepo_the_roots_state_is_the_wrong_one() {
    // covers: FR-05 AC-05
    let place =
        WorkflowProject::with(&json!({})).file(".isdlc/monorepo.json", r#"{"projects": {"web": {"path": "web"}}}"#);
    let root = place.fire("state-write-validator", &place.wrote("Write", place.project.at(".isdlc/state.json")));
    assert!(root.warning("root").contains(".isdlc/projects/<project>/state.json"));
    let place = place.file(".isdlc/projects/web/state.json", "{}");
    let own = place.wrote("Write", place.project.at(".isdlc/projects/web/state.json"));
    place.fire("state-write-validator", &own).assert_silent("own");
}

#[test]
fn a_discovery_without_walkthrough_is_pointed_out() {
    // covers: FR-06 AC-06 AC-06a AC-06b
    let skipped = json!({"discovery_context": {"walkthrough_completed": false}});
    let done = json!({"discovery_context": {"walkthrough_completed": true}});
    let cases = [
        (&skipped, "discover-orchestrator", "", true),
        (&skipped, "isdlc:discover-orchestrator", "", true),
        (&skipped, "general-purpose", "/discover", true),
        (&skipped, "", "Discover the project", true),
        (&json!({"discovery_context": {}}), "discover-orchestrator", "", true),
        (&json!({}), "discover-orchestrator", "", true),
        (&done, "discover-orchestrator", "", false),
        (&done, "general-purpose", "/discover", false),
        (&skipped, "general-purpose", "I discovered a bug", false),
        (&skipped, "software-developer", "/discover", false),
        (&skipped, "Explore", "discover", false),
    ];
    for (state, agent, prompt, warned) in cases {
        let place = WorkflowProject::with(state);
        let case = format!("{state} {agent} {prompt}");
        let said = place.fire("walkthrough-tracker", &place.answered(agent, prompt, &json!("done")));
        if warned {
            assert_eq!(said.warning(&case), "Discovery completed without constitution walkthrough", "{case}");
        } else {
            said.assert_silent(&case);
        }
    }
}

#[test]
fn a_workflow_that_starts_without_walkthrough_is_pointed_out_and_goes_on() {
    // covers: FR-06 AC-06a
    let skipped = json!({"discovery_context": {"walkthrough_completed": false}});
    let cases = [
        (&skipped, "sdlc", true),
        (&skipped, "/isdlc", true),
        (&skipped, "isdlc:sdlc", true),
        (&skipped, "discover", false),
        (&json!({"discovery_context": {"walkthrough_completed": true}}), "sdlc", false),
        (&json!({}), "sdlc", false),
    ];
    for (state, skill, warned) in cases {
        let place = WorkflowProject::with(state);
        let called = place.event("PreToolUse", &json!({"tool_name": "Skill", "tool_input": {"skill": skill}}));
        let typed =
            place.event("UserPromptExpansion", &json!({"command_name": skill, "expansion_type": "slash_command"}));
        for event in [called, typed] {
            let said = place.fire("walkthrough-tracker", &event);
            if warned {
                assert!(said.warning(skill).contains("without constitution walkthrough"));
            } else {
                said.assert_silent(skill);
            }
        }
    }
}

#[test]
fn another_menu_than_the_agreed_one_is_pointed_out() {
    // covers: FR-07 AC-07 AC-07a AC-07b
    let good = "Choose:\n1. New Project\n2. Existing Project\n3. Chat / Explore\n";
    let old = "1. New Project\n2. Existing Project\n3. Scoped Analysis\n4. Auto-detect";
    let cases = [
        ("discover-orchestrator", json!(good), false),
        ("discover-orchestrator", json!({"content": good}), false),
        ("discover-orchestrator", json!({"content": [{"type": "text", "text": good}]}), false),
        ("discover-orchestrator", json!(old), true),
        ("discover-orchestrator", json!({"content": old}), true),
        ("discover-orchestrator", json!({"content": [{"type": "text", "text": old}]}), true),
        ("discover-orchestrator", json!([{"type": "text", "text": old}]), true),
        ("discover-orchestrator", json!("Select an option:\n1. Foo\n2. Bar"), true),
        ("discover-orchestrator", json!("1. New Project\n2. Existing Project"), true),
        ("discover-orchestrator", json!("I auto-detected the language. Chat or explore?"), false),
        ("discover-orchestrator", json!("Done:\n1. Read the code\n2. Wrote the report"), false),
        ("discover-orchestrator", json!(null), false),
        ("software-developer", json!(old), false),
    ];
    let place = WorkflowProject::empty();
    for (agent, response, warned) in cases {
        let said = place.fire("discover-menu-guard", &place.answered(agent, "go", &response));
        let case = response.to_string();
        if warned {
            let expected =
                "Discover presented incorrect menu. Expected 3 options: New Project, Existing Project, Chat/Explore";
            assert_eq!(said.warning(&case), expected);
        } else {
            said.assert_silent(&case);
        }
    }
}

#[test]
fn the_older_name_of_the_response_is_read_as_well() {
    // covers: AC-07
    let place = WorkflowProject::empty();
    let mut event = place.answered("discover-orchestrator", "", &Value::Null);
    let fields = event.as_object_mut().unwrap();
    fields.remove("tool_response");
    fields.insert("tool_result".to_owned(), json!("1. New Project\n2. Auto-detect"));
    place.fire("discover-menu-guard", &event).warning("tool_result");
}

#[test]
fn in_the_documents_form_warnings_go_to_stderr() {
    // covers: AC-05d AC-06a AC-07a NFR-01
    let place = WorkflowProject::with(&json!({"discovery_context": {}}));
    let event = place.answered("discover-orchestrator", "", &json!("done")).to_string();
    let said = place.run(&["isdlc/walkthrough-tracker", "--contract", "spec"], &event);
    said.assert_silent("spec");
    assert_eq!(said.err, "hookrail: Discovery completed without constitution walkthrough\n");
}
