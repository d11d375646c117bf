//! What a hook process said, in the corners the conformance cases leave out.

use hookrail_core::process_result::{ProcessExit, ProcessResult, interpret};
use hookrail_core::{Decision, EventName, RunStatus};
use proptest::prelude::*;

#[test]
fn a_deny_survives_whatever_else_is_in_its_json() {
    // covers: HOOK-063 HOOK-212
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let cases = [
        format!(r#"{{"decision":"deny","x":{deep}}}"#),
        format!(r#"{{"x":{deep},"decision":"deny"}}"#),
        r#"{"decision":"deny","n":1e999}"#.to_owned(),
        r#"{"decision":"deny","s":"\ud800"}"#.to_owned(),
        r#"{"decision":"deny","reason":"\ud800"}"#.to_owned(),
        r#"{"decision":"allow","decision":"deny"}"#.to_owned(),
        r#"{"decision":"deny","hookSpecificOutput":[]}"#.to_owned(),
    ];
    for stdout in cases {
        let ProcessResult { status, output, .. } =
            interpret(&EventName::BeforeTool, &ProcessExit::Code(0), &stdout, "");
        assert_eq!(status, RunStatus::Succeeded);
        let shown: String = stdout.chars().take(60).collect();
        assert_eq!(output.unwrap().decision, Decision::Block, "{shown}");
    }
}

#[test]
fn json_that_is_merely_deep_is_not_an_answer_and_not_a_crash() {
    let deep = "[".repeat(100_000);
    let ProcessResult { output, .. } = interpret(&EventName::BeforeTool, &ProcessExit::Code(0), &deep, "");
    assert_eq!(output.unwrap().decision, Decision::Allow);
    let nested = format!("{}{}", r#"{"a":"#.repeat(10_000), "1".to_owned() + &"}".repeat(10_000));
    let ProcessResult { output, .. } = interpret(&EventName::BeforeTool, &ProcessExit::Code(0), &nested, "");
    assert_eq!(output.unwrap().decision, Decision::None, "an object without a readable field has no opinion");
}

#[test]
fn exit_code_two_blocks_with_the_text_of_stderr() {
    // covers: HOOK-189 HOOK-067a HOOK-067b HOOK-016a
    for (stderr, reason) in [
        ("no\n", "no"),
        ("", "Blocked by hook"),
        (" \n", "Blocked by hook"),
        ("{\"decision\":\"allow\"}", "{\"decision\":\"allow\"}"),
    ] {
        let ProcessResult { status, output, .. } =
            interpret(&EventName::BeforeTool, &ProcessExit::Code(2), "{\"decision\":\"allow\"}", stderr);
        let output = output.unwrap();
        assert_eq!((status, output.decision, output.reason()), (RunStatus::Blocked, Decision::Block, Some(reason)));
    }
}

proptest! {
    #[test]
    fn any_output_of_any_process_means_something(code in any::<i32>(), stdout in ".{0,80}", stderr in ".{0,40}") {
        // covers: HOOK-070
        let ProcessResult { status, output, .. } = interpret(&EventName::BeforeTool, &ProcessExit::Code(code), &stdout, &stderr);
        prop_assert_eq!(status == RunStatus::Succeeded, code == 0);
        let blocks = output.is_some_and(|output| output.decision == Decision::Block);
        prop_assert!(!blocks || code == 2 || code == 0, "only exit 2 and JSON on exit 0 can block");
        prop_assert!(blocks || code != 2, "exit 2 always blocks");
    }
}
