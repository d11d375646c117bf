use crate::orchestrator::project::{TeamProject, TeamReply, assert_has, finish};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

fn plugin(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../plugins/orchestrator").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn hooks() -> Value {
    serde_json::from_str(&plugin("hooks/hooks.json")).unwrap()
}

#[test]
fn the_plugin_registers_four_events_with_their_timeouts() {
    // covers: ORCH-1.1 ORCH-1.2 ORCH-1.4
    let entry = |matcher: Option<&str>, timeout: u32| {
        let line = "command -v hookrail >/dev/null || exit 0; hookrail hook --pack orchestrator";
        let command = json!({"type": "command", "command": line, "timeout": timeout});
        let mut group = json!({});
        if let Some(matcher) = matcher {
            group["matcher"] = json!(matcher);
        }
        group["hooks"] = json!([command]);
        json!([group])
    };
    let expected = json!({"hooks": {
        "TaskCompleted": entry(None, 10),
        "Stop": entry(None, 5),
        "SessionStart": entry(Some("clear|resume|compact|fork"), 5),
        "PreCompact": entry(None, 5),
    }});
    let mut registered = hooks();
    let about = registered.as_object_mut().and_then(|fields| fields.shift_remove("description"));
    assert!(about.is_some_and(|about| about.as_str().is_some_and(|text| text.contains("hookrail"))));
    assert_eq!(registered, expected);
    let manifest: Value = serde_json::from_str(&plugin(".claude-plugin/plugin.json")).unwrap();
    assert_eq!(manifest["name"], "orchestrator");
}

#[test]
fn what_is_registered_can_be_executed_as_it_is() {
    // covers: ORCH-2.9 ORCH-3.6
    let place = TeamProject::busy();
    for (event, fields) in [
        ("TaskCompleted", json!({"task_id": "1"})),
        ("Stop", json!({"stop_hook_active": false})),
        ("SessionStart", json!({"source": "clear"})),
    ] {
        let hooks = hooks();
        let command = hooks["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        let said =
            finish(place.dressed(Command::new("sh"), &["-c", command]), &place.event(event, &fields).to_string());
        assert_speaks(event, &said);
    }
}

/// A first completion is refused by exit code, everything else is answered in JSON.
#[track_caller]
fn assert_speaks(event: &str, said: &TeamReply) {
    if event == "TaskCompleted" {
        assert_eq!(said.code, Some(2), "{said:?}");
        assert_has(&said.err, &["is not verified yet", "Verify this task completion"]);
    } else {
        assert!(!said.json().as_object().unwrap().is_empty(), "{event}: {said:?}");
    }
}

#[test]
fn without_the_program_the_plugin_is_silent() {
    let place = TeamProject::busy();
    let hooks = hooks();
    for (event, groups) in hooks["hooks"].as_object().unwrap() {
        let command = groups[0]["hooks"][0]["command"].as_str().unwrap();
        let mut shell = place.dressed(Command::new("/bin/sh"), &["-c", command]);
        shell.env("PATH", place.home.path());
        finish(shell, &place.event(event, &json!({})).to_string()).assert_silent(event);
    }
}

#[test]
fn the_texts_of_the_plugin_tell_agents_what_to_do() {
    // covers: ORCH-7.1 ORCH-7.4 ORCH-7.5 ORCH-8.1 ORCH-8.2 ORCH-8.3 ORCH-8.4 ORCH-8.5
    let command = plugin("commands/implement.md");
    let begin = command.find("hookrail orchestrator begin").unwrap();
    let create = command.find("`TeamCreate`").unwrap();
    let delete = command.find("`TeamDelete`").unwrap();
    let end = command.rfind("hookrail orchestrator end").unwrap();
    assert!(begin < create && create < delete && delete < end, "the state outlives the team at both ends");
    assert_has(&command, &["fails"]);
    let skill = plugin("skills/implementer/SKILL.md");
    assert!(skill.find("`TaskUpdate`").unwrap() < skill.find("`SendMessage`").unwrap());
    assert_has(
        &skill,
        &["commit", "files_changed", "tests_passed", "design_doc", "single", "`save_state`", "task prompt"],
    );
}

#[test]
fn the_readme_describes_each_hook_its_use_and_its_cost() {
    // covers: ORCH-1.5 ORCH-9.1 ORCH-9.2 ORCH-9.3 ORCH-9.4 ORCH-9.5
    let readme = plugin("README.md");
    assert!(readme.find("## Project Config").unwrap() < readme.find("## Plugin Hooks").unwrap());
    for hook in ["task-completed", "stop-guard", "session-context", "precompact-state"] {
        let section = readme.split(&format!("### {hook}")).nth(1).unwrap().split("\n### ").next().unwrap();
        assert_has(section, &["**Enable it**", "**It costs**"]);
    }
    assert_has(&readme, &["task_verification:", "stop_guard:", "session_context:", "precompact_state:"]);
    assert_has(&readme, &["30 to 120 seconds", "cannot start an agent", "examples/hooks/scope-protection"]);
}

#[test]
fn nothing_depends_on_tools_of_one_platform() {
    // covers: ORCH-2.1 ORCH-2.2 ORCH-2.3
    let place = TeamProject::busy();
    for (event, fields) in
        [("Stop", json!({})), ("SessionStart", json!({"source": "clear"})), ("TaskCompleted", json!({}))]
    {
        let mut command = place.command(&["hook", "--pack", "orchestrator"]);
        // Neither grep nor sed nor jq nor git.
        command.env("PATH", place.home.path());
        let said = finish(command, &place.event(event, &fields).to_string());
        assert_speaks(event, &said);
    }
}
