//! Uninstall leaves a file as it was before install, byte for byte.

use crate::install::fixture::{AGENTS, Agent, InstallFixture};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

/// Settings in the styles people and programs write. `EVENT` is the agent's event before a tool, `ROOT` a key it allows
/// beside `hooks`.
const STYLES: [(&str, &str); 24] = [
    ("two spaces", "{\n  \"ROOT\": \"x\"\n}\n"),
    ("four spaces", "{\n    \"ROOT\": \"x\"\n}\n"),
    ("tabs", "{\n\t\"ROOT\": \"x\"\n}\n"),
    ("no final newline", "{\n  \"ROOT\": \"x\"\n}"),
    ("CRLF", "{\r\n  \"ROOT\": \"x\"\r\n}\r\n"),
    ("CRLF and tabs, no final newline", "{\r\n\t\"ROOT\": \"x\"\r\n}"),
    ("a byte order mark", "\u{feff}{\n  \"ROOT\": \"x\"\n}\n"),
    ("a byte order mark and nothing else", "\u{feff}"),
    ("minified", "{\"ROOT\":\"x\",\"hooks\":{\"EVENT\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}]}}"),
    ("one line with spaces", "{ \"ROOT\": \"x\", \"hooks\": { \"EVENT\": [] } }\n"),
    ("line comments", "// mine\n{\n  // about\n  \"ROOT\": \"x\" // why\n  // the end\n}\n// bye\n"),
    ("block comments", "/* mine */ {\n  \"ROOT\": /* v */ \"x\" /* why */\n  /* the\n     end */\n}\n"),
    (
        "trailing commas",
        "{\n  \"ROOT\": \"x\",\n  \"hooks\": {\n    \"EVENT\": [\n      {\"hooks\": [],},\n    ],\n  },\n}\n",
    ),
    ("a trailing comma and a comment", "{\n  \"ROOT\": \"x\", // why\n}\n"),
    ("empty", ""),
    ("white space only", " \n\n"),
    ("an empty object", "{}"),
    ("an empty object with space", "{ }\n"),
    ("an empty object over lines", "{\n\n}\n"),
    ("an empty object with a comment", "{\n  // nothing yet\n}\n"),
    ("empty hooks", "{\n  \"hooks\": { }\n}\n"),
    ("an empty event", "{\n  \"hooks\": {\n    \"EVENT\": [ ]\n  }\n}\n"),
    (
        "hooks of others on the same event",
        "{\n  \"hooks\": {\n    \"EVENT\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"./a.sh\", \"timeout\": 7 },\n          { \"type\": \"command\", \"command\": \"./b.sh\" }\n        ]\n      },\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"c\" }] }\n    ],\n    \"SessionStart\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"d\" }] }]\n  },\n  \"ROOT\": \"ü — \\u00fc\"\n}\n",
    ),
    (
        "odd indentation and keys that come twice",
        "{\n   \"ROOT\": \"x\",\n      \"hooks\": {},\n \"ROOT\": \"y\",\n   \"hooks\":   {\n \"EVENT\":[\n]}}\n\n\n",
    ),
];

/// The agent that reads every style.
const CURSOR: Agent = Agent { name: "cursor", file: ".cursor/hooks.json", before_tool: "preToolUse" };

fn style(text: &str, agent: Agent) -> String {
    let root = if agent.name == "codex" { "description" } else { "model" };
    let text = if agent.name == "cursor" { text.replace("SessionStart", "sessionStart") } else { text.to_owned() };
    text.replace("EVENT", agent.before_tool).replace("ROOT", root)
}

/// Whether the agent reads a file of this style; into others nothing is installed.
fn is_read(agent: Agent, case: &str) -> bool {
    let style = hookrail_dialects::agent(agent.name).unwrap().json;
    (style.comments || !case.contains("comment"))
        && (style.trailing_commas || !case.contains("trailing comma"))
        && (style.byte_order_mark || !case.contains("byte order mark"))
}

/// Installs twice and uninstalls twice.
fn check(fixture: &InstallFixture, agent: Agent, case: &str) {
    let before = fixture.bytes(agent.file);
    let tree = fixture.tree();
    fixture.succeed(&["install", agent.name]).assert_has(&["installed"]);
    let installed = fixture.bytes(agent.file).unwrap();
    let text = String::from_utf8(installed.clone()).unwrap();
    assert!(text.contains(&format!("hookrail-hook --agent {}", agent.name)), "{case}: {text}");
    if case.contains("CRLF") {
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{case}: {text:?}");
    }
    fixture.succeed(&["install", agent.name]).assert_has(&["nothing to do"]);
    assert_eq!(fixture.bytes(agent.file).unwrap(), installed, "{case}: installed once more");
    fixture.succeed(&["uninstall", agent.name]).assert_has(&["uninstalled"]);
    let after = fixture.bytes(agent.file);
    assert_eq!(after.map(String::from_utf8), before.map(String::from_utf8), "{case} ({})", agent.name);
    assert_eq!(fixture.tree(), tree, "{case}: something else was left or lost");
    fixture.succeed(&["uninstall", agent.name]).assert_has(&["nothing to do"]);
}

