//! What a hook process said, in the corners the conformance cases leave out.

use hookrail_core::process_result::{ProcessExit, ProcessResult, interpret};
use hookrail_core::{Decision, EventName, Failure, RunStatus};
use proptest::prelude::*;
use serde_json::json;

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

#[test]
fn the_exit_code_decides_how_a_process_is_read() {
    // covers: HOOK-061 HOOK-064 HOOK-067a HOOK-067b HOOK-193 HOOK-209
    let remark = |text: &str| Some(json!({ "decision": "allow", "systemMessage": text }));
    let (code, killed) = (ProcessExit::Code, ProcessExit::Signal("SIGKILL".to_owned()));
    let failed = |code| RunStatus::Failed(Failure::Exit(code));
    let deny = Some(json!({ "decision": "block", "reason": "no" }));
    let cases = [
        ("nothing was printed", code(0), " \n", "", RunStatus::Succeeded, None),
        ("text is a remark", code(0), "hi\n", "", RunStatus::Succeeded, remark("hi")),
        (
            "an object is an answer",
            code(0),
            r#"{"decision":"deny","reason":"no"}"#,
            "",
            RunStatus::Succeeded,
            deny.clone(),
        ),
        (
            "a byte order mark is no text",
            code(0),
            "\u{feff} {\"decision\":\"deny\",\"reason\":\"no\"} ",
            "",
            RunStatus::Succeeded,
            deny.clone(),
        ),
        (
            "an object that was encoded twice",
            code(0),
            r#"" {\"decision\":\"deny\",\"reason\":\"no\"}""#,
            "",
            RunStatus::Succeeded,
            deny.clone(),
        ),
        ("a quoted text is a text", code(0), r#""hi""#, "", RunStatus::Succeeded, remark("\"hi\"")),
        ("a list is a text", code(0), "[1]", "", RunStatus::Succeeded, remark("[1]")),
        ("half an object is a text", code(0), r#"{"decision":"#, "", RunStatus::Succeeded, remark(r#"{"decision":"#)),
        ("stderr of a success says nothing", code(0), "", "oh", RunStatus::Succeeded, None),
        ("exit code 2 blocks", code(2), "ignored", "no\n", RunStatus::Blocked, deny),
        ("a failure warns", code(1), "ignored", "oh\n", failed(1), remark("Warning: oh")),
        ("a failure without a word", code(3), "{}", "", failed(3), None),
        ("a negative exit code", code(-1), "", "", failed(-1), None),
        (
            "a signal",
            killed.clone(),
            "ignored",
            "oh",
            RunStatus::Failed(Failure::Signal("SIGKILL".to_owned())),
            remark("Warning: oh"),
        ),
    ];
    for (name, exit, stdout, stderr, status, expected) in cases {
        let result = interpret(&EventName::BeforeTool, &exit, stdout, stderr);
        assert_eq!((&result.status, result.output.map(|output| output.to_json())), (&status, expected), "{name}");
        assert_eq!(result.is_object, stdout.contains("deny"), "{name}: only an object may approve");
        assert_eq!(result.garbled, name.starts_with("half"), "{name}: garbled");
    }
}

#[test]
fn the_answer_is_kept_in_the_words_of_the_hook_or_of_its_exit_code() {
    // covers: HOOK-067a
    for (exit, stdout, raw) in [
        (0, r#"{"decision":"approve","own":1}"#, Some(json!({ "decision": "approve", "own": 1 }))),
        (0, "hi", Some(json!({ "decision": "allow", "systemMessage": "hi" }))),
        (0, "", None),
        (2, "", Some(json!({ "decision": "deny", "reason": "no" }))),
        (1, "", Some(json!({ "decision": "allow", "systemMessage": "Warning: no" }))),
    ] {
        let result = interpret(&EventName::BeforeTool, &ProcessExit::Code(exit), stdout, "no");
        assert_eq!(result.raw, raw, "{exit} {stdout}");
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
