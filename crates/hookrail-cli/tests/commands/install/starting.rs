//! `hookrail init`.

use crate::install::fixture::InstallFixture;

#[test]
fn a_new_configuration_is_right_and_does_what_was_asked() {
    let fixture = InstallFixture::new();
    let words =
        ["init", "--pack", "isdlc", "--mode", "warn", "--event-log", "--protect", "secrets/", "--protect", "a\"b"];
    fixture.succeed(&words).assert_has(&[".hookrail/hookrail.toml", ".gitignore", "install claude`"]);
    let text = fixture.project.read(".hookrail/hookrail.toml");
    for part in
        ["#:schema ./hookrail.schema.json", "[packs.isdlc]\nenabled = true\nmode = \"warn\"", r#"["secrets/", "a\"b"]"#]
    {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert!(fixture.project.read(".hookrail/hookrail.schema.json").contains("\"hookrail.toml\""));
    assert_eq!(fixture.project.read(".hookrail/.gitignore").lines().last(), Some("/local.toml"));
    let told = fixture.succeed(&["install", "claude", "--dry-run", "--json"]).json();
    assert!(told["changes"][0]["events"].as_array().unwrap().len() > 10, "the event log needs every event: {told}");
}

#[test]
fn a_configuration_that_is_there_is_kept_or_backed_up() {
    let fixture = InstallFixture::new();
    fixture.put(".hookrail/hookrail.toml", b"# mine\n");
    fixture.put(".hookrail/.gitignore", b"# mine\n");
    fixture.refuse(&["init", "--yes"]).assert_has(&["exists already", "--force"]);
    assert_eq!(fixture.project.read(".hookrail/hookrail.toml"), "# mine\n");
    let told = fixture.succeed(&["init", "--force", "--json"]).json();
    let backup = told["backup"].as_str().unwrap();
    assert!(backup.starts_with(fixture.home.path().to_str().unwrap()), "{backup}");
    assert_eq!(std::fs::read_to_string(backup).unwrap(), "# mine\n");
    assert_ne!(fixture.project.read(".hookrail/hookrail.toml"), "# mine\n");
    assert_eq!(fixture.project.read(".hookrail/.gitignore"), "# mine\n");
}

#[test]
fn the_users_configuration_is_written_where_the_user_keeps_it() {
    let mut fixture = InstallFixture::new();
    fixture.succeed(&["init", "--scope", "user", "--yes"]).assert_has(&["install claude --scope user`"]);
    assert!(fixture.home.read(".config/hookrail/hookrail.toml").contains("#[dev_mode]"));
    assert!(!fixture.home.path().join(".config/hookrail/.gitignore").exists());
    let moved = fixture.home.path().join("elsewhere");
    fixture.env.push(("XDG_CONFIG_HOME", moved.display().to_string()));
    fixture.succeed(&["init", "--scope", "user", "--yes"]);
    assert!(moved.join("hookrail/hookrail.toml").exists());
    assert!(fixture.tree().is_empty());
}

#[test]
fn wrong_flags_write_nothing() {
    let fixture = InstallFixture::new();
    let cases: [(&[&str], &str); 4] = [
        (&["init", "--pack", "nonsense"], "unknown pack `nonsense`"),
        (&["init", "--mode", "off"], "enforce"),
        (&["init", "--protect", " "], "is no path"),
        (&["init", "--minimal", "--event-log"], "cannot be used together with"),
    ];
    for (words, part) in cases {
        fixture.refuse(words).assert_has(&[part]);
    }
    assert!(fixture.tree().is_empty());
}

#[test]
fn on_a_terminal_it_asks_and_flags_answer() {
    let fixture = InstallFixture::new();
    // Relaxed, one path that is not written, none that is not read, no daily work; of the packs only fsm, warnings only, no
    // event log. An answer that is none is asked for again.
    let Some(said) = fixture.on_terminal("init", "perhaps\nrelaxed\n*.pem\n\nn\ny\nn\nn\nn\ny\nn\n") else {
        eprintln!("there is no `script` here, so no question was asked");
        return;
    };
    assert_eq!(said.code, Some(0), "{said:?}");
    said.assert_has(&["[y/N]", "`perhaps` is none of relaxed, balanced, strict", "wrote"]);
    let text = fixture.project.read(".hookrail/hookrail.toml");
    let set: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let expected = [
        "[safety]",
        "level = \"relaxed\"",
        "[core]",
        "protected = [\"*.pem\"]",
        "[packs.fsm]",
        "enabled = true",
        "mode = \"warn\"",
    ];
    assert_eq!(set, expected);
    let said = fixture.on_terminal("init --force --event-log", "").unwrap();
    assert!(said.code == Some(0) && !said.out.contains("[y/N]"), "{said:?}");
}
