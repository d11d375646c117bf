use crate::isdlc::project::{WorkflowProject, state};
use serde_json::{Value, json};

/// A project in which delegating implementation is out of order.
fn disorder(project: &str, local: &str) -> WorkflowProject {
    let place = WorkflowProject::with(&state("05-test-strategy", "in_progress"));
    place.project.write(".hookrail/hookrail.toml", project);
    place.project.write(".hookrail/local.toml", local);
    place
}

#[derive(Debug, PartialEq, Eq)]
enum ExpectedAnswer {
    Refused,
    Warned,
    Silent,
}

fn answer(place: &WorkflowProject, args: &[&str]) -> ExpectedAnswer {
    let said = place.run(args, &place.task("software-developer", "").to_string());
    let answer: Value = serde_json::from_str(&said.out).unwrap_or_default();
    if answer["hookSpecificOutput"]["permissionDecision"] == "deny" {
        ExpectedAnswer::Refused
    } else if answer["systemMessage"].as_str().is_some_and(|text| text.contains("Out-of-order")) {
        ExpectedAnswer::Warned
    } else {
        assert_eq!(said.out, "", "{}", said.err);
        ExpectedAnswer::Silent
    }
}

#[test]
fn the_pack_is_off_until_asked_for_and_layers_make_it_stricter() {
    // covers: NFR-05
    let all: &[&str] = &[];
    let guard: &[&str] = &["isdlc/phase-sequence-guard"];
    let on = "[packs.isdlc]\nenabled = true\n";
    let warn = "[packs.isdlc]\nmode = \"warn\"\n";
    let guard_warns = "[hooks.\"isdlc/phase-sequence-guard\"]\nmode = \"warn\"\n";
    let guard_off = "[hooks.\"isdlc/phase-sequence-guard\"]\nmode = \"off\"\n";
    let yielding = "[packs.isdlc]\nmode = \"enforce\"\noverridable = true\n";
    let cases = [
        ("", "", all, ExpectedAnswer::Silent),
        ("", "", guard, ExpectedAnswer::Refused),
        (on, "", all, ExpectedAnswer::Refused),
        ("", on, all, ExpectedAnswer::Refused),
        (warn, "", guard, ExpectedAnswer::Warned),
        ("", guard_warns, guard, ExpectedAnswer::Warned),
        ("", guard_off, guard, ExpectedAnswer::Silent),
        (guard_warns, on, guard, ExpectedAnswer::Refused),
        (on, guard_warns, guard, ExpectedAnswer::Refused),
        (on, guard_off, guard, ExpectedAnswer::Refused),
        (yielding, guard_warns, guard, ExpectedAnswer::Warned),
        (yielding, guard_off, guard, ExpectedAnswer::Silent),
    ];
    for (project, local, args, expected) in cases {
        let place = disorder(project, local);
        assert_eq!(answer(&place, args), expected, "project: {project} local: {local} {args:?}");
    }
}

#[test]
fn the_journal_tells_blocks_from_warnings() {
    // covers: FR-03
    let place = disorder("", "");
    answer(&place, &["isdlc/phase-sequence-guard"]);
    let journal = place.journal();
    assert!(journal.contains(r#""decision":"block""#) && !journal.contains("\"warned\""), "{journal}");
    let place = disorder("", "[packs.isdlc]\nmode = \"warn\"\n");
    answer(&place, &["isdlc/phase-sequence-guard"]);
    assert!(place.journal().contains("\"warned\""), "{}", place.journal());
}

#[test]
fn stats_count_the_blocks_warnings_and_fail_opens_of_the_pack() {
    let place = WorkflowProject::with(&state("05-test-strategy", "pending"));
    place.fire("phase-loop-controller", &place.task("software-developer", "")).refusal("a block");
    let discovery = place.answered("discover-orchestrator", "", &json!("all done"));
    place.fire("walkthrough-tracker", &discovery).warning("a warning");
    place.project.write(".isdlc/state.json", "{");
    place.fire("phase-sequence-guard", &place.task("software-developer", "")).assert_silent("a fail-open");
    let stats: Value = serde_json::from_str(&place.hookrail(&["stats", "--hook", "isdlc/", "--json"], "").out).unwrap();
    let stats = &stats["hooks"];
    assert_eq!(stats["isdlc/phase-loop-controller"]["blocks"], 1, "{stats}");
    assert_eq!(stats["isdlc/walkthrough-tracker"]["warnings"], 1, "{stats}");
    assert_eq!(stats["isdlc/phase-sequence-guard"]["fail_opens"], 1, "{stats}");
    let log = place.hookrail(&["log", "--hook", "isdlc/walkthrough-tracker"], "").out;
    assert!(log.contains("warned") && log.contains("walkthrough"), "{log}");
}

#[test]
fn a_weaker_setting_without_effect_is_told_when_it_is_loaded() {
    let place = disorder("[packs.isdlc]\nenabled = true\n", "[packs.isdlc]\nmode = \"warn\"\n");
    let told = "`mode = \"warn\"` of `isdlc` has no effect";
    let start = place.event("SessionStart", &json!({"source": "startup"})).to_string();
    assert!(place.run(&[], &start).warning("session start").contains(told));
    place.run(&[], &start).assert_silent("once per session");
    for command in [&["validate"][..], &["doctor"]] {
        let said = place.hookrail(command, "");
        let words: Vec<&str> = said.out.split_whitespace().chain(said.err.split_whitespace()).collect();
        assert!(words.join(" ").contains(told), "{command:?}: {said:?}");
    }
    let listed = place.hookrail(&["list"], "").out;
    assert!(listed.contains("a lower layer may only be stricter"), "{listed}");
    let place = disorder("[packs.isdlc]\nenabled = true\noverridable = true\n", "[packs.isdlc]\nmode = \"warn\"\n");
    let start = place.event("SessionStart", &json!({"source": "startup"})).to_string();
    place.run(&[], &start).assert_silent("a setting that counts");
}
