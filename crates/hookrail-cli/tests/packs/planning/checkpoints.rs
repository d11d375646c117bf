//! H05: the trail of phases.

use crate::planning::project::{AnswerMeaning, BOTH, Contract, PlanningProject, SESSION, STATE};
use serde_json::json;

/// The text of a trail without the times of its lines, whose form is checked.
fn without_times(log: &str) -> Vec<&str> {
    log.lines()
        .map(|line| {
            let (time, text) = line.strip_prefix('[').unwrap().split_once("] ").unwrap();
            let parsed: jiff::Timestamp = time.parse().unwrap();
            assert_eq!(parsed.to_string(), time, "seconds, in UTC");
            assert_eq!(time.len(), "2026-02-04T14:23:15Z".len());
            text
        })
        .collect()
}

fn save(place: &PlanningProject, contract: Contract, yaml: &str) -> AnswerMeaning {
    place.project.write(place.feature_path(STATE), &format!("---\n{yaml}\n---\nbody\n"));
    place.ruling(contract, &place.wrote(place.feature_path(STATE)))
}

#[test]
fn each_change_of_phase_is_one_line_of_the_trail() {
    // covers: H05
    for contract in BOTH {
        let place = PlanningProject::new();
        for (yaml, expected) in [
            ("phase: RESEARCH\nmode: complete", "CHECKPOINT: UNKNOWN → RESEARCH | session=abc123 | mode=complete"),
            ("phase: RESEARCH\nmode: complete", ""),
            ("current_phase: CLARIFICATION", "CHECKPOINT: RESEARCH → CLARIFICATION | session=abc123 | mode="),
            ("phase: CLARIFICATION\nanalysis_mode: rapid", ""),
            (
                "phase: ARCHITECTURE\nanalysis_mode: rapid",
                "CHECKPOINT: CLARIFICATION → ARCHITECTURE | session=abc123 | mode=rapid",
            ),
            ("phase: RESEARCH", "CHECKPOINT: ARCHITECTURE → RESEARCH | session=abc123 | mode="),
        ] {
            assert_eq!(save(&place, contract, yaml).text(), expected, "{contract:?} {yaml}");
        }
        let expected = [
            "CHECKPOINT: UNKNOWN → RESEARCH | session=abc123 | mode=complete",
            "CHECKPOINT: RESEARCH → CLARIFICATION | session=abc123 | mode=",
            "CHECKPOINT: CLARIFICATION → ARCHITECTURE | session=abc123 | mode=rapid",
            "CHECKPOINT: ARCHITECTURE → RESEARCH | session=abc123 | mode=",
        ];
        assert_eq!(without_times(&place.audit_log()), expected);
    }
}

#[test]
fn in_the_documents_own_form_a_checkpoint_is_plain_text() {
    // covers: H05
    let place = PlanningProject::new().state("phase: RESEARCH\nmode: complete");
    let said = place.fire(Contract::Spec, Some("checkpoint-logger"), &place.wrote(place.feature_path(STATE)));
    let expected = "CHECKPOINT: UNKNOWN → RESEARCH | session=abc123 | mode=complete\n";
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(0), expected, ""));
}

#[test]
fn whichever_tool_wrote_the_state_it_is_noticed_and_other_files_are_not() {
    // covers: H05
    for (tool, field, path, expected) in [
        ("Edit", "file_path", "specs/042-notify/.planning-state.local.md", 1),
        ("MultiEdit", "file_path", "specs/042-notify/../042-notify/.planning-state.local.md", 1),
        ("Write", "file_path", "specs/042-notify/design.md", 0),
        ("Write", "file_path", "specs/041-login/.planning-state.local.md", 0),
        ("Read", "file_path", "specs/042-notify/.planning-state.local.md", 0),
    ] {
        for contract in BOTH {
            let place = PlanningProject::new().state("phase: RESEARCH");
            let fields = json!({"tool_name": tool, "tool_input": {field: path}, "tool_response": {"success": true}});
            place.ruling(contract, &place.event("PostToolUse", &fields));
            assert_eq!(place.audit_log().lines().count(), expected, "{tool} {path}");
        }
    }
    let place = PlanningProject::new().state("phase: RESEARCH");
    let patch =
        "*** Begin Patch\n*** Update File: specs/042-notify/.planning-state.local.md\n@@\n-a\n+b\n*** End Patch\n";
    let fields = json!({"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_response": "ok"});
    let event = place.event("PostToolUse", &fields);
    place.hookrail(&["hook", "--agent=codex", "--pack=planning"], &event.to_string());
    assert_eq!(place.audit_log().lines().count(), 1);
}

#[test]
fn saves_at_once_leave_one_line() {
    // covers: H05
    let place = PlanningProject::new().state("phase: RESEARCH\nmode: complete");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| place.ruling(Contract::Agent, &place.wrote(place.feature_path(STATE))));
        }
    });
    assert_eq!(place.audit_log().lines().count(), 1, "{}", place.audit_log());
}

#[test]
fn nothing_in_the_state_or_the_event_can_forge_a_line() {
    // covers: H05
    let place = PlanningProject::new()
        .state("phase: \"X\\n[2026-01-01T00:00:00Z] CHECKPOINT: A → COMPLETION\"\nmode: \"a\\nb\"");
    let mut event = place.wrote(place.feature_path(STATE));
    event["session_id"] = json!("s\n[2026-01-01T00:00:00Z] CHECKPOINT: X → COMPLETION | session=");
    place.ruling(Contract::Agent, &event);
    let log = place.audit_log();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(without_times(&log)[0].starts_with("CHECKPOINT: UNKNOWN → X__2026_01_01T00_00_00Z__CHECKPOINT"), "{log}");
    assert_eq!(place.ruling(Contract::Agent, &event).word(), "silent", "the same phase is no transition");
    assert!(!log.contains(SESSION));
}
