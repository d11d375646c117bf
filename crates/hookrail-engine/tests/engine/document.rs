//! Sentences of the hook system's document that only break in company: each test fails if the code it names is changed.

use crate::support::{TestLogger, handler, object, output};
use hookrail_core::{Decision, EventName, Failure, RunStatus, Verdict};
use hookrail_engine::runner::process::Limits;
use hookrail_engine::{Config, HookEventHandler, StopAnswer};
use hookrail_testkit::project::TempProject;
use hookrail_testkit::translator::TestTranslator;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Shows hooks the JSON it is given.
const AS_IS: TestTranslator = TestTranslator::all(Value::clone);

fn command(command: &str) -> Value {
    json!({ "type": "command", "command": command })
}

fn printing(output: &Value) -> String {
    format!("cat >/dev/null; cat <<'END'\n{output}\nEND\n")
}

/// A session in a project whose one group of hooks listens to one event.
fn session(project: &TempProject, event: &str, sequential: bool, hooks: &[Value]) -> Config {
    let hooks = json!({ event: [{ "sequential": sequential, "hooks": hooks }] });
    Config::new("s-1", project.path()).enable_hooks(true).transcript_path("/talk").hooks(&hooks)
}

fn before_tool(config: &Config) -> Verdict {
    handler(config).fire_before_tool_event("Write", &object(&json!({ "path": "a" })), None)
}

type Fire = fn(&HookEventHandler) -> Verdict;

