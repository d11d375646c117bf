use crate::isdlc::project::{PHASES, SESSION, WorkflowProject, state};
use serde_json::{Value, json};

const NOT_STARTED: &str =
    "Phase delegation without TaskUpdate. Call TaskUpdate to mark the phase task as in_progress before delegating.";
const NO_PLAN: &str = "Task plan (docs/isdlc/tasks.md) not generated. Run generate-plan skill before proceeding.";

/// Fires each call at the hook; `None` means that it is let through, a text that it begins the refusal.
#[track_caller]
fn check(place: &WorkflowProject, hook: &str, cases: &[(&str, &str, Option<&str>)]) {
    for (agent, prompt, expected) in cases {
        let case = format!("{hook}: {agent}: {prompt}");
        let said = place.fire(hook, &place.task(agent, prompt));
        match expected {
            None => said.assert_silent(&case),
            Some(text) => assert_eq!(said.refusal(&case).lines().next(), Some(*text), "{case}"),
        }
    }
}

#[test]
fn a_phase_that_was_not_started_is_not_delegated() {
    // covers: FR-01 AC-01 AC-01a
    let place = WorkflowProject::with(&state("06-implementation", "pending"));
    let blocked = Some(NOT_STARTED);
    check(
        &place,
        "phase-loop-controller",
        &[
            ("software-developer", "Write it", blocked),
            ("isdlc:software-developer", "Write it", blocked),
            ("general-purpose", "Execute 06-implementation", blocked),
            ("", "Go on with phase 06", blocked),
            ("local-tester", "Test it", blocked),
            ("Explore", "Look at 06-implementation", None),
            ("general-purpose", "Find the parser", None),
            ("general-purpose", "What happened on 2026-02-abc?", None),
            ("sdlc-orchestrator", "Run phase 06", None),
            ("discover-orchestrator", "06-implementation", None),
            ("general-purpose", "/discover, 06-implementation comes later", None),
            ("general-purpose", "Initial definition of phase 06: status and setup", blocked),
        ],
    );
}

#[test]
fn a_phase_is_started_by_state_or_by_a_task_file() {
    // covers: FR-01 AC-01
    let begun = |change: &dyn Fn(&mut Value)| {
        let mut state = state("06-implementation", "pending");
        change(&mut state);
        WorkflowProject::with(&state)
    };
    let task = |task: Value| {
        let place = begun(&|_| {});
        place.home.write(format!(".claude/tasks/{SESSION}/1.json"), &task.to_string());
        place
    };
    let cases = [
        ("in_progress", begun(&|state| state["phases"]["06-implementation"]["status"] = json!("in_progress")), true),
        ("completed", begun(&|state| state["phases"]["06-implementation"]["status"] = json!("completed")), true),
        (
            "phase_status",
            begun(&|state| state["active_workflow"]["phase_status"] = json!({"06-implementation": "in_progress"})),
            true,
        ),
        ("another phase", begun(&|state| state["phases"]["01-requirements"] = json!({"status": "in_progress"})), false),
        ("marked task", task(json!({"status": "in_progress", "metadata": {"phase": "06-implementation"}})), true),
        ("named task", task(json!({"status": "in_progress", "subject": "Phase 06: implementation"})), true),
        ("waiting task", task(json!({"status": "pending", "subject": "06-implementation"})), false),
        ("other task", task(json!({"status": "in_progress", "subject": "Write a letter"})), false),
        ("broken task", task(json!("no task")), false),
    ];
    for (case, place, allowed) in cases {
        let said = place.fire("phase-loop-controller", &place.task("software-developer", ""));
        if allowed {
            said.assert_silent(case);
        } else {
            assert!(said.refusal(case).starts_with(NOT_STARTED), "{case}");
        }
    }
}

