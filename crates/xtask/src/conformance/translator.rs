//! Cases of translating between a Gemini SDK object and the stable form.

use super::case::{Case, CaseError};
use super::compare;
use hookrail_core::Translator;
use hookrail_host::translate::GenAiV1;
use serde_json::Value;

pub(super) fn check(case: &Case) -> Result<(), CaseError> {
    let arg = case.input.get("arg").unwrap_or(&Value::Null);
    let base = case.input.get("base").filter(|base| !base.is_null());
    let got = match case.text("fn")? {
        "to_hook_request" => GenAiV1.to_hook_request(arg),
        "from_hook_request" => GenAiV1.from_hook_request(arg, base),
        "to_hook_response" => GenAiV1.to_hook_response(arg),
        "from_hook_response" => GenAiV1.from_hook_response(arg),
        "to_hook_tool_config" => GenAiV1.to_hook_tool_config(arg),
        "from_hook_tool_config" => GenAiV1.from_hook_tool_config(arg),
        other => return Err(CaseError::Malformed(format!("unknown function `{other}`"))),
    };
    compare::absent(case.expected.get("absent"), &got)?;
    match case.expected.get("value") {
        Some(expected) => compare::subset("value", expected, &got),
        None => Ok(()),
    }
}
