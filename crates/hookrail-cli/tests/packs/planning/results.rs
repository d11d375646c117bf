//! What the workflow's agents hand in: H07, H09, H10.

use crate::planning::project::{BOTH, Contract, PlanningProject};
use serde_json::{Value, json};

pub const ACTIVE: &str = "phase: ARCHITECTURE\nmode: complete";
pub const TECH_LEAD: &str = "product-planning:tech-lead";
pub const ARCHITECT: &str = "product-planning:software-architect";
pub const QA_STRATEGIST: &str = "product-planning:qa-strategist";

/// The end of an agent, as Claude Code reports it.
pub fn end_of(place: &PlanningProject, agent: &str, said: &str) -> Value {
    place.event(
        "SubagentStop",
        &json!({"agent_id": "a1", "agent_type": agent, "stop_hook_active": false, "last_assistant_message": said}),
    )
}

/// Tasks in two phases, of which the first `tested` name a test.
pub fn tasks(total: usize, tested: usize) -> String {
    let task =
        |n: usize| format!("- [ ] [T{n:03}] Do it{}\n", if n <= tested { "\n  - DoD: UT-001 passes" } else { "" });
    let tasks: Vec<String> = (1..=total).map(task).collect();
    let (first, second) = tasks.split_at(total / 2);
    format!("# Tasks\n\n## Phase 1\n{}\n## Phase 2\n{}", first.concat(), second.concat())
}

/// A message an agent may end with.
pub fn substance() -> String {
    format!("## Findings\n\n{}\n", "word ".repeat(120))
}

/// The QA strategist's complete work.
pub fn with_tests(place: PlanningProject) -> PlanningProject {
    place
        .file("test-cases/unit/auth.md", "### UT-001 adds\n### UT-002 takes away\n")
        .file("test-cases/integration/auth.md", "| ID | what |\n|---|---|\n| INT-01 | both |\n")
        .file("test-cases/e2e/auth.md", "## E2E-001\n")
        .file("test-cases/uat/login.md", "## UAT-001\n#### Preconditions (Given)\n**When:** x\n**Then:** y\n")
        .file("test-plan.md", "# Test plan\n\n## Coverage Matrix\n\n| AC | tests |\n|---|---|\n")
}

type Build = fn(PlanningProject) -> PlanningProject;

/// Runs cases in both contracts: a place, and the words a refusal has; none for silence.
#[track_caller]
fn check(agent: &str, said: &str, cases: &[(&str, Build, &str)]) {
    for (case, build, expected) in cases {
        for contract in BOTH {
            let place = build(PlanningProject::new().state(ACTIVE));
            let ruling = place.ruling(contract, &end_of(&place, agent, said));
            assert_eq!(ruling.word(), if expected.is_empty() { "silent" } else { "refused" }, "{case}: {ruling:?}");
            assert!(ruling.text().contains(expected), "{case}: {ruling:?}");
        }
    }
}

#[test]
fn tasks_are_checked_as_the_documents_table_says() {
    // covers: H07
    check(
        TECH_LEAD,
        "",
        &[
            ("Valid tasks.md", |place| place.file("tasks.md", &tasks(20, 18)), ""),
            ("Missing tasks.md", |place| place, "tasks.md not found"),
            ("tasks.md empty", |place| place.file("tasks.md", ""), "tasks.md is empty"),
            (
                "Low TDD coverage",
                |place| place.file("tasks.md", &tasks(20, 10)),
                "Insufficient TDD integration: 50% (need >=80%)",
            ),
            (
                "No phase headers",
                |place| place.file("tasks.md", &tasks(20, 18).replace("## Phase", "## Part")),
                "Missing phase structure in tasks.md",
            ),
            ("Too few tasks", |place| place.file("tasks.md", &tasks(4, 4)), "Too few tasks generated (found 4)"),
            (
                "the workflow's own format",
                |place| place.file("tasks.md", &tasks(20, 18).replace("[T", "T").replace("] Do", " [P] [US1] Do")),
                "",
            ),
        ],
    );
}

