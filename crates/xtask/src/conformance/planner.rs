//! Cases of planning, run on the pure planner.

#![allow(clippy::disallowed_methods, reason = "the cases are about the steps of the pipeline")]

use super::case::{Case, CaseError};
use super::compare;
use hookrail_core::planner::create_execution_plan;
use hookrail_core::{ConfigSource, EventName, HookAction, HookEntry, Matcher, MatcherStyle, Occasion, Order, Plan};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

pub(super) fn check(case: &Case) -> Result<(), CaseError> {
    let event = EventName::parse(case.text("event")?);
    let entries: Vec<Arc<HookEntry>> =
        case.list("entries")?.iter().map(|entry| read_entry(entry, &event)).collect::<Result<_, _>>()?;
    let context = case.input.get("context").unwrap_or(&Value::Null);
    let subject = context["tool_name"].as_str().or_else(|| context["trigger"].as_str());
    let plan = create_execution_plan(&entries, &Occasion::new(&event, subject));
    let got = plan.as_ref().map_or(Value::Null, describe);
    compare::subset("plan", case.expected.get("plan").unwrap_or(&Value::Null), &got)
}

fn describe(plan: &Plan) -> Value {
    json!({
        "commands": plan.hooks().iter().map(|hook| hook.action.subject()).collect::<Vec<_>>(),
        "sequential": plan.order() == Order::Sequential,
        "timeouts_ms": plan.hooks().iter().map(|hook| hook.timeout.as_millis()).collect::<Vec<_>>(),
    })
}

fn read_entry(entry: &Value, event: &EventName) -> Result<Arc<HookEntry>, CaseError> {
    let command = entry["command"].as_str().unwrap_or_default().to_owned();
    let event = entry["event"].as_str().map_or_else(|| event.clone(), EventName::parse);
    let mut read = HookEntry::new(event, HookAction::Command { command }, source(&entry["source"])?);
    read.matcher = Matcher::compile(entry["matcher"].as_str(), MatcherStyle::Pattern).0;
    read.sequential = entry["sequential"] == Value::Bool(true);
    read.enabled = entry["enabled"] != Value::Bool(false);
    read.name = entry["name"].as_str().map(str::to_owned);
    if let Some(timeout) = entry["timeout_ms"].as_u64() {
        read.timeout = Duration::from_millis(timeout);
    }
    Ok(Arc::new(read))
}

pub(super) fn source(word: &Value) -> Result<ConfigSource, CaseError> {
    match word.as_str() {
        Some("project") => Ok(ConfigSource::Project),
        Some("user") => Ok(ConfigSource::User),
        Some("system") => Ok(ConfigSource::System),
        Some("extensions") => Ok(ConfigSource::Extensions),
        _ => Err(CaseError::Malformed(format!("unknown source {word}"))),
    }
}
