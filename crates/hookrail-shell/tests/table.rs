//! Hand-written scripts and the trees they must give (`scripts.txt`).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

mod support;

use hookrail_shell::parse;
use support::dump::dump;

/// A script of the table: `$ script` and `= tree`, with `⏎` for a newline and `⇥` for a tab.
struct Case {
    script: String,
    tree: String,
}

fn table() -> Vec<Case> {
    let lines: Vec<&str> = include_str!("scripts.txt").lines().collect();
    let mut cases = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if let Some(script) = line.strip_prefix("$ ") {
            let tree = lines.get(index + 1).and_then(|line| line.strip_prefix('=')).unwrap_or_default();
            cases.push(Case {
                script: script.replace('⏎', "\n").replace('⇥', "\t"),
                tree: tree.trim_start().to_owned(),
            });
        }
    }
    cases
}

#[test]
fn every_script_of_the_table_gives_its_tree() {
    let cases = table();
    let differences: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let found = dump(&parse(&case.script)).trim_end().to_owned();
            (found != case.tree).then(|| format!("$ {}\n= {}\n! {found}\n", case.script, case.tree))
        })
        .collect();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert!(cases.len() >= 300, "the table has {} scripts only", cases.len());
}
