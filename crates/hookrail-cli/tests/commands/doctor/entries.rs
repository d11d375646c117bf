use crate::doctor::health::healthy;
use crate::doctor::machine::DoctorFixture;

fn installed() -> DoctorFixture {
    let machine = DoctorFixture::new();
    machine.run(&["install", "claude"]);
    machine
}

/// Installed where the user has switched off pack `safety`, which looks at every tool.
fn installed_without_safety() -> DoctorFixture {
    let machine = DoctorFixture::new().file("home/.config/hookrail/hookrail.toml", WITHOUT_SAFETY);
    machine.run(&["install", "claude"]);
    machine
}

const WITHOUT_SAFETY: &str = "[packs.safety]\nenabled = false\n";

/// A settings file of Claude Code with one hook before tools.
fn with_hook(matcher: &str, command: &str) -> String {
    format!(
        "{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"{matcher}\", \"hooks\": [{{\"type\": \"command\", \"command\": \"{command}\"}}]}}]}}}}"
    )
}

#[test]
fn entries_that_are_not_as_installed_are_told() {
    let machine = installed();
    machine.doctor(&[]).expect("Hook entries", "ok", "as installed");
    let settings = machine.read("p/.claude/settings.json");
    let cases = [
        (settings.replace("15", "1"), "changed: PreToolUse"),
        (settings.replace("PermissionRequest", "Stop"), "removed: PermissionRequest"),
        ("{".to_owned(), "cannot be read"),
    ];
    for (text, expected) in cases {
        machine.write("p/.claude/settings.json", &text);
        let checkup = machine.doctor(&[]);
        checkup.expect("Hook entries", "error", expected);
        assert_eq!(checkup.code, 3, "{expected}");
    }
    machine.remove("p/.claude/settings.json");
    machine.doctor(&[]).expect("Hook entries", "error", "is gone");
}

#[test]
fn entries_written_by_hand_count_as_well() {
    let machine = DoctorFixture::new();
    machine.doctor(&[]).expect("Hook entries", "warning", "in no agent's configuration");
    machine.write("p/.claude/settings.json", &with_hook("Bash", "hookrail hook"));
    machine.doctor(&[]).expect("Hook entries", "ok", "written by hand");
}

#[test]
fn an_entry_for_another_agent_is_wrong() {
    let machine = DoctorFixture::new();
    for command in ["hookrail hook --agent gemini", "hookrail hook --agent=gemini"] {
        machine.write("p/.claude/settings.json", &with_hook("Bash", command));
        machine.doctor(&[]).expect("Hook entries", "error", "says `--agent gemini` to Claude Code");
    }
}

#[test]
fn an_event_that_is_decided_twice_is_told() {
    let cases = [
        ("Bash", "hookrail hook", true),
        ("*", "hookrail hook --pack core", true),
        ("TodoWrite", "hookrail hook", false),
    ];
    for (matcher, command, twice) in cases {
        let machine = installed_without_safety();
        machine.write("home/.claude/settings.json", &with_hook(matcher, command));
        let told = machine.doctor(&[]).area("Hook entries").iter().any(|line| line.contains("asks hookrail twice"));
        assert_eq!(told, twice, "{matcher} {command}");
    }
    let machine = DoctorFixture::new();
    machine.write("p/.claude/settings.json", &with_hook("Bash", "hookrail hook --pack fsm"));
    machine.write("home/.claude/settings.json", &with_hook("Bash", "hookrail hook --pack core"));
    let area = machine.doctor(&[]).area("Hook entries");
    assert!(!area.iter().any(|line| line.contains("twice")), "different packs: {area:?}");
}

#[test]
fn hooks_of_others_that_get_in_the_way_are_told() {
    let rewriting =
        "import json\nprint(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'updatedInput': {}}}))\n";
    let refusing = "import sys\nprint('no', file=sys.stderr)\nsys.exit(2)\n";
    let cases = [
        ("Bash", rewriting, "also rewrites"),
        ("Bash", refusing, "also refuses"),
        ("Bash", "pass\n", ""),
        ("TodoWrite", refusing, ""),
    ];
    for (matcher, script, expected) in cases {
        let machine = installed_without_safety().file("p/other.py", script);
        machine.write("p/.claude/settings.local.json", &with_hook(matcher, "python3 other.py"));
        let area = machine.doctor(&[]).area("Hook files");
        match expected {
            "" => assert_eq!(area, ["ok 1 hook of others, no known mistakes"], "{matcher} {script}"),
            expected => assert!(area[0].starts_with("warning ") && area[0].contains(expected), "{area:?}"),
        }
    }
}

