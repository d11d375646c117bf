//! H01.

use crate::place::{BOTH, Place};

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
            let place = Place::new();
            let place = match state {
                Some(yaml) => place.state(yaml),
                None => place,
            };
            let ruling = place.ruling(contract, &place.ask(&[question]));
            assert_eq!(ruling.word(), expected, "{case}, {contract:?}: {ruling:?}");
        }
    }
}
