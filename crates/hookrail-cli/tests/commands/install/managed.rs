//! Entries of the administrator: real files below an `/etc` of the test's own, seen by root and by users.
#![cfg(target_os = "linux")]

use crate::install::fixture::{InstallFixture, InstallRun};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A machine with an `/etc` that nothing else sees.
struct ManagedMachine {
    fixture: InstallFixture,
    etc: tempfile::TempDir,
}

impl ManagedMachine {
    /// `None` where no file system can be mounted, which is said.
    fn new() -> Option<Self> {
        let machine = Self { fixture: InstallFixture::new(), etc: tempfile::tempdir().unwrap() };
        let probe = machine.with_etc(Path::new("/bin/true")).output();
        if probe.is_ok_and(|output| output.status.success()) {
            return Some(machine);
        }
        eprintln!("NOT RUN: a folder cannot be mounted over /etc here (it takes root, and a machine that lets it)");
        None
    }

    fn with_etc(&self, program: &Path) -> Command {
        let mut command = Command::new("unshare");
        command.args(["-m", "--propagation", "private", "/bin/sh", "-c", r#"mount --bind "$0" /etc && exec "$@""#]);
        command.arg(self.etc.path()).arg(program);
        command
    }

    /// Runs hookrail as this user, whose state nobody else has.
    fn run_as(&self, user: &str, words: &[&str], variables: &[(&str, &str)]) -> InstallRun {
        let plain = self.fixture.command(words);
        let mut command = self.with_etc(Path::new(plain.get_program()));
        command.args(words).current_dir(self.fixture.project.path()).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("HOOKRAIL_STATE_DIR", self.fixture.home.path().join(user)).envs(variables.iter().copied());
        InstallRun::after(&mut command, "")
    }

    #[track_caller]
    fn root(&self, words: &[&str]) -> InstallRun {
        let run = self.run_as("root", words, &[]);
        assert_eq!(run.code, Some(0), "{words:?}: {run:?}");
        run
    }

    /// What a user's doctor finds about the entries: state and text of each.
    fn checkup(&self, variables: &[(&str, &str)]) -> String {
        let report = self.run_as("user", &["doctor", "--json"], variables).json();
        let areas = report["areas"].as_array().unwrap();
        let entries = areas.iter().find(|area| area["area"] == "Hook entries").unwrap();
        let checks = entries["checks"].as_array().unwrap().iter();
        checks
            .map(|check| format!("{}: {}\n", check["state"].as_str().unwrap(), check["what"].as_str().unwrap()))
            .collect()
    }

    fn etc(&self, file: &str) -> PathBuf {
        self.etc.path().join(file)
    }

    fn read(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.etc(file)).ok()
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::create_dir_all(self.etc(file).parent().unwrap()).unwrap();
        std::fs::write(self.etc(file), text).unwrap();
    }

    fn is_empty(&self) -> bool {
        std::fs::read_dir(self.etc.path()).unwrap().next().is_none()
    }
}

#[test]
fn every_user_sees_whether_the_entries_of_the_administrator_are_intact() {
    let Some(machine) = ManagedMachine::new() else { return };
    for (agent, title, file) in [
        ("claude", "Claude Code", "claude-code/managed-settings.json"),
        ("gemini", "Gemini CLI", "gemini-cli/settings.json"),
        ("codex", "Codex", "codex/hooks.json"),
    ] {
        machine.root(&["install", agent, "--scope", "managed"]);
        assert!(machine.checkup(&[]).contains(&format!("ok: {title} (managed)")), "{}", machine.checkup(&[]));
        let installed = machine.read(file).unwrap();
        machine.write(file, "{}");
        let told = machine.checkup(&[]);
        assert!(told.contains(&format!("{title} (managed): /etc/{file} is not as installed; removed: ")), "{told}");
        machine.write(file, &installed);
        machine.root(&["uninstall", agent, "--scope", "managed"]);
        assert!(machine.is_empty(), "{agent}");
    }
}

#[test]
fn codex_is_kept_from_being_switched_off_by_its_user() {
    const FILE: &str = "codex/requirements.toml";
    let cases = [
        ("no file", None, "[features]\nhooks = true\n"),
        (
            "settings of the administrator",
            Some("# ours\nallowed = [1] # why\n"),
            "# ours\nallowed = [1] # why\n\n[features]\nhooks = true\n",
        ),
        ("other features", Some("[features]\nplugins = false\n"), "[features]\nplugins = false\nhooks = true\n"),
        ("an inline table", Some("features = { plugins = false }\n"), "features = { plugins = false, hooks = true }\n"),
        ("on already", Some("[features]\nhooks = true # set by us\n"), "[features]\nhooks = true # set by us\n"),
    ];
    let Some(machine) = ManagedMachine::new() else { return };
    for (name, before, expected) in cases {
        before.into_iter().for_each(|text| machine.write(FILE, text));
        machine.root(&["install", "codex", "--scope", "managed"]);
        assert_eq!(machine.read(FILE).as_deref(), Some(expected), "{name}");
        machine.root(&["install", "codex", "--scope", "managed"]).assert_has(&["nothing to do"]);
        assert!(machine.checkup(&[]).contains("ok: Codex (managed)"), "{name}");
        // An administrator goes on editing the file.
        machine.write(FILE, &format!("x = 1\n{expected}"));
        assert!(machine.checkup(&[]).contains("ok: Codex (managed)"), "{name}");
        machine.write(FILE, expected);
        machine.root(&["uninstall", "codex", "--scope", "managed"]);
        assert_eq!(machine.read(FILE).as_deref(), before, "{name}: as it was");
        let _ = std::fs::remove_dir_all(machine.etc("codex"));
        assert!(machine.is_empty(), "{name}");
    }
}

#[test]
fn a_switch_that_was_turned_off_is_told_and_what_others_added_stays() {
    const FILE: &str = "codex/requirements.toml";
    let Some(machine) = ManagedMachine::new() else { return };
    machine.root(&["install", "codex", "--scope", "managed"]);
    for altered in ["", "[features]\nhooks = false\n", "[features]\nhooks = \"no\"\n", "[features\n"] {
        machine.write(FILE, altered);
        let told = machine.checkup(&[]);
        assert!(told.contains("removed: `features.hooks = true` in /etc/codex/requirements.toml"), "{altered}: {told}");
    }
    machine.write(FILE, "[features]\nhooks = false\n");
    let refused = machine.run_as("root", &["install", "codex", "--scope", "managed"], &[]);
    refused.assert_has(&["`features.hooks` is `false`", "requirements.toml:2:", "nothing was changed"]);
    assert_eq!(refused.code, Some(1));
    machine.write(FILE, "");
    machine.root(&["install", "codex", "--scope", "managed"]);
    machine.write(FILE, "[features]\nhooks = true\nplugins = false\n");
    machine.root(&["uninstall", "codex", "--scope", "managed"]);
    assert_eq!(machine.read(FILE).as_deref(), Some("[features]\nplugins = false\n"));
    assert!(machine.read("codex/hooks.json").is_none());
}

#[test]
fn a_variable_that_makes_gemini_read_another_file_is_told() {
    let Some(machine) = ManagedMachine::new() else { return };
    machine.root(&["install", "gemini", "--scope", "managed"]);
    let variable = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
    let told = machine.checkup(&[(variable, "/home/eve/own.json")]);
    assert!(told.contains(&format!("Gemini CLI (managed): `{variable}` is set")), "{told}");
    for harmless in ["", "/etc/gemini-cli/settings.json"] {
        assert!(machine.checkup(&[(variable, harmless)]).contains("ok: Gemini CLI (managed)"), "{harmless}");
    }
}
