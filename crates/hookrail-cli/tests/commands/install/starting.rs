//! `hookrail init`.

use crate::install::scene::Scene;

#[test]
fn a_new_configuration_is_right_and_does_what_was_asked() {
    let scene = Scene::new();
    let words =
        ["init", "--pack", "isdlc", "--mode", "warn", "--event-log", "--protect", "secrets/", "--protect", "a\"b"];
    scene.succeed(&words).assert_has(&[".hookrail/hookrail.toml", ".gitignore", "install claude`"]);
    let text = scene.project.read(".hookrail/hookrail.toml");
    for part in
        ["#:schema ./hookrail.schema.json", "[packs.isdlc]\nenabled = true\nmode = \"warn\"", r#"["secrets/", "a\"b"]"#]
    {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert!(scene.project.read(".hookrail/hookrail.schema.json").contains("\"hookrail.toml\""));
    assert_eq!(scene.project.read(".hookrail/.gitignore").lines().last(), Some("/local.toml"));
    let told = scene.succeed(&["install", "claude", "--dry-run", "--json"]).json();
    assert!(told["changes"][0]["events"].as_array().unwrap().len() > 10, "the event log needs every event: {told}");
}

#[test]
fn a_configuration_that_is_there_is_kept_or_backed_up() {
    let scene = Scene::new();
    scene.put(".hookrail/hookrail.toml", b"# mine\n");
    scene.put(".hookrail/.gitignore", b"# mine\n");
    scene.refuse(&["init", "--yes"]).assert_has(&["exists already", "--force"]);
    assert_eq!(scene.project.read(".hookrail/hookrail.toml"), "# mine\n");
    let told = scene.succeed(&["init", "--force", "--json"]).json();
    let backup = told["backup"].as_str().unwrap();
    assert!(backup.starts_with(scene.home.path().to_str().unwrap()), "{backup}");
    assert_eq!(std::fs::read_to_string(backup).unwrap(), "# mine\n");
    assert_ne!(scene.project.read(".hookrail/hookrail.toml"), "# mine\n");
    assert_eq!(scene.project.read(".hookrail/.gitignore"), "# mine\n");
}

#[test]
fn the_users_configuration_is_written_where_the_user_keeps_it() {
    let mut scene = Scene::new();
    scene.succeed(&["init", "--scope", "user", "--yes"]).assert_has(&["install claude --scope user`"]);
    assert!(scene.home.read(".config/hookrail/hookrail.toml").contains("#[dev_mode]"));
    assert!(!scene.home.path().join(".config/hookrail/.gitignore").exists());
    let moved = scene.home.path().join("elsewhere");
    scene.env.push(("XDG_CONFIG_HOME", moved.display().to_string()));
    scene.succeed(&["init", "--scope", "user", "--yes"]);
    assert!(moved.join("hookrail/hookrail.toml").exists());
    assert!(scene.tree().is_empty());
}

#[test]
fn wrong_flags_write_nothing() {
    let scene = Scene::new();
    let cases: [(&[&str], &str); 4] = [
        (&["init", "--pack", "nonsense"], "unknown pack `nonsense`"),
        (&["init", "--mode", "off"], "enforce"),
        (&["init", "--protect", " "], "is no path"),
        (&["init", "--minimal", "--event-log"], "cannot be used with"),
    ];
    for (words, part) in cases {
        scene.refuse(words).assert_has(&[part]);
    }
    assert!(scene.tree().is_empty());
}

#[test]
fn on_a_terminal_it_asks_and_flags_answer() {
    let scene = Scene::new();
    // Relaxed, one path that is not written, none that is not read, no daily work; of the packs only fsm, warnings only, no
    // event log. An answer that is none is asked for again.
    let Some(said) = scene.on_terminal("init", "perhaps\nrelaxed\n*.pem\n\nn\ny\nn\nn\nn\ny\nn\n") else {
        eprintln!("there is no `script` here, so nobody was asked");
        return;
    };
    assert_eq!(said.code, Some(0), "{said:?}");
    said.assert_has(&["[y/N]", "`perhaps` is none of relaxed, balanced, strict", "wrote"]);
    let text = scene.project.read(".hookrail/hookrail.toml");
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
    let said = scene.on_terminal("init --force --event-log", "").unwrap();
    assert!(said.code == Some(0) && !said.out.contains("[y/N]"), "{said:?}");
}