#[test]
fn test_cases_are_checked_as_the_documents_table_says() {
    // covers: H09
    check(
        QA_STRATEGIST,
        "",
        &[
            ("Valid test files", with_tests, ""),
            ("test-cases/ directory missing", |place| place, "test-cases/ not found"),
            ("No test files found", |place| place.file("test-cases/unit/.keep", ""), "No unit test IDs (UT-xxx) found"),
            (
                "Missing UAT IDs",
                |place| with_tests(place).file("test-cases/uat/login.md", "Given: a\nWhen: b\nThen: c"),
                "No UAT script IDs (UAT-xxx) found",
            ),
            (
                "Missing Given-When-Then",
                |place| with_tests(place).file("test-cases/uat/login.md", "## UAT-001\nLog in and look."),
                "UAT scripts missing Given-When-Then structure",
            ),
            (
                "Missing coverage matrix",
                |place| with_tests(place).file("test-plan.md", "# Test plan"),
                "Missing coverage matrix",
            ),
        ],
    );
}

#[test]
fn other_agents_of_the_workflow_must_say_something_of_substance() {
    // covers: H10
    const AGENT: &str = "product-planning:researcher";
    check(AGENT, &substance(), &[("enough", |place| place, "")]);
    check(AGENT, "All good.", &[("Generic output", |place| place, "insufficient output (<100 words, found 2)")]);
    check(AGENT, "", &[("Output text empty", |place| place, "insufficient output (<100 words, found 0)")]);
    check(AGENT, &"word ".repeat(120), &[("no structure", |place| place, "No structured sections found")]);
}

#[test]
fn each_agent_is_looked_at_by_the_hooks_of_the_matrix() {
    // covers: H07 H08 H09 H10
    for (agent, expected) in [
        ("tech-lead", ["H07_tech_lead_validator", "H10_agent_generic_validator"].as_slice()),
        ("software-architect", &["H08_architect_validator", "H10_agent_generic_validator"]),
        ("qa-strategist", &["H09_qa_strategist_validator", "H10_agent_generic_validator"]),
        ("code-explorer", &["H10_agent_generic_validator"]),
        ("qa-security", &["H10_agent_generic_validator"]),
        ("phase-gate-judge", &["H10_agent_generic_validator"]),
    ] {
        let place = PlanningProject::new().state(ACTIVE);
        let event = end_of(&place, &format!("product-planning:{agent}"), "short");
        let spec = place.ruling(Contract::Spec, &event);
        assert_eq!(spec.word(), "refused", "{agent}");
        let log = place.log();
        assert_eq!(place.ruling(Contract::Agent, &event), spec, "{agent}");
        let ran: Vec<&str> =
            log.lines().filter_map(|line| line.split_once("] ")?.1.split_once(':')).map(|(name, _)| name).collect();
        assert_eq!(ran, expected, "{agent}: {log}");
        let delegated = log.contains(&format!("H10_agent_generic_validator: APPROVE | Dedicated hook handles {agent}"));
        assert_eq!(delegated, expected.len() == 2, "{agent}: {log}");
    }
}

#[test]
fn agents_that_are_none_of_the_workflows_are_never_held() {
    // covers: H07 H08 H09 H10
    for contract in BOTH {
        let place = PlanningProject::new().state(ACTIVE);
        for agent in ["general-purpose", "Explore", "", "x-product-planning:tech-lead", "other:researcher"] {
            assert_eq!(place.ruling(contract, &end_of(&place, agent, "")).word(), "silent", "{agent}");
        }
        let nameless = place.event("SubagentStop", &json!({"stop_hook_active": false}));
        assert_eq!(place.ruling(contract, &nameless).word(), "silent", "Agent name parsing fails");
        for (case, place) in [
            ("no state file", PlanningProject::new()),
            ("no repository", PlanningProject::bare()),
            ("no feature branch", PlanningProject::new().branch("main").state(ACTIVE)),
        ] {
            for agent in [TECH_LEAD, ARCHITECT, QA_STRATEGIST, "product-planning:researcher"] {
                assert_eq!(place.ruling(contract, &end_of(&place, agent, "")).word(), "silent", "{case}: {agent}");
            }
        }
    }
}

