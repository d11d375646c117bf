//! Every agent of the table: its file in the form the agent reads, and nothing left of it afterwards.

use crate::install::fixture::InstallFixture;
use hookrail_dialects::{FileRole, Layout, Scope};
use serde_json::{Value, json};

/// The scope to install into, and the file below its folder.
fn place(agent: &hookrail_dialects::Agent) -> (&'static str, String) {
    let files = || agent.format.files_here().filter(|file| file.role == FileRole::Install);
    let project = files().find(|file| file.scope == Scope::Project);
    let file = project.or_else(|| files().find(|file| file.scope == Scope::User)).unwrap();
    let scope = if project.is_some() { "project" } else { "user" };
    (scope, format!("{}/{}", file.folder, file.file).trim_start_matches('/').to_owned())
}

fn read(fixture: &InstallFixture, scope: &str, file: &str) -> String {
    if scope == "project" { fixture.project.read(file) } else { fixture.home.read(file) }
}

#[test]
fn install_and_uninstall_know_every_agent_of_the_table() {
    for agent in hookrail_dialects::agents() {
        let fixture = InstallFixture::new();
        let (scope, file) = place(agent);
        let before = fixture.tree();
        fixture.succeed(&["install", agent.name, "--scope", scope]).assert_has(&["installed"]);
        let text = read(&fixture, scope, &file);
        let command = if agent.sharers().next().is_some() {
            "hookrail-hook".to_owned()
        } else {
            format!("hookrail-hook --agent {}", agent.name)
        };
        assert!(text.contains(&command), "{}: {text}", agent.name);
        let checked = fixture.run(&["validate", "--strict", "--ignore", "hooks-off"]);
        assert_eq!(checked.code, Some(0), "{}: {}", agent.name, checked.out);
        let again = fixture.succeed(&["install", agent.name, "--scope", scope]);
        again.assert_has(&["nothing to do"]);
        let checkup = fixture.run(&["doctor", "--json"]).json();
        let entries = checkup["areas"].as_array().unwrap().iter().find(|area| area["area"] == "Hook entries").unwrap();
        assert!(
            entries["checks"].as_array().unwrap().iter().all(|check| check["state"] == "ok"),
            "{}: {entries}",
            agent.name
        );
        fixture.succeed(&["uninstall", agent.name, "--scope", scope]).assert_has(&["uninstalled"]);
        assert_eq!(fixture.tree(), before, "{}", agent.name);
    }
}

#[test]
fn tables_of_others_and_comments_in_a_toml_file_stay() {
    let before =
        "# mine\nmodel = \"k\" # why\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"notify\" # beep\n\n[tools]\nx = 1\n";
    let fixture = InstallFixture::new();
    std::fs::create_dir_all(fixture.home.at(".kimi-code")).unwrap();
    std::fs::write(fixture.home.at(".kimi-code/config.toml"), before).unwrap();
    fixture.succeed(&["install", "kimi", "--scope", "user"]);
    let text = fixture.home.read(".kimi-code/config.toml");
    let config: toml::Table = text.parse().unwrap();
    let hooks = config["hooks"].as_array().unwrap();
    let (own, others): (Vec<_>, Vec<_>) =
        hooks.iter().partition(|it| it["command"].as_str().unwrap().contains("hookrail"));
    assert_eq!(others.len(), 1);
    let keys = |hook: &toml::Value| hook.as_table().unwrap().keys().cloned().collect::<Vec<_>>();
    let allowed = ["event", "matcher", "command", "timeout"];
    assert!(
        !own.is_empty() && own.iter().all(|hook| keys(hook).iter().all(|it| allowed.contains(&it.as_str()))),
        "{text}"
    );
    // The file is edited in the meantime.
    std::fs::write(fixture.home.at(".kimi-code/config.toml"), format!("{text}y = 2\n")).unwrap();
    fixture.succeed(&["uninstall", "kimi"]);
    assert_eq!(fixture.home.read(".kimi-code/config.toml"), format!("{before}y = 2\n"));
}

#[test]
fn droid_gets_the_form_of_the_file_that_it_reads() {
    let other = json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "x" }] }] } }).to_string();
    let hooks =
        |fixture: &InstallFixture, file: &str| serde_json::from_str::<Value>(&fixture.project.read(file)).unwrap();
    // Nothing there: events at the top level of its hook file.
    let fixture = InstallFixture::new();
    fixture.succeed(&["install", "droid"]);
    assert!(hooks(&fixture, ".factory/hooks.json")["PreToolUse"].is_array());
    // Hooks in its settings, which it would not read any more beside a hook file.
    let fixture = InstallFixture::new();
    fixture.put(".factory/settings.json", other.as_bytes());
    fixture.succeed(&["install", "droid"]);
    assert!(!fixture.path(".factory/hooks.json").exists());
    assert!(hooks(&fixture, ".factory/settings.json")["hooks"]["PreToolUse"].is_array());
    fixture.succeed(&["uninstall", "droid"]);
    assert_eq!(fixture.project.read(".factory/settings.json"), other);
    // Both: the hook file is the one that counts.
    let fixture = InstallFixture::new();
    fixture.put(".factory/settings.json", other.as_bytes());
    fixture.put(".factory/hooks.json", b"{}");
    fixture.succeed(&["install", "droid"]);
    assert!(hooks(&fixture, ".factory/hooks.json")["PreToolUse"].is_array());
    assert_eq!(fixture.project.read(".factory/settings.json"), other);
}

#[test]
fn a_script_of_somebody_else_is_not_replaced() {
    let fixture = InstallFixture::new();
    fixture.put(".clinerules/hooks/PreToolUse", b"#!/bin/sh\necho mine\n");
    fixture.refuse(&["install", "cline"]).assert_has(&["not written by hookrail", "nothing was changed"]);
    assert_eq!(fixture.project.read(".clinerules/hooks/PreToolUse"), "#!/bin/sh\necho mine\n");
}

#[cfg(unix)]
#[test]
fn a_script_can_be_run_and_answers_an_event() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = InstallFixture::new();
    fixture.succeed(&["install", "cline"]);
    let mode = std::fs::metadata(fixture.path(".clinerules/hooks/PreToolUse")).unwrap().permissions().mode();
    assert_eq!(mode & 0o100, 0o100, "{mode:o}");
    let agents = hookrail_dialects::agents().filter(|agent| agent.format.layout == Layout::Scripts).count();
    assert_eq!(agents, 1, "the forms above are all there are");
}

#[test]
#[cfg(target_os = "linux")]
fn a_managed_installation_goes_into_the_file_that_users_cannot_change() {
    let cases = [
        ("claude", "/etc/claude-code/managed-settings.json"),
        ("gemini", "/etc/gemini-cli/settings.json"),
        ("codex", "/etc/codex/hooks.json"),
    ];
    for (agent, file) in cases {
        let fixture = InstallFixture::new();
        let report = fixture.run(&["install", agent, "--scope", "managed", "--dry-run", "--json"]).json();
        let change = &report["changes"][0];
        assert_eq!(change["file"], file, "{agent}: {report}");
        assert!(!std::path::Path::new(file).exists(), "--dry-run only reads");
    }
    let fixture = InstallFixture::new();
    let refused = fixture.run(&["install", "kimi", "--scope", "managed"]);
    assert!(refused.code == Some(1) && refused.err.contains("no hooks of scope `managed`"), "{}", refused.err);
}
