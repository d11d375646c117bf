use crate::fsm::project::SkillProject;
use serde_json::{Value, json};

fn one(subject: &str) -> Value {
    json!([{"id": 1, "subject": subject}])
}

fn installed(place: SkillProject, id: &str) -> SkillProject {
    let path = place.home.at("cache");
    place.registry(&json!({"version": 2, "plugins": {id: [{"scope": "user", "installPath": path}]}}))
}

#[test]
fn a_plugins_skill_is_looked_up_in_its_skills_folder() {
    // covers: SCN-THS-2.1 REQ-THS-2
    let place = installed(SkillProject::new(), "my-plugin@market");
    place.home.write("cache/skills/my-skill/fsm.json", &one("skills").to_string());
    place.home.write("cache/commands/my-skill/fsm.json", &one("commands").to_string());
    place.invoke("my-plugin:my-skill").assert_continues();
    assert_eq!(place.only_subject(), "skills");
}

#[test]
fn a_plugins_command_folder_is_the_second_place_to_look() {
    // covers: SCN-THS-2.2 REQ-THS-2
    let place = installed(SkillProject::new(), "my-plugin@market").skill("my-command", &one("project"));
    place.home.write("cache/commands/my-command/fsm.json", &one("commands").to_string());
    place.invoke("my-plugin:my-command").assert_continues();
    assert_eq!(place.only_subject(), "commands");
}

#[test]
fn a_plain_skill_is_looked_up_in_the_project_first() {
    // covers: SCN-THS-2.3 REQ-THS-2
    let place = SkillProject::new().skill("deploy", &one("project"));
    place.home.write(".claude/skills/deploy/fsm.json", &one("user").to_string());
    place.invoke("deploy").assert_continues();
    assert_eq!(place.only_subject(), "project");
}

#[test]
fn a_plain_skill_missing_there_is_taken_from_the_users_home() {
    // covers: SCN-THS-2.4 REQ-THS-2
    let place = SkillProject::new();
    place.home.write(".claude/skills/deploy/fsm.json", &one("user").to_string());
    place.invoke("deploy").assert_continues();
    assert_eq!(place.only_subject(), "user");
}

#[test]
fn a_skill_without_the_file_changes_nothing_and_lets_go_on() {
    // covers: SCN-THS-2.5 REQ-THS-2
    for command in ["deploy", "plugin:deploy"] {
        let place = SkillProject::new();
        place.invoke(command).assert_continues();
        assert!(!place.home.exists(".claude/tasks"), "{command}");
    }
}

#[test]
fn an_unregistered_plugins_skill_is_sought_like_a_plain_one() {
    // covers: SCN-THS-3.7 REQ-THS-3
    let place = installed(SkillProject::new(), "other@market").skill("my-skill", &one("project"));
    place.invoke("my-plugin:my-skill").assert_continues();
    assert_eq!(place.only_subject(), "project");
}

#[test]
fn a_name_with_several_colons_is_a_skill_of_that_name_or_in_a_subfolder() {
    let place = installed(SkillProject::new(), "p@m");
    place.home.write("cache/commands/dir/skill/fsm.json", &one("nested").to_string());
    place.invoke("p:dir:skill").assert_continues();
    assert_eq!(place.only_subject(), "nested");
    place.home.write("cache/skills/dir:skill/fsm.json", &one("literal").to_string());
    place.invoke("p:dir:skill").assert_continues();
    assert_eq!(place.only_subject(), "literal");
}
