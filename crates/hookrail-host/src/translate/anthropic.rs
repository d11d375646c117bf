use super::Object;
use super::content::{self, PartFormat, kind, replace_text, typed_text};
use super::conversation::TurnFormat;
use super::provider::{ProviderFormat, translator};
use super::request::{self, RequestFormat};
use super::settings::Setting;
use super::stable::{Candidate, FinishKind, Proposal, Response, Role, Usage};
use super::tool_config::{Mode, ToolConfig};
use serde_json::{Value, json};

/// The Anthropic Messages API.
///
/// The `system` prompt is not shown to hooks; a `system` message that a hook adds is appended to it. A `tool_choice`
/// cannot allow several tools out of more, nor force a call on a model that thinks: such a restriction becomes `any` or
/// `auto`, and the caller refuses what it excludes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnthropicMessages;

const SETTINGS: &[Setting] = &[
    Setting::number("temperature", &["temperature"]),
    Setting::count("maxOutputTokens", &["max_tokens"]),
    Setting::number("topP", &["top_p"]),
    Setting::number("topK", &["top_k"]),
    Setting::texts("stopSequences", &["stop_sequences"]),
];

translator!(AnthropicMessages);

impl ProviderFormat for AnthropicMessages {
    fn read_response(&self, response: &Value) -> Response {
        let content = response.get("content").filter(|content| content.is_array() || content.is_string());
        let candidate = content.map(|content| Candidate {
            parts: content::texts(&AnthropicMessages, content).into_iter().map(str::to_owned).collect(),
            finish_reason: response
                .get("stop_reason")
                .and_then(Value::as_str)
                .map(|reason| stable_reason(reason).to_owned()),
            index: Some(0),
            safety_ratings: None,
        });
        Response { candidates: candidate.into_iter().collect(), usage: response.get("usage").and_then(read_usage) }
    }

    /// An answer is one message, so only the first candidate can be sent.
    fn write_response(&self, response: &Response) -> Value {
        let candidate = response.candidates.first().cloned().unwrap_or_default();
        // Empty text blocks are refused when the message is sent back as part of the conversation.
        let texts = candidate.parts.iter().filter(|text| !text.is_empty());
        let content: Vec<Value> = texts.map(|text| json!({"type": "text", "text": text})).collect();
        let stop_reason = match candidate.ending() {
            FinishKind::Complete => "end_turn",
            FinishKind::CutOff => "max_tokens",
            FinishKind::Refused => "refusal",
        };
        let usage = response.usage.unwrap_or_default();
        json!({
            "id": "msg_hookrail",
            "type": "message",
            "role": "assistant",
            "model": "hookrail",
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": null,
            "usage": {"input_tokens": usage.prompt(), "output_tokens": usage.answer()},
        })
    }

    fn read_choice(&self, choice: &Value) -> ToolConfig {
        read_tool_choice(choice)
    }

    /// A `tool_choice`; null if there is nothing to choose.
    fn write_choice(&self, config: &ToolConfig) -> Value {
        if config.is_empty() { Value::Null } else { write_tool_choice(config) }
    }
}

impl PartFormat for AnthropicMessages {
    fn text<'a>(&self, part: &'a Value) -> Option<&'a str> {
        typed_text(part, &["text"])
    }

    /// Citations point into the old words.
    fn reword(&self, part: &Value, text: &str) -> Value {
        let mut part = replace_text(part, text);
        if let Value::Object(fields) = &mut part {
            fields.shift_remove("citations");
        }
        part
    }

    fn is_reasoning(&self, part: &Value) -> bool {
        matches!(kind(part), "thinking" | "redacted_thinking")
    }
}

impl TurnFormat for AnthropicMessages {
    fn role(&self, turn: &Object) -> Option<Role> {
        match turn.get("role").and_then(Value::as_str) {
            Some("assistant") => Some(Role::Model),
            Some("system") => None,
            _ => Some(Role::User),
        }
    }

    fn write(&self, role: Role, text: &str) -> Value {
        let role = match role {
            Role::Model => "assistant",
            Role::User | Role::System => "user",
        };
        json!({"role": role, "content": text})
    }

