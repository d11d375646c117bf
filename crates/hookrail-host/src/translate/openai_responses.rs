use super::Object;
use super::content::{self, PartFormat, kind, replace_text, typed_text};
use super::conversation::TurnFormat;
use super::openai::{ChoiceFormat, read_tool_choice, set_tool_choice, write_tool_choice};
use super::openai_chat::role_word;
use super::provider::{ProviderFormat, translator};
use super::request::{self, RequestFormat};
use super::settings::Setting;
use super::stable::{Candidate, FinishKind, Response, Role, Usage};
use super::tool_config::ToolConfig;
use serde_json::{Value, json};
use std::borrow::Cow;

/// OpenAI's Responses API.
///
/// The `instructions` and system and developer messages are not shown to hooks and stay as they are. A model's refusal
/// is no text: it shows as the finish reason `SAFETY`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenAiResponses;

const SETTINGS: &[Setting] = &[
    Setting::number("temperature", &["temperature"]),
    Setting::count("maxOutputTokens", &["max_output_tokens"]),
    Setting::number("topP", &["top_p"]),
];

translator!(OpenAiResponses);

impl ProviderFormat for OpenAiResponses {
    fn read_response(&self, response: &Value) -> Response {
        let output = response.get("output").and_then(Value::as_array);
        let usage = response.get("usage").and_then(|usage| {
            let count = |name: &str| usage.get(name).and_then(Value::as_u64);
            Usage::from_counts(count("input_tokens"), count("output_tokens"), count("total_tokens"))
        });
        Response { candidates: output.map(|items| read_output(response, items)).into_iter().collect(), usage }
    }

    /// One response is one answer, so only the first candidate can be sent. Its message has no id: two with the same one
    /// would be refused when the conversation is sent back.
    fn write_response(&self, response: &Response) -> Value {
        let candidate = response.candidates.first();
        let (status, incomplete) = match candidate.map_or(FinishKind::Complete, Candidate::ending) {
            FinishKind::Complete => ("completed", Value::Null),
            FinishKind::CutOff => ("incomplete", json!({"reason": "max_output_tokens"})),
            FinishKind::Refused => ("incomplete", json!({"reason": "content_filter"})),
        };
        let output: Vec<Value> = candidate.into_iter().map(|candidate| write_message(candidate, status)).collect();
        let usage = response.usage.map(|usage| {
            json!({
                "input_tokens": usage.prompt(),
                "output_tokens": usage.answer(),
                "total_tokens": usage.total(),
            })
        });
        json!({
            "id": "resp_hookrail",
            "object": "response",
            "created_at": 0,
            "status": status,
            "error": null,
            "incomplete_details": incomplete,
            "model": "hookrail",
            "output": output,
            "usage": usage,
        })
    }

    fn read_choice(&self, choice: &Value) -> ToolConfig {
        read_tool_choice(choice)
    }

    /// A `tool_choice`; null if there is nothing to choose.
    fn write_choice(&self, config: &ToolConfig) -> Value {
        if config.is_empty() { Value::Null } else { write_tool_choice(self, config, &[]) }
    }
}

impl PartFormat for OpenAiResponses {
    fn text<'a>(&self, part: &'a Value) -> Option<&'a str> {
        typed_text(part, &["input_text", "output_text"])
    }

    /// Annotations and probabilities point into the old words.
    fn reword(&self, part: &Value, text: &str) -> Value {
        let mut part = replace_text(part, text);
        if let Value::Object(fields) = &mut part {
            fields.shift_remove("logprobs");
            if let Some(annotations) = fields.get_mut("annotations") {
                *annotations = json!([]);
            }
        }
        part
    }

    fn is_reasoning(&self, _part: &Value) -> bool {
        false
    }
}

impl TurnFormat for OpenAiResponses {
    /// Only messages speak; an item that has neither a type nor a role refers to one that OpenAI stored.
    fn role(&self, item: &Object) -> Option<Role> {
        let is_message = match item.get("type") {
            None | Some(Value::Null) => item.contains_key("role"),
            Some(kind) => kind == "message",
        };
        match item.get("role").and_then(Value::as_str) {
            _ if !is_message => None,
            Some("assistant") => Some(Role::Model),
            Some("system" | "developer") => None,
            _ => Some(Role::User),
        }
    }

