use crate::isdlc::project::{WorkflowProject, state};
use serde_json::{Value, json};

#[test]
fn what_the_plugin_registers_is_what_the_guards_need() {
    // covers: NFR-02 NFR-05
    let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/isdlc");
    let read = |file: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(format!("{plugin}/{file}")).unwrap()).unwrap()
    };
    assert_eq!(read(".claude-plugin/plugin.json")["name"], "isdlc");
    let hooks = read("hooks/hooks.json");
    let place = WorkflowProject::with(&state("05-test-strategy", "pending"));
    let events = [
        (place.task("software-developer", ""), 10),
        (place.bash("git commit"), 10),
        (place.wrote("MultiEdit", "x"), 5),
        (place.answered("discover-orchestrator", "", &json!("")), 5),
        (place.event("SubagentStop", &json!({"agent_type": "discover-orchestrator"})), 5),
    ];
    for (event, seconds) in events {
        let group = &hooks["hooks"][event["hook_event_name"].as_str().unwrap()][0];
        if let Some(tool) = event["tool_name"].as_str() {
            assert!(group["matcher"].as_str().unwrap().split('|').any(|name| name == tool), "{group}");
        }
        assert_eq!(group["hooks"][0]["timeout"], seconds, "{group}");
        let command = group["hooks"][0]["command"].as_str().unwrap();
        let args: Vec<&str> = command.rsplit_once("; hookrail hook ").unwrap().1.split(' ').collect();
        assert_eq!(place.run(&args, &event.to_string()).code, Some(0), "{command}");
    }
}

#[test]
fn install_registers_the_documented_times_and_the_end_of_agents() {
    // covers: NFR-02
    let place = WorkflowProject::with(&state("05-test-strategy", "pending"));
    let said = place.hookrail(&["install", "claude", "--pack", "isdlc"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let settings: Value = serde_json::from_str(&place.project.read(".claude/settings.json")).unwrap();
    for (event, seconds) in [("PreToolUse", 10), ("PostToolUse", 5), ("SubagentStop", 5)] {
        assert_eq!(settings["hooks"][event][0]["hooks"][0]["timeout"], seconds, "{event}: {settings}");
    }
}
