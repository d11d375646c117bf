//! Whose file, and how the binary is found from there.

use crate::install::fixture::InstallFixture;
use serde_json::Value;
use std::path::Path;

fn command(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let settings: Value = serde_json::from_str(&text).unwrap();
    let event = settings["hooks"].as_object().unwrap().values().next().unwrap();
    event[0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

#[test]
fn files_of_the_user_name_the_binary_by_its_path_and_files_of_a_project_by_its_name() {
    let binary = env!("CARGO_BIN_EXE_hookrail");
    let cases = [
        ("claude", "user", ".claude/settings.json"),
        ("gemini", "user", ".gemini/settings.json"),
        ("llxprt", "user", ".config/llxprt-code/settings.json"),
        ("codex", "user", ".codex/hooks.json"),
    ];
    for (agent, scope, file) in cases {
        let fixture = InstallFixture::new();
        fixture.succeed(&["install", agent, "--scope", scope]);
        assert_eq!(command(&fixture.home.path().join(file)), format!("{binary}-hook --agent {agent}"));
        assert!(fixture.tree().is_empty(), "{:?}", fixture.tree());
        fixture.succeed(&["uninstall", agent]);
        assert!(!fixture.home.path().join(file).exists());
    }
    let fixture = InstallFixture::new();
    fixture.succeed(&["install", "claude", "--scope", "local"]);
    assert_eq!(command(&fixture.path(".claude/settings.local.json")), format!("{binary}-hook --agent claude"));
    fixture.succeed(&["install", "claude"]).assert_has(&["also installed in", "--scope local"]);
    assert_eq!(command(&fixture.path(".claude/settings.json")), "hookrail-hook --agent claude");
    fixture
        .succeed(&["uninstall", "claude", "--scope", "local"])
        .assert_has(&["hookrail stays in", ".claude/settings.json"]);
    assert!(!fixture.path(".claude/settings.local.json").exists() && fixture.path(".claude/settings.json").exists());
    fixture.succeed(&["uninstall", "claude"]);
    assert!(fixture.tree().is_empty(), "{:?}", fixture.tree());
}

#[test]
fn variables_of_the_agents_move_their_files() {
    let cases = [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("llxprt", "LLXPRT_CONFIG_HOME", "settings.json"),
    ];
    for (agent, variable, file) in cases {
        let mut fixture = InstallFixture::new();
        let folder = fixture.home.path().join("moved");
        fixture.env.push((variable, folder.display().to_string()));
        fixture.succeed(&["install", agent, "--scope", "user"]);
        assert!(folder.join(file).exists(), "{agent}");
    }
}

#[test]
fn what_a_project_enables_is_not_written_into_files_for_all_projects() {
    let fixture = InstallFixture::new();
    fixture.put(".hookrail/hookrail.toml", b"[packs.isdlc]\nenabled = true\n");
    let user = "[packs.fsm]\nenabled = true\n[packs.safety]\nenabled = false\n";
    fixture.home.write(".config/hookrail/hookrail.toml", user);
    let events = |words: &[&str]| {
        let told = fixture.succeed(words).json();
        let events = told["changes"][0]["events"].as_array().unwrap().clone();
        events.iter().map(|event| event["event"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let fsm = ["PreToolUse", "PostToolUse", "PermissionRequest", "UserPromptExpansion"];
    assert_eq!(events(&["install", "claude", "--scope", "user", "--dry-run", "--json"]), fsm);
    let tools = |scope: &str| {
        let told = fixture.succeed(&["install", "claude", "--scope", scope, "--dry-run", "--json"]).json();
        told["changes"][0]["events"][0]["matcher"].as_str().unwrap().to_owned()
    };
    assert!(!tools("user").contains("Agent") && tools("project").contains("Agent"));
}

#[test]
fn a_binary_that_is_not_on_the_path_is_told() {
    let mut fixture = InstallFixture::new();
    fixture.env.push(("PATH", "/usr/bin:/bin".to_owned()));
    fixture.succeed(&["install", "claude"]).assert_has(&["not on your PATH", "--scope user"]);
    fixture.succeed(&["install", "claude", "--scope", "user"]);
    let written = command(&fixture.home.path().join(".claude/settings.json"));
    assert!(written.starts_with('/') && written.ends_with("/hookrail-hook --agent claude"), "{written}");
    let fixture = InstallFixture::new().with_program("hookrail", "#!/bin/sh\n");
    fixture.succeed(&["install", "claude"]).assert_has(&["on your PATH is another program"]);
}

#[test]
fn a_broken_file_that_is_not_ours_does_not_keep_us_from_leaving_another() {
    let fixture = InstallFixture::new();
    fixture.succeed(&["install", "claude"]);
    fixture.home.write(".claude/settings.json", "{ broken");
    fixture.succeed(&["uninstall", "claude"]).assert_has(&["uninstalled"]);
    fixture.home.write(".claude/settings.json", "{ broken by hookrail");
    fixture.refuse(&["uninstall", "claude"]).assert_has(&["not valid JSON"]);
}

#[test]
fn commands_that_somebody_wrote_by_hand_are_left_alone_and_mentioned() {
    let fixture = InstallFixture::new();
    let by_hand = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"hookrail hook"}]}]}}"#;
    fixture.put(".claude/settings.json", by_hand.as_bytes());
    fixture.succeed(&["install", "claude"]).assert_has(&["answered twice", "`hookrail hook`"]);
    fixture.succeed(&["uninstall", "claude"]);
    assert_eq!(fixture.project.read(".claude/settings.json"), by_hand);
}

#[test]
fn what_an_agent_needs_is_said_and_not_done() {
    let cases = [
        ("claude", "{\"disableAllHooks\": true}", vec!["a folder you trust", "disableAllHooks"]),
        (
            "gemini",
            "{\"hooksConfig\": {\"enabled\": false}}",
            vec!["a folder you trust", "`hooksConfig.enabled` is `false`"],
        ),
        ("llxprt", "{}", vec!["set `hooksConfig.enabled` to `true`", "left to you"]),
        ("codex", "{\"description\": \"x\"}", vec!["type `/hooks` and approve", "project you trust"]),
    ];
    for (agent, text, parts) in cases {
        let fixture = InstallFixture::new();
        let file = crate::install::fixture::AGENTS.iter().find(|it| it.name == agent).unwrap().file;
        fixture.put(file, text.as_bytes());
        let told = fixture.succeed(&["install", agent, "--json"]).json();
        let needs = told["changes"][0]["needs"].to_string();
        for part in parts {
            assert!(needs.contains(part), "{agent}: `{part}` is missing in {needs}");
        }
        let settings: Value = serde_json::from_str(&fixture.project.read(file)).unwrap();
        let mut rest = settings.as_object().unwrap().clone();
        rest.remove("hooks");
        assert_eq!(
            Value::Object(rest),
            serde_json::from_str::<Value>(text).unwrap(),
            "{agent}: nothing is switched on"
        );
        assert_eq!(fixture.tree().len(), 2, "{agent}: {:?}", fixture.tree());
    }
}
