//! How hookrail ends: 0, 1 or 3, and never with the code that agents take for a block.

use hookrail_testkit::project::TempProject;
use std::process::{Command, Stdio};

fn code(folder: &TempProject, args: &[&str]) -> Option<i32> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookrail"));
    command.args(args).current_dir(folder.path()).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder.path());
    command.env("HOOKRAIL_STATE_DIR", folder.at("state")).stdin(Stdio::null());
    command.output().unwrap().status.code()
}

/// Every command that the help lists.
fn commands() -> Vec<String> {
    let help = Command::new(env!("CARGO_BIN_EXE_hookrail")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn a_wrong_command_line_is_never_taken_for_a_block() {
    let folder = TempProject::new();
    let commands = commands();
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands.iter().filter(|command| *command != "help") {
        assert_eq!(code(&folder, &[command, "--help"]), Some(0), "{command} --help");
        assert_eq!(code(&folder, &[command, "--no-such-flag"]), Some(1), "{command} --no-such-flag");
        assert_eq!(
            code(&folder, &[command, "no/such", "words", "at", "all", "--json=5"]),
            Some(1),
            "{command} no such"
        );
    }
    for args in [&[][..], &["no-such-command"], &["--no-such-flag"]] {
        assert_eq!(code(&folder, args), Some(1), "{args:?}");
    }
    for args in [&["--version"][..], &["--help"], &["help", "log"]] {
        assert_eq!(code(&folder, args), Some(0), "{args:?}");
    }
}

#[test]
fn what_only_looks_ends_well_where_there_is_nothing_to_see() {
    let folder = TempProject::new();
    for args in [
        &["log"][..],
        &["log", "--verify"],
        &["stats"],
        &["stats", "--json"],
        &["replay"],
        &["list"],
        &["trust", "--list"],
        &["fsm", "check"],
        &["schema"],
        &["man"],
        &["completions", "bash"],
    ] {
        assert_eq!(code(&folder, args), Some(0), "{args:?}");
    }
}

#[test]
fn a_check_that_finds_something_ends_with_three() {
    let folder = TempProject::new().file("fsm.json", "[{}]").file("state/journal/000000000001.jsonl", "no record\n");
    for args in
        [&["fsm", "check"][..], &["fsm", "check", "--json"], &["log", "--verify"], &["log", "--verify", "--json"]]
    {
        assert_eq!(code(&folder, args), Some(3), "{args:?}");
    }
}

#[test]
fn work_that_cannot_be_done_ends_with_one() {
    let folder = TempProject::new().file("file", "");
    std::os::unix::fs::symlink(folder.at("file"), folder.at("link.svg")).unwrap();
    for args in [
        &["stats", "--svg", "link.svg"][..],
        &["stats", "--svg", "file/below.svg"],
        &["man", "--out", "file"],
        &["replay", "--config", "none.toml"],
        &["trust", "--revoke"],
        &["fsm", "graph", "none"],
    ] {
        assert_eq!(code(&folder, args), Some(1), "{args:?}");
    }
    assert_eq!(folder.read("file"), "");
}
