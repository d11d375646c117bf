//! Hooks that are not code of hookrail.

use crate::replay::project::ReplayProject;
use serde_json::json;

const GUARD: &str =
    "[[command]]\nname = \"guard\"\nevent = \"BeforeTool\"\ncommand = \"echo ran >> ran; echo no >&2; exit 2\"\n";

fn runs(place: &ReplayProject) -> usize {
    if place.project.exists("ran") { place.project.read("ran").lines().count() } else { 0 }
}

#[test]
fn a_command_hook_says_what_it_said_then_and_is_not_run() {
    let place = ReplayProject::new().user(GUARD);
    place.fire(&place.write_call("s", "x"));
    assert_eq!(runs(&place), 1);
    assert_eq!(place.changes(&[]), []);
    let warn = place.trial(&format!("{GUARD}mode = \"warn\"\n"));
    let change = |before: &str, after: &str| [("x".to_owned(), before.to_owned(), after.to_owned())];
    assert_eq!(place.changes(&["--config", &warn, "--layer", "user"]), change("block", "warned"));
    assert_eq!(place.changes(&["--config", &place.trial(""), "--layer", "user"]), change("block", "none"));
    assert_eq!(runs(&place), 1);
}

#[test]
fn what_a_failure_means_is_decided_by_the_configuration_that_is_tried() {
    let broken = "[[command]]\nname = \"broken\"\nevent = \"BeforeTool\"\ncommand = \"exit 1\"\n";
    let place = ReplayProject::new().user(broken);
    place.fire(&place.write_call("s", "x"));
    assert_eq!(place.changes(&[]), []);
    let strict = place.trial(&format!("{broken}on_error = \"deny\"\n"));
    let expected = [("x".to_owned(), "failed".to_owned(), "block".to_owned())];
    assert_eq!(place.changes(&["--config", &strict, "--layer", "user"]), expected);
}

#[test]
fn a_command_hook_that_was_not_asked_then_is_named_or_run_if_wanted() {
    let place = ReplayProject::new();
    place.fire(&place.write_call("s", "x"));
    let trial = place.trial(GUARD);
    let report = place.replay(&["--config", &trial]);
    assert_eq!((&report["unknown_commands"], &report["changes"]), (&json!({ "guard": 1 }), &json!([])));
    assert_eq!(runs(&place), 0);
    let (_, out, _) = place.hookrail(&["replay", "--config", &trial], "");
    assert!(
        out.contains("command hook `guard` would also be asked about 1 call") && out.contains("--run-commands"),
        "{out}"
    );
    let expected = [("x".to_owned(), "none".to_owned(), "block".to_owned())];
    assert_eq!(place.changes(&["--config", &trial, "--run-commands"]), expected, "who names a file trusts it");
    assert_eq!(runs(&place), 1);
}

#[test]
fn a_project_command_nobody_trusts_is_not_run_by_a_replay_either() {
    let place = ReplayProject::new();
    place.fire(&place.write_call("s", "x"));
    place.project.write(".hookrail/hookrail.toml", GUARD);
    let report = place.replay(&["--run-commands"]);
    assert_eq!((&report["untrusted_commands"], &report["changes"]), (&json!({ "guard": 1 }), &json!([])));
    assert_eq!(runs(&place), 0);
}
