use crate::isdlc::project::{HOOKS, WorkflowProject, state};
use serde_json::{Value, json};

/// An event that concerns the hook.
fn event_for(hook: &str, place: &WorkflowProject) -> Value {
    match hook {
        "isdlc/branch-guard" => place.bash("git commit"),
        "isdlc/state-write-validator" => place.wrote("Write", place.project.at(".isdlc/state.json")),
        "isdlc/walkthrough-tracker" => place.answered("discover-orchestrator", "", &json!("done")),
        "isdlc/discover-menu-guard" => place.answered("discover-orchestrator", "", &json!(7)),
        _ => place.task("software-developer", "phase 06"),
    }
}

#[test]
fn broken_state_stops_nothing_and_is_in_the_journal() {
    // covers: NFR-01 AC-01c AC-02c AC-03d AC-04e AC-05e AC-06c AC-07c
    let mut odd_phases = state("01-requirements", "pending");
    odd_phases["active_workflow"]["phases"] = json!(7);
    let mut odd_current = state("01-requirements", "pending");
    odd_current["active_workflow"]["current_phase"] = json!([]);
    let states = [
        String::new(),
        "{".to_owned(),
        "not json".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        "\u{0}\u{1}".to_owned(),
        r#"{"active_workflow": 7, "discovery_context": {"walkthrough_completed": true}}"#.to_owned(),
        "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n".to_owned(),
    ];
    for hook in HOOKS {
        for state in &states {
            let place = WorkflowProject::with(&json!({})).file("a", "");
            place.project.write(".isdlc/state.json", state);
            let place = WorkflowProject { project: place.project.git_init("main"), ..place };
            let said = place.run(&[hook], &event_for(hook, &place).to_string());
            let case = format!("{hook}: {state:?}");
            said.assert_silent(&case);
            let journal = place.journal();
            assert!(journal.contains(hook), "{case}: {journal}");
        }
    }
    for state in [odd_phases, odd_current] {
        let place = WorkflowProject::with(&state);
        for hook in HOOKS.iter().filter(|hook| hook.contains("phase-") || hook.contains("plan-")) {
            place.run(&[hook], &event_for(hook, &place).to_string()).assert_silent(&format!("{hook}: {state}"));
            assert!(place.journal().contains(hook));
        }
    }
}

#[test]
fn a_state_that_cannot_be_parsed_is_recorded_as_a_failure() {
    // covers: NFR-01 AC-01c
    let place = WorkflowProject::with(&json!({})).file(".isdlc/state.json", "{");
    place.fire("phase-loop-controller", &place.task("software-developer", "")).assert_silent("broken");
    let journal = place.journal();
    assert!(journal.contains("failed") && journal.contains("state.json` is not JSON"), "{journal}");
}

#[test]
fn failing_again_and_again_stays_silent_and_a_repaired_file_counts_at_once() {
    // covers: NFR-01
    let broken = state("05-test-strategy", "pending");
    for hook in ["phase-loop-controller", "phase-sequence-guard", "plan-surfacer"] {
        let place = WorkflowProject::with(&broken);
        place.project.write(".isdlc/state.json", "{");
        for round in 0..5 {
            place.fire(hook, &place.task("software-developer", "")).assert_silent(&format!("{hook}, round {round}"));
        }
        place.project.write(".isdlc/state.json", &broken.to_string());
        place.fire(hook, &place.task("software-developer", "")).refusal(hook);
    }
}

#[test]
fn missing_files_and_folders_in_their_place_stop_nothing() {
    // covers: NFR-01 AC-01c AC-02c AC-03d AC-04e AC-05e AC-06c AC-07c
    for hook in HOOKS {
        let place = WorkflowProject::empty();
        place.run(&[hook], &event_for(hook, &place).to_string()).assert_silent(&format!("{hook}: no project"));

        let place = WorkflowProject::empty().file(".isdlc/state.json/a-folder", "");
        place.run(&[hook], &event_for(hook, &place).to_string()).assert_silent(&format!("{hook}: a folder"));

        let place = WorkflowProject::empty().file(".isdlc", "a file");
        place.run(&[hook], &event_for(hook, &place).to_string()).assert_silent(&format!("{hook}: a file"));
    }
}

#[test]
fn a_broken_manifest_or_monorepo_stops_nothing() {
    // covers: NFR-01 AC-01c AC-02c AC-03d
    for file in [".claude/hooks/config/skills-manifest.json", ".isdlc/monorepo.json"] {
        for text in ["{", "7", "[]", r#"{"ownership": 7, "projects": 7}"#] {
            let place = WorkflowProject::with(&state("01-requirements", "pending")).file(file, text);
            for hook in HOOKS.iter().filter(|hook| hook.contains("phase-") || hook.contains("plan-")) {
                let event = place.task("software-developer", "");
                place.run(&[hook], &event.to_string()).assert_silent(&format!("{hook}: {file}: {text}"));
            }
        }
    }
}

#[test]
fn broken_requirements_ask_for_the_least() {
    // covers: NFR-01 AC-05e
    let record = json!({"completed": true, "menu_interactions": 1});
    let state = json!({"phases": {"01-requirements": {"iteration_requirements": {"interactive_elicitation": record}}}});
    let place = WorkflowProject::with(&state).file(".claude/hooks/config/iteration-requirements.json", "{");
    let event = place.wrote("Write", place.project.at(".isdlc/state.json"));
    place.fire("state-write-validator", &event).assert_silent("broken requirements");
}

#[test]
fn broken_input_stops_nothing() {
    // covers: NFR-01 AC-01c AC-06c AC-07c
    let place = WorkflowProject::with(&state("01-requirements", "pending"));
    let broken =
        |name: &str, tool: &str, input: Value| place.event(name, &json!({"tool_name": tool, "tool_input": input}));
    let mut inputs =
        vec![String::new(), " \n".to_owned(), "{".to_owned(), "[]".to_owned(), "null".to_owned(), "{}".to_owned()];
    for (name, tools) in [("PreToolUse", ["Task", "Bash", "Skill"]), ("PostToolUse", ["Task", "Write", "Edit"])] {
        for tool in tools {
            for input in
                [json!(null), json!({}), json!(7), json!([]), json!({"prompt": 7, "command": [], "file_path": {}})]
            {
                inputs.push(broken(name, tool, input).to_string());
            }
        }
    }
    for hook in HOOKS {
        for input in &inputs {
            place.run(&[hook], input).assert_silent(&format!("{hook}: {input}"));
        }
    }
    assert!(place.journal().contains("hookrail/input"), "unreadable input is recorded");
}

#[test]
#[cfg(target_os = "linux")]
fn files_that_nobody_may_read_stop_nothing() {
    // covers: NFR-01 AC-02c
    let place = WorkflowProject::with(&state("06-implementation", "pending"));
    // A link that leads to itself cannot be read by any user, root included.
    std::fs::remove_file(place.project.at(".isdlc/state.json")).unwrap();
    std::os::unix::fs::symlink("state.json", place.project.at(".isdlc/state.json")).unwrap();
    for hook in HOOKS {
        place.run(&[hook], &event_for(hook, &place).to_string()).assert_silent(hook);
    }
}
