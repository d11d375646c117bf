//! What packs want of the entries that are installed for them.

use crate::install::fixture::InstallFixture;
use serde_json::{Value, json};

const ALL: &[u8] =
    b"[packs.fsm]\nenabled = true\n[packs.isdlc]\nenabled = true\n[packs.orchestrator]\nenabled = true\n\
                     [packs.planning]\nenabled = true\n";

fn with_all_packs() -> InstallFixture {
    let fixture = InstallFixture::new();
    fixture.put(".hookrail/hookrail.toml", ALL);
    fixture
}

/// The handlers that are installed for an event of Claude Code.
fn handlers(fixture: &InstallFixture, event: &str) -> Vec<Value> {
    let settings: Value = serde_json::from_str(&fixture.project.read(".claude/settings.json")).unwrap();
    let groups = settings["hooks"][event].as_array().cloned().unwrap_or_default();
    groups.iter().flat_map(|group| group["hooks"].as_array().cloned().unwrap()).collect()
}

#[test]
fn no_hook_is_asked_twice_although_a_pack_has_an_entry_of_its_own() {
    let fixture = with_all_packs();
    fixture.put(".claude/skills/ship/fsm.json", br#"[{"id": 1, "subject": "Build"}]"#);
    for install in [&["install", "claude"][..], &["install", "claude", "--pack", "fsm", "--pack", "isdlc"]] {
        fixture.succeed(install);
        let session = format!("s{}", install.len());
        let event = json!({
            "session_id": session, "cwd": fixture.project.path(), "hook_event_name": "UserPromptExpansion",
            "expansion_type": "slash_command", "command_name": "ship", "command_args": "", "prompt": "/ship",
        });
        let entries = handlers(&fixture, "UserPromptExpansion");
        assert_eq!(entries.len(), 2, "{entries:?}");
        let said: Vec<String> =
            entries.iter().map(|entry| fixture.shell(entry["command"].as_str().unwrap(), &event).out).collect();
        assert_eq!(said.iter().filter(|out| out.contains(r#"{"continue": true}"#)).count(), 1, "{said:?}");
        let log = fixture.succeed(&["log", "--session", &session]).out;
        assert_eq!(log.matches("fsm/hydrate-tasks").count(), 1, "{log}");
    }
    fixture.succeed(&["uninstall", "claude"]);
    assert_eq!(fixture.bytes(".claude/settings.json"), None);
}

#[test]
fn only_a_pack_with_an_entry_of_its_own_can_be_left_out() {
    let said = InstallFixture::new().run(&["hook", "--without", "core"]);
    assert_ne!(said.code, Some(0));
    said.assert_has(&["pack `core` has no entry of its own"]);
}

#[test]
fn an_entry_is_silent_without_the_program_where_every_pack_it_asks_wants_that() {
    let mut fixture = with_all_packs();
    fixture.succeed(&["install", "claude"]);
    fixture.env.push(("PATH", "/usr/bin:/bin".to_owned()));
    let event = json!({"session_id": "s", "cwd": fixture.project.path()});
    for (name, expected) in [("TaskCompleted", 0), ("Stop", 0), ("SessionStart", 0), ("PreToolUse", 127)] {
        let command = handlers(&fixture, name)[0]["command"].as_str().unwrap().to_owned();
        let said = fixture.shell(&command, &event);
        assert_eq!(said.code, Some(expected), "{name}: {command}");
        assert_eq!(said.out.is_empty() && said.err.is_empty(), expected == 0, "{said:?}");
    }
}

#[test]
fn a_model_of_the_agent_verifies_tasks_if_the_user_wants_that() {
    let fixture = with_all_packs();
    fixture.succeed(&["install", "claude"]).assert_has(&["--verifier agent", "--verifier prompt"]);
    for (kind, timeout) in [("agent", 120), ("prompt", 30)] {
        fixture.succeed(&["install", "claude", "--verifier", kind]);
        let [entry] = handlers(&fixture, "TaskCompleted").try_into().unwrap();
        assert_eq!((&entry["type"], &entry["timeout"]), (&json!(kind), &json!(timeout)), "{entry}");
        assert!(entry["prompt"].as_str().unwrap().contains("$ARGUMENTS"), "{entry}");
        fixture.succeed(&["install", "claude", "--verifier", kind]).assert_has(&["nothing to do"]);
    }
    fixture.succeed(&["install", "claude"]);
    assert_eq!(handlers(&fixture, "TaskCompleted")[0]["type"], "command");
    fixture.succeed(&["install", "claude", "--verifier", "agent"]);
    fixture.succeed(&["uninstall", "claude"]);
    assert_eq!(fixture.bytes(".claude/settings.json"), None);
    fixture.refuse(&["install", "gemini", "--verifier", "agent"]).assert_has(&["has no hooks of type `agent`"]);
    InstallFixture::new()
        .refuse(&["install", "claude", "--verifier", "agent"])
        .assert_has(&["enable pack `orchestrator`"]);
}
