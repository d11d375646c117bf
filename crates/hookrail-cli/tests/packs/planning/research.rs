//! H03, and what H05 does for it: research calls are counted.

use crate::planning::project::{AnswerMeaning, BOTH, Contract, PlanningProject, STATE};
use serde_json::{Value, json};

const SERVERS: [&str; 3] = ["mcp__context7__get-library-docs", "mcp__Ref__ref_search", "mcp__tavily__tavily_search"];
/// Limits of which the phase's is not in the way.
const WIDE_PHASE: &str = "research_mcp: {budget: {total_calls_per_phase: 100}}";

/// Makes this many calls that are all different, beginning with that number.
fn spend(place: &PlanningProject, contract: Contract, from: usize, count: usize) -> Vec<AnswerMeaning> {
    (from..from + count)
        .map(|number| place.ruling(contract, &place.research(SERVERS[number % SERVERS.len()], number)))
        .collect()
}

fn words(rulings: &[AnswerMeaning]) -> Vec<&'static str> {
    rulings.iter().map(AnswerMeaning::word).collect()
}

fn budget(place: &PlanningProject) -> Value {
    place.session()["values"]["planning/research-budget"].clone()
}

/// Saves the state with this phase, as the workflow does.
fn checkpoint(place: &PlanningProject, contract: Contract, phase: &str) -> AnswerMeaning {
    place.project.write(place.feature_path(STATE), &format!("---\nphase: {phase}\nmode: complete\n---\n"));
    place.ruling(contract, &place.wrote(place.feature_path(STATE)))
}

#[test]
fn the_first_call_is_allowed_and_counted() {
    // covers: H03
    for contract in BOTH {
        let place = PlanningProject::new();
        assert_eq!(spend(&place, contract, 0, 1), [AnswerMeaning::Silent]);
        let budget = budget(&place);
        assert_eq!((&budget["session_total"], &budget["phase_total"]), (&json!(1), &json!(1)));
        assert_eq!(budget["per_server"], json!({"context7": 1}));
    }
}

#[test]
fn from_eighty_percent_of_the_session_on_each_call_is_told() {
    // covers: H03
    for contract in BOTH {
        let place = PlanningProject::new().config(WIDE_PHASE);
        let rulings = spend(&place, contract, 0, 20);
        assert_eq!(words(&rulings[..19]), ["silent"; 19], "{contract:?}");
        assert!(rulings[19].text().contains("Session budget at 20/25 (80% threshold)"), "{rulings:?}");
        let call_21 = &spend(&place, contract, 20, 1)[0];
        assert_eq!(call_21.word(), "told");
        assert!(call_21.text().contains("Session budget at 21/25"), "{call_21:?}");
    }
}

#[test]
fn the_call_after_the_last_one_of_the_session_is_denied() {
    // covers: H03
    for contract in BOTH {
        let place = PlanningProject::new().config(WIDE_PHASE);
        assert!(spend(&place, contract, 0, 25).iter().all(|ruling| ruling.word() != "refused"));
        let call_26 = &spend(&place, contract, 25, 1)[0];
        assert_eq!(call_26.word(), "refused", "{contract:?}");
        assert!(call_26.text().contains("session budget exhausted (25/25 calls)"), "{call_26:?}");
        assert_eq!(budget(&place)["session_total"], 25);
    }
}

#[test]
fn the_call_after_the_last_one_of_the_phase_is_denied() {
    // covers: H03
    for contract in BOTH {
        let place = PlanningProject::new();
        assert_eq!(words(&spend(&place, contract, 0, 10))[7..], ["told"; 3]);
        let call_11 = &spend(&place, contract, 10, 1)[0];
        assert_eq!(call_11.word(), "refused", "{contract:?}");
        assert!(call_11.text().contains("phase budget exhausted (10/10 calls)"), "{call_11:?}");
        assert!(call_11.text().contains("Do not retry"), "{call_11:?}");
    }
}

