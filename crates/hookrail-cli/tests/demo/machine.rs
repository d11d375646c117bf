//! What the demo takes from the machine it is run on, and what it leaves there.

use crate::project::{DemoRun, of_type, run, text, told};
use serde_json::json;
use std::os::unix::fs::symlink;
use std::process::Command;

#[test]
fn nothing_is_left_and_nothing_is_touched() {
    let place = DemoRun::new();
    told(&run(place.demo(&["--json"])));
    assert_eq!(place.left(), [""; 0]);
    assert_eq!(place.home(), [".keep"]);
}

#[test]
fn what_the_user_has_set_up_does_not_count() {
    let place = DemoRun::new();
    place.files.write("home/.config/hookrail/hookrail.toml", "[packs.planning]\nmode = \"off\"\nnonsense");
    place.files.write("home/.gitconfig", "[core]\nhooksPath = /nowhere\n[commit]\ngpgsign = true\n");
    place.files.write("home/.claude/settings.json", "{\"disableAllHooks\": true}");
    let mut demo = place.demo(&["--json"]);
    for (name, value) in [
        ("HOOKRAIL_STATE_DIR", "relative/and/wrong"),
        ("CLAUDE_PROJECT_DIR", "/nowhere"),
        ("PLANNING_FEATURE_DIR", "/nowhere"),
        ("GEMINI_API_KEY", "secret"),
        ("HTTP_PROXY", "http://127.0.0.1:9"),
        ("http_proxy", "http://127.0.0.1:9"),
        ("GIT_DIR", "/nowhere"),
    ] {
        demo.env(name, value);
    }
    demo.env("XDG_CONFIG_HOME", place.files.at("home/.config")).env("XDG_STATE_HOME", place.files.at("home/state"));
    let session = told(&run(demo));
    assert_eq!(session.last().unwrap()["refused"], 8);
    assert!(!place.files.exists("home/state"), "nothing is recorded in the user's own state");
}

#[test]
fn a_machine_without_a_home_will_do() {
    let place = DemoRun::new();
    let mut demo = place.demo(&["--json"]);
    demo.env_remove("HOME");
    assert_eq!(told(&run(demo)).last().unwrap()["refused"], 8);
}

#[test]
fn without_git_only_the_commit_is_missing() {
    let place = DemoRun::new();
    let programs = place.files.at("programs");
    std::fs::create_dir(&programs).unwrap();
    symlink("/bin/sh", programs.join("sh")).unwrap();
    let mut demo = place.demo(&["--json"]);
    demo.env("PATH", &programs);
    let session = told(&run(demo));
    let summary = session.last().unwrap();
    assert_eq!((&summary["git"], &summary["refused"]), (&json!(false), &json!(8)), "hooks read git's files themselves");
    assert_eq!(of_type(&session, "event").len(), 26, "all but the push and the commit");
    let mut demo = place.demo(&[]);
    demo.env("PATH", &programs);
    assert!(text(&run(demo).stdout).contains("git is not installed, so nothing is committed"));
}

#[test]
fn two_demos_at_once_do_not_disturb_each_other() {
    let place = DemoRun::new();
    std::thread::scope(|scope| {
        let demos: Vec<_> = (0..2).map(|_| scope.spawn(|| told(&run(place.demo(&["--json"]))))).collect();
        for demo in demos {
            let session = demo.join().unwrap();
            assert_eq!(
                (&session.last().unwrap()["events"], &session.last().unwrap()["refused"]),
                (&json!(30), &json!(8))
            );
        }
    });
    assert_eq!(place.left(), [""; 0]);
}

#[test]
fn what_is_kept_can_be_looked_at() {
    let place = DemoRun::new();
    let session = told(&run(place.demo(&["--json", "--keep"])));
    let summary = session.last().unwrap();
    let folder = std::path::Path::new(summary["folder"].as_str().unwrap());
    assert_eq!((&summary["kept"], place.left().len()), (&json!(true), 1));
    assert!(folder.starts_with(place.temporary()), "{}", folder.display());
    let limiter = std::fs::read_to_string(folder.join("project/src/api/limit.rs")).unwrap();
    assert!(limiter.contains("ORDERS_A_MINUTE"));
    let spec = std::fs::read_to_string(folder.join("project/specs/rate-limit/spec.md")).unwrap();
    assert!(spec.contains("60 orders"), "what was refused did not happen");
    let branch = Command::new("git").args(["log", "--format=%s", "main"]).current_dir(folder.join("project")).output();
    assert_eq!(text(&branch.unwrap().stdout), "Begin\n");
    let mut verify = Command::new(env!("CARGO_BIN_EXE_hookrail"));
    verify.args(["log", "--verify"]).env_clear().env("HOOKRAIL_STATE_DIR", folder.join("state"));
    assert_eq!(run(verify).status.code(), Some(0), "the journal is whole");

    let shown = text(&run(place.demo(&["--keep"])).stdout).replace('\n', " ");
    assert!(shown.contains("Everything is in /"), "{shown}");
}

#[test]
fn a_machine_without_a_place_for_files_is_told_what_to_do() {
    let place = DemoRun::new();
    let mut demo = place.demo(&[]);
    demo.env("TMPDIR", "/nowhere/at/all");
    let output = run(demo);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("there is no place for a temporary project"), "{error}");
    assert!(error.contains("hint: set TMPDIR"), "{error}");
}