/// The five methods of the document, the event that each is for, and the fields that the event has beside the base ones.
fn events() -> [(&'static str, Fire, Value); 5] {
    [
        (
            "BeforeTool",
            |handler| handler.fire_before_tool_event("Write", &object(&json!({ "path": "a" })), None),
            json!({ "tool_name": "Write", "tool_input": { "path": "a" } }),
        ),
        (
            "AfterTool",
            |handler| {
                handler.fire_after_tool_event("Write", &object(&json!({ "path": "a" })), &json!({ "llmContent": "b" }))
            },
            json!({ "tool_name": "Write", "tool_input": { "path": "a" }, "tool_response": { "llmContent": "b" } }),
        ),
        (
            "BeforeModel",
            |handler| handler.fire_before_model_event(&json!({ "model": "m" }), &AS_IS),
            json!({ "llm_request": { "model": "m" } }),
        ),
        (
            "AfterModel",
            |handler| handler.fire_after_model_event(&json!({ "model": "m" }), &json!({ "text": "t" }), &AS_IS),
            json!({ "llm_request": { "model": "m" }, "llm_response": { "text": "t" } }),
        ),
        (
            "BeforeToolSelection",
            |handler| handler.fire_before_tool_selection_event(&json!({ "model": "m" }), &AS_IS),
            json!({ "llm_request": { "model": "m" } }),
        ),
    ]
}

#[test]
fn each_method_fires_its_event_and_no_other_with_exactly_its_fields() {
    // covers: HOOK-143 HOOK-155
    for (event, fire, expected) in events() {
        let project = TempProject::new();
        let config = session(&project, event, false, &[command("cat > input; env > env")]);
        for (other, fire, _) in events() {
            let runs = fire(handler(&config)).runs().len();
            assert_eq!(runs, usize::from(other == event), "{other} with hooks of {event}");
        }
        let verdict = fire(handler(&config));
        assert_eq!(verdict.event().as_str(), event);
        let mut input: Map<String, Value> = serde_json::from_str(&project.read("input")).unwrap();
        let timestamp = input.remove("timestamp").unwrap();
        assert!(timestamp.as_str().unwrap().ends_with('Z'), "{timestamp}");
        // What hookrail adds to the document's fields stands under one key of its own.
        input.remove("hookrail");
        let mut expected = object(&expected);
        expected.extend(object(&json!({
            "session_id": "s-1",
            "cwd": project.path(),
            "hook_event_name": event,
            "transcript_path": "/talk",
        })));
        assert_eq!(Value::Object(input), Value::Object(expected), "{event}: nothing is missing and nothing new");
        for variable in ["LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"] {
            let line = format!("{variable}={}", project.path().display());
            assert!(project.read("env").lines().any(|found| found == line), "{line}");
        }
    }
}

#[test]
fn what_a_failed_hook_printed_does_not_reach_the_next_one() {
    // covers: HOOK-104
    let rewrite = |path: &str| json!({ "hookSpecificOutput": { "tool_input": { "path": path } } });
    let mut unreadable = rewrite("from a failed hook");
    unreadable["decision"] = json!("perhaps");
    let failures = [
        command(&format!("{}exit 1", printing(&rewrite("from a failed hook")))),
        json!({ "type": "command", "on_error": "ask", "command": printing(&unreadable) }),
        command("kill -9 $$"),
    ];
    for failure in failures {
        let project = TempProject::new();
        let hooks = [command(&printing(&rewrite("first"))), failure.clone(), command("cat > seen")];
        let verdict = before_tool(&session(&project, "BeforeTool", true, &hooks));
        assert_eq!(verdict.runs().len(), 3, "{failure}");
        assert!(matches!(verdict.runs()[1].status, RunStatus::Failed(_)), "{failure}: {:?}", verdict.runs()[1].status);
        let seen: Value = serde_json::from_str(&project.read("seen")).unwrap();
        assert_eq!(seen["tool_input"], json!({ "path": "first" }), "{failure}");
    }
}

#[test]
fn a_sequential_plan_runs_one_hook_after_the_other_and_any_other_runs_all_at_once() {
    // covers: HOOK-164 HOOK-165
    let waits = "i=0; while [ ! -e there ] && [ $i -lt 100 ]; do sleep 0.05; i=$((i+1)); done; [ -e there ] || exit 2";
    let late = "touch there";
    let project = TempProject::new();
    let together = before_tool(&session(&project, "BeforeTool", false, &[command(waits), command(late)]));
    assert_eq!(together.decision(), Decision::None, "the first hook saw what the second did meanwhile");

    let project = TempProject::new();
    let first = "sleep 0.2; touch first";
    let second = "[ -e first ] || exit 2";
    let in_order = before_tool(&session(&project, "BeforeTool", true, &[command(first), command(second)]));
    assert_eq!(in_order.decision(), Decision::None, "the second hook began when the first had ended");
}

#[test]
fn a_permission_decision_is_not_lost_among_several_hooks() {
    // covers: HOOK-171
    let says = |word: &str, reason: &str| {
        let specific = json!({ "permissionDecision": word, "permissionDecisionReason": reason });
        command(&printing(&json!({ "hookSpecificOutput": specific })))
    };
    let quiet = command(&printing(&json!({ "hookSpecificOutput": { "additionalContext": "x" } })));
    let orders = [
        vec![says("deny", "no"), says("allow", "yes"), quiet.clone()],
        vec![says("allow", "yes"), says("deny", "no")],
        vec![says("deny", "no"), quiet],
    ];
    for (index, hooks) in orders.into_iter().enumerate() {
        for sequential in [false, true] {
            let project = TempProject::new();
            let verdict = before_tool(&session(&project, "BeforeTool", sequential, &hooks));
            assert_eq!((verdict.decision(), verdict.is_blocking()), (Decision::Block, true), "{index} {sequential}");
            assert!(output(&verdict).get_effective_reason().contains("no"), "{index} {sequential}");
        }
    }
}

#[test]
fn what_is_no_hook_is_left_out_and_told_in_the_log() {
    // covers: HOOK-191
    let project = TempProject::new();
    let hooks = [
        json!({ "type": "script", "command": "touch ran" }),
        json!({ "type": "command" }),
        json!({ "command": "touch ran" }),
        json!({ "type": "plugin", "command": "future" }),
        command("true"),
    ];
    let logger = TestLogger::default();
    let config = session(&project, "BeforeTool", false, &hooks).logger(Arc::new(logger.clone()));
    let registry = || config.get_hook_system().unwrap().get_registry().unwrap();
    let _ = handler(&config);
    let kept: Vec<String> = registry().entries().iter().map(|entry| entry.id().to_owned()).collect();
    assert_eq!(kept, ["future", "true"]);
    let warned: Vec<String> = logger.0.lines().into_iter().filter(|line| line.starts_with("warn: ")).collect();
    let parts = ["unknown hook type `script`", "needs a `command`", "has no `type`"];
    assert_eq!(warned.len(), parts.len(), "{warned:#?}");
    for (line, part) in warned.iter().zip(parts) {
        assert!(line.contains(part), "{line} lacks {part}");
    }
    let _ = before_tool(&config);
    assert!(!project.exists("ran"));
}

#[test]
fn success_is_about_health_and_a_decision_about_policy() {
    // covers: HOOK-214 HOOK-213 HOOK-160
    let deny = printing(&json!({ "decision": "deny", "reason": "no" }));
    // The command, whether it did its work, and whether it refuses.
    let cases = [
        ("true", true, false),
        ("echo fine", true, false),
        (deny.as_str(), true, true),
        ("echo no >&2; exit 2", false, true),
        ("exit 2", false, true),
        ("exit 1", false, false),
        ("echo oh >&2; exit 7", false, false),
        ("kill -9 $$", false, false),
    ];
    for (text, success, blocks) in cases {
        let project = TempProject::new();
        let verdict = before_tool(&session(&project, "BeforeTool", false, &[command(text), command("exit 0")]));
        assert_eq!((verdict.success(), verdict.is_blocking()), (success, blocks), "{text}");
        assert_eq!((verdict.runs()[0].success(), verdict.runs()[1].success()), (success, true), "{text}");
        assert_eq!(verdict.decision() >= Decision::Block, blocks, "{text}");
    }
}

#[test]
fn every_firing_leaves_one_debug_line_that_tells_health_from_failure() {
    // covers: HOOK-146
    for (event, hooks, parts) in [
        ("BeforeTool", vec![command("true"), command("exit 0")], ["BeforeTool: 2 hooks", "success", "decision none"]),
        ("BeforeTool", vec![command("exit 3")], ["BeforeTool: 1 hooks", "failure", "decision none"]),
        ("BeforeTool", vec![command("exit 2")], ["BeforeTool: 1 hooks", "failure", "decision block"]),
        ("AfterTool", vec![command("true")], ["BeforeTool: 0 hooks", "success", "decision none"]),
    ] {
        let project = TempProject::new();
        let logger = TestLogger::default();
        let config = session(&project, event, false, &hooks).logger(Arc::new(logger.clone()));
        let _ = before_tool(&config);
        let lines: Vec<String> = logger.0.lines().into_iter().filter(|line| line.starts_with("debug: ")).collect();
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert!(parts.iter().all(|part| lines[0].contains(part)) && lines[0].contains(" ms,"), "{}", lines[0]);
    }
}

#[test]
fn a_long_answer_counts_and_a_cut_one_is_a_failure_that_on_error_decides() {
    let long = |bytes: usize| {
        format!(
            "cat >/dev/null; printf '{{\"decision\": \"deny\", \"reason\": \"'; head -c {bytes} /dev/zero | tr '\\0' x; printf '\"}}'"
        )
    };
    let project = TempProject::new();
    let run = |bytes: usize, on_error: &str, limit: usize| {
        let hook = json!({ "type": "command", "on_error": on_error, "command": long(bytes) });
        let limits = Limits { answer_bytes: limit, ..Limits::default() };
        before_tool(&session(&project, "BeforeTool", false, &[hook]).limits(limits))
    };
    let usual = Limits::default().answer_bytes;
    assert_eq!(usual, 64 << 20);
    assert_eq!(run(1_200_000, "allow", usual).decision(), Decision::Block, "an answer of 1.2 MB is an answer");
    for (on_error, decision) in [("allow", Decision::None), ("ask", Decision::Ask), ("deny", Decision::Block)] {
        let verdict = run(1_200_000, on_error, 1 << 20);
        assert_eq!(verdict.decision(), decision, "{on_error}");
        let run = &verdict.runs()[0];
        assert!(
            matches!(run.failure(), Some(Failure::Unreadable(why)) if why.contains("cut after")),
            "{:?}",
            run.status
        );
        assert!(run.truncated && run.stdout.len() <= 64 << 10, "{} bytes are kept", run.stdout.len());
    }
    // Text is cut as well as JSON; what exit code 2 says is not on stdout.
    let plain = |exit: u8| command(&format!("head -c 3000000 /dev/zero; exit {exit}"));
    let limits = Limits { answer_bytes: 1 << 20, ..Limits::default() };
    let cut = before_tool(&session(&project, "BeforeTool", false, &[plain(0)]).limits(limits.clone()));
    assert!(!cut.success() && cut.decision() == Decision::None);
    let refused = before_tool(&session(&project, "BeforeTool", false, &[plain(2)]).limits(limits));
    assert_eq!(refused.decision(), Decision::Block);
}

#[test]
fn an_answer_may_be_as_long_as_what_was_sent_and_the_limit_on_top() {
    let project = TempProject::new();
    let text = "y".repeat(3 << 20);
    let echo =
        command(r#"printf '{"hookSpecificOutput": {"llm_request": '; sed 's/.*"llm_request"://; s/}$//'; printf '}}'"#);
    let limits = Limits { answer_bytes: 1 << 10, ..Limits::default() };
    let config = session(&project, "BeforeModel", false, &[echo]).limits(limits);
    let request = json!({ "model": text });
    let verdict = handler(&config).fire_before_model_event(&request, &AS_IS);
    assert_eq!(verdict.runs()[0].status, RunStatus::Succeeded);
    let specific = output(&verdict).specific_json();
    assert_eq!(specific["llm_request"]["model"], json!(text), "a redaction of a long conversation is applied");
    assert_eq!(*verdict.event(), EventName::BeforeModel);
}

#[test]
fn a_stop_is_refused_a_few_times_in_a_row_and_not_by_a_hook_that_stops_the_agent() {
    let project = TempProject::new();
    let stop = |config: &Config| handler(config).engine().after_agent("p", "r", false);
    let refusing = session(&project, "AfterAgent", false, &[command("echo more >&2; exit 2")]);
    for round in 0..2 {
        let mut refused = 0;
        while let StopAnswer::GoOn { reason, .. } = stop(&refusing) {
            assert_eq!(reason, "more");
            refused += 1;
            assert!(refused < 100, "hooks that never let go are overruled");
        }
        assert_eq!(refused, 8, "round {round}: an agent that stopped may be refused again");
    }
    let clear = json!({ "hookSpecificOutput": { "clearContext": true } });
    for (answer, clears) in [
        (json!({}), false),
        (json!({ "decision": "allow" }), false),
        (json!({ "decision": "block", "continue": false, "stopReason": "enough" }), false),
        (clear, true),
    ] {
        let config = session(&project, "AfterAgent", false, &[command(&printing(&answer))]);
        let StopAnswer::Stop { clear_context, .. } = stop(&config) else { panic!("{answer} refuses nothing") };
        assert_eq!(clear_context, clears, "{answer}");
    }
}

#[test]
fn a_hook_is_not_waited_for_if_either_word_says_so() {
    let project = TempProject::new();
    for (fields, background) in [
        (json!({}), false),
        (json!({ "async": false, "asyncRewake": false }), false),
        (json!({ "async": true }), true),
        (json!({ "asyncRewake": true }), true),
    ] {
        let mut hook = command("true");
        hook.as_object_mut().unwrap().extend(object(&fields));
        let config = session(&project, "BeforeTool", false, &[hook]);
        let _ = handler(&config);
        let registry = config.get_hook_system().unwrap().get_registry().unwrap();
        assert_eq!(registry.entries()[0].background, background, "{fields}");
    }
}
