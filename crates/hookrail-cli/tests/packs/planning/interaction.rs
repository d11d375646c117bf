//! §9, the rows about tool calls: which hooks look at what, and what they say together.

use crate::planning::project::{BOTH, Contract, FEATURE, LOCK, PlanningProject, STATE};
use serde_json::Value;

/// The hooks that left a line in the log.
fn hooks_that_looked(place: &PlanningProject) -> Vec<String> {
    let log = place.log();
    let mut names: Vec<String> =
        log.lines().filter_map(|line| line.split_whitespace().nth(1)?.get(..3)).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn each_tool_is_looked_at_by_the_hooks_of_its_row() {
    // covers: H01 H02 H03 H04
    let spec = format!("{FEATURE}/spec.md");
    let design = format!("{FEATURE}/design.md");
    type MakeEvent<'a> = &'a dyn Fn(&PlanningProject) -> Value;
    let rows: [(&str, MakeEvent<'_>, &[&str]); 5] = [
        ("AskUserQuestion", &|place| place.ask(&["Which color?"]), &["H01"]),
        ("Write to spec.md", &|place| place.write(&spec), &["H02", "H04"]),
        ("Write to design.md", &|place| place.write(&design), &["H02"]),
        ("Edit to spec.md", &|place| place.edit(&spec), &["H02", "H04"]),
        ("mcp__context7__*", &|place| place.research("mcp__context7__x", 0), &["H03"]),
    ];
    for (row, event, expected) in rows {
        for contract in BOTH {
            let place = PlanningProject::new().locked().state("phase: SETUP");
            assert_eq!(place.ruling(contract, &event(&place)).word(), "silent", "{row}");
            assert_eq!(hooks_that_looked(&place), expected, "{row}, {contract:?}");
        }
    }
}

#[test]
fn two_hooks_that_deny_are_both_heard() {
    // covers: H02 H04
    for contract in BOTH {
        let place = PlanningProject::new().state("phase: ARCHITECTURE");
        for event in [place.write("specs/042-notify/spec.md"), place.edit("specs/042-notify/spec.md")] {
            let ruling = place.ruling(contract, &event);
            let (lock, spec) = (ruling.text().find("no planning lock"), ruling.text().find("spec.md is immutable"));
            assert!(lock.is_some() && lock < spec, "{contract:?}: {ruling:?}");
        }
    }
}

#[test]
fn hooks_that_only_read_leave_the_workspace_as_it_is() {
    // covers: H01 H02 H03 H04
    let place =
        PlanningProject::new().state("phase: ARCHITECTURE\nuser_decisions: {Which cache?: Redis}").file(LOCK, "{}");
    let files = || {
        let mut names: Vec<_> =
            std::fs::read_dir(place.project.at(FEATURE)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        (names, place.project.read(place.feature_path(STATE)), place.project.read(place.feature_path(LOCK)))
    };
    let before = files();
    for event in
        [place.ask(&["Which cache?"]), place.write("specs/042-notify/spec.md"), place.research("mcp__tavily__x", 0)]
    {
        place.ruling(Contract::Spec, &event);
    }
    assert_eq!(files(), before);
}

#[test]
fn checkpoints_and_calls_at_once_lose_nothing() {
    // covers: H03 H05
    let place = PlanningProject::new().state("phase: RESEARCH");
    place.ruling(Contract::Agent, &place.wrote(place.feature_path(STATE)));
    place.project.write(place.feature_path(STATE), "---\nphase: CLARIFICATION\n---\n");
    std::thread::scope(|scope| {
        for number in 0..6 {
            let place = &place;
            scope.spawn(move || place.ruling(Contract::Agent, &place.research("mcp__ref__x", number)));
            scope.spawn(move || place.ruling(Contract::Agent, &place.wrote(place.feature_path(STATE))));
        }
    });
    assert_eq!(place.session()["values"]["planning/research-budget"]["session_total"], 6);
    assert_eq!(place.audit_log().lines().count(), 2, "{}", place.audit_log());
}
