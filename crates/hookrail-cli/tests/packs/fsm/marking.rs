use crate::fsm::project::{SkillProject, manual, snapshot, tagged};
use serde_json::{Value, json};

fn one() -> Value {
    json!([{"id": 1, "subject": "new"}])
}

#[test]
fn the_mark_holds_the_full_command_name_of_the_skill() {
    // covers: SCN-THS-6.1 REQ-THS-6
    let place = SkillProject::new().skill("my-skill", &one());
    place.invoke("my-plugin:my-skill").assert_continues();
    assert_eq!(place.tasks()["1.json"]["metadata"], json!({"fsm": "my-plugin:my-skill"}));
}

#[test]
fn metadata_from_the_file_is_kept_beside_the_mark() {
    // covers: SCN-THS-6.2 REQ-THS-6
    let place = SkillProject::new()
        .skill("s", &json!([{"id": 1, "subject": "a", "metadata": {"custom": "value", "deep": {"a": [1]}}}]));
    place.invoke("s").assert_continues();
    assert_eq!(place.tasks()["1.json"]["metadata"], json!({"custom": "value", "deep": {"a": [1]}, "fsm": "s"}));
}

#[test]
fn the_mark_wins_over_one_in_the_file() {
    // errata A13
    for own in [json!("other"), json!(null), json!({"a": 1})] {
        let place = SkillProject::new().skill("s", &json!([{"id": 1, "subject": "a", "metadata": {"fsm": own}}]));
        place.invoke("s").assert_continues();
        assert_eq!(place.tasks()["1.json"]["metadata"]["fsm"], "s");
    }
}

#[test]
fn marked_tasks_are_gone_once_a_new_skill_is_hydrated() {
    // covers: SCN-THS-7.1 REQ-THS-7
    let place = SkillProject::new().skill("s", &one()).task("1.json", &tagged(1, "a")).task("2.json", &tagged(2, "b"));
    place.invoke("s").assert_continues();
    assert_eq!(place.subjects(), [("1.json".to_owned(), "new".to_owned())]);
}

#[test]
fn tasks_that_a_person_made_are_never_removed() {
    // covers: SCN-THS-7.2 REQ-THS-7
    // A task need not have metadata (errata A14).
    let mut other = manual(3);
    other["metadata"] = json!({"priority": "high"});
    let mut none = manual(4);
    none["metadata"] = json!(null);
    let place = SkillProject::new()
        .skill("s", &one())
        .task("1.json", &manual(1))
        .task("2.json", &tagged(2, "old"))
        .task("3.json", &other)
        .task("4.json", &none);
    let mut expected = snapshot(&place.list());
    place.invoke("s").assert_continues();
    let mut now = snapshot(&place.list());
    expected.remove("2.json");
    assert!(now.remove("5.json").unwrap().contains("new"));
    assert_eq!(now, expected);
}

#[test]
fn an_invalid_file_costs_no_existing_task_its_life() {
    // covers: SCN-THS-7.3 REQ-THS-7
    let place =
        SkillProject::new().skill("s", &json!([{"id": 1}])).task("1.json", &tagged(1, "a")).task("2.json", &manual(2));
    let before = snapshot(&place.list());
    place.invoke("s").assert_fails(&["missing `subject`"]);
    assert_eq!(snapshot(&place.list()), before);
}

#[test]
fn with_the_scope_of_a_skill_only_its_own_tasks_make_room() {
    // errata A4
    let place =
        SkillProject::new().skill("s", &one()).task("1.json", &tagged(1, "other")).task("2.json", &tagged(2, "s"));
    place.project.write(".hookrail/hookrail.toml", "[fsm]\nscope = \"skill\"\n");
    place.invoke("s").assert_continues();
    assert_eq!(place.subjects(), [("1.json", "other 1"), ("2.json", "new")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    place.project.write(".hookrail/hookrail.toml", "[fsm]\nscope = \"all\"\n");
    place.invoke("s").assert_continues();
    assert_eq!(place.subjects(), [("1.json".to_owned(), "new".to_owned())]);
    place.project.write(".hookrail/hookrail.toml", "[fsm]\nscope = \"some\"\n");
    place.invoke("s").assert_fails(&["`[fsm] scope` is `some`"]);
}

#[test]
fn an_empty_list_of_tasks_only_makes_room() {
    // errata A10
    let place = SkillProject::new().skill("s", &json!([])).task("1.json", &tagged(1, "a")).task("2.json", &manual(2));
    place.invoke("s").assert_continues();
    assert_eq!(place.subjects(), [("2.json".to_owned(), "manual 2".to_owned())]);
}
