use hookrail_core::redaction::redact_text;
use hookrail_core::{Event, EventName, HookError, HookProfile, Mode, NativeHook, Outcome, World};
use serde_json::Value;
use std::borrow::Cow;

/// Hides secrets in what a tool printed before the model reads it.
///
/// **What it does.** Replaces every value that the journal would hide (keys, tokens, passwords, private keys) in the output of
/// a tool. Only agents that take another output from a hook honour it; the table of agents says which do.
///
/// **Why.** What a model reads goes into its transcript and to its provider. Off unless `[safety] redact = true`.
///
/// **Caught:** a tool that prints `AWS_SECRET_ACCESS_KEY=…`.
/// **Not caught:** a secret without a known form or name, such as a password in a sentence.
#[derive(Debug)]
pub struct RedactOutput;

impl NativeHook for RedactOutput {
    fn id(&self) -> &'static str {
        "core/redact-output"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::AfterTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { may_wait: false, default_mode: Some(Mode::Off), has_breaker: false, ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        let Some(printed) = event.payload.get("tool_response") else { return Ok(Outcome::silent()) };
        let mut shown = printed.clone();
        redact(&mut shown);
        Ok(if shown == *printed { Outcome::silent() } else { Outcome::silent().with_tool_output(shown) })
    }
}

/// Replaces the secrets in every text of a value. The keys of tables are names that the agent knows.
fn redact(value: &mut Value) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => {
                if let Cow::Owned(shown) = redact_text(text) {
                    *text = shown;
                }
            }
            Value::Array(list) => rest.extend(list),
            Value::Object(table) => rest.extend(table.values_mut()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_values_of_secrets_change() {
        let key = "wJalrXUtnFEMIK7MDENGbPxRfiCYzQwErTy12345";
        let cases = [
            (json!({"stdout": format!("A=1\nAWS_SECRET_ACCESS_KEY={key}\n"), "stderr": ""}), true),
            (json!([{"type": "text", "text": format!("token: ghp_{key}")}]), true),
            (json!({"stdout": "region=eu", "interrupted": false}), false),
            (json!("plain text"), false),
        ];
        for (printed, hidden) in cases {
            let mut shown = printed.clone();
            redact(&mut shown);
            assert_eq!(shown != printed, hidden, "{printed}");
            assert!(!shown.to_string().contains(key), "{shown}");
        }
    }
}
