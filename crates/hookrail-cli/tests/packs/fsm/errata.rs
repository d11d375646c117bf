use crate::fsm::project::{SESSION, SkillProject, manual, snapshot, tagged};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

fn one() -> Value {
    json!([{"id": 1, "subject": "new"}])
}

#[test]
fn a_session_id_cannot_leave_its_folder() {
    // errata A15
    for (session, folder) in [("../evil", "---evil"), ("a/b", "a-b"), ("..", "--"), ("ünï", "-n-"), ("a\u{0}b", "a-b")]
    {
        let place = SkillProject::new().skill("s", &one());
        let mut event = place.skill_event("s");
        event["session_id"] = json!(session);
        place.fire(&event).assert_continues();
        assert!(place.home.exists(format!(".claude/tasks/{folder}/1.json")), "{session}");
        assert_eq!(snapshot(&place.home.at(".claude/tasks")).len(), 1);
    }
}

#[test]
fn a_skills_name_cannot_leave_its_folder() {
    // errata A7 A15
    let place = SkillProject::new().skill("v", &one());
    for name in
        ["../skills/v", "p:../skills/v", "x/../v", "..", "p:..", ".", "a\\b", "a\u{0}b", "p:", ":v", "p::v", "../p:v"]
    {
        place.invoke(name).assert_fails(&["is not the name of a skill"]);
        assert!(!place.list().exists(), "{name}");
    }
}

#[test]
fn the_agents_folder_and_list_can_be_moved() {
    // errata A16
    let place = SkillProject::new();
    let moved = place.home.at("elsewhere");
    let place = place.env("CLAUDE_CONFIG_DIR", &moved);
    place.home.write("elsewhere/skills/s/fsm.json", &one().to_string());
    place.invoke("s").assert_continues();
    assert!(place.home.exists(format!("elsewhere/tasks/{SESSION}/1.json")));
    assert!(!place.home.exists(".claude"));
    let place = place.env("CLAUDE_CODE_TASK_LIST_ID", "team/../list");
    place.invoke("s").assert_continues();
    assert!(place.home.exists("elsewhere/tasks/team----list/1.json"));
    let place = place.env("CLAUDE_CONFIG_DIR", "").env("CLAUDE_CODE_TASK_LIST_ID", "").skill("s", &one());
    place.invoke("s").assert_continues();
    assert!(place.list().join("1.json").exists(), "an empty variable is one that is not set");
}

#[test]
fn without_a_home_there_is_a_clear_message() {
    let place = SkillProject::new().skill("s", &one()).env("HOME", "");
    place.invoke("s").assert_fails(&["neither `CLAUDE_CONFIG_DIR` nor `HOME` is set"]);
    let stop = json!({"session_id": SESSION, "cwd": place.project.path(), "hook_event_name": "Stop"});
    assert_eq!(place.run(&["hook"], &stop.to_string()).err, "", "other events are none of its business");
}

#[test]
fn the_list_of_plugins_can_be_moved() {
    let place = SkillProject::new().plugin("cache", "skills/s/fsm.json");
    let (folder, install) = (place.home.at("plugs"), place.home.at("cache"));
    let registry = json!({"version": 2, "plugins": {"p@m": [{"scope": "user", "installPath": install}]}});
    place.home.write("plugs/installed_plugins.json", &registry.to_string());
    let place = place.env("CLAUDE_CODE_PLUGIN_CACHE_DIR", &folder);
    place.invoke("p:s").assert_continues();
    assert_eq!(place.only_subject(), "cache");
}

#[test]
fn a_task_nobody_can_parse_is_an_error_that_names_it_and_touches_nothing() {
    // errata A14
    for text in ["{\"id\": \"3\",", "", "[]", "7", "\u{feff}{}"] {
        let place = SkillProject::new().skill("s", &one()).task("1.json", &manual(1)).task("2.json", &tagged(2, "old"));
        std::fs::write(place.list().join("3.json"), text).unwrap();
        let before = snapshot(&place.list());
        place.invoke("s").assert_fails(&["3.json` is not a JSON object", "nothing was changed"]);
        assert_eq!(snapshot(&place.list()), before);
    }
}

#[test]
fn a_skill_that_did_not_succeed_is_no_reason_to_do_anything() {
    // errata A19
    let place = SkillProject::new().skill("s", &one()).task("2.json", &tagged(2, "old"));
    let before = snapshot(&place.list());
    let mut event = place.skill_event("s");
    event["tool_response"]["success"] = json!(false);
    place.fire(&event).assert_continues();
    assert_eq!(snapshot(&place.list()), before);
    event["tool_response"].as_object_mut().unwrap().remove("success");
    place.fire(&event).assert_continues();
    assert_eq!(place.only_subject(), "new", "only a `false` says that it failed");
}

#[test]
fn without_a_working_directory_in_the_event_that_of_the_process_counts() {
    // errata A20
    let place = SkillProject::new().skill("s", &one());
    let mut event = place.skill_event("s");
    event.as_object_mut().unwrap().remove("cwd");
    place.fire(&event).assert_continues();
    assert_eq!(place.only_subject(), "new");
}

#[test]
fn a_list_that_cannot_be_written_is_told_clearly_and_stays_as_it_is() {
    // errata A18 A22
    let place = SkillProject::new().skill("s", &one()).task("1.json", &manual(1)).task("2.json", &tagged(2, "old"));
    let before = snapshot(&place.list());
    let forbid = |mode| std::fs::set_permissions(place.list(), std::fs::Permissions::from_mode(mode)).unwrap();
    forbid(0o500);
    if std::fs::write(place.list().join("probe"), "").is_ok() {
        std::fs::remove_file(place.list().join("probe")).unwrap();
        forbid(0o700);
        // Nothing is forbidden to the superuser; a file in the way is.
        std::fs::write(place.list().join(".hookrail"), "mine").unwrap();
        place.invoke("s").assert_fails(&[".hookrail` is in the way"]);
        std::fs::remove_file(place.list().join(".hookrail")).unwrap();
    } else {
        place.invoke("s").assert_fails(&["could not be changed and is as it was", "ermission denied", "sandbox"]);
        forbid(0o700);
    }
    assert_eq!(snapshot(&place.list()), before);
}

#[test]
fn the_agents_lock_is_waited_for_and_left_in_its_place() {
    // errata A18
    let place = SkillProject::new().skill("s", &one()).task("1.json", &manual(1));
    let lock = std::fs::File::create(place.list().join(".lock")).unwrap();
    lock.lock().unwrap();
    let mut child = place.command(&["hook", "fsm/hydrate-tasks", "--contract=spec"]).spawn().unwrap();
    let event = place.skill_event("s").to_string();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.as_bytes()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(!place.list().join("2.json").exists(), "the list was locked");
    lock.unlock().unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let names: Vec<String> = snapshot(&place.list()).into_keys().collect();
    assert_eq!(names, [".lock", "1.json", "2.json"]);
}
