//! Explaining changes nothing.

use crate::explain::project::{EVERYTHING, ExplainProject, payloads};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn nothing_on_the_disk_changes_whatever_the_event() {
    let place = ExplainProject::new(EVERYTHING);
    let before = place.photograph();
    for (name, payload) in payloads(place.project.path()) {
        place.explain(&[], &payload);
        assert!(place.photograph() == before, "{name} changed something");
    }
}

#[test]
fn hooks_that_write_see_what_they_wrote_and_the_disk_does_not() {
    let place = ExplainProject::new("");
    place.project.write(
        ".claude/skills/demo/fsm.json",
        r#"[{"id": 1, "subject": "first", "description": "d", "blockedBy": []}]"#,
    );
    let event = json!({
        "hook_event_name": "PostToolUse", "session_id": "s1", "cwd": place.project.path(), "tool_name": "Skill",
        "tool_input": {"skill": "demo"}, "tool_response": {"success": true, "commandName": "demo"},
    });
    place.hook(&["--pack", "core"], &event);
    let before = place.photograph();
    let explanation = place.explain(&["fsm/hydrate-tasks"], &event);
    assert!(place.photograph() == before);
    let effects = explanation["would_change"].to_string();
    assert!(effects.contains("1.json") && effects.contains("\"write\""), "{effects}");
    place.hook(&["fsm/hydrate-tasks"], &event);
    assert!(place.photograph() != before, "in earnest it writes");
}

#[test]
fn a_damaged_session_is_left_where_it_is() {
    let place = ExplainProject::new("[[command]]\nname = \"lint\"\nevent = \"BeforeTool\"\ncommand = \"true\"\n");
    place.home.write("state/sessions/s1.json", "oops");
    for folder in ["state", "state/sessions"] {
        fs::set_permissions(place.home.at(folder), fs::Permissions::from_mode(0o700)).unwrap();
    }
    let before = place.photograph();
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": place.project.path(), "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let explanation = place.explain(&[], &event);
    assert!(place.photograph() == before);
    let stderr = explanation["answer"]["stderr"].as_str().unwrap();
    assert!(stderr.contains("/state/sessions/s1.json` could not be read"), "{stderr}");
}

#[test]
fn commands_are_started_only_when_asked_for_and_that_is_said() {
    let place = ExplainProject::new("");
    place.home.write(
        ".config/hookrail/hookrail.toml",
        "[[command]]\nname = \"lint\"\nevent = \"BeforeTool\"\ncommand = \"touch started; exit 2\"\n",
    );
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": place.project.path(), "tool_name": "Read", "tool_input": {"file_path": "a"}});
    let explanation = place.explain(&[], &event);
    assert_eq!(
        (explanation["not_started"].clone(), explanation["verdict"]["decision"].clone()),
        (json!(["lint"]), json!("none"))
    );
    assert!(!place.project.exists("started"));
    let told = place.run(&["explain"], &event.to_string()).stdout;
    assert!(told.contains("without `lint`") && told.contains("--run-commands"), "{told}");
    let explanation = place.explain(&["--run-commands"], &event);
    assert_eq!(
        (explanation["not_started"].clone(), explanation["verdict"]["decision"].clone()),
        (json!([]), json!("block"))
    );
    assert!(place.project.exists("started"));
    assert!(!place.home.exists("state"), "not even then is anything recorded");
}