    fn clings_to(&self, _call: &Value, turn: &Value) -> bool {
        let parts = content::parts(turn.get("content").unwrap_or(&Value::Null));
        parts.iter().any(|part| kind(part) == "tool_result")
    }
}

impl RequestFormat for AnthropicMessages {
    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn settle_system(&self, request: &mut Object, proposals: Vec<Proposal>) -> Vec<Proposal> {
        let (system, others): (Vec<_>, Vec<_>) =
            proposals.into_iter().partition(|proposal| proposal.role == Some(Role::System));
        for message in system.iter().filter(|message| !message.text.is_empty()) {
            add_to_system(request, &message.text);
        }
        others
    }

    fn tool_config(&self, request: &Object) -> ToolConfig {
        request.get("tool_choice").map(read_tool_choice).unwrap_or_default()
    }

    fn set_tool_config(&self, request: &mut Object, config: ToolConfig) {
        let tools = request.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        // The API refuses a choice where there are no tools.
        if tools.is_empty() {
            return;
        }
        let is_defined = |name: &str| tools.iter().any(|tool| tool.get("name").and_then(Value::as_str) == Some(name));
        let mut config = config.among(is_defined);
        // Nor does it force a call on a model that thinks.
        if config.mode == Some(Mode::Any) && thinks(request) {
            config.mode = Some(Mode::Auto);
        }
        let choice = keep_parallelism(write_tool_choice(&config), request.get("tool_choice"));
        request.insert("tool_choice".to_owned(), choice);
    }
}

fn thinks(request: &Object) -> bool {
    request.get("thinking").is_some_and(|thinking| !matches!(kind(thinking), "" | "disabled"))
}

/// Whether several tools may be called at once is not for hooks to say; with `none` there is nothing to say.
fn keep_parallelism(mut choice: Value, current: Option<&Value>) -> Value {
    const FIELD: &str = "disable_parallel_tool_use";
    let is_none = kind(&choice) == "none";
    let parallel = current.and_then(|current| current.get(FIELD)).filter(|_| !is_none);
    if let (Value::Object(choice), Some(parallel)) = (&mut choice, parallel) {
        choice.insert(FIELD.to_owned(), parallel.clone());
    }
    choice
}

fn add_to_system(request: &mut Object, text: &str) {
    let system = match request.get("system") {
        Some(Value::String(system)) if !system.is_empty() => format!("{system}\n\n{text}").into(),
        Some(Value::Array(blocks)) => {
            blocks.iter().cloned().chain([json!({"type": "text", "text": text})]).collect::<Vec<_>>().into()
        }
        _ => text.into(),
    };
    request.insert("system".to_owned(), system);
}

fn read_tool_choice(choice: &Value) -> ToolConfig {
    match (kind(choice), choice.get("name").and_then(Value::as_str)) {
        ("auto", _) => Mode::Auto.into(),
        ("any", _) => Mode::Any.into(),
        ("none", _) => Mode::None.into(),
        ("tool", Some(name)) => ToolConfig::any_of(&[name]),
        _ => ToolConfig::default(),
    }
}

fn write_tool_choice(config: &ToolConfig) -> Value {
    match (config.mode, config.limit()) {
        (Some(Mode::None), _) => json!({"type": "none"}),
        (Some(Mode::Any), Some([name])) => json!({"type": "tool", "name": name}),
        (Some(Mode::Any), _) => json!({"type": "any"}),
        (Some(Mode::Auto | Mode::Validated) | None, _) => json!({"type": "auto"}),
    }
}

/// The prompt is all the model read, from the cache or not.
fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |name: &str| usage.get(name).and_then(Value::as_u64);
    let cached = ["cache_read_input_tokens", "cache_creation_input_tokens"].into_iter().filter_map(count);
    let prompt = count("input_tokens").map(|fresh| cached.fold(fresh, u64::saturating_add));
    Usage::from_counts(prompt, count("output_tokens"), None)
}

fn stable_reason(stop_reason: &str) -> &'static str {
    match stop_reason {
        "end_turn" | "stop_sequence" | "tool_use" => "STOP",
        "max_tokens" | "model_context_window_exceeded" => "MAX_TOKENS",
        "refusal" => "SAFETY",
        _ => "OTHER",
    }
}