#[test]
fn a_file_of_any_style_is_byte_for_byte_as_before() {
    for agent in AGENTS.into_iter().chain([CURSOR]) {
        for (case, text) in STYLES.into_iter().filter(|(case, _)| is_read(agent, case)) {
            let fixture = InstallFixture::new();
            fixture.put(agent.file, style(text, agent).as_bytes());
            check(&fixture, agent, case);
        }
    }
}

#[test]
fn a_file_of_any_style_that_somebody_edited_is_as_before_but_for_the_edit() {
    for agent in AGENTS.into_iter().chain([CURSOR]) {
        for (case, text) in STYLES.into_iter().filter(|(case, _)| is_read(agent, case)) {
            let fixture = InstallFixture::new();
            let before = style(text, agent);
            fixture.put(agent.file, before.as_bytes());
            fixture.succeed(&["install", agent.name]);
            let edit = "\n\n";
            fixture.put(agent.file, (fixture.project.read(agent.file) + edit).as_bytes());
            fixture.succeed(&["uninstall", agent.name]).assert_has(&["uninstalled"]);
            // Where there was nothing, there is nothing to put an edit behind.
            let nothing = before.trim_matches(['\u{feff}', ' ', '\n']).is_empty();
            let expected = if nothing { before } else { before + edit };
            assert_eq!(fixture.project.read(agent.file), expected, "{case} ({})", agent.name);
        }
    }
}

#[test]
fn a_file_that_was_not_there_is_not_there_afterwards() {
    for agent in AGENTS {
        let fixture = InstallFixture::new();
        check(&fixture, agent, "no folder");
        std::fs::create_dir(fixture.path(agent.file).parent().unwrap()).unwrap();
        check(&fixture, agent, "a folder");
    }
}

#[test]
fn a_link_stays_a_link_and_its_target_is_changed() {
    for agent in AGENTS {
        let fixture = InstallFixture::new();
        fixture.put("dotfiles/real.json", b"{\n\t\"description\": \"x\"\n}");
        let link = fixture.path(agent.file);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink("../dotfiles/real.json", &link).unwrap();
        fixture.succeed(&["install", agent.name]).assert_has(&["link to", "dotfiles/real.json"]);
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert!(fixture.project.read("dotfiles/real.json").contains("hookrail-hook"), "{}", agent.name);
        fixture.succeed(&["uninstall", agent.name]);
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fixture.project.read("dotfiles/real.json"), "{\n\t\"description\": \"x\"\n}");
    }
}

#[test]
fn permissions_stay_and_a_read_only_file_is_left_alone() {
    for agent in AGENTS {
        let fixture = InstallFixture::new();
        fixture.put(agent.file, b"{}\n");
        let mode = || fixture.path(agent.file).metadata().unwrap().permissions().mode() & 0o777;
        for wanted in [0o600, 0o640, 0o664] {
            std::fs::set_permissions(fixture.path(agent.file), PermissionsExt::from_mode(wanted)).unwrap();
            fixture.succeed(&["install", agent.name]);
            assert_eq!(mode(), wanted, "{}", agent.name);
            fixture.succeed(&["uninstall", agent.name]);
            assert_eq!(mode(), wanted, "{}", agent.name);
        }
        std::fs::set_permissions(fixture.path(agent.file), PermissionsExt::from_mode(0o444)).unwrap();
        fixture.refuse(&["install", agent.name]).assert_has(&["is read-only", "chmod u+w"]);
        assert_eq!(fixture.bytes(agent.file).unwrap(), b"{}\n");
        fixture.succeed(&["uninstall", agent.name]).assert_has(&["nothing to do"]);
    }
}

#[test]
fn agents_that_are_installed_at_the_same_time_do_not_forget_each_other() {
    let fixture = InstallFixture::new();
    for agent in AGENTS {
        fixture.put(agent.file, b"{ }");
    }
    let start = |agent: &Agent| fixture.command(&["install", agent.name]).stdout(Stdio::null()).spawn().unwrap();
    let children: Vec<_> = AGENTS.iter().map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    fixture.succeed(&["uninstall", "claude", "gemini", "llxprt", "codex"]);
    for agent in AGENTS {
        // Only who remembers the file knows of the space.
        assert_eq!(fixture.bytes(agent.file).unwrap(), b"{ }", "{}", agent.name);
    }
}