#[test]
fn calls_of_a_subagent_and_of_the_renamed_tool_are_told_apart() {
    // covers: AC-01 AC-03
    let place = WorkflowProject::with(&state("05-test-strategy", "pending"));
    for hook in ["phase-loop-controller", "phase-sequence-guard", "plan-surfacer"] {
        let mut event = place.task("software-developer", "");
        event["tool_name"] = json!("Agent");
        place.fire(hook, &event).refusal(hook);
        event["agent_id"] = json!("a7");
        place.fire(hook, &event).assert_silent(hook);
    }
}

#[test]
fn phases_are_delegated_in_order() {
    // covers: FR-03 AC-03 AC-03a AC-03b
    let place = WorkflowProject::with(&state("05-test-strategy", "in_progress"));
    let ahead = "Out-of-order phase delegation. Current phase is 05-test-strategy, but attempting to delegate to \
                 06-implementation.";
    let back = "Out-of-order phase delegation. Current phase is 05-test-strategy, but attempting to delegate to \
                01-requirements.";
    check(
        &place,
        "phase-sequence-guard",
        &[
            ("software-developer", "", Some(ahead)),
            ("general-purpose", "Start 06-implementation", Some(ahead)),
            ("general-purpose", "You are the software-developer", Some(ahead)),
            ("", "Phase 6 now", Some(ahead)),
            ("requirements-analyst", "Again", Some(back)),
            ("test-designer", "", None),
            ("test-designer", "06-implementation comes next", None),
            ("general-purpose", "05-test-strategy, then 06-implementation", None),
            ("Explore", "06-implementation", None),
            ("general-purpose", "Read docs/06-implementation/notes.md", None),
            ("general-purpose", "Run generate-plan for 06-implementation", None),
            ("sdlc-orchestrator", "06-implementation", None),
        ],
    );
}

#[test]
fn implementation_needs_a_plan() {
    // covers: FR-02 AC-02 AC-02a
    let place = WorkflowProject::with(&state("06-implementation", "in_progress"));
    check(
        &place,
        "plan-surfacer",
        &[
            ("software-developer", "", Some(NO_PLAN)),
            ("local-tester", "", Some(NO_PLAN)),
            ("general-purpose", "Do phase 07", Some(NO_PLAN)),
            ("general-purpose", "06-implementation-agent, go", Some(NO_PLAN)),
            ("requirements-analyst", "", None),
            ("test-designer", "", None),
            ("general-purpose", "phase 01", None),
            ("Explore", "", None),
            ("general-purpose", "Generate the plan for 06-implementation", None),
            ("general-purpose", "/generate-plan", None),
            ("plan-generator", "06-implementation", None),
        ],
    );
    let place = place.file("docs/isdlc/tasks.md", "- [ ] T0001 go\n");
    // covers: AC-02b
    for agent in ["software-developer", "local-tester", "requirements-analyst"] {
        place.fire("plan-surfacer", &place.task(agent, "")).assert_silent(agent);
    }
}

#[test]
fn without_a_workflow_delegation_is_free() {
    // covers: AC-01b AC-03c
    for state in [json!({"active_workflow": null}), json!({}), json!({"active_workflow": {"phases": PHASES}})] {
        let place = WorkflowProject::with(&state).file("docs/isdlc/tasks.md", "");
        for hook in ["phase-loop-controller", "phase-sequence-guard", "plan-surfacer"] {
            place.fire(hook, &place.task("software-developer", "phase 06")).assert_silent(&format!("{hook}: {state}"));
        }
    }
}

#[test]
fn all_guards_together_give_every_reason_and_the_documents_form_on_request() {
    // covers: FR-01 FR-02 FR-03 NFR-05
    let place = WorkflowProject::with(&state("05-test-strategy", "pending"));
    let event = place.task("software-developer", "").to_string();
    let reason = place.run(&["--pack", "isdlc"], &event).refusal("all");
    for part in [NOT_STARTED, NO_PLAN, "Out-of-order phase delegation."] {
        assert!(reason.contains(part), "{reason}");
    }
    let said = place.run(&["isdlc/plan-surfacer", "--contract", "spec"], &event);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &answer["decision"]), (Some(0), &json!("block")));
    assert!(answer["reason"].as_str().unwrap().starts_with(NO_PLAN), "{answer}");
}
