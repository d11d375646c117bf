//! Cases about what hooks are told and what callers learn, run through a whole hook system.

#![allow(clippy::disallowed_methods, reason = "the cases are about the steps of the pipeline")]

use super::aggregator;
use super::case::{Case, CaseError};
use super::compare;
use hookrail_core::aggregator::aggregate_results;
use hookrail_core::{Event, EventName, HookError, MatchTarget, MatcherStyle, NativeHook, Order, Outcome, World};
use hookrail_engine::Config;
use hookrail_host::translate::GenAiV1;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) fn check(case: &Case) -> Result<(), CaseError> {
    match case.area.as_str() {
        "event.input" => check_input(case),
        "event.common" => check_common(case),
        _ => Err(super::unknown(case)),
    }
}

/// A hook that remembers what it was shown.
#[derive(Debug)]
struct RecordingHook {
    events: Vec<EventName>,
    seen: Mutex<Option<Event>>,
}

impl NativeHook for RecordingHook {
    fn id(&self) -> &'static str {
        "witness"
    }

    fn events(&self) -> &[EventName] {
        &self.events
    }

    fn check(&self, event: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(event.clone());
        Ok(Outcome::silent())
    }
}

fn check_input(case: &Case) -> Result<(), CaseError> {
    let name = EventName::parse(case.text("event")?);
    let session = case.object("session");
    let text = |key: &str| session.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let witness = Arc::new(RecordingHook { events: vec![name.clone()], seen: Mutex::default() });
    let hook: Arc<dyn NativeHook> = Arc::clone(&witness) as _;
    let config = Config::new(text("session_id"), text("cwd")).enable_hooks(true).native_hook(&hook);
    fire(&config, &name, &case.object("payload"))?;
    let seen = witness.seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(event) = seen else { return Err(CaseError::mismatch("event", "fired", "not fired")) };

    let input = Value::Object(event.to_input());
    compare::subset("input_has", case.expected.get("input_has").unwrap_or(&json!({})), &input)?;
    compare::absent(case.expected.get("input_absent"), &input)?;
    if case.expected.contains_key("timestamp") && !is_timestamp(&event.timestamp) {
        return Err(CaseError::mismatch("timestamp", "ISO 8601 in UTC with milliseconds", &event.timestamp));
    }
    match case.expected.get("context") {
        Some(expected) => compare::equal("context", expected, &planner_context(&event)),
        None => Ok(()),
    }
}

fn fire(config: &Config, name: &EventName, payload: &Map<String, Value>) -> Result<(), CaseError> {
    let failed = |why: &dyn std::fmt::Display| CaseError::Malformed(why.to_string());
    let system = config.get_hook_system().ok_or_else(|| failed(&"no hook system"))?;
    system.initialize().map_err(|error| failed(&error))?;
    let handler = system.get_event_handler().map_err(|error| failed(&error))?;
    let part = |key: &str| payload.get(key).cloned().unwrap_or(Value::Null);
    let tool_name = part("tool_name").as_str().unwrap_or_default().to_owned();
    let tool_input = part("tool_input").as_object().cloned().unwrap_or_default();
    let _verdict = match name {
        EventName::BeforeTool => handler.fire_before_tool_event(&tool_name, &tool_input, payload.get("mcp_context")),
        EventName::AfterTool => handler.fire_after_tool_event(&tool_name, &tool_input, &part("tool_response")),
        EventName::BeforeModel => handler.fire_before_model_event(&part("request"), &GenAiV1),
        EventName::AfterModel => handler.fire_after_model_event(&part("request"), &part("response"), &GenAiV1),
        EventName::BeforeToolSelection => handler.fire_before_tool_selection_event(&part("request"), &GenAiV1),
        other => handler.fire_event(other.clone(), payload),
    };
    Ok(())
}

/// What the planner is given to match with, in the words of the cases.
fn planner_context(event: &Event) -> Value {
    match (event.name.match_target(MatcherStyle::Pattern), event.match_subject()) {
        (MatchTarget::Name, Some(name)) => json!({ "tool_name": name }),
        (MatchTarget::Trigger, Some(trigger)) => json!({ "trigger": trigger }),
        _ => Value::Null,
    }
}

fn is_timestamp(text: &str) -> bool {
    const SHAPE: &str = "0000-00-00T00:00:00.000Z";
    text.len() == SHAPE.len()
        && text.chars().zip(SHAPE.chars()).all(|(c, shape)| if shape == '0' { c.is_ascii_digit() } else { c == shape })
}

fn check_common(case: &Case) -> Result<(), CaseError> {
    let event = EventName::parse(case.text("event")?);
    let runs = case
        .list("outputs")?
        .iter()
        .map(|output| aggregator::run(&event, &json!({ "success": true, "exit_code": 0, "output": output })));
    let verdict = aggregate_results(&event, runs.collect(), Order::Parallel);
    let output = verdict.final_output();
    let got = json!({
        "should_stop": verdict.should_stop(),
        "stop_reason": output.and_then(|output| output.stop_reason()),
        "system_message": output.and_then(|output| output.system_message()),
        "suppress": output.and_then(|output| output.suppress),
    });
    let keys = ["should_stop", "stop_reason", "system_message", "suppress"];
    compare::keys(&case.expected, got.as_object().unwrap_or(&Map::new()), &keys)
}
