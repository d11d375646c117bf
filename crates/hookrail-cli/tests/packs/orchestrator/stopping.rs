use crate::orchestrator::project::{PLAN, STATE, TeamProject, WILD_PLAN, assert_has, state};
use serde_json::json;

fn table(statuses: &[&str]) -> String {
    let rows: String = statuses.iter().enumerate().map(|(i, status)| format!("| {i} | t | {status} |\n")).collect();
    format!("# Plan\n\n## Implementation Tasks\n\n| # | Task | Status |\n|---|---|---|\n{rows}")
}

#[test]
fn the_first_stop_is_refused_with_title_and_number() {
    // covers: ORCH-4.4 ORCH-4.5 ORCH-2.8
    for plan in [WILD_PLAN.to_owned(), WILD_PLAN.replace('\n', "\r\n")] {
        let place = TeamProject::busy().file(PLAN, &plan);
        for said in [
            place.fire("Stop", &json!({"stop_hook_active": false})),
            place.fire_spec("Stop", &json!({"stop_hook_active": false})),
        ] {
            let answer = said.json();
            assert_eq!(answer["decision"], "block");
            let words =
                "2 tasks still incomplete in 'Parser \"v2\"'. Complete implementation or stop again to force-stop.";
            assert!(answer["reason"].as_str().unwrap().starts_with(words), "the document's words come first: {answer}");
        }
    }
}

#[test]
fn the_second_stop_passes_with_a_warning_to_the_user() {
    // covers: ORCH-4.2
    let place = TeamProject::busy();
    for said in [
        place.fire("Stop", &json!({"stop_hook_active": true})),
        place.fire_spec("Stop", &json!({"stop_hook_active": true})),
    ] {
        let words =
            "Force-stopping with 2 incomplete tasks. Running implementers will continue without lead coordination.";
        assert!(said.message().starts_with(words), "the document's words come first: {said:?}");
        assert_eq!(said.json().as_object().unwrap().len(), 1, "nothing that makes the agent go on: {said:?}");
    }
    let spec = place.fire_spec("Stop", &json!({"stop_hook_active": true})).message();
    assert_has(
        &spec,
        &[
            "Stopping with incomplete tasks. Running implementer subagents will continue until they finish or timeout, but \
           the lead is no longer present to coordinate.",
        ],
    );
    place.file(PLAN, &table(&["complete"])).fire("Stop", &json!({"stop_hook_active": true})).assert_silent("all done");
}

#[test]
fn pending_and_in_progress_hold_the_lead_each_on_its_own() {
    // covers: ORCH-4.4 ORCH-4.6
    for (statuses, refused) in [
        (&["pending", "pending"][..], true),
        (&["in-progress"], true),
        (&["in progress", "complete"], true),
        (&["complete", "completed"], false),
        (&["blocked", "escalated", "complete"], false),
        (&[], false),
    ] {
        let said = TeamProject::busy().file(PLAN, &table(statuses)).fire("Stop", &json!({"stop_hook_active": false}));
        assert_eq!(said.out.contains("\"block\""), refused, "{statuses:?}: {said:?}");
    }
}

#[test]
fn the_plan_is_found_from_a_subfolder_and_by_an_absolute_path() {
    // covers: ORCH-4.3
    let place = TeamProject::busy().file("src/deep/x", "");
    let mut absolute = state();
    absolute["active_plan"] = json!(place.project.at(PLAN));
    for state in [state(), absolute] {
        place.project.write(STATE, &state.to_string());
        let said = place.fire("Stop", &json!({"stop_hook_active": false, "cwd": place.project.at("src/deep")}));
        assert_has(&said.out, &["\"block\"", "2 tasks"]);
    }
    let moved = place.without(STATE).file(".project-orchestrator/state.json", &state().to_string());
    assert_has(&moved.fire("Stop", &json!({"stop_hook_active": false})).out, &["2 tasks"]);
}

#[test]
fn a_plan_that_is_gone_holds_nobody() {
    TeamProject::busy().without(PLAN).fire("Stop", &json!({"stop_hook_active": false})).assert_silent("no plan");
}

#[test]
fn only_the_lead_is_held() {
    let place = TeamProject::busy();
    for key in ["teammate_name", "agent_id"] {
        let fields = json!({"stop_hook_active": false, key: "impl-1"});
        place.fire("Stop", &fields).assert_silent(key);
    }
}
