//! Only `hookrail-shell` and `hookrail-effects` read a command line: guards decide on effects.

#![allow(clippy::unwrap_used, reason = "helpers of a test may fail it")]

use hookrail_testkit::folders::files_ending;
use std::fs;
use std::path::{Path, PathBuf};

/// Who may take the text of a command out of a call, and what for.
const SEEN_BY: &[(&str, &str)] = &[
    ("hookrail-core/src/condition.rs", "patterns of agents' permission rules, matched on the commands of the parser"),
    ("hookrail-dialects/src/spelling.rs", "makes the call of one agent into that of another"),
    ("hookrail-dialects/src/tool_table.rs", "makes the call"),
    ("hookrail-host/src/rpc/tools.rs", "makes the call"),
    ("hookrail-engine/src/engine/scope.rs", "names the call for a person"),
    ("hookrail-engine/src/runner/input.rs", "gives it to a command hook as it is"),
];

/// Who may call the parser.
const PARSED_BY: &[(&str, &str)] = &[
    ("hookrail-core/src/condition.rs", "as above"),
    ("hookrail-engine/src/trust/handing.rs", "hands a checked script to the shell of a hook, which is no tool call"),
    ("hookrail-engine/src/trust/imports.rs", "finds what a script of a hook brings in"),
    ("hookrail-engine/src/trust/scripts.rs", "finds the scripts that the command of a hook runs"),
    ("hookrail-lint/src/command.rs", "reads the command lines of hooks, which are no tool calls"),
];

/// Crates that decide about calls. The command line tool shows commands, and is not among them.
const CRATES: &[&str] = &[
    "hookrail-core",
    "hookrail-dialects",
    "hookrail-store",
    "hookrail-packs",
    "hookrail-engine",
    "hookrail-lint",
    "hookrail-host",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let files = files_ending(folder, ".rs").unwrap();
    found.extend(files.into_iter().filter(|file| !file.to_string_lossy().contains("_tests.rs")));
}

/// A file's code without its tests.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

#[test]
fn command_lines_are_read_by_the_parser_and_by_nobody_else() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    CRATES.iter().for_each(|name| sources(&crates.join(name).join("src"), &mut files));
    let (mut seen, mut parsed) = (Vec::new(), Vec::new());
    for file in files {
        let name = file.strip_prefix(crates).unwrap().to_string_lossy().into_owned();
        let code = code(&file);
        if code.contains("ToolKind::Shell { command") {
            seen.push(name.clone());
        }
        if code.contains("hookrail_shell::") {
            parsed.push(name);
        }
    }
    let names = |list: &[(&str, &str)]| {
        let mut names: Vec<String> = list.iter().map(|(name, _)| (*name).to_owned()).collect();
        names.sort();
        names
    };
    seen.sort();
    parsed.sort();
    assert_eq!(seen, names(SEEN_BY), "who needs what a command does asks `hookrail_effects::of`");
    assert_eq!(parsed, names(PARSED_BY), "who needs what a command does asks `hookrail_effects::of`");
}
