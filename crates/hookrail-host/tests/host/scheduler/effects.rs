use crate::scheduler::fixture::{Args, FakeTool, HookedProject};
use hookrail_host::{
    ToolCallOutcome, ToolCallRequest, ToolEnding, ToolError, ToolRestriction, ToolResult, ToolScheduler,
    execute_tool_with_hooks, run_tool_with_hooks,
};
use serde_json::{Value, json};
use std::sync::Arc;

fn args(text: &str) -> Args {
    Args::from_iter([("text".to_owned(), json!(text))])
}

/// Runs `echo` with the text `a` under these hooks.
fn echo(hooked: &HookedProject) -> (ToolCallOutcome, FakeTool) {
    let tool = FakeTool::echo();
    let scheduler = ToolScheduler::new(Arc::new(hooked.config()), vec![Arc::new(tool.clone())]);
    let call = ToolCallRequest::new("echo", json!({"text": "a"}));
    let mut outcomes = scheduler.schedule(&[call], &ToolRestriction::None, &mut |_| {});
    (outcomes.remove(0), tool)
}

#[test]
fn a_before_tool_hook_that_does_not_object_lets_the_tool_run() {
    // covers: HOOK-018
    for output in [json!({}), json!({"decision": "allow"}), json!({"decision": "approve"}), json!({"decision": "ask"})]
    {
        let (outcome, tool) = echo(&HookedProject::new().answer("BeforeTool", &output));
        assert_eq!(tool.runs(), ["a"], "{output}");
        assert_eq!(outcome.result, ToolResult::text("echo: a"), "{output}");
        assert_eq!(outcome.ending, ToolEnding::Ran, "{output}");
    }
}

#[test]
fn the_tool_runs_with_the_arguments_hooks_left_it() {
    // covers: HOOK-019 HOOK-177
    let rewrite = json!({"hookSpecificOutput": {"tool_input": {"text": "b"}}});
    let hooked = HookedProject::new().answer("BeforeTool", &rewrite).record("AfterTool");
    let (outcome, tool) = echo(&hooked);
    assert_eq!(tool.runs(), ["b"]);
    assert_eq!(outcome.args, args("b"));
    assert_eq!(outcome.call.args, json!({"text": "a"}), "what the model asked for is still known");
    assert_eq!(hooked.asked("AfterTool")[0]["tool_input"], json!({"text": "b"}));
}

#[test]
fn after_tool_hooks_add_to_what_the_model_reads() {
    // covers: HOOK-027 HOOK-029 HOOK-030 HOOK-131 HOOK-132 HOOK-178
    let context = |text: &str| json!({"hookSpecificOutput": {"additionalContext": text}});
    let cases = [
        (context("mind the gap"), "echo: a\n\nmind the gap", false),
        (json!({"systemMessage": "note"}), "echo: a\n\n[System] note", false),
        (json!({"suppressOutput": true}), "echo: a", true),
        (json!({"decision": "block", "reason": "smells"}), "echo: a\n\nsmells", false),
        (json!({"hookSpecificOutput": {"tool_response": {"llmContent": "other"}}}), "echo: a", false),
    ];
    for (output, expected, hidden) in cases {
        let (outcome, tool) = echo(&HookedProject::new().answer("AfterTool", &output));
        assert_eq!(outcome.result.llm_content, json!(expected), "{output}");
        assert_eq!(outcome.result.return_display, json!("echo: a"), "{output}");
        assert_eq!(outcome.result.suppress_display, hidden, "{output}");
        assert_eq!((outcome.ending, outcome.is_error()), (ToolEnding::Ran, false), "{output}");
        assert_eq!(tool.runs(), ["a"], "{output}");
    }
}

#[test]
fn an_after_tool_hook_can_stop_the_agent_and_the_result_stays() {
    // covers: HOOK-028 HOOK-178
    let (outcome, tool) =
        echo(&HookedProject::new().answer("AfterTool", &json!({"continue": false, "stopReason": "enough"})));
    assert_eq!(outcome.stop.as_deref(), Some("enough"));
    assert_eq!(outcome.result, ToolResult::text("echo: a"));
    assert_eq!(tool.runs(), ["a"]);
}

#[test]
fn a_hook_that_fails_leaves_call_and_result_alone_and_is_logged() {
    // covers: HOOK-031
    let failures = [
        ("echo broken >&2; exit 1", "exit code 1; stderr: broken", vec!["Warning: broken".to_owned()]),
        ("echo '{\"decision\": \"block\"}'; exit 3", "exit code 3", vec![]),
        ("kill -9 $$", "SIGKILL", vec![]),
    ];
    for (command, logged, warnings) in failures {
        for event in ["BeforeTool", "AfterTool"] {
            let hooked = HookedProject::new().hook(event, command);
            let (outcome, tool) = echo(&hooked);
            assert_eq!(outcome.result, ToolResult::text("echo: a"), "{event}: {command}");
            assert_eq!(outcome.warnings, warnings, "{event}: {command}");
            assert_eq!(tool.runs(), ["a"], "{event}: {command}");
            let lines = hooked.log.lines();
            let is_warning = |line: &&String| line.starts_with("Warn:") && line.contains(logged);
            assert!(lines.iter().any(|line| is_warning(&line)), "{event}: {command}: {lines:?}");
        }
    }
}

