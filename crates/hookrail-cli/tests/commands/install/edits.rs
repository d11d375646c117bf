//! What is written between install and uninstall stays.

use crate::install::fixture::InstallFixture;

const FILE: &str = ".claude/settings.json";

/// Installs, edits by replacing `from` with `to`, uninstalls; what is left must be `expected`.
fn check(before: Option<&str>, from: &str, to: &str, expected: Option<&str>) {
    let fixture = InstallFixture::without_safety();
    if let Some(before) = before {
        fixture.put(FILE, before.as_bytes());
    }
    fixture.succeed(&["install", "claude"]);
    let installed = fixture.project.read(FILE);
    assert!(installed.contains(from), "`{from}` is not in {installed}");
    fixture.put(FILE, installed.replacen(from, to, 1).as_bytes());
    fixture.succeed(&["uninstall", "claude"]).assert_has(&["uninstalled"]);
    let after = fixture.bytes(FILE).map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(after.as_deref(), expected, "{before:?} with `{to}`");
}

#[test]
fn exactly_our_entries_go_and_every_edit_stays() {
    let two = "{\n  \"a\": 1\n}\n";
    let cases: [(Option<&str>, &str, &str, Option<&str>); 11] = [
        // Something else in the file.
        (Some(two), "\"a\": 1", "\"a\": 2", Some("{\n  \"a\": 2\n}\n")),
        (Some(two), "{\n", "{\n  // mine\n", Some("{\n  // mine\n  \"a\": 1\n}\n")),
        (Some("{\"a\":1}"), "{\"a\"", "{\"b\":0,\"a\"", Some("{\"b\":0,\"a\":1}")),
        // Below our entries, and among them.
        (Some(two), "\n  }\n}", "\n  },\n  \"z\": 9\n}", Some("{\n  \"a\": 1,\n  \"z\": 9\n}\n")),
        (
            Some(two),
            "\"PreToolUse\": [",
            "\"Stop\": [],\n    \"PreToolUse\": [",
            Some("{\n  \"a\": 1,\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"),
        ),
        (
            Some(two),
            "\"PreToolUse\": [",
            "\"PreToolUse\": [\n      { \"hooks\": [] },",
            Some("{\n  \"a\": 1,\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"hooks\": [] }\n    ]\n  }\n}\n"),
        ),
        // Our own entry was changed by hand: it is still ours.
        (Some(two), "\"timeout\": 15", "\"timeout\": 99", Some(two)),
        (Some(two), "Bash|PowerShell", "Bash", Some(two)),
        // A file that we created is removed, unless it has other content by now.
        (None, "\"timeout\": 15", "\"timeout\": 99", None),
        (None, "{\n", "{\n  \"a\": 1,\n", Some("{\n  \"a\": 1\n}\n")),
        // An empty file is empty again.
        (Some(""), "\"timeout\": 15", "\"timeout\": 99", Some("")),
    ];
    for (before, from, to, expected) in cases {
        check(before, from, to, expected);
    }
}

#[test]
fn a_handler_that_was_put_beside_ours_stays_in_its_group() {
    let other = "{ \"type\": \"command\", \"command\": \"mine\" },\n          {";
    let fixture = InstallFixture::without_safety();
    fixture.succeed(&["install", "claude"]);
    let text = fixture.project.read(FILE);
    fixture
        .put(FILE, text.replacen("{\n            \"type\"", &format!("{other}\n            \"type\""), 1).as_bytes());
    fixture.succeed(&["uninstall", "claude"]);
    let left = fixture.project.read(FILE);
    assert!(left.contains("\"mine\"") && left.contains("matcher") && !left.contains("hookrail"), "{left}");
}

#[test]
fn empty_places_that_were_there_before_stay_and_look_as_they_did() {
    let before = "{\n  \"hooks\": {\n    \"PreToolUse\": [ ]\n  },\n  \"a\": 1\n}\n";
    check(Some(before), "\"a\": 1", "\"a\": 2", Some(&before.replace('1', "2")));
    let before = "{\n  \"a\": 1,\n  \"hooks\": {\n  }\n}\n";
    check(Some(before), "\"a\": 1", "\"a\": 2", Some(&before.replace('1', "2")));
}

