use super::Object;
use super::content::{self, PartFormat, kind, typed_text};
use super::conversation::TurnFormat;
use super::openai::{ChoiceFormat, read_tool_choice, set_tool_choice, write_tool_choice};
use super::provider::{ProviderFormat, translator};
use super::request::{self, RequestFormat};
use super::settings::Setting;
use super::stable::{Candidate, FinishKind, Response, Role, Usage};
use super::tool_config::ToolConfig;
use serde_json::{Value, json};

/// OpenAI's Chat Completions API, which many other providers speak too.
///
/// System and developer messages are not shown to hooks and stay where they are; tool messages are results, not text. A
/// model's refusal is no text either: it shows as the finish reason `SAFETY`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenAiChat;

const SETTINGS: &[Setting] = &[
    Setting::number("temperature", &["temperature"]),
    Setting::count("maxOutputTokens", &["max_completion_tokens", "max_tokens"]),
    Setting::number("topP", &["top_p"]),
    Setting::texts("stopSequences", &["stop"]),
    Setting::count("candidateCount", &["n"]),
    Setting::number("presencePenalty", &["presence_penalty"]),
    Setting::number("frequencyPenalty", &["frequency_penalty"]),
    Setting::number("seed", &["seed"]),
];

translator!(OpenAiChat);

impl ProviderFormat for OpenAiChat {
    fn read_response(&self, response: &Value) -> Response {
        let choices = response.get("choices").and_then(Value::as_array);
        let usage = response.get("usage").and_then(|usage| {
            let count = |name: &str| usage.get(name).and_then(Value::as_u64);
            Usage::from_counts(count("prompt_tokens"), count("completion_tokens"), count("total_tokens"))
        });
        Response { candidates: choices.into_iter().flatten().filter_map(read_choice).collect(), usage }
    }

    fn write_response(&self, response: &Response) -> Value {
        let choices: Vec<Value> =
            (0u64..).zip(&response.candidates).map(|(place, candidate)| write_choice(place, candidate)).collect();
        let mut written = json!({
            "id": "chatcmpl-hookrail",
            "object": "chat.completion",
            "created": 0,
            "model": "hookrail",
            "choices": choices,
        });
        if let (Value::Object(fields), Some(usage)) = (&mut written, response.usage) {
            let counts = json!({
                "prompt_tokens": usage.prompt(),
                "completion_tokens": usage.answer(),
                "total_tokens": usage.total(),
            });
            fields.insert("usage".to_owned(), counts);
        }
        written
    }

    fn read_choice(&self, choice: &Value) -> ToolConfig {
        read_tool_choice(choice)
    }

    /// A `tool_choice`; null if there is nothing to choose.
    fn write_choice(&self, config: &ToolConfig) -> Value {
        if config.is_empty() { Value::Null } else { write_tool_choice(self, config, &[]) }
    }
}

impl PartFormat for OpenAiChat {
    fn text<'a>(&self, part: &'a Value) -> Option<&'a str> {
        typed_text(part, &["text"])
    }

    fn is_reasoning(&self, _part: &Value) -> bool {
        false
    }
}

impl TurnFormat for OpenAiChat {
    fn role(&self, turn: &Object) -> Option<Role> {
        match turn.get("role").and_then(Value::as_str) {
            Some("assistant") => Some(Role::Model),
            Some("system" | "developer" | "tool" | "function") => None,
            _ => Some(Role::User),
        }
    }

    fn write(&self, role: Role, text: &str) -> Value {
        json!({"role": role_word(role), "content": text})
    }

    fn carries_more(&self, turn: &Object) -> bool {
        ["tool_calls", "function_call", "refusal", "audio"].into_iter().any(|field| match turn.get(field) {
            None | Some(Value::Null) => false,
            Some(Value::Array(calls)) => !calls.is_empty(),
            Some(_) => true,
        })
    }
}

pub(super) fn role_word(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Model => "assistant",
        Role::System => "system",
    }
}

impl RequestFormat for OpenAiChat {
    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn tool_config(&self, request: &Object) -> ToolConfig {
        request.get("tool_choice").map(read_tool_choice).unwrap_or_default()
    }

    fn set_tool_config(&self, request: &mut Object, config: ToolConfig) {
        set_tool_choice(self, request, config);
    }
}

impl ChoiceFormat for OpenAiChat {
    fn refer_to(&self, name: &str, definition: Option<&Value>) -> Value {
        match definition.map(kind) {
            Some("custom") => json!({"type": "custom", "custom": {"name": name}}),
            _ => json!({"type": "function", "function": {"name": name}}),
        }
    }

    fn allow(&self, mode: &str, references: Vec<Value>) -> Value {
        json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": references}})
    }
}

fn read_choice(choice: &Value) -> Option<Candidate> {
    let fields = choice.as_object()?;
    let message = fields.get("message").unwrap_or(&Value::Null);
    let content = message.get("content").unwrap_or(&Value::Null);
    let refusal = message.get("refusal").and_then(Value::as_str).filter(|refusal| !refusal.is_empty());
    let finish_reason = match (refusal, fields.get("finish_reason").and_then(Value::as_str)) {
        (Some(_), _) => Some("SAFETY"),
        (None, reason) => reason.map(stable_reason),
    };
    Some(Candidate {
        parts: content::texts(&OpenAiChat, content).into_iter().map(str::to_owned).collect(),
        finish_reason: finish_reason.map(str::to_owned),
        index: fields.get("index").and_then(Value::as_u64),
        safety_ratings: None,
    })
}

fn stable_reason(finish_reason: &str) -> &'static str {
    match finish_reason {
        "stop" | "tool_calls" | "function_call" => "STOP",
        "length" => "MAX_TOKENS",
        "content_filter" => "SAFETY",
        _ => "OTHER",
    }
}

fn write_choice(place: u64, candidate: &Candidate) -> Value {
    let finish_reason = match candidate.ending() {
        FinishKind::Complete => "stop",
        FinishKind::CutOff => "length",
        FinishKind::Refused => "content_filter",
    };
    json!({
        "index": candidate.index.unwrap_or(place),
        "message": {"role": "assistant", "content": candidate.text(), "refusal": null},
        "logprobs": null,
        "finish_reason": finish_reason,
    })
}
