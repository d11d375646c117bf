//! Merging, beyond what the conformance cases say: sequential rewrites, conflicts, attribution.

use hookrail_core::aggregator::aggregate_results;
use hookrail_core::{
    ConfigSource, Decision, EventName, Failure, HookAction, HookEntry, HookOutput, HookRun, OnError, Order, Origin,
    RunStatus, Verdict,
};
use serde_json::{Value, json};
use std::time::Duration;

fn run(name: &str, output: Value) -> HookRun {
    run_at(&EventName::BeforeTool, name, output)
}

fn run_at(event: &EventName, name: &str, output: Value) -> HookRun {
    let mut entry =
        HookEntry::new(event.clone(), HookAction::Command { command: "x".to_owned() }, ConfigSource::Project);
    entry.name = Some(name.to_owned());
    entry.origin = Origin::new("settings.json", Some((7, 3)));
    HookRun::new(
        entry.reference(),
        RunStatus::Succeeded,
        HookOutput::from_json(event, output),
        Duration::from_millis(5),
    )
}

fn merge(event: &EventName, order: Order, outputs: &[(&str, Value)]) -> Verdict {
    let runs = outputs.iter().map(|(name, output)| run_at(event, name, output.clone())).collect();
    aggregate_results(event, runs, order)
}

fn specific(verdict: &Verdict, field: &str) -> Value {
    let output = verdict.final_output().unwrap();
    output.specific_json().get(field).cloned().unwrap_or(Value::Null)
}

#[test]
fn rewrites_of_sequential_hooks_build_on_each_other() {
    // covers: HOOK-105 HOOK-216
    let model = [
        ("a", json!({"hookSpecificOutput": {"llm_request": {"model": "m2"}}})),
        ("b", json!({"hookSpecificOutput": {"llm_request": {"config": {"temperature": 0}}}})),
    ];
    let sequential = merge(&EventName::BeforeModel, Order::Sequential, &model);
    assert_eq!(specific(&sequential, "llm_request"), json!({"model": "m2", "config": {"temperature": 0}}));
    let parallel = merge(&EventName::BeforeModel, Order::Parallel, &model);
    assert_eq!(specific(&parallel, "llm_request"), json!({"config": {"temperature": 0}}), "the later one wins whole");
}

#[test]
fn competing_rewrites_of_parallel_hooks_are_reported_with_their_authors() {
    let outputs = [
        ("a", json!({"hookSpecificOutput": {"tool_input": {"command": "ls", "cwd": "/"}}})),
        ("b", json!({"hookSpecificOutput": {"tool_input": {"command": "ls -l", "cwd": "/"}}})),
        ("c", json!({"hookSpecificOutput": {"tool_input": {"timeout": 5}}})),
    ];
    let verdict = merge(&EventName::BeforeTool, Order::Parallel, &outputs);
    let conflicts: Vec<_> =
        verdict.conflicts().iter().map(|conflict| (conflict.field.as_str(), conflict.hooks.join(","))).collect();
    assert_eq!(conflicts, [("tool_input.command", "a,b".to_owned())], "agreement on cwd is no conflict");
    assert_eq!(specific(&verdict, "tool_input"), json!({"command": "ls -l", "cwd": "/", "timeout": 5}));
    assert!(
        merge(&EventName::BeforeTool, Order::Sequential, &outputs).conflicts().is_empty(),
        "a chain has no conflicts"
    );
    let rewriters: Vec<&str> = verdict.rewriters().map(|hook| &*hook.id).collect();
    assert_eq!(rewriters, ["a", "b", "c"]);
}

#[test]
fn a_verdict_names_the_hook_behind_every_part_of_it() {
    let mut failed = run("broken", json!(null));
    failed.status = RunStatus::Failed(Failure::TimedOut(Duration::from_secs(3)));
    let runs = vec![
        run("guard", json!({"decision": "deny", "reason": "no"})),
        run("quiet", json!({})),
        run("halt", json!({"continue": false, "stopReason": "enough"})),
        run("helper", json!({"systemMessage": "hint", "hookSpecificOutput": {"additionalContext": "ctx"}})),
        failed,
    ];
    let verdict = aggregate_results(&EventName::BeforeTool, runs, Order::Parallel);
    let reasons: Vec<String> = verdict
        .reasons()
        .iter()
        .map(|reason| format!("{} {} {:?} {}", reason.hook.id, reason.decision, reason.message, reason.hook.origin))
        .collect();
    assert_eq!(
        reasons,
        [
            "guard block \"no\" settings.json:7:3",
            "halt stop \"enough\" settings.json:7:3",
            "broken none \"timed out after 3000 ms\" settings.json:7:3",
        ]
    );
    let contexts: Vec<_> = verdict.contexts().map(|(hook, text)| (&*hook.id, text)).collect();
    assert_eq!(contexts, [("helper", "ctx")]);
    let messages: Vec<_> = verdict.messages().map(|(hook, text)| (&*hook.id, text)).collect();
    assert_eq!(messages, [("helper", "hint")]);
    assert_eq!(verdict.decision(), Decision::Stop);
    assert!(verdict.is_blocking(), "the block beside the stop is still there");
    assert!(!verdict.success());
}

