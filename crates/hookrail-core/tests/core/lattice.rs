//! Laws of merging that must hold for any hooks whatsoever.

use hookrail_core::aggregator::aggregate_results;
use hookrail_core::{
    ConfigSource, Decision, EventName, HookAction, HookEntry, HookOutput, HookRun, Order, RunStatus, Verdict,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::time::Duration;

fn run(event: &EventName, output: Value) -> HookRun {
    let action = HookAction::Command { command: "law".to_owned() };
    let hook = HookEntry::new(EventName::BeforeTool, action, ConfigSource::Project).reference();
    HookRun::new(hook, RunStatus::Succeeded, HookOutput::from_json(event, output), Duration::ZERO)
}

fn merge(event: &EventName, outputs: &[Value]) -> Verdict {
    aggregate_results(event, outputs.iter().cloned().map(|output| run(event, output)).collect(), Order::Parallel)
}

/// The merged output as the output of a single hook.
fn folded(verdict: &Verdict) -> Value {
    verdict.final_output().map_or_else(|| json!({}), HookOutput::to_json)
}

fn any_event() -> impl Strategy<Value = EventName> {
    let names: Vec<EventName> = EventName::KNOWN.iter().cloned().chain([EventName::parse("Novel")]).collect();
    proptest::sample::select(names)
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z]{0,6}".prop_map(Value::from),
        proptest::sample::select(vec!["allow", "approve", "deny", "block", "ask", "NONE", "ANY"]).prop_map(Value::from),
    ]
}

/// Outputs of every shape, wrong types included.
fn any_output() -> impl Strategy<Value = Value> {
    let key = proptest::sample::select(vec![
        "decision",
        "reason",
        "continue",
        "stopReason",
        "suppressOutput",
        "systemMessage",
        "extra",
    ]);
    let specific_key = proptest::sample::select(vec![
        "permissionDecision",
        "permissionDecisionReason",
        "additionalContext",
        "tool_input",
        "llm_request",
        "toolConfig",
        "clearContext",
    ]);
    let object = proptest::collection::hash_map("[a-c]", any_scalar(), 0..3).prop_map(|map| json!(map));
    let specific = proptest::collection::hash_map(specific_key, prop_oneof![any_scalar(), object], 0..4);
    (proptest::collection::hash_map(key, any_scalar(), 0..5), proptest::option::of(specific)).prop_map(
        |(fields, specific)| {
            let mut output: Map<String, Value> =
                fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            if let Some(specific) = specific {
                output.insert("hookSpecificOutput".to_owned(), json!(specific));
            }
            Value::Object(output)
        },
    )
}

proptest! {
    #[test]
    fn the_verdict_is_the_strongest_opinion_of_any_hook(event in any_event(), outputs in proptest::collection::vec(any_output(), 0..6)) {
        // covers: HOOK-092 HOOK-097 HOOK-110 HOOK-182
        let strongest = outputs.iter().cloned().filter_map(|output| HookOutput::from_json(&event, output)).map(|output| output.verdict()).max().unwrap_or_default();
        prop_assert_eq!(merge(&event, &outputs).decision(), strongest);
    }

    #[test]
    fn another_hook_never_weakens_a_verdict(event in any_event(), outputs in proptest::collection::vec(any_output(), 0..5), one_more in any_output(), place in 0usize..6) {
        let before = merge(&event, &outputs).decision();
        let mut more = outputs;
        more.insert(place.min(more.len()), one_more);
        prop_assert!(merge(&event, &more).decision() >= before);
    }

    #[test]
    fn the_order_of_hooks_changes_texts_but_not_the_decision(event in any_event(), outputs in proptest::collection::vec(any_output(), 0..5)) {
        let mut reversed = outputs.clone();
        reversed.reverse();
        let (forward, backward) = (merge(&event, &outputs), merge(&event, &reversed));
        prop_assert_eq!(forward.decision(), backward.decision());
        prop_assert_eq!(forward.is_blocking(), backward.is_blocking());
    }

    #[test]
    fn merging_in_two_steps_decides_like_merging_at_once(event in any_event(), first in proptest::collection::vec(any_output(), 1..4), second in proptest::collection::vec(any_output(), 1..4)) {
        let at_once: Vec<Value> = first.iter().chain(&second).cloned().collect();
        let stepwise = [folded(&merge(&event, &first)), folded(&merge(&event, &second))];
        let (at_once, stepwise) = (merge(&event, &at_once), merge(&event, &stepwise));
        prop_assert_eq!(at_once.decision(), stepwise.decision());
        prop_assert_eq!(at_once.is_blocking(), stepwise.is_blocking());
    }

    #[test]
    fn a_blocking_verdict_always_has_something_to_say(event in any_event(), outputs in proptest::collection::vec(any_output(), 1..5)) {
        // covers: HOOK-199
        let verdict = merge(&event, &outputs);
        if let Some(output) = verdict.final_output().filter(|_| verdict.decision() >= Decision::Block) {
            prop_assert!(!output.get_effective_reason().is_empty());
        }
    }
}
