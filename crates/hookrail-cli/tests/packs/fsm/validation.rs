use crate::fsm::project::{SESSION, SkillProject, manual, snapshot, tagged};
use serde_json::{Value, json};

/// A list with a person's task and a skill's, and a skill `bad` whose file has this text. It must fail, say these things and
/// change nothing.
#[track_caller]
fn check(text: &str, parts: &[&str]) {
    let place = SkillProject::new().task("1.json", &manual(1)).task("2.json", &tagged(2, "old"));
    place.project.write(".claude/skills/bad/fsm.json", text);
    let before = snapshot(&place.list());
    place.invoke("bad").assert_fails(parts);
    assert_eq!(snapshot(&place.list()), before, "{text}");
}

#[test]
fn a_valid_file_ends_up_as_task_files_on_disk() {
    // covers: SCN-THS-4.1 REQ-THS-4
    let fsm = json!([{"id": 1, "subject": "One"}, {"id": 2, "subject": "Two", "blockedBy": [1]}, {"id": 3, "subject": "Three", "blocks": [2]}]);
    let place = SkillProject::new().skill("s", &fsm);
    place.invoke("s").assert_continues();
    let names: Vec<String> = place.tasks().into_keys().collect();
    assert_eq!(names, ["1.json", "2.json", "3.json"]);
}

#[test]
fn a_file_that_is_no_json_fails_with_the_parsers_message() {
    // covers: SCN-THS-4.2 REQ-THS-4
    check("[{\"id\": 1,", &["fsm.json` is not valid JSON", "EOF while parsing"]);
    check("", &["is not valid JSON"]);
}

#[test]
fn a_task_without_id_or_subject_fails_naming_that_field() {
    // covers: SCN-THS-4.3 REQ-THS-4
    check(r#"[{"subject": "a"}]"#, &["entry 1: missing `id`"]);
    check(r#"[{"id": 1, "subject": "a"}, {"id": 2}]"#, &["entry 2: missing `subject`"]);
    check(r#"[{"id": null, "subject": null}]"#, &["missing `id`", "missing `subject`"]);
}

#[test]
fn an_id_used_twice_fails_and_is_named() {
    // covers: SCN-THS-4.4 REQ-THS-4
    check(r#"[{"id": 4, "subject": "a"}, {"id": 4, "subject": "b"}]"#, &["entry 2: duplicate id 4"]);
}

#[test]
fn a_dependency_on_an_unknown_task_fails_and_is_named() {
    // covers: SCN-THS-4.5 REQ-THS-4
    check(r#"[{"id": 1, "subject": "a", "blockedBy": [9]}]"#, &["entry 1: `blockedBy` refers to 9"]);
    check(r#"[{"id": 1, "subject": "a", "blocks": [9]}]"#, &["entry 1: `blocks` refers to 9"]);
}

#[test]
fn several_mistakes_are_reported_in_one_go() {
    // covers: SCN-THS-4.6 REQ-THS-4
    let text =
        r#"[{"subject": "a", "blockedBy": [8]}, {"id": 1}, {"id": 1, "subject": 3, "metadata": [], "blocks": {}}, 5]"#;
    check(
        text,
        &[
            "has 8 errors",
            "entry 1: missing `id`",
            "entry 1: `blockedBy` refers to 8",
            "entry 2: missing `subject`",
            "entry 3: duplicate id 1",
            "entry 3: `subject` is a text, not a number",
            "entry 3: `metadata` is an object, not a list",
            "entry 3: `blocks` is a list of ids, not an object",
            "entry 4: a task is an object, not a number",
        ],
    );
}

#[test]
fn a_task_file_has_the_clients_path_fields_and_types() {
    // covers: SCN-THS-4.7 REQ-THS-4
    let place = SkillProject::new()
        .skill("setup", &json!([{"id": 1, "subject": "Set up environment", "description": "Install deps"}]));
    place.invoke("setup").assert_continues();
    let task: Value = serde_json::from_str(&place.home.read(format!(".claude/tasks/{SESSION}/1.json"))).unwrap();
    let expected = json!({
        "id": "1",
        "subject": "Set up environment",
        "description": "Install deps",
        "activeForm": "",
        "status": "pending",
        "owner": "",
        "blocks": [],
        "blockedBy": [],
        "metadata": {"fsm": "setup"},
    });
    assert_eq!(task, expected);
}

#[test]
fn in_claude_code_a_task_file_is_as_claude_code_writes_it() {
    let place = SkillProject::new().skill(
        "setup",
        &json!([{"id": 1, "subject": "a"}, {"id": 2, "subject": "b", "blockedBy": [1], "activeForm": "Doing b"}]),
    );
    let event = place.skill_event("setup").to_string();
    place.run(&["hook", "--agent", "claude", "--pack", "fsm"], &event).assert_continues();
    let tasks = place.tasks();
    let mark = json!({"fsm": "setup"});
    let first = json!({
        "id": "1", "subject": "a", "description": "", "status": "pending", "blocks": ["2"], "blockedBy": [], "metadata": mark,
    });
    let second = json!({
        "id": "2", "subject": "b", "description": "", "activeForm": "Doing b", "status": "pending", "blocks": [],
        "blockedBy": ["1"], "metadata": mark,
    });
    assert_eq!((&tasks["1.json"], &tasks["2.json"]), (&first, &second));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(place.list().join("1.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
    }
}

#[test]
fn values_of_a_wrong_type_are_mistakes() {
    // errata A10 A11 A12
    for (text, part) in [
        (r#"{"tasks": []}"#, "is not a list of tasks but an object"),
        ("null", "is not a list of tasks but null"),
        (r#"[{"id": true, "subject": "a"}]"#, "`id` is an integer from 1, not `true`"),
        (r#"[{"id": 0, "subject": "a"}]"#, "not `0`"),
        (r#"[{"id": -1, "subject": "a"}]"#, "not `-1`"),
        (r#"[{"id": 1.0, "subject": "a"}]"#, "not `1.0`"),
        (r#"[{"id": "1", "subject": "a"}]"#, "not `\"1\"`"),
        (r#"[{"id": 1, "subject": "a", "metadata": "x"}]"#, "`metadata` is an object, not a text"),
        (r#"[{"id": 1, "subject": "a", "description": []}]"#, "`description` is a text, not a list"),
        (r#"[{"id": 1, "subject": "a", "activeForm": 1}]"#, "`activeForm` is a text, not a number"),
        (r#"[{"id": 1, "subject": "a", "blockedBy": "1"}]"#, "`blockedBy` is a list of ids, not a text"),
        (r#"[{"id": 1, "subject": "a", "blockedBy": ["1"]}]"#, "`blockedBy` lists integers from 1, not `\"1\"`"),
        (r#"[{"id": 18446744073709551615, "subject": "a"}]"#, "ids above"),
    ] {
        check(text, &[part]);
    }
}

#[test]
fn null_is_absence_and_circles_are_allowed() {
    // errata A12
    let fsm = json!([
        {"id": 1, "subject": "", "description": null, "activeForm": null, "blocks": null, "blockedBy": null, "metadata": null},
        {"id": 2, "subject": "self", "blockedBy": [2]},
        {"id": 3, "subject": "a", "blockedBy": [4], "activeForm": "Doing a"},
        {"id": 4, "subject": "b", "blockedBy": [3]},
    ]);
    let place = SkillProject::new().skill("s", &fsm);
    place.invoke("s").assert_continues();
    assert_eq!(place.tasks().len(), 4);
    assert_eq!(place.tasks()["3.json"]["activeForm"], "Doing a");
    assert_eq!(place.tasks()["1.json"]["description"], "");
}
