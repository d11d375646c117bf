//! What releases are made of: the description, the script and the workflow agree.

use crate::root;
use std::fs;
use toml::Table;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn description() -> Table {
    let file: Table = read("dist-workspace.toml").parse().unwrap();
    file["dist"].as_table().unwrap().clone()
}

fn words(table: &Table, key: &str) -> Vec<String> {
    table[key].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

#[test]
fn releases_have_installers_for_every_system_and_the_files_a_user_expects() {
    let dist = description();
    assert_eq!(words(&dist, "installers"), ["shell", "powershell"]);
    let targets = words(&dist, "targets");
    for system in ["linux", "darwin", "windows"] {
        assert!(targets.iter().any(|target| target.contains(system)), "nothing for {system}");
    }
    let script = read(".ci/dist-files");
    for folder in words(&dist, "include") {
        let (top, name) = folder.rsplit_once('/').unwrap();
        assert!(script.contains(&format!("folder={top}\n")) && script.contains(&format!("$folder/{name}")), "{folder}");
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md"] {
        assert!(root().join(file).is_file(), "there is no {file}");
    }
}

#[test]
fn the_release_workflow_is_the_one_the_description_generates() {
    let dist = description();
    let workflow = read(".github/workflows/release.yml");
    let version = dist["cargo-dist-version"].as_str().unwrap();
    assert!(workflow.contains(&format!("/download/v{version}/")), "another dist: run `dist generate`");
    let setup = dist["github-build-setup"].as_str().unwrap().replace("../", ".github/");
    let step = read(&setup);
    let command = step.lines().find_map(|line| line.trim().strip_prefix("run: ")).unwrap();
    assert!(workflow.contains(command), "`{command}` is not run: run `dist generate`");
}

#[test]
fn completions_of_every_shell_are_packed() {
    let help =
        std::process::Command::new(env!("CARGO_BIN_EXE_hookrail")).args(["completions", "--help"]).output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let shells = help.split("[possible values: ").nth(1).unwrap().split(']').next().unwrap();
    let script = read(".ci/dist-files");
    for shell in shells.split(", ") {
        assert!(script.contains(&format!("completions {shell} >")), "{shell} is missing");
    }
}
