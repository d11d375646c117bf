//! Where nothing can be done, nothing is changed, and it is said why.

use crate::install::fixture::{AGENTS, InstallFixture};
use std::os::unix::fs::symlink;

#[test]
fn a_file_that_is_not_as_it_should_be_is_shown_and_left_alone() {
    let cases: [(&str, &[&str]); 8] = [
        ("{\n  \"a\": oops\n}\n", &["FILE:2:8", "\"a\": oops", "nothing was changed"]),
        ("{\n  \"a\": 1\n", &["FILE:1:1", "nothing was changed"]),
        ("{\"a\": 1} trailing", &["FILE:1:", "nothing was changed"]),
        ("{'a': 1}", &["FILE:1:2", "nothing was changed"]),
        ("[1]", &["FILE:1:1", "the settings must be an object"]),
        ("\"text\"", &["the settings must be an object"]),
        ("{\n  \"hooks\": []\n}", &["FILE:2:3", "`hooks` must be an object"]),
        ("{\n  \"hooks\": {\n    \"EVENT\": {}\n  }\n}", &["FILE:3:5", "`EVENT` must be a list"]),
    ];
    for agent in AGENTS {
        for (text, expected) in cases {
            let fixture = InstallFixture::new();
            let text = text.replace("EVENT", agent.before_tool);
            fixture.put(agent.file, text.as_bytes());
            let said = fixture.refuse(&["install", agent.name]);
            for part in expected {
                let part = part.replace("EVENT", agent.before_tool).replace("FILE", agent.file);
                said.assert_has(&[&part]);
            }
            assert_eq!(said.out, "", "{text}");
            assert_eq!(fixture.bytes(agent.file).unwrap(), text.as_bytes());
        }
    }
}

#[test]
fn bytes_that_are_no_text_folders_and_links_to_nowhere_are_named() {
    let file = ".claude/settings.json";
    let fixture = InstallFixture::new();
    fixture.put(file, b"{\"a\": \"\xff\"}");
    fixture.refuse(&["install", "claude"]).assert_has(&["is not UTF-8 text"]);
    std::fs::remove_file(fixture.path(file)).unwrap();
    symlink("nowhere.json", fixture.path(file)).unwrap();
    fixture.refuse(&["install", "claude"]).assert_has(&["a link that leads nowhere"]);
    std::fs::remove_file(fixture.path(file)).unwrap();
    std::fs::create_dir(fixture.path(file)).unwrap();
    fixture.refuse(&["install", "claude"]).assert_has(&["is not a file"]);
}

#[test]
fn if_one_agent_cannot_be_done_none_is() {
    let fixture = InstallFixture::new();
    fixture.put(".gemini/settings.json", b"{");
    fixture.put(".codex/hooks.json", b"[]");
    let before = fixture.tree();
    let said = fixture.refuse(&["install", "claude", "gemini", "codex"]);
    said.assert_has(&[".gemini/settings.json:1:", ".codex/hooks.json:1:1"]);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn wrong_words_get_a_hint() {
    let fixture = InstallFixture::new();
    let cases: [(&[&str], &[&str]); 7] = [
        (&["install", "cluade"], &["unknown agent `cluade`", "did you mean `claude`?"]),
        (&["uninstall", "gemni"], &["did you mean `gemini`?"]),
        (&["install", "claude", "--pack", "isdcl"], &["unknown pack `isdcl`", "isdlc"]),
        (&["install", "codex", "--scope", "local"], &["codex has no hooks of scope `local`", "user and project"]),
        (&["install", "claude", "--scope", "all"], &["user", "project", "local"]),
        (&["install"], &["AGENT"]),
        (&["install", "codex", "--pack", "fsm"], &["pack `fsm` has nothing to do in codex"]),
    ];
    for (words, parts) in cases {
        fixture.refuse(words).assert_has(parts);
    }
    assert!(fixture.tree().is_empty(), "{:?}", fixture.tree());
}

#[test]
fn a_dry_run_shows_a_diff_and_changes_nothing() {
    let fixture = InstallFixture::new();
    fixture.put(".claude/settings.json", b"{\n\t\"a\": 1\n}\n");
    let said = fixture.succeed(&["install", "claude", "--dry-run"]);
    said.assert_has(&["--- ", "+++ ", "@@", "-\t\"a\": 1\n", "+\t\"a\": 1,\n", "+\t\t\"PreToolUse\": ["]);
    assert_eq!(fixture.project.read(".claude/settings.json"), "{\n\t\"a\": 1\n}\n");
    fixture.succeed(&["install", "gemini", "--dry-run"]).assert_has(&["--- /dev/null"]);
    assert!(!fixture.path(".gemini").exists() && !fixture.home.path().join("state").exists());
    fixture.succeed(&["install", "claude"]);
    let installed = fixture.project.read(".claude/settings.json");
    fixture.succeed(&["uninstall", "claude", "--dry-run"]).assert_has(&["-\t\t\"PreToolUse\": ["]);
    assert_eq!(fixture.project.read(".claude/settings.json"), installed);
}

#[test]
fn without_a_place_for_state_nothing_is_installed() {
    let mut fixture = InstallFixture::new();
    fixture.home.write("file", "");
    fixture.env.push(("HOOKRAIL_STATE_DIR", fixture.home.path().join("file/state").display().to_string()));
    fixture.refuse(&["install", "claude"]).assert_has(&["state"]);
    assert!(fixture.tree().is_empty());
}

#[test]
fn nothing_is_installed_into_a_file_that_its_agent_does_not_read() {
    let cases = [
        (
            "claude",
            ".claude/settings.json",
            "{\n  // mine\n  \"model\": \"x\"\n}\n",
            "does not read a file with comments",
        ),
        ("claude", ".claude/settings.json", "{\"model\": \"x\",}", "does not read a file with trailing commas"),
        ("gemini", ".gemini/settings.json", "{\"model\": \"x\",}", "does not read a file with trailing commas"),
        ("gemini", ".gemini/settings.json", "\u{feff}{}", "does not read a file with a byte order mark"),
        ("codex", ".codex/hooks.json", "{\"$schema\": \"x\"}", "rejects the whole file because of `$schema`"),
        ("codex", ".codex/hooks.json", "{} // mine", "does not read a file with comments"),
        ("cursor", ".cursor/hooks.json", "{\"hooks\": {\"PreToolUse\": []}}", "has no event `PreToolUse`"),
    ];
    for (agent, file, text, part) in cases {
        let fixture = InstallFixture::new();
        fixture.put(file, text.as_bytes());
        fixture.refuse(&["install", agent]).assert_has(&[part, "nothing was changed"]);
        assert_eq!(fixture.project.read(file), text, "{agent}");
    }
}
