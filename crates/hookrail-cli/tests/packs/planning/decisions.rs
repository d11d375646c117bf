//! H01: questions the user has answered.

use crate::planning::project::{BOTH, Contract, PlanningProject, STATE};
use serde_json::json;

const CACHING: &str = r#"user_decisions: {"Use Redis for caching": "Yes, use Redis"}"#;

#[test]
fn a_question_is_compared_with_what_the_user_has_decided() {
    // covers: H01
    let exact = r#"user_decisions: {"Should we use Redis for caching?": "Yes"}"#;
    let long = r#"user_decisions: {"Use Redis for session caching in production": "Yes"}"#;
    let example = r#"user_decisions: {"Should we use Redis for session caching?": "Yes, use Redis"}"#;
    for (case, state, question, expected) in [
        ("No state file", None, "What caching to use?", "silent"),
        ("No decisions", Some("user_decisions: {}"), "What caching to use?", "silent"),
        ("Matching question", Some(CACHING), "What caching to use?", "refused"),
        ("Non-matching question", Some(CACHING), "What color for the button?", "silent"),
        ("Exact repeat", Some(exact), "Should we use Redis for caching?", "refused"),
        ("Partial overlap below threshold", Some(long), "Is Redis good?", "silent"),
        ("The worked example of H01", Some(example), "What caching strategy for sessions?", "refused"),
    ] {
        for contract in BOTH {
            let place = PlanningProject::new();
            let place = match state {
                Some(yaml) => place.state(yaml),
                None => place,
            };
            let ruling = place.ruling(contract, &place.ask(&[question]));
            assert_eq!(ruling.word(), expected, "{case}, {contract:?}: {ruling:?}");
        }
    }
}

#[test]
fn every_question_of_a_call_counts_and_every_cached_answer_is_named() {
    // covers: H01
    let state = "user_decisions:\n  \
                 notification_channels: {question: Which notification channels?, answer: [mail, push], type: multi}\n  \
                 \"Real-time\\tupdates?\": \"Polling, every\\nminute\"\n  \
                 primary_db: {answer: PostgreSQL}\n";
    for contract in BOTH {
        let place = PlanningProject::new().state(state);
        let questions = ["Dark mode?", "Real time updates?", "Notification channels?", "And the primary DB?"];
        let reason = place.ruling(contract, &place.ask(&questions));
        assert_eq!(reason.word(), "refused", "{contract:?}");
        for expected in [
            "'mail, push' (decided: 'Which notification channels?', overlap 2/2)",
            "'Polling, every minute' (decided: 'Real-time updates?', overlap 3/3)",
            "'PostgreSQL' (decided: 'primary_db', overlap 2/2)",
            "Do not re-ask",
        ] {
            assert!(reason.text().contains(expected), "{expected}: {reason:?}");
        }
        assert!(!reason.text().contains('{'), "an answer is a text: {reason:?}");
        assert_eq!(place.ruling(contract, &place.ask(&["Dark mode?"])).word(), "silent");
    }
}

#[test]
fn only_front_matter_decides() {
    // covers: H01
    let body = "\n---\nuser_decisions: {Which color?: Blue}\n---\nWhich color? Blue\n";
    for contract in BOTH {
        let place = PlanningProject::new().file(STATE, &format!("---\n{CACHING}\n---\n{body}"));
        assert_eq!(place.ruling(contract, &place.ask(&["Which color?"])).word(), "silent");
        assert_eq!(place.ruling(contract, &place.ask(&["Which caching?"])).word(), "refused");
    }
}

#[test]
fn input_without_a_question_is_left_alone() {
    // covers: H01
    for input in [json!({}), json!({"questions": []}), json!({"questions": [{}]}), json!({"questions": "caching"})] {
        for contract in BOTH {
            let place = PlanningProject::new().state(CACHING);
            assert_eq!(place.ruling(contract, &place.call("AskUserQuestion", &input)).word(), "silent", "{input}");
        }
    }
}

#[test]
fn every_agent_that_asks_its_user_is_guarded() {
    // covers: H01
    let questions = json!({"questions": [{"question": "What caching to use?"}]});
    for (agent, event, tool) in [
        ("claude", "PreToolUse", "AskUserQuestion"),
        ("gemini", "BeforeTool", "ask_user"),
        ("llxprt", "BeforeTool", "ask_user"),
        ("qwen", "PreToolUse", "ask_user_question"),
        ("vscode", "PreToolUse", "vscode_askQuestions"),
    ] {
        let place = PlanningProject::new().state(CACHING);
        let event = place.event(event, &json!({"tool_name": tool, "tool_input": questions}));
        let said = place.hookrail(&["hook", "--agent", agent, "--pack=planning"], &event.to_string());
        assert!(said.out.contains("'Yes, use Redis'"), "{agent}: {said:?}");
    }
}

#[test]
fn the_two_forms_of_a_denial_are_these() {
    // covers: H01
    let place = PlanningProject::new().state(CACHING);
    let event = place.ask(&["What caching to use?"]);
    let reason = place.ruling(Contract::Agent, &event).text().to_owned();
    let spec = place.fire(Contract::Spec, None, &event);
    let expected = json!({"hookSpecificOutput": {"permissionDecision": "deny"}, "systemMessage": reason});
    assert_eq!((spec.code, spec.out.as_str(), spec.err), (Some(2), "", format!("{expected}\n")));
    let agent = place.fire(Contract::Agent, None, &event);
    let expected = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }});
    assert_eq!((agent.code, agent.out, agent.err.as_str()), (Some(0), expected.to_string(), ""));
}