#[test]
fn a_block_is_explained_by_a_hook_that_blocks_or_decides_nothing_and_never_by_one_that_allows() {
    let opinion = |decision: &str, reason: &str| json!({ "decision": decision, "reason": reason });
    let (block, allow) = (opinion("block", "secret found"), opinion("allow", "looks fine"));
    let mute = json!({ "decision": "block" });
    let remark = json!({ "reason": "it is late" });
    for (name, outputs, expected) in [
        ("a later allow", vec![block.clone(), allow.clone()], Some("secret found")),
        ("the last of two blocks", vec![opinion("block", "first"), block.clone()], Some("secret found")),
        ("a block without a reason after one with", vec![block, mute.clone()], Some("secret found")),
        ("a hook that decides nothing", vec![remark, mute.clone()], Some("it is late")),
        ("only the allow has a reason", vec![allow, mute], None),
    ] {
        for event in [EventName::BeforeModel, EventName::Notification] {
            let outputs: Vec<_> = outputs.iter().map(|output| ("hook", output.clone())).collect();
            let verdict = merge(&event, Order::Parallel, &outputs);
            assert_eq!(verdict.final_output().unwrap().reason(), expected, "{name}, {event}");
        }
    }
}

/// What two hooks say that use every common field, and fields that hookrail has no name for.
fn talkative() -> [Value; 2] {
    [
        json!({
            "reason": "r1", "systemMessage": "m1", "suppressOutput": true, "own": 1,
            "hookSpecificOutput": { "additionalContext": "c1", "x": 1, "y": 1 },
        }),
        json!({
            "reason": "r2", "systemMessage": "m2", "suppressOutput": false, "other": 2,
            "hookSpecificOutput": { "additionalContext": "c2", "x": 2 },
        }),
    ]
}

fn selection(config: &Value) -> Value {
    json!({ "hookSpecificOutput": { "toolConfig": config } })
}

#[test]
fn what_several_hooks_say_is_merged_by_the_rule_of_their_event() {
    let [first, second] = talkative();
    let (mute, context) = (json!({}), json!({ "hookSpecificOutput": { "additionalContext": "c" } }));
    for (name, event, outputs, expected) in [
        (
            "texts of a tool event are joined",
            EventName::BeforeTool,
            vec![first.clone(), mute.clone(), second.clone()],
            json!({
                "reason": "r1\nr2", "systemMessage": "m1\nm2", "suppressOutput": true,
                "hookSpecificOutput": { "additionalContext": "c1\nc2", "x": 2, "y": 1 },
            }),
        ),
        (
            "fields of a model event are replaced one by one",
            EventName::AfterModel,
            vec![first.clone(), second.clone(), mute.clone()],
            json!({
                "reason": "r2", "systemMessage": "m2", "suppressOutput": false, "own": 1, "other": 2,
                "hookSpecificOutput": { "additionalContext": "c2", "x": 2, "y": 1 },
            }),
        ),
        (
            "what belongs to another event is the last hook's, whole",
            EventName::Notification,
            vec![first.clone(), second, mute.clone()],
            json!({
                "reason": "r2", "systemMessage": "m2", "suppressOutput": false, "own": 1, "other": 2,
                "hookSpecificOutput": { "additionalContext": "c2", "x": 2 },
            }),
        ),
        (
            "a text for the model belongs to the event, too",
            EventName::Notification,
            vec![json!({ "hookSpecificOutput": { "x": 1 } }), context.clone()],
            context.clone(),
        ),
        (
            "names of tools are united under the strictest mode",
            EventName::BeforeToolSelection,
            vec![
                selection(&json!({ "mode": "ANY", "allowedFunctionNames": ["b", "a", 1] })),
                selection(&json!({ "mode": "AUTO", "allowedFunctionNames": ["c"] })),
            ],
            selection(&json!({ "mode": "ANY", "allowedFunctionNames": ["a", "b", "c"] })),
        ),
        (
            "no mode is stricter than NONE, which names nothing",
            EventName::BeforeToolSelection,
            vec![
                selection(&json!({ "mode": "NONE" })),
                selection(&json!({ "mode": "ANY", "allowedFunctionNames": ["a"] })),
            ],
            selection(&json!({ "mode": "NONE", "allowedFunctionNames": [] })),
        ),
        (
            "without a list of names nothing is restricted",
            EventName::BeforeToolSelection,
            vec![selection(&json!({ "mode": "AUTO" })), mute],
            selection(&json!({ "mode": "AUTO" })),
        ),
        (
            "the context of a choice of tools is the last hook's",
            EventName::BeforeToolSelection,
            vec![first, context.clone()],
            json!({
                "reason": "r1", "systemMessage": "m1", "suppressOutput": true,
                "hookSpecificOutput": { "additionalContext": "c", "x": 1, "y": 1 },
            }),
        ),
    ] {
        let outputs: Vec<_> = outputs.iter().map(|output| ("hook", output.clone())).collect();
        let verdict = merge(&event, Order::Parallel, &outputs);
        assert_eq!(verdict.final_output().unwrap().to_json(), expected, "{name}");
    }
}

