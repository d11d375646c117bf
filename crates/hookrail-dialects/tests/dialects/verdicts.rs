//! Verdicts as the engine makes them.
#![allow(clippy::disallowed_methods, reason = "the steps of the pipeline are tested one by one")]

use hookrail_core::{
    ConfigSource, Decision, EventName, HookAction, HookEntry, HookOutput, HookRun, Order, RunStatus, Verdict,
    aggregator,
};
use hookrail_dialects::Dialect;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What one hook that said this leads to.
pub fn verdict(event: &EventName, output: Value) -> Verdict {
    let action = HookAction::Command { command: "pack/hook".to_owned() };
    let hook = HookEntry::new(event.clone(), action, ConfigSource::Project).reference();
    let run = HookRun::new(hook, RunStatus::Succeeded, HookOutput::from_json(event, output), Duration::ZERO);
    aggregator::aggregate_results(event, vec![run], Order::Parallel)
}

pub fn deciding(decision: Decision, reason: &str) -> Value {
    HookOutput::decide(decision, reason).to_json()
}

/// The least payload an agent sends at an event.
pub fn payload(dialect: &dyn Dialect, native: &str) -> Map<String, Value> {
    let tool = if dialect.name() == "copilot" { "bash" } else { "Bash" };
    let payload = json!({
        "session_id": "s1", "cwd": "/home/dev/shop", "hook_event_name": native,
        "tool_name": tool, "tool_input": {"command": "make", "timeout": 5},
    });
    payload.as_object().expect("an object").clone()
}
