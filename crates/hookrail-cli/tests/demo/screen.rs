//! The session as a person sees it.

use crate::project::{DemoRun, run, text};
use snapbox::{Data, assert_data_eq};
use std::path::Path;

/// A line without what differs from run to run: its time, and the name of the temporary folder.
fn steady(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_unit = |word: Option<&&str>| word.is_some_and(|word| ["µs", "ms", "s"].contains(word));
    let mut kept: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match (is_unit(Some(word)), is_unit(words.get(at + 1))) {
            (true, _) => kept.push("[TIME]"),
            (false, true) => {
                // Times are right-aligned.
                while kept.last() == Some(&"") {
                    kept.pop();
                }
            }
            (false, false) => kept.push(word),
        }
    }
    let line = kept.join(" ");
    match line.split_once("/tmp/hookrail-demo-") {
        Some((before, after)) => {
            let end = after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len());
            format!("{}[FOLDER]{}", &before[..before.rfind(' ').map_or(0, |at| at + 1)], &after[end..])
        }
        None => line,
    }
}

fn shown(columns: &str, more: &[(&str, &str)]) -> String {
    let place = DemoRun::new();
    let mut demo = place.demo(&["--fast"]);
    // The folder's name must not decide where lines break.
    demo.env("COLUMNS", columns).env("TMPDIR", "/tmp").envs(more.iter().copied());
    let output = run(demo);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    text(&output.stdout)
}

/// `SNAPSHOTS=overwrite` writes down what the demo says now; read it before you commit it.
#[test]
fn the_session_reads_as_written() {
    let shown: String = shown("100", &[]).lines().map(|line| steady(line) + "\n").collect();
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/demo/session.txt");
    assert_data_eq!(shown, Data::read_from(&expected, None).raw());
}

#[test]
fn lines_are_as_wide_as_the_screen_and_no_wider() {
    for columns in [60, 80, 110] {
        let shown = shown(&columns.to_string(), &[]);
        let widest = shown.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns, "{widest} > {columns}:\n{shown}");
        assert!(widest > columns - 10, "{widest} of {columns} are used");
    }
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    assert!(!shown("80", &[]).contains('\u{1b}'));
    let coloured = shown("80", &[("CLICOLOR_FORCE", "1")]);
    assert!(coloured.contains("\u{1b}[31m"), "refusals are red");
    assert!(!shown("80", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).contains('\u{1b}'));
}

#[test]
fn the_commands_to_go_on_with_exist() {
    let shown = shown("80", &[]);
    let (_, commands) = shown.split_once("Go on with\n").unwrap();
    let commands = commands.lines().filter_map(|line| line.strip_prefix("  hookrail "));
    let commands: Vec<&str> = commands.map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(commands.len(), 3);
    let mut help = std::process::Command::new(env!("CARGO_BIN_EXE_hookrail"));
    let help = text(&help.arg("--help").output().unwrap().stdout);
    for command in commands {
        assert!(help.lines().any(|line| line.trim_start().starts_with(command)), "`{command}` is not in:\n{help}");
    }
}
