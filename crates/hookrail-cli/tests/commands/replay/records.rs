//! What the journal keeps for a replay, and what not.

use crate::replay::project::ReplayProject;
use hookrail_testkit::folders::files_below;
use serde_json::{Value, json};

#[test]
fn an_event_is_kept_once_however_many_hooks_looked_at_it() {
    let quiet = "[[command]]\nname = \"quiet\"\nevent = \"BeforeTool\"\ncommand = \"true\"\n";
    let place = ReplayProject::new().user(quiet);
    place.fire(&place.write_call("s", "x"));
    place.fire(&place.write_call("s", "y"));
    let told: Vec<(u32, bool)> = place.records().iter().map(|record| (record.part, record.input.is_some())).collect();
    assert_eq!(told, [(0, true), (1, false), (0, true), (1, false)]);
    assert_eq!(place.replay(&[])["events"], 2);
}

#[test]
fn secrets_do_not_reach_the_journal() {
    let place = ReplayProject::new().user("[core]\nprotected = [\"hunter2*\"]\n");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let events = [
        place.tool_call(
            "s",
            "Bash",
            &json!({ "command": format!("PASSWORD=hunter2 GH={token} curl https://u:hunter2@h > out") }),
        ),
        place.tool_call(
            "s",
            "Write",
            &json!({ "file_path": "a", "content": format!("token: \"{token}\"\n"), "password": "hunter2" }),
        ),
        place.tool_call("s", "Bash", &json!({ "command": format!("echo > \"{token}\"") })),
    ];
    events.iter().for_each(|event| place.fire(event));
    let text = std::fs::read_to_string(place.home.at("state/journal/000000000001.jsonl")).unwrap();
    assert!(!text.contains("hunter2") && !text.contains(&token), "{text}");
    let report = place.replay(&[]);
    assert_eq!((&report["replayed"], &report["uncertain"]), (&json!(3), &json!(3)));
}

#[test]
fn a_long_event_is_cut_and_what_still_can_be_is_decided_again() {
    let place = ReplayProject::new();
    let content = "x".repeat(200_000);
    place.fire(&place.tool_call("s", "Write", &json!({ "file_path": "secrets/x", "content": content })));
    let size = std::fs::metadata(place.home.at("state/journal/000000000001.jsonl")).unwrap().len();
    assert!(size < 64 * 1024, "{size} bytes");
    let report = place.replay(&["--config", &place.trial("[core]\nprotected = [\"secrets/\"]\n")]);
    let change = &report["changes"][0];
    assert_eq!((&change["subject"], &change["uncertain"]), (&json!("secrets/x"), &json!(true)));
}

#[test]
fn minimal_privacy_keeps_nothing_that_an_event_brought() {
    let place = ReplayProject::new().user("privacy = \"minimal\"\n[core]\nprotected = [\"classified/\"]\n");
    // A project cannot ask for more than its user does.
    place.project.write(".hookrail/hookrail.toml", "privacy = \"full\"\n");
    place.fire(&place.write_call("s", "classified/x"));
    let text = std::fs::read_to_string(place.home.at("state/journal/000000000001.jsonl")).unwrap();
    assert!(!text.contains("classified"), "{text}");
    let record = &place.records()[0];
    assert_eq!((record.decision.as_deref(), record.tool.as_deref()), (Some("block"), Some("Write")));
    assert_eq!((&record.subject, &record.reason, &record.input, &record.project), (&None, &None, &None, &None));
    let report = place.replay(&[]);
    assert_eq!((&report["events"], &report["replayed"]), (&json!(1), &json!(0)));
    assert_eq!(report["not_replayed"]["not_kept"], 1);
    let (_, out, _) = place.hookrail(&["replay"], "");
    assert!(out.contains("privacy `minimal`"), "{out}");
}

#[test]
fn a_replay_says_when_there_are_events_it_cannot_know() {
    let place = ReplayProject::new();
    place.fire(&place.write_call("s", "x"));
    let note = "recorded only with `core/event-log`";
    assert!(place.hookrail(&["replay"], "").1.contains(note));
    let place = ReplayProject::new().user("[hooks.\"core/event-log\"]\nmode = \"enforce\"\n");
    place.fire(&place.tool_call("s", "Read", &json!({ "file_path": "x" })));
    assert_eq!(place.replay(&[])["every_event_known"], Value::Bool(true));
    assert!(!place.hookrail(&["replay"], "").1.contains(note));
}

#[test]
fn what_hooks_write_and_remember_in_a_replay_stays_there() {
    let place = ReplayProject::new().user("[hooks.\"core/event-log\"]\nmode = \"enforce\"\n");
    place.fire(&place.write_call("s", "x"));
    let before = snapshot(&place);
    place.replay(&[]);
    assert_eq!(snapshot(&place), before);
}

/// Every file below the home and the project, with its content.
fn snapshot(place: &ReplayProject) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let files = [&place.home, &place.project].map(|project| files_below(project.path()).unwrap()).concat();
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}