    fn write(&self, role: Role, text: &str) -> Value {
        json!({"role": role_word(role), "content": text})
    }

    fn clings_to(&self, previous: &Value, _item: &Value) -> bool {
        kind(previous) == "reasoning"
    }

    /// The API refuses reasoning without the message or the call it led to.
    fn tidy(&self, items: Vec<Value>) -> Vec<Value> {
        let mut kept: Vec<Value> = Vec::with_capacity(items.len());
        for item in items.into_iter().rev() {
            if kind(&item) != "reasoning" || kept.last().is_some_and(is_made_by_model) {
                kept.push(item);
            }
        }
        kept.reverse();
        kept
    }
}

fn is_made_by_model(item: &Value) -> bool {
    let is_input = kind(item).ends_with("_output");
    let is_message = item.get("role").is_some();
    !is_input && (!is_message || item.get("role").and_then(Value::as_str) == Some("assistant"))
}

impl RequestFormat for OpenAiResponses {
    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn turns<'a>(&self, request: &'a Object) -> Vec<Cow<'a, Value>> {
        content::parts(request.get("input").unwrap_or(&Value::Null)).iter().map(as_item).collect()
    }

    fn set_turns(&self, request: &mut Object, items: Vec<Value>) {
        let input = match (request.get("input"), items.as_slice()) {
            (Some(Value::String(_)), [only]) if only.get("role") == Some(&json!("user")) => {
                only.get("content").cloned()
            }
            _ => None,
        };
        request.insert("input".to_owned(), input.unwrap_or(Value::Array(items)));
    }

    fn tool_config(&self, request: &Object) -> ToolConfig {
        request.get("tool_choice").map(read_tool_choice).unwrap_or_default()
    }

    fn set_tool_config(&self, request: &mut Object, config: ToolConfig) {
        set_tool_choice(self, request, config);
    }
}

fn as_item(item: &Value) -> Cow<'_, Value> {
    match item {
        Value::String(text) => Cow::Owned(OpenAiResponses.write(Role::User, text)),
        _ => Cow::Borrowed(item),
    }
}

impl ChoiceFormat for OpenAiResponses {
    fn refer_to(&self, name: &str, definition: Option<&Value>) -> Value {
        match definition.map(kind) {
            None | Some("function") => json!({"type": "function", "name": name}),
            Some("custom") => json!({"type": "custom", "name": name}),
            Some("mcp") => json!({"type": "mcp", "server_label": name}),
            Some(built_in) => json!({"type": built_in}),
        }
    }

    fn allow(&self, mode: &str, references: Vec<Value>) -> Value {
        json!({"type": "allowed_tools", "mode": mode, "tools": references})
    }
}

/// The messages of one response are one answer.
fn read_output(response: &Value, items: &[Value]) -> Candidate {
    let messages = items.iter().filter(|item| kind(item) == "message");
    let contents: Vec<&Value> = messages.filter_map(|message| message.get("content")).collect();
    let texts = contents.iter().flat_map(|content| content::texts(&OpenAiResponses, content));
    let refuses = contents.iter().any(|content| content::parts(content).iter().any(|part| kind(part) == "refusal"));
    let finish_reason = if refuses { Some("SAFETY") } else { stable_reason(response) };
    Candidate {
        parts: texts.map(str::to_owned).collect(),
        finish_reason: finish_reason.map(str::to_owned),
        index: Some(0),
        safety_ratings: None,
    }
}

fn stable_reason(response: &Value) -> Option<&'static str> {
    let incomplete = response.get("incomplete_details").and_then(|details| details.get("reason"));
    match (response.get("status")?.as_str()?, incomplete.and_then(Value::as_str)) {
        ("completed", _) => Some("STOP"),
        ("incomplete", Some("max_output_tokens")) => Some("MAX_TOKENS"),
        ("incomplete", Some("content_filter")) => Some("SAFETY"),
        ("in_progress" | "queued", _) => None,
        _ => Some("OTHER"),
    }
}

fn write_message(candidate: &Candidate, status: &str) -> Value {
    let part = |text: &String| json!({"type": "output_text", "text": text, "annotations": []});
    let content: Vec<Value> = candidate.parts.iter().map(part).collect();
    json!({"type": "message", "status": status, "role": "assistant", "content": content})
}