#[test]
fn what_many_hooks_say_is_short_enough_for_a_model_also_beside_ones_that_fail() {
    let long = "x".repeat(9_000);
    let hooked = (0..4).fold(HookedProject::new(), |hooked, number| {
        let said = format!("{number}{long}");
        let specific = json!({"hookEventName": "AfterTool", "additionalContext": said});
        let output = json!({"systemMessage": said, "hookSpecificOutput": specific});
        hooked.hook("AfterTool", &format!("echo {said} >&2; exit 1")).answer("AfterTool", &output)
    });
    let (outcome, _) = echo(&hooked);
    let count = |text: &str| text.chars().count();
    let result = count(outcome.result.llm_content.as_str().unwrap());
    assert!((19_000..=20_100).contains(&result), "a context and a message, each cut: {result}");
    let warnings: usize = outcome.warnings.iter().map(|warning| count(warning)).sum();
    assert!((9_000..=10_000).contains(&warnings), "{warnings}");
}

#[test]
fn what_other_hooks_say_is_applied_beside_one_that_fails() {
    let hooked = HookedProject::new()
        .hook("AfterTool", "echo broken >&2; exit 1")
        .answer("AfterTool", &json!({"systemMessage": "fine", "suppressOutput": true}));
    let (outcome, _) = echo(&hooked);
    assert_eq!(outcome.result.llm_content, json!("echo: a\n\n[System] fine"));
    assert!(outcome.result.suppress_display);
    assert_eq!(outcome.warnings, ["Warning: broken"]);
}

#[test]
fn the_wrapper_carries_a_tool_through_all_its_hooks() {
    // covers: HOOK-133
    let rewrite = json!({"systemMessage": "before", "hookSpecificOutput": {"tool_input": {"text": "b"}}});
    let hooked = HookedProject::new()
        .answer("BeforeTool", &rewrite)
        .answer("AfterTool", &json!({"hookSpecificOutput": {"additionalContext": "after"}}));
    let mut seen = Vec::new();
    let result: ToolResult = execute_tool_with_hooks(&hooked.config(), "echo", &args("a"), |input| {
        seen.push(input.clone());
        ToolResult { metadata: Some(json!({"lines": 1})), ..ToolResult::text("ran") }
    });
    assert_eq!(seen, [args("b")]);
    assert_eq!(result.llm_content, json!("ran\n\n[System] before\n\nafter"));
    let asked = &hooked.asked("AfterTool")[0];
    let response = json!({"llmContent": "ran", "returnDisplay": "ran", "metadata": {"lines": 1}});
    assert_eq!(asked["tool_response"], response);
    assert_eq!(asked["tool_input"], json!({"text": "b"}));
}

#[test]
fn the_wrapper_returns_the_reason_of_a_block_without_running_anything() {
    // covers: HOOK-017 HOOK-183
    for (command, reason) in [
        ("echo '{\"decision\": \"deny\", \"reason\": \"no writes here\"}'", "no writes here"),
        ("echo 'no writes here' >&2; exit 2", "no writes here"),
        ("exit 2", "Blocked by hook"),
    ] {
        let hooked = HookedProject::new().hook("BeforeTool", command).record("AfterTool");
        let mut runs = 0;
        let result = execute_tool_with_hooks(&hooked.config(), "echo", &args("a"), |_| {
            runs += 1;
            ToolResult::text("ran")
        });
        assert_eq!(result.llm_content, json!(reason), "{command}");
        assert_eq!(runs, 0, "{command}");
        assert_eq!(hooked.asked("AfterTool"), [] as [Value; 0], "{command}");
        let fields = serde_json::to_value(&result).unwrap();
        assert_eq!(fields.get("blocked"), None, "a result has no such field");
    }
}

#[test]
fn a_tool_that_does_not_run_has_no_after_tool_event() {
    let hooked = HookedProject::new().record("BeforeTool").record("AfterTool");
    let args = args("a");
    let execution = run_tool_with_hooks(&hooked.config(), "echo", &args, |_| Err(ToolError("no arms".to_owned())));
    assert_eq!((execution.ending, execution.stop), (ToolEnding::NotRun, None));
    assert_eq!(execution.result, ToolResult::failed("no arms"));
    assert_eq!(hooked.asked("BeforeTool").len(), 1);
    assert_eq!(hooked.asked("AfterTool").len(), 0);
}
