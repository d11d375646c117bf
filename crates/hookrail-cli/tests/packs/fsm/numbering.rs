use crate::fsm::project::{SkillProject, manual, tagged};
use serde_json::{Value, json};

fn three() -> Value {
    json!([{"id": 1, "subject": "a"}, {"id": 2, "subject": "b", "blockedBy": [1], "blocks": [3]}, {"id": 3, "subject": "c"}])
}

fn names(place: &SkillProject) -> Vec<String> {
    place.tasks().into_keys().collect()
}

#[test]
fn in_an_empty_list_the_local_id_stays_as_it_is() {
    // covers: SCN-THS-5.1 REQ-THS-5
    let place = SkillProject::new().skill("s", &three());
    std::fs::create_dir_all(place.list()).unwrap();
    place.invoke("s").assert_continues();
    assert_eq!(names(&place), ["1.json", "2.json", "3.json"]);
    assert_eq!(place.tasks()["1.json"]["id"], "1");
}

#[test]
fn new_tasks_are_numbered_on_from_the_highest_existing_one() {
    // covers: SCN-THS-5.2 REQ-THS-5
    let place = SkillProject::new().skill("s", &three()).task("2.json", &manual(2)).task("5.json", &manual(5));
    place.invoke("s").assert_continues();
    assert_eq!(names(&place), ["2.json", "5.json", "6.json", "7.json", "8.json"]);
    assert_eq!(place.tasks()["8.json"]["id"], "8");
}

#[test]
fn dependencies_point_at_the_shifted_ids_as_well() {
    // covers: SCN-THS-5.3 REQ-THS-5
    // Ids are texts, in lists of ids too (errata A2 A3).
    let place = SkillProject::new().skill("s", &three()).task("5.json", &manual(5));
    place.invoke("s").assert_continues();
    let task = &place.tasks()["7.json"];
    assert_eq!((&task["blockedBy"], &task["blocks"]), (&json!(["6"]), &json!(["8"])));
}

#[test]
fn only_tasks_that_stay_count() {
    // errata A1
    let place = SkillProject::new().skill("s", &three()).task("1.json", &manual(1)).task("9.json", &tagged(9, "old"));
    place.invoke("s").assert_continues();
    assert_eq!(names(&place), ["1.json", "2.json", "3.json", "4.json"]);
}

#[test]
fn the_high_water_mark_counts_and_is_raised_but_never_made() {
    // errata A1
    for (mark, ids, raised) in [("7", [8, 9, 10], "10"), ("2\n", [6, 7, 8], "8"), ("", [6, 7, 8], "8")] {
        let place = SkillProject::new().skill("s", &three()).task("5.json", &manual(5));
        std::fs::write(place.list().join(".highwatermark"), mark).unwrap();
        place.invoke("s").assert_continues();
        for id in ids {
            assert!(place.list().join(format!("{id}.json")).exists(), "{mark:?}: {id}");
        }
        assert_eq!(std::fs::read_to_string(place.list().join(".highwatermark")).unwrap(), raised);
    }
    let place = SkillProject::new().skill("s", &three());
    place.invoke("s").assert_continues();
    assert!(!place.list().join(".highwatermark").exists());
    std::fs::write(place.list().join(".highwatermark"), "many").unwrap();
    place.invoke("s").assert_fails(&[".highwatermark` is not a number"]);
}

#[test]
fn ids_need_not_be_the_names_of_files_nor_follow_each_other() {
    let mut odd = manual(4);
    odd["id"] = json!("40");
    let place = SkillProject::new()
        .skill("s", &json!([{"id": 10, "subject": "a"}, {"id": 2, "subject": "b", "blockedBy": [10]}]))
        .task("4.json", &odd);
    place.invoke("s").assert_continues();
    assert_eq!(names(&place), ["4.json", "42.json", "50.json"].map(str::to_owned));
    assert_eq!(place.tasks()["42.json"]["blockedBy"], json!(["50"]));
}