#[test]
fn the_tech_lead_works_in_the_last_phase_and_is_looked_at_there_the_others_have_finished() {
    // covers: H07
    for contract in BOTH {
        for phase in ["SETUP", "TEST_COVERAGE_VALIDATION", "COMPLETION", "9", "Phase 9: Completion"] {
            let place = PlanningProject::new().state(&format!("phase: \"{phase}\""));
            assert_eq!(place.ruling(contract, &end_of(&place, TECH_LEAD, "")).word(), "refused", "{phase}");
            let place = place.file("tasks.md", &tasks(10, 9));
            assert_eq!(place.ruling(contract, &end_of(&place, TECH_LEAD, "")).word(), "silent", "{phase}");
        }
        let place = PlanningProject::new().state("phase: COMPLETION");
        for agent in [ARCHITECT, QA_STRATEGIST, "product-planning:researcher"] {
            assert_eq!(place.ruling(contract, &end_of(&place, agent, "")).word(), "silent", "{agent}");
        }
    }
}

#[test]
fn nobody_is_held_twice() {
    // covers: H07 H08 H09 H10
    for agent in [TECH_LEAD, ARCHITECT, QA_STRATEGIST, "product-planning:researcher"] {
        for contract in BOTH {
            let place = PlanningProject::new().state(ACTIVE);
            let mut event = end_of(&place, agent, "");
            assert_eq!(place.ruling(contract, &event).word(), "refused", "{agent}");
            event["stop_hook_active"] = json!(true);
            let ruling = place.ruling(contract, &event);
            assert_eq!(ruling.word(), "told", "{agent}");
            assert!(ruling.text().contains("ended although its output is not complete"), "{ruling:?}");
        }
    }
}

#[test]
fn a_file_that_cannot_be_looked_at_holds_nobody_and_is_logged() {
    // covers: H07 H09
    for (agent, name) in [(TECH_LEAD, "tasks.md"), (QA_STRATEGIST, "test-plan.md")] {
        let place = with_tests(PlanningProject::new().state(ACTIVE)).file("tasks.md", "");
        let path = place.project.at(place.feature_path(name));
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        for contract in BOTH {
            assert_eq!(place.ruling(contract, &end_of(&place, agent, "")).word(), "silent", "{agent}");
        }
        assert_eq!(place.log().matches("is a directory, not a regular file").count(), 2, "{}", place.log());
    }
}

#[test]
fn ac3_agent_output_quality() {
    // covers: AC3
    for contract in BOTH {
        let weak = PlanningProject::new().state(ACTIVE).file("tasks.md", &tasks(10, 7));
        let ruling = weak.ruling(contract, &end_of(&weak, TECH_LEAD, ""));
        assert!(ruling.text().contains("70% (need >=80%)"), "{ruling:?}");
        let config = "feature_flags: {hooks_agent_validation: {tdd_min_coverage: 70}}";
        let lenient = PlanningProject::new().state(ACTIVE).file("tasks.md", &tasks(10, 7)).config(config);
        assert_eq!(lenient.ruling(contract, &end_of(&lenient, TECH_LEAD, "")).word(), "silent");

        let untested = PlanningProject::new().state(ACTIVE);
        assert_eq!(untested.ruling(contract, &end_of(&untested, QA_STRATEGIST, "")).word(), "refused");
        let vague = untested.ruling(contract, &end_of(&untested, ARCHITECT, &substance()));
        assert!(vague.text().starts_with("Blueprint incomplete: missing "), "{vague:?}");
        let trivial = untested.ruling(contract, &end_of(&untested, "product-planning:flow-analyzer", "ok"));
        assert_eq!(trivial.word(), "refused");

        // What a dedicated hook accepts, the general one does not refuse, however short the message.
        let complete = with_tests(PlanningProject::new().state(ACTIVE)).file("tasks.md", &tasks(10, 10));
        for agent in [TECH_LEAD, QA_STRATEGIST] {
            assert_eq!(complete.ruling(contract, &end_of(&complete, agent, "ok")).word(), "silent", "{agent}");
        }
    }
}
