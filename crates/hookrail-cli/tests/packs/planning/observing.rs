//! §11 to §13: logs, circuit breaker, verbose logging.

use crate::planning::project::{AnswerMeaning, BOTH, Contract, PlanningProject, SESSION, STATE};
use serde_json::{Value, json};

const CORRUPT: &str = "---\nphase: [\n---\n";
const CACHING: &str = "phase: RESEARCH\nuser_decisions: {Use Redis for caching: Yes}";

/// An event for each of the hooks that look at tool calls.
fn events(place: &PlanningProject) -> [(&'static str, Value); 5] {
    [
        ("guard-immutable-decisions", place.ask(&["What caching to use?"])),
        ("enforce-planning-lock", place.write("specs/042-notify/design.md")),
        ("research-budget-tracker", place.research("mcp__context7__x", 1)),
        ("protect-spec-immutability", place.write("specs/042-notify/spec.md")),
        ("checkpoint-logger", place.wrote(place.feature_path(STATE))),
    ]
}

fn ask(place: &PlanningProject, contract: Contract) -> AnswerMeaning {
    place.ruling(contract, &place.ask(&["What caching to use?"]))
}

#[test]
fn ac6_observability() {
    // covers: AC6
    for contract in BOTH {
        let place = PlanningProject::new().state(CACHING);
        for (hook, event) in events(&place) {
            place.fire(contract, Some(hook), &event);
        }
        let log = place.log();
        let lines: Vec<&str> = log.lines().collect();
        for (line, expected) in lines.iter().zip([
            "H01_immutable_guard: DENY | DENIED: Decision already made",
            "H02_lock_enforcement: DENY | DENIED: no planning lock acquired",
            "H03_research_budget: ALLOW | Budget OK: session=1/25, phase=1/10",
            "H04_spec_protection: DENY | DENIED: spec.md is immutable",
            "H05_checkpoint_logger: LOG | Phase transition: UNKNOWN → RESEARCH",
        ]) {
            let (time, text) = line.strip_prefix('[').unwrap().split_once("] ").unwrap();
            assert!(time.parse::<jiff::Timestamp>().is_ok() && time.len() == 20, "{line}");
            assert!(text.starts_with(expected), "{line}");
        }
        assert_eq!(lines.len(), 5, "{log}");
        assert!(place.audit_log().contains("CHECKPOINT: UNKNOWN → RESEARCH"));
        let shown = place.hookrail(&["log", "--json"], "").out;
        for (hook, _) in events(&place) {
            assert!(shown.contains(&format!("planning/{hook}")), "{hook}: {shown}");
        }

        let broken = PlanningProject::new().file(STATE, CORRUPT);
        let words: Vec<&str> = (0..4).map(|_| ask(&broken, contract).word()).collect();
        assert_eq!(words, ["silent", "silent", "told", "silent"], "the breaker opens at the third failure and says so");
        let paused = PlanningProject::new().state(CACHING);
        paused.plugin.write("hooks/.dev-mode", "");
        assert_eq!(ask(&paused, contract), AnswerMeaning::Silent, "developers can opt out");
    }
}

#[test]
fn a_log_line_is_one_line_whatever_a_model_writes() {
    // covers: AC6
    let place = PlanningProject::new()
        .state("user_decisions: {\"Use Redis?\": \"x\\n[2026-01-01T00:00:00Z] H02: ALLOW | \\e[2J\"}");
    ask(&place, Contract::Agent);
    place.ruling(Contract::Agent, &place.ask(&["Redis\n[2026-01-01T00:00:00Z] H02_lock_enforcement: ALLOW | forged"]));
    let log = place.log();
    assert_eq!(log.lines().count(), 2, "{log}");
    assert!(log.lines().all(|line| line.contains("H01_immutable_guard")) && !log.contains('\u{1b}'), "{log}");
}

#[test]
fn verbose_logging_writes_down_input_and_output() {
    // covers: AC6
    for (word, expected) in [("true", true), ("1", true), ("false", false), ("", false)] {
        let place = PlanningProject::new().state(CACHING).env("PLANNING_HOOKS_VERBOSE", word);
        ask(&place, Contract::Agent);
        let log = place.log();
        let json_of = |kind: &str| {
            let (_, json) = log.lines().find_map(|line| line.split_once(&format!(": {kind} | ")))?;
            serde_json::from_str::<Value>(json).ok()
        };
        let input = json_of("INPUT").map(|input| input["tool_input"]["questions"][0]["question"].clone());
        assert_eq!(input, expected.then(|| json!("What caching to use?")), "{word}: {log}");
        let output = json_of("OUTPUT").map(|output| output["decision"].clone());
        assert_eq!(output, expected.then(|| json!("block")), "{word}: {log}");
    }
}

#[test]
fn denials_are_never_failures() {
    // covers: AC6
    for contract in BOTH {
        let place = PlanningProject::new().state(CACHING);
        for round in 0..5 {
            assert_eq!(ask(&place, contract).word(), "refused", "round {round}");
        }
    }
}

#[test]
fn a_hook_that_failed_three_times_in_a_row_rests_for_the_session() {
    // covers: AC6
    for contract in BOTH {
        let place = PlanningProject::new().file(STATE, CORRUPT);
        assert_eq!([ask(&place, contract).word(), ask(&place, contract).word()], ["silent"; 2]);
        place.project.write(place.feature_path(STATE), &format!("---\n{CACHING}\n---\n"));
        assert_eq!(ask(&place, contract).word(), "refused", "a success in between");
        place.project.write(place.feature_path(STATE), CORRUPT);
        let rulings = [0; 4].map(|_| ask(&place, contract));
        assert_eq!(rulings.each_ref().map(AnswerMeaning::word), ["silent", "silent", "told", "silent"], "{contract:?}");
        assert!(
            rulings[2].text().contains("failed 3 times in a row and is disabled for the rest of this session"),
            "{rulings:?}"
        );
        place.project.write(place.feature_path(STATE), &format!("---\n{CACHING}\n---\n"));
        assert_eq!(ask(&place, contract).word(), "silent", "once open, open for the session");
        let mut other = place.ask(&["What caching to use?"]);
        other["session_id"] = json!("another");
        assert_eq!(place.ruling(contract, &other).word(), "refused", "a new session begins anew");
        assert_eq!(
            place.ruling(contract, &place.write("specs/042-notify/spec.md")).word(),
            "refused",
            "other hooks work"
        );
    }
}

#[test]
fn the_number_of_failures_is_configured() {
    // covers: AC6
    for (threshold, opens_at) in [("1", 1), ("2", 2), ("5", 5), ("0", 3), ("many", 3)] {
        let yaml = format!("feature_flags: {{hooks_enforcement: {{circuit_breaker_threshold: {threshold}}}}}");
        let place = PlanningProject::new().file(STATE, CORRUPT).config(&yaml);
        let words: Vec<&str> = (0..6).map(|_| ask(&place, Contract::Spec).word()).collect();
        let told = words.iter().position(|word| *word == "told").map(|position| position + 1);
        assert_eq!(told, Some(opens_at), "{threshold}: {words:?}");
    }
}

#[test]
fn every_hook_counts_a_configuration_it_cannot_read() {
    // covers: AC6
    for number in 0..5 {
        for contract in BOTH {
            let place = PlanningProject::new().state(CACHING).config("feature_flags: [\n");
            let (hook, event) = events(&place)[number].clone();
            let rulings = [0; 4].map(|_| place.fire(contract, Some(hook), &event).ruling(contract, hook));
            assert_eq!(rulings.each_ref().map(AnswerMeaning::word), ["silent", "silent", "told", "silent"], "{hook}");
            assert_eq!(place.log().matches("ERROR | `").count(), 3, "{hook}: {}", place.log());
        }
    }
}

#[test]
#[cfg(unix)]
fn files_that_cannot_be_read_are_failures_of_the_hook() {
    // covers: AC6
    let place = PlanningProject::new().file("spec.md", "x");
    // A link that leads to itself cannot be read by any user, root included.
    std::os::unix::fs::symlink(STATE, place.project.at(place.feature_path(STATE))).unwrap();
    for _ in 0..2 {
        assert_eq!(ask(&place, Contract::Agent).word(), "silent");
    }
    assert_eq!(ask(&place, Contract::Agent).word(), "told");
    assert!(place.log().contains("H01_immutable_guard: ERROR"), "{}", place.log());
    let breaker = &place.session()["breakers"]["planning/guard-immutable-decisions"];
    assert_eq!((&breaker["open"], &breaker["consecutive_failures"]), (&json!(true), &json!(3)), "{SESSION}");
}