#[test]
fn other_packs_change_our_entries_only_and_uninstall_knows_the_beginning() {
    let before = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"first\" }] }\n    ]\n  }\n}\n";
    let fixture = InstallFixture::without_safety();
    fixture.put(FILE, before.as_bytes());
    fixture.succeed(&["install", "claude"]);
    let text = fixture.project.read(FILE);
    // Another entry after ours keeps its position, by which Codex and others identify it.
    let foreign =
        ",\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"last\" }] }\n    ],\n    \"PermissionRequest\"";
    fixture.put(FILE, text.replacen("\n    ],\n    \"PermissionRequest\"", foreign, 1).as_bytes());
    fixture.succeed(&["install", "claude", "--pack", "isdlc", "--pack", "core"]).assert_has(&["updated"]);
    let settings: serde_json::Value = serde_json::from_str(&fixture.project.read(FILE)).unwrap();
    let command = |index: usize| settings["hooks"]["PreToolUse"][index]["hooks"][0]["command"].as_str().unwrap();
    assert_eq!([command(0), command(2)], ["first", "last"]);
    assert_eq!(command(1), "hookrail-hook --agent claude --pack isdlc --pack core");
    assert!(settings["hooks"]["PostToolUse"].is_array(), "isdlc needs this event: {settings}");
    fixture.succeed(&["install", "claude", "--pack", "fsm"]).assert_has(&["updated"]);
    let settings: serde_json::Value = serde_json::from_str(&fixture.project.read(FILE)).unwrap();
    let events: Vec<&String> = settings["hooks"].as_object().unwrap().keys().collect();
    assert_eq!(events, ["PreToolUse", "PostToolUse", "UserPromptExpansion"], "what is not needed is removed");
    fixture.succeed(&["uninstall", "claude"]);
    let expected = before
        .replace("\n    ]\n", ",\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"last\" }] }\n    ]\n");
    assert_eq!(fixture.project.read(FILE), expected);
}

#[test]
fn without_a_record_our_entries_are_known_by_their_form() {
    let fixture = InstallFixture::without_safety();
    fixture.put(FILE, b"{\n  \"a\": 1\n}\n");
    fixture.succeed(&["install", "claude"]);
    std::fs::remove_dir_all(fixture.home.path().join("state")).unwrap();
    fixture.succeed(&["install", "claude"]).assert_has(&["nothing to do"]);
    std::fs::remove_dir_all(fixture.home.path().join("state")).unwrap();
    fixture.succeed(&["uninstall", "claude"]).assert_has(&["uninstalled"]);
    assert_eq!(fixture.project.read(FILE), "{\n  \"a\": 1\n}\n");
}

#[test]
fn a_file_that_is_gone_is_forgotten() {
    let fixture = InstallFixture::without_safety();
    fixture.succeed(&["install", "claude"]);
    std::fs::remove_file(fixture.path(FILE)).unwrap();
    fixture.succeed(&["uninstall", "claude"]).assert_has(&["was gone already"]);
    fixture.succeed(&["uninstall", "claude"]).assert_has(&["nothing to do"]);
}

#[test]
fn the_content_before_a_change_is_kept_outside_of_the_project() {
    let fixture = InstallFixture::without_safety();
    fixture.put(FILE, b"{ \"a\": 1 }");
    let told = fixture.succeed(&["install", "claude", "--json"]).json();
    let backup = told["changes"][0]["backup"].as_str().unwrap().to_owned();
    assert!(backup.starts_with(fixture.home.path().join("state").to_str().unwrap()), "{backup}");
    assert_eq!(std::fs::read(&backup).unwrap(), b"{ \"a\": 1 }");
    assert_eq!(fixture.tree().len(), 2, "{:?}", fixture.tree());
}