#[test]
fn a_retry_is_not_counted_again_whatever_the_order_of_its_fields() {
    // covers: H03
    for contract in BOTH {
        let place = PlanningProject::new();
        let texts = [r#"{"a": 1, "b": {"c": [1, 2], "d": "x"}}"#, r#"{"b": {"d": "x", "c": [1, 2]}, "a": 1}"#];
        for text in texts.iter().cycle().take(4) {
            let input: Value = serde_json::from_str(text).unwrap();
            assert_eq!(place.ruling(contract, &place.call(SERVERS[0], &input)), AnswerMeaning::Silent, "{text}");
        }
        assert_eq!(budget(&place)["session_total"], 1);
        spend(&place, contract, 0, 9);
        assert_eq!(spend(&place, contract, 99, 1)[0].word(), "refused");
        assert_eq!(spend(&place, contract, 3, 1)[0].word(), "silent", "a retry of what was counted");
    }
}

#[test]
fn a_checkpoint_renews_the_calls_of_the_phase_and_only_a_real_one() {
    // covers: H03 H05
    for contract in BOTH {
        let place = PlanningProject::new().state("phase: RESEARCH");
        spend(&place, contract, 0, 8);
        assert_eq!(budget(&place)["current_phase"], "RESEARCH");
        assert_eq!(checkpoint(&place, contract, "RESEARCH").word(), "told", "the first checkpoint is logged");
        assert_eq!(budget(&place)["phase_total"], 8, "and renews nothing: the phase is the same");
        assert_eq!(checkpoint(&place, contract, "CLARIFICATION").word(), "told");
        assert_eq!(spend(&place, contract, 8, 1), [AnswerMeaning::Silent], "{contract:?}");
        let now = budget(&place);
        assert_eq!((&now["phase_total"], &now["session_total"]), (&json!(1), &json!(9)));
        for _ in 0..2 {
            assert_eq!(checkpoint(&place, contract, "CLARIFICATION").word(), "silent");
        }
        std::fs::remove_file(place.project.at(place.feature_path(".planning-audit.log"))).unwrap();
        checkpoint(&place, contract, "CLARIFICATION");
        assert_eq!(budget(&place)["phase_total"], 1, "removing the log gives no extra calls");
    }
}

#[test]
fn limits_are_those_of_the_configuration_and_have_defaults() {
    // covers: H03
    for (yaml, allowed) in [
        ("", 10),
        ("research_mcp: {budget: {total_calls_per_phase: 3}}", 3),
        ("research_mcp: {budget: {total_calls_per_session: 2}}", 2),
        ("research_mcp: {budget: {total_calls_per_session: 0}}", 0),
        ("research_mcp: {budget: {total_calls_per_session: ~, total_calls_per_phase: many}}", 10),
        ("research_mcp: {budget: {total_calls_per_session: -1, total_calls_per_phase: []}}", 10),
        ("research_mcp: none", 10),
    ] {
        let place = PlanningProject::new().config(yaml);
        let rulings = spend(&place, Contract::Spec, 0, 12);
        let made = rulings.iter().filter(|ruling| ruling.word() != "refused").count();
        assert_eq!(made, allowed, "{yaml}: {rulings:?}");
    }
}

#[test]
fn eight_calls_at_once_are_eight_calls() {
    // covers: H03
    let place = PlanningProject::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let place = &place;
            scope.spawn(move || spend(place, Contract::Agent, number, 1));
        }
    });
    let budget = budget(&place);
    assert_eq!((&budget["session_total"], &budget["phase_total"]), (&json!(8), &json!(8)));
    assert_eq!(budget["per_server"], json!({"context7": 3, "ref": 3, "tavily": 2}));
}

#[test]
fn calls_beyond_the_limit_that_are_made_at_once_do_not_slip_through() {
    // covers: H03
    let place = PlanningProject::new().config("research_mcp: {budget: {total_calls_per_session: 4}}");
    let refused: usize = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..12)
            .map(|number| {
                let place = &place;
                scope.spawn(move || usize::from(spend(place, Contract::Agent, number, 1)[0].word() == "refused"))
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).sum()
    });
    assert_eq!((refused, &budget(&place)["session_total"]), (8, &json!(4)));
}

#[test]
fn other_servers_and_other_sessions_have_nothing_to_do_with_it() {
    // covers: H03
    let place = PlanningProject::new().config("research_mcp: {budget: {total_calls_per_session: 1}}");
    spend(&place, Contract::Spec, 0, 1);
    for tool in ["mcp__github__search", "mcp__refactor__x", "mcp__context70__x", "Bash"] {
        assert_eq!(place.ruling(Contract::Spec, &place.research(tool, 5)).word(), "silent", "{tool}");
    }
    for tool in
        ["mcp__REF__x", "mcp__Context7__x", "mcp__tavily", "mcp__plugin_docs_context7__x", "WebFetch", "WebSearch"]
    {
        assert_eq!(place.ruling(Contract::Spec, &place.research(tool, 5)).word(), "refused", "{tool}");
    }
    let mut event = place.research(SERVERS[0], 7);
    event["session_id"] = json!("another/../session");
    assert_ne!(place.ruling(Contract::Spec, &event).word(), "refused");
    let gemini = place.event("BeforeTool", &json!({"tool_name": "mcp_tavily_search", "tool_input": {"q": 1}}));
    let said = place.hookrail(&["hook", "--agent=gemini", "--pack=planning"], &gemini.to_string());
    assert!(said.out.contains("session budget exhausted"), "{said:?}");
}
