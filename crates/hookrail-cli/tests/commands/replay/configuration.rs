//! Which configuration events are decided under.

use crate::replay::project::ReplayProject;

fn changes(list: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    list.iter().map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned())).collect()
}

#[test]
fn a_file_takes_the_place_of_one_layer_and_the_others_stay() {
    let place = ReplayProject::new().user("[core]\nprotected = [\"user/\"]\n");
    place.project.write(".hookrail/hookrail.toml", "[core]\nprotected = [\"old/\"]\n");
    for path in ["user/x", "old/x", "new/x", "free/x"] {
        place.fire(&place.write_call("s", path));
    }
    let trial = place.trial("[core]\nprotected = [\"new/\"]\n");
    let as_project = changes(&[("old/x", "block", "none"), ("new/x", "none", "block")]);
    assert_eq!(place.changes(&["--config", &trial]), as_project);
    let as_user = changes(&[("user/x", "block", "none"), ("new/x", "none", "block")]);
    assert_eq!(place.changes(&["--config", &trial, "--layer", "user"]), as_user);
    assert_eq!(place.changes(&["--config", &trial, "--layer", "local"]), changes(&[("new/x", "none", "block")]));
    assert_eq!(place.changes(&[]), []);
    place.project.write(".hookrail/hookrail.toml", "");
    assert_eq!(place.changes(&[]), changes(&[("old/x", "block", "none")]), "the configuration of now counts");
}

#[test]
fn a_guard_can_be_tried_as_a_warning_and_a_warning_as_a_guard() {
    let place =
        ReplayProject::new().user("[hooks.\"core/protected-paths\"]\nmode = \"warn\"\n[core]\nprotected = [\"a/\"]\n");
    place.fire(&place.write_call("s", "a/x"));
    let enforced = place.trial("[hooks.\"core/protected-paths\"]\nmode = \"enforce\"\n");
    assert_eq!(place.changes(&["--config", &enforced]), changes(&[("a/x", "warned", "block")]));
    let user = place.trial("[hooks.\"core/protected-paths\"]\nmode = \"warn\"\n[core]\nprotected = [\"b/\"]\n");
    assert_eq!(place.changes(&["--config", &user, "--layer", "user"]), changes(&[("a/x", "warned", "none")]));
}

#[test]
fn what_the_command_line_named_then_is_asked_again_and_nothing_else() {
    let place = ReplayProject::new().user("[hooks.\"core/event-log\"]\nmode = \"enforce\"\n");
    place.fire_with(&["core/event-log"], &place.write_call("s", "a/x"));
    place.fire_with(&["--pack", "core"], &place.write_call("s", "a/y"));
    let trial = place.trial("[core]\nprotected = [\"a/\"]\n");
    assert_eq!(place.replay(&["--config", &trial])["replayed"], 2);
    assert_eq!(place.changes(&["--config", &trial]), changes(&[("a/y", "none", "block")]));
}

#[test]
fn only_the_wanted_events_are_decided() {
    let place = ReplayProject::new();
    for session in ["one", "two", "two"] {
        place.fire(&place.write_call(session, "x"));
    }
    let elsewhere = ReplayProject::new();
    let project = place.project.path().display().to_string();
    let other = elsewhere.project.path().display().to_string();
    let cases: [(&[&str], u64); 8] = [
        (&[], 3),
        (&["--session", "two"], 2),
        (&["--session", "two", "--session", "one"], 3),
        (&["--since", "1h"], 3),
        (&["--since", "today", "--until", "today"], 3),
        (&["--until", "1d"], 0),
        (&["--project", &project], 3),
        (&["--project", &other], 0),
    ];
    for (args, expected) in cases {
        assert_eq!(place.replay(args)["events"], expected, "{args:?}");
    }
}

#[test]
fn a_projects_file_is_tried_on_the_events_of_its_project_only() {
    let place = ReplayProject::new();
    let other = ReplayProject::new();
    place.fire(&place.write_call("s", "a/x"));
    // Another project of the same user.
    let elsewhere = serde_json::json!({
        "session_id": "t", "cwd": other.project.path(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": { "file_path": "a/y", "content": "text" },
    });
    place.fire(&elsewhere);
    let trial = place.trial("[core]\nprotected = [\"a/\"]\n");
    let theirs = other.project.path().display().to_string();
    for (args, expected) in [
        (vec!["--config", &trial], vec!["a/x"]),
        (vec!["--config", &trial, "--project", &theirs], vec!["a/y"]),
        (vec!["--config", &trial, "--layer", "local"], vec!["a/x"]),
        (vec!["--config", &trial, "--layer", "user"], vec!["a/x", "a/y"]),
        (vec!["--config", &trial, "--agent", "claude"], vec!["a/x"]),
        (vec!["--config", &trial, "--agent", "codex"], vec![]),
    ] {
        let subjects: Vec<String> = place.changes(&args).into_iter().map(|(subject, ..)| subject).collect();
        assert_eq!(subjects, expected, "{args:?}");
    }
}

#[test]
fn a_replay_makes_the_report_that_a_backtest_makes() {
    let place = ReplayProject::new();
    for path in ["a/x", "b/y"] {
        place.fire(&place.write_call("s", path));
    }
    let trial = place.trial("[core]\nprotected = [\"a/\"]\n");
    let page = place.home.at("page.html");
    let report = &place.replay(&["--config", &trial, "--html", page.to_str().unwrap()])["report"];
    assert_eq!((&report["history"]["calls"], &report["history"]["sessions"]), (&2.into(), &1.into()));
    assert_eq!(report["decisions"]["deny"], 1);
    let (_, schema, _) = place.hookrail(&["schema", "backtest"], "");
    hookrail_testkit::json_schema::check(&serde_json::from_str(&schema).unwrap(), "", report);
    assert_eq!((&report["source"], &report["diff"]["changed"]), (&"journal".into(), &1.into()));
    let (_, out, _) = place.hookrail(&["replay", "--config", &trial], "");
    for expected in [
        "1 session, 2 calls of Claude Code in 1 project",
        "would have refused   1 (50.0 %)",
        "compared with what was decided then: 1 call decided otherwise",
        "  1 none → deny",
        "by core/protected-paths; what was decided then: none; call 1",
    ] {
        assert!(out.contains(expected), "{expected}\n{out}");
    }
    let call = report["worst"][0]["call"].as_str().unwrap();
    assert!(std::fs::read_to_string(page).unwrap().contains("core/protected-paths"));
    let (code, out, err) = place.hookrail(&["try", "--call", call], "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("a/x"), "{out}");
}

#[test]
fn a_file_that_cannot_be_tried_is_refused_with_its_mistake() {
    let place = ReplayProject::new();
    place.fire(&place.write_call("s", "x"));
    let missing = place.home.at("none.toml").display().to_string();
    for (file, part) in [(missing, "cannot read"), (place.trial("[core\n"), "trial.toml:1:")] {
        let (code, out, err) = place.hookrail(&["replay", "--config", &file], "");
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert!(err.contains(part), "{err}");
    }
    let (code, out, err) = place.hookrail(&["replay", "--config", &place.trial("[pack.core]\n")], "");
    assert_eq!(code, Some(0));
    assert!(err.contains("did you mean `packs`?") && out.contains("nothing would change"), "{err}{out}");
}