#[test]
fn a_stop_is_a_stop_however_it_is_said() {
    let reason = Some("enough".to_owned());
    let said = [
        HookOutput::decide(Decision::Stop, "enough"),
        HookOutput { decision: Decision::Stop, reason: reason.clone(), ..HookOutput::default() },
        HookOutput { stop: true, reason, ..HookOutput::default() },
    ];
    for output in said {
        let mut run = run("guard", json!(null));
        run.output = Some(output.clone());
        let verdict = aggregate_results(&EventName::BeforeTool, vec![run], Order::Parallel);
        assert_eq!((verdict.decision(), verdict.refusal()), (Decision::Stop, Some("enough")), "{output:?}");
        let merged = verdict.final_output().unwrap();
        assert!(merged.should_stop_execution() && merged.to_json()["continue"] == json!(false), "{output:?}");
    }
}

#[test]
fn words_of_failed_hooks_are_taken_out_and_what_was_shortened_stays_short() {
    let mut broken = run("broken", json!({"systemMessage": "Warning: broken"}));
    broken.status = RunStatus::Failed(Failure::Exit(1));
    let helper = run("helper", json!({"systemMessage": "hint", "hookSpecificOutput": {"additionalContext": "long"}}));
    let mut verdict = aggregate_results(&EventName::BeforeTool, vec![broken, helper], Order::Parallel);
    verdict.add_message("from hookrail itself");
    verdict.edit_texts(|output| {
        output.context = Some("short".to_owned());
        output.decision = Decision::Stop;
    });
    assert_eq!(verdict.take_remarks_of_failed(), ["Warning: broken"]);
    let output = verdict.final_output().unwrap();
    assert_eq!(output.system_message(), Some("hint\nfrom hookrail itself"));
    assert_eq!(output.additional_context(), Some("short"));
    assert_eq!(output.verdict(), Decision::None, "editing a text decides nothing");
}

#[test]
fn on_error_decides_for_a_hook_that_failed_and_only_then() {
    let failures = [
        Failure::Exit(1),
        Failure::Signal("SIGSEGV".to_owned()),
        Failure::TimedOut(Duration::from_secs(1)),
        Failure::NotStarted("no such program".to_owned()),
        Failure::Panicked("oops".to_owned()),
    ];
    for failure in failures {
        for (on_error, expected) in
            [(OnError::Allow, Decision::None), (OnError::Ask, Decision::Ask), (OnError::Deny, Decision::Block)]
        {
            let mut run = run("guard", json!(null));
            run.status = RunStatus::Failed(failure.clone());
            run.stderr = "the details".to_owned();
            on_error.apply(&mut run);
            let verdict = aggregate_results(&EventName::BeforeTool, vec![run], Order::Parallel);
            assert_eq!(verdict.decision(), expected, "{failure:?} {on_error}");
            if expected == Decision::Block {
                let reason = verdict.final_output().unwrap().get_effective_reason().to_owned();
                for part in ["`guard`", &failure.to_string(), "the details", "`deny`"] {
                    assert!(reason.contains(part), "{reason} lacks {part}");
                }
            }
        }
    }
    for status in [RunStatus::Succeeded, RunStatus::Blocked] {
        let mut run = run("guard", json!({"decision": "allow"}));
        run.status = status;
        OnError::Deny.apply(&mut run);
        assert_eq!(run.output.unwrap().decision, Decision::Allow, "a hook that did its work keeps its word");
    }
}