#[test]
fn known_mistakes_of_other_hooks_are_told() {
    let machine = installed().file("p/guard.sh", "echo 'denied' >&2\nexit 1\n");
    machine.write("p/.claude/settings.local.json", &with_hook("Bash", "bash guard.sh"));
    machine.doctor(&[]).expect("Hook files", "error", "guard.sh:2:1 exit code 1 does not stop Claude Code");
}

#[test]
fn plugins_that_are_switched_on_are_looked_into() {
    let plugins = |machine: &DoctorFixture| {
        let path = machine.at("home/plugin").display().to_string();
        format!("{{\"version\": 2, \"plugins\": {{\"x@y\": [{{\"scope\": \"user\", \"installPath\": \"{path}\"}}]}}}}")
    };
    let machine = installed().file("home/plugin/hooks/hooks.json", r#"{"hooks": {"BeforeTool": []}}"#);
    machine.write("home/.claude/plugins/installed_plugins.json", &plugins(&machine));
    machine.doctor(&[]).expect("Hook files", "ok", "no hooks of others");
    machine.write("home/.claude/settings.json", r#"{"enabledPlugins": {"x@y": true}}"#);
    machine.doctor(&[]).expect("Hook files", "error", "no event `BeforeTool`");
}

/// What changes after `install`, what the doctor says about it, and the command that mends it.
#[test]
fn drift_between_configuration_and_entries_is_wrong_until_the_command_it_names_is_run() {
    let added = "[[command]]\nname = \"log\"\nevent = \"SessionEnd\"\ncommand = \"true\"\n";
    let wider = "[[command]]\nname = \"log\"\nevent = \"BeforeTool\"\ncommand = \"true\"\n";
    let slower = "[hooks.\"core/protected-paths\"]\ntimeout = \"90s\"\n";
    let cases = [
        (added, "do not reach what is enabled now: `SessionEnd`"),
        (wider, "do not reach what is enabled now: `PreToolUse` of "),
        (slower, "more time at `PreToolUse`"),
    ];
    for (config, part) in cases {
        let config = format!("{WITHOUT_SAFETY}{config}");
        let machine = installed_without_safety().file("home/.config/hookrail/hookrail.toml", &config);
        let checkup = machine.doctor(&[]);
        checkup.expect("Hook entries", "error", part);
        assert_eq!(checkup.code, 3, "{config}");
        machine.run(&["install", "claude", "--scope", "project"]);
        machine.doctor(&[]).expect("Hook entries", "ok", "as installed");
    }
}

#[test]
fn entries_in_a_file_that_the_agent_drops_are_no_entries() {
    let machine = healthy();
    let settings = machine.read("p/.claude/settings.json");
    machine.write("p/.claude/settings.json", &format!("// mine\n{settings}"));
    let checkup = machine.doctor(&[]);
    checkup.expect("Hook entries", "error", "Claude Code does not read");
    assert_eq!(checkup.code, 3);
}

#[test]
fn strict_takes_a_warning_for_a_failure() {
    let machine = healthy()
        .file("home/.config/hookrail/hookrail.toml", "[dev_mode]\nfile = \".hookrail-dev\"\n")
        .file("p/.hookrail-dev", "");
    let usual = machine.doctor(&[]);
    assert_eq!(usual.code, 0, "{usual:?}");
    assert_eq!(machine.doctor(&["--strict"]).code, 1);
}

#[test]
fn nothing_is_said_against_entries_that_install_wrote_for_all_packs() {
    let packs = ["fsm", "isdlc", "orchestrator", "planning"].map(|pack| format!("[packs.{pack}]\nenabled = true\n"));
    let machine = DoctorFixture::new().file("p/.hookrail/hookrail.toml", &packs.concat());
    for install in [&["install", "claude"][..], &["install", "claude", "--verifier", "agent"], &["install", "gemini"]] {
        machine.run(install);
        let checkup = machine.doctor(&[]);
        for area in ["Hook entries", "Hook files"] {
            let lines = checkup.area(area);
            assert!(lines.iter().all(|line| line.starts_with("ok ")), "{install:?}: {lines:#?}");
        }
    }
}

#[test]
fn entries_that_are_silent_without_the_program_are_told_when_it_is_missing() {
    let machine = DoctorFixture::new();
    machine.run(&["install", "claude", "--pack", "orchestrator"]);
    machine.remove("bin/hookrail");
    let checkup = machine.doctor(&[]);
    checkup.expect("Program", "error", "not in PATH");
    assert!(checkup.json.to_string().contains("says nothing"), "{}", checkup.json);
}
