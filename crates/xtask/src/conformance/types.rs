//! Cases about what an output means and what a caller makes of it.

use super::case::{Case, CaseError};
use super::compare;
use hookrail_core::{DefaultHookOutput, EventName, create_hook_output, create_specific_hook_output};
use hookrail_host::translate::GenAiV1;
use hookrail_host::{AfterModelHookResult, BeforeModelHookResult, BeforeToolSelectionHookResult, ToolResult};
use serde_json::{Map, Value, json};

pub(super) fn check(case: &Case) -> Result<(), CaseError> {
    let got = call(case)?;
    compare::absent(case.expected.get("absent"), &got)?;
    for (path, parts) in case.expected.get("contains").and_then(Value::as_object).into_iter().flatten() {
        let text = compare::at(&got, path).and_then(Value::as_str).unwrap_or_default();
        for part in parts.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !text.contains(part) {
                return Err(CaseError::mismatch(path, format!("contains {part:?}"), format!("{text:?}")));
            }
        }
    }
    match case.expected.get("value") {
        Some(expected) => compare::subset("value", expected, &got),
        None => Ok(()),
    }
}

fn construct(case: &Case) -> Result<Option<DefaultHookOutput>, CaseError> {
    let Some(fields) = case.input.get("data").and_then(Value::as_object).cloned() else { return Ok(None) };
    let event = case.text("event")?;
    Ok(Some(match case.text("construct")? {
        "factory" => create_hook_output(event, fields),
        // `Default` is no event, so it has no reading of its own.
        "direct" | "aggregator" => create_specific_hook_output(&EventName::parse(event), fields),
        other => return Err(CaseError::Malformed(format!("unknown construction `{other}`"))),
    }))
}

fn call(case: &Case) -> Result<Value, CaseError> {
    let output = construct(case)?;
    let arg = case.input.get("arg").unwrap_or(&Value::Null);
    if let Some(got) = call_result(case.text("call")?, output.as_ref(), arg) {
        return Ok(got);
    }
    let output = output.unwrap_or_default();
    Ok(match case.text("call")? {
        "event_names" => {
            let mut names = EventName::PROTOCOL.map(|event| event.to_string());
            names.sort();
            json!(names)
        }
        "class_name" => json!(output.class_name()),
        "is_blocking" => json!(output.is_blocking_decision()),
        "should_stop" => json!(output.should_stop_execution()),
        "effective_reason" => json!(output.get_effective_reason()),
        "additional_context" => json!(output.additional_context()),
        "should_clear_context" => json!(output.should_clear_context()),
        "modified_tool_input" => json!(output.modified_tool_input()),
        "blocking_error" => json!({
            "blocked": output.is_blocking_decision(),
            "reason": output.blocking_error().unwrap_or_default(),
        }),
        "synthetic_response" => json!(output.get_synthetic_response(&GenAiV1)),
        "modified_response" => json!(output.get_modified_response(&GenAiV1)),
        "apply_request" => output.apply_llm_request_modifications(arg, &GenAiV1),
        "apply_tool_config" => output.apply_tool_config_modifications(arg, &GenAiV1),
        "apply_tool_input" => Value::Object(output.apply_tool_input(&arg.as_object().cloned().unwrap_or_default())),
        "blocked_tool_result" => json!(ToolResult::blocked(output.get_effective_reason())),
        other => return Err(CaseError::Malformed(format!("unknown call `{other}`"))),
    })
}

/// The calls of the layer that applies outputs; they take no output for an answer.
fn call_result(call: &str, output: Option<&DefaultHookOutput>, arg: &Value) -> Option<Value> {
    Some(match call {
        "before_model_result" => {
            let result = BeforeModelHookResult::new(output, arg, &GenAiV1);
            present(&json!({
                "blocked": result.blocked,
                "reason": result.reason,
                "synthetic_response": result.synthetic_response,
                "modified_request": result.modified_request,
                "stop": result.stop,
                "system_message": result.system_message,
            }))
        }
        "after_model_result" => {
            let result = AfterModelHookResult::new(output, arg, &GenAiV1);
            let suppress = result.suppress_output.then_some(true);
            present(&json!({ "response": result.response, "stop": result.stop, "suppress_output": suppress }))
        }
        "tool_selection_result" => {
            let result = BeforeToolSelectionHookResult::new(output, &GenAiV1);
            present(&json!({ "tool_config": result.tool_config, "stop": result.stop, "tools": result.tools }))
        }
        "blocked_response" => BeforeModelHookResult::new(output, arg, &GenAiV1).blocked_response(&GenAiV1),
        "apply_after_tool" => {
            let mut result: ToolResult = serde_json::from_value(arg.clone()).unwrap_or_default();
            if let Some(output) = output {
                result.apply_after_tool(output);
            }
            json!(result)
        }
        _ => return None,
    })
}

fn present(value: &Value) -> Value {
    let fields: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
    fields.into_iter().filter(|(_, value)| !value.is_null()).collect()
}
