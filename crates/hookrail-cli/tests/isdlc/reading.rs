use crate::place::{Place, state};
use serde_json::{Value, json};
use std::process::Command;

/// Replaces the state by a pipe that holds it once; whoever reads it again waits in vain.
fn pipe_state(place: &Place, state: &Value) -> std::thread::JoinHandle<()> {
    let path = place.project.at(".isdlc/state.json");
    let _ = std::fs::remove_file(&path);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let text = state.to_string();
    std::thread::spawn(move || std::fs::write(path, text).unwrap())
}

#[test]
fn state_is_read_once() {
    // covers: NFR-02
    let state = state("05-test-strategy", "pending");
    for hook in ["phase-loop-controller", "phase-sequence-guard", "plan-surfacer"] {
        let place = Place::with(&state);
        let writer = pipe_state(&place, &state);
        place.fire(hook, &place.task("software-developer", "")).refusal(hook);
        writer.join().unwrap();
    }

    // The whole pack in one process reads it once as well.
    let place = Place::with(&state);
    let writer = pipe_state(&place, &state);
    place.run(&["--pack", "isdlc"], &place.task("software-developer", "").to_string()).refusal("the whole pack");
    writer.join().unwrap();

    let place = Place::with(&state);
    let place = Place { project: place.project.git_init("main"), ..place };
    place.project.git(&["branch", "feature/x"]);
    let writer = pipe_state(&place, &state);
    place.fire("branch-guard", &place.bash("git commit")).refusal("branch-guard");
    writer.join().unwrap();

    let fake = json!({"phases": {"06-x": {"constitutional_validation": {"completed": true}}}});
    let place = Place::with(&fake);
    let writer = pipe_state(&place, &fake);
    let event = place.wrote("Write", place.project.at(".isdlc/state.json"));
    place.fire("state-write-validator", &event).warning("state-write-validator");
    writer.join().unwrap();

    let writer = pipe_state(&place, &fake);
    let event = place.answered("discover-orchestrator", "", &json!("done"));
    place.fire("walkthrough-tracker", &event).warning("walkthrough-tracker");
    writer.join().unwrap();
}
