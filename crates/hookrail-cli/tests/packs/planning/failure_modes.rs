//! §8, row by row, for H01 to H05.

use crate::planning::project::{BOTH, LOCK, PlanningProject, STATE};
use serde_json::{Value, json};

/// Runs a row: the answer, and what the log says about it.
#[track_caller]
fn check(
    row: &str,
    make: impl Fn() -> PlanningProject,
    event: impl Fn(&PlanningProject) -> Value,
    expected: &str,
    logged: &str,
) {
    for contract in BOTH {
        let place = make();
        let ruling = place.ruling(contract, &event(&place));
        assert_eq!(ruling.word(), expected, "{row}, {contract:?}: {ruling:?}");
        assert!(place.log().contains(logged), "{row}, {contract:?}: {}", place.log());
    }
}

fn ask(place: &PlanningProject) -> Value {
    place.ask(&["What caching to use?"])
}

fn write_design(place: &PlanningProject) -> Value {
    place.write("specs/042-notify/design.md")
}

fn write_spec(place: &PlanningProject) -> Value {
    place.write("specs/042-notify/spec.md")
}

fn research(place: &PlanningProject) -> Value {
    place.research("mcp__context7__x", 1)
}

fn saved(place: &PlanningProject) -> Value {
    place.wrote(place.feature_path(STATE))
}

const CORRUPT: &str = "---\nphase: [\nuser_decisions: {\n---\n";
const CACHING: &str = "user_decisions: {Use Redis for caching: Yes}";

#[test]
fn h01_state_file_missing_allows() {
    // covers: H01
    check("state file missing", PlanningProject::new, ask, "silent", "H01_immutable_guard: ALLOW | No state file");
}

#[test]
fn h01_nothing_external_is_needed_to_read_yaml() {
    // covers: H01
    // The row says what happens without `yq`; here there is no `PATH` at all.
    check("yq not installed", || PlanningProject::new().state(CACHING), ask, "refused", "H01_immutable_guard: DENY");
}

#[test]
fn h01_corrupt_state_allows_and_is_logged() {
    // covers: H01
    for text in [CORRUPT, "", "no front matter", "---\nphase: X\n", "---\n\u{0}\n---\n"] {
        check(text, || PlanningProject::new().file(STATE, text), ask, "silent", "H01_immutable_guard: ERROR");
    }
}

#[test]
fn h02_no_feature_directory_allows() {
    // covers: H02
    let make = || PlanningProject::bare().state("phase: RESEARCH");
    check("no feature", make, write_design, "silent", "H02_lock_enforcement: ALLOW | No feature directory");
}

#[test]
fn h02_corrupt_lock_denies() {
    // covers: H02
    for lock in ["{", "\u{0}\u{1}", "[]", "null", "whatever"] {
        let make = || PlanningProject::new().state("phase: RESEARCH").file(LOCK, lock);
        check(lock, make, write_design, "refused", "H02_lock_enforcement: DENY");
        let early = || PlanningProject::new().file(LOCK, lock);
        check(lock, early, write_design, "refused", "H02_lock_enforcement: DENY");
    }
    let folder = || PlanningProject::new().file(".planning.lock/x", "");
    check("a folder", folder, write_design, "refused", "H02_lock_enforcement: DENY");
}

#[test]
fn h03_missing_configuration_means_the_defaults() {
    // covers: H03
    let logged = "H03_research_budget: ALLOW | Budget OK: session=1/25, phase=1/10";
    check("config missing", PlanningProject::new, research, "silent", logged);
}

#[test]
fn h03_a_corrupt_budget_is_reset() {
    // covers: H03
    for broken in [json!("x"), json!({"session_total": "many"}), json!(null), json!([25])] {
        for contract in BOTH {
            let place = PlanningProject::new();
            place.ruling(contract, &research(&place));
            let mut session = place.session();
            session["values"]["planning/research-budget"] = broken.clone();
            place.home.write("state/sessions/abc123.json", &session.to_string());
            assert_eq!(place.ruling(contract, &research(&place)).word(), "silent", "{broken}");
            assert_eq!(place.session()["values"]["planning/research-budget"]["session_total"], 1, "{broken}");
        }
    }
    let place = PlanningProject::new();
    place.ruling(BOTH[0], &research(&place));
    place.home.write("state/sessions/abc123.json", "{\"values\": ");
    assert_eq!(place.ruling(BOTH[0], &research(&place)).word(), "silent", "the whole session is broken");
    assert_eq!(place.session()["values"]["planning/research-budget"]["session_total"], 1);
}

#[test]
fn h04_state_file_missing_allows() {
    // covers: H04
    check(
        "state file missing",
        PlanningProject::new,
        write_spec,
        "silent",
        "H04_spec_protection: ALLOW | No state file",
    );
}

#[test]
fn h04_corrupt_state_allows_and_is_logged() {
    // covers: H04
    let make = || PlanningProject::new().locked().file(STATE, CORRUPT);
    check("corrupt state", make, write_spec, "silent", "H04_spec_protection: ERROR");
}

#[test]
fn h05_a_missing_folder_is_skipped_silently() {
    // covers: H05
    check("folder missing", PlanningProject::new, saved, "silent", "");
}

#[test]
fn h05_a_state_without_a_readable_phase_is_skipped_silently() {
    // covers: H05
    check("no phase", || PlanningProject::new().state("mode: x"), saved, "silent", "H05_checkpoint_logger: SKIP");
    check("corrupt", || PlanningProject::new().file(STATE, CORRUPT), saved, "silent", "H05_checkpoint_logger: SKIP");
    for contract in BOTH {
        let place = PlanningProject::new().file(STATE, CORRUPT);
        place.ruling(contract, &saved(&place));
        assert_eq!(place.audit_log(), "");
    }
}

#[test]
fn nothing_external_is_needed() {
    // covers: AC8
    // Without `jq`, `yq` and `git` the document's scripts give up; all of this runs without a `PATH`.
    let make = || PlanningProject::new().state(&format!("phase: RESEARCH\n{CACHING}"));
    check("ask", make, ask, "refused", "H01");
    check("write", make, write_design, "refused", "H02");
    check("specification", make, write_spec, "refused", "H04");
    check("checkpoint", make, saved, "told", "H05");
    check("research", make, research, "silent", "H03");
}

#[test]
fn input_that_is_no_event_stops_nothing() {
    // covers: AC6
    for input in ["", "{", "[]", "null", "\u{0}"] {
        for form in ["--contract=spec", "--contract=agent"] {
            let place = PlanningProject::new().state(CACHING);
            let said = place.hookrail(&["hook", "--agent=claude", form, "--pack=planning"], input);
            assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{input}");
        }
    }
}
