//! Cases of merging, run on the pure aggregator.

#![allow(clippy::disallowed_methods, reason = "the cases are about the steps of the pipeline")]

use super::case::{Case, CaseError};
use super::compare;
use hookrail_core::aggregator::aggregate_results;
use hookrail_core::{
    ConfigSource, EventName, Failure, HookAction, HookEntry, HookOutput, HookRun, Order, RunStatus, Verdict,
};
use serde_json::{Map, Value, json};
use std::time::Duration;

pub(super) fn check(case: &Case) -> Result<(), CaseError> {
    let event = EventName::parse(case.text("event")?);
    let runs: Vec<HookRun> = case.list("results")?.iter().map(|result| run(&event, result)).collect();
    if case.input.get("permute") == Some(&Value::Bool(true)) {
        return permutations(runs).into_iter().try_for_each(|runs| compare_verdict(case, &event, runs));
    }
    compare_verdict(case, &event, runs)
}

/// A run as a case describes it.
pub(super) fn run(event: &EventName, result: &Value) -> HookRun {
    let action = HookAction::Command { command: "case".to_owned() };
    let hook = HookEntry::new(event.clone(), action, ConfigSource::Project).reference();
    let exit_code = result["exit_code"].as_i64().and_then(|code| i32::try_from(code).ok());
    let status = match (result["success"].as_bool(), result["error"].as_str(), exit_code, result["signal"].as_str()) {
        (Some(true), ..) => RunStatus::Succeeded,
        (_, Some(error), ..) => RunStatus::Failed(Failure::Error(error.to_owned())),
        (_, None, Some(2), _) => RunStatus::Blocked,
        (_, None, Some(code), _) => RunStatus::Failed(Failure::Exit(code)),
        (_, None, None, signal) => RunStatus::Failed(Failure::Signal(signal.unwrap_or("SIGKILL").to_owned())),
    };
    let duration = Duration::from_millis(result["duration_ms"].as_u64().unwrap_or_default());
    let output = HookOutput::from_json(event, result["output"].clone());
    HookRun { exit_code, ..HookRun::new(hook, status, output, duration) }
}

fn compare_verdict(case: &Case, event: &EventName, runs: Vec<HookRun>) -> Result<(), CaseError> {
    let verdict = aggregate_results(event, runs, Order::Parallel);
    let got = describe(&verdict);
    let listed = ["success", "verdict", "is_blocking", "should_stop", "all_outputs", "errors", "total_duration_ms"];
    compare::keys(&case.expected, &got, &listed)?;
    compare::keys(&case.expected, &got, &["effective_reason"])?;
    if let Some(part) = case.expected.get("effective_reason_contains").and_then(Value::as_str) {
        let reason = got.get("effective_reason").and_then(Value::as_str).unwrap_or_default();
        if !reason.contains(part) {
            return Err(CaseError::mismatch("effective_reason", format!("contains `{part}`"), reason));
        }
    }
    let raw = verdict.into_final_output().map_or(Value::Null, |output| output.to_json());
    compare::absent(case.expected.get("final_absent"), &raw)?;
    match case.expected.get("final") {
        Some(expected) => {
            let ignored = case.expected.get("final_ignore");
            compare::equal("final", &normalised(expected, ignored), &normalised(&raw, ignored))
        }
        None => Ok(()),
    }
}

fn describe(verdict: &Verdict) -> Map<String, Value> {
    let reason = verdict.final_output().map(|output| output.get_effective_reason().to_owned());
    let got = json!({
        "success": verdict.success(),
        "verdict": verdict.decision().as_str(),
        "is_blocking": verdict.is_blocking(),
        "should_stop": verdict.should_stop(),
        "all_outputs": verdict.all_outputs().count(),
        "errors": verdict.errors(),
        "total_duration_ms": verdict.total_duration().as_millis(),
        "effective_reason": reason,
    });
    got.as_object().cloned().unwrap_or_default()
}

/// What two final outputs are compared by: everything the other expectations do not cover already.
fn normalised(output: &Value, ignored: Option<&Value>) -> Value {
    let mut fields = output.as_object().cloned().unwrap_or_default();
    for key in ignored.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        fields.shift_remove(key);
    }
    fields.retain(|key, value| {
        let says_nothing = value.is_null() || (key == "suppressOutput" && *value == Value::Bool(false));
        !says_nothing && !matches!(key.as_str(), "continue" | "decision")
    });
    if let Some(Value::Object(specific)) = fields.get_mut("hookSpecificOutput") {
        specific.retain(|key, value| {
            !value.is_null()
                && !matches!(key.as_str(), "hookEventName" | "permissionDecision" | "permissionDecisionReason")
        });
        if specific.is_empty() {
            fields.shift_remove("hookSpecificOutput");
        }
    }
    Value::Object(fields)
}

fn permutations(runs: Vec<HookRun>) -> Vec<Vec<HookRun>> {
    if runs.len() <= 1 {
        return vec![runs];
    }
    let mut all = Vec::new();
    for index in 0..runs.len() {
        let mut rest = runs.clone();
        let first = rest.remove(index);
        for mut tail in permutations(rest) {
            tail.insert(0, first.clone());
            all.push(tail);
        }
    }
    all
}
