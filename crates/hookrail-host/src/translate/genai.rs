use super::Object;
use super::content::{self, PartFormat};
use super::conversation::TurnFormat;
use super::provider::{ProviderFormat, translator};
use super::request::{self, RequestFormat, object_in};
use super::settings::Setting;
use super::stable::{Candidate, Response, Role, Usage};
use super::tool_config::{Mode, ToolConfig};
use serde_json::{Value, json};
use std::borrow::Cow;

/// Gemini, as its SDK has it: `GenerateContentParameters` (`model`, `contents`, `config`) and
/// `GenerateContentResponse`.
///
/// Requests may also have the form of the REST API, where `tools` and `toolConfig` stand at the top and the settings in
/// `generationConfig`. Turns of role `system` are shown as such; the `systemInstruction` is not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GenAiV1;

const SETTINGS: &[Setting] = &[
    Setting::number("temperature", &["temperature"]),
    Setting::count("maxOutputTokens", &["maxOutputTokens"]),
    Setting::number("topP", &["topP"]),
    Setting::number("topK", &["topK"]),
    Setting::texts("stopSequences", &["stopSequences"]),
    Setting::count("candidateCount", &["candidateCount"]),
    Setting::number("presencePenalty", &["presencePenalty"]),
    Setting::number("frequencyPenalty", &["frequencyPenalty"]),
    Setting::number("seed", &["seed"]),
];

translator! {
    GenAiV1,
    fn tool_config_for(&self, request: &Value, tool_config: &Value) -> Value {
        let config = ToolConfig::from_hook(tool_config);
        self.write_choice(&request.as_object().map(|request| acceptable(config.clone(), request)).unwrap_or(config))
    }

    /// The API knows no turns of the system: what a hook adds as one is said by the user.
    fn settle(&self, request: &mut Value) {
        let turns = request.get_mut("contents").and_then(Value::as_array_mut);
        for role in turns.into_iter().flatten().filter_map(|turn| turn.get_mut("role")) {
            if *role == "system" {
                *role = Role::User.name().into();
            }
        }
    }
}

impl ProviderFormat for GenAiV1 {
    fn read_response(&self, response: &Value) -> Response {
        let candidates = response.get("candidates").and_then(Value::as_array);
        Response {
            candidates: candidates.into_iter().flatten().filter_map(read_candidate).collect(),
            usage: response.get("usageMetadata").and_then(Usage::from_hook),
        }
    }

    /// Without the `text` of the SDK's class, which is computed there and cannot be assigned.
    fn write_response(&self, response: &Response) -> Value {
        let candidates: Vec<Value> = response.candidates.iter().map(write_candidate).collect();
        let mut fields = Object::new();
        fields.insert("candidates".to_owned(), candidates.into());
        if let Some(usage) = response.usage {
            fields.insert("usageMetadata".to_owned(), usage.to_hook());
        }
        Value::Object(fields)
    }

    fn show_response(&self, response: &Value) -> Value {
        let mut shown = self.read_response(response).to_hook();
        // The SDK's own `text`, for a response whose candidates did not come along.
        if let (Value::Object(fields), Some(text @ Value::String(_))) = (&mut shown, response.get("text")) {
            fields.entry("text").or_insert_with(|| text.clone());
        }
        shown
    }

    fn read_choice(&self, choice: &Value) -> ToolConfig {
        read_tool_config(choice)
    }

    fn write_choice(&self, config: &ToolConfig) -> Value {
        if config.is_empty() { json!({}) } else { json!({"functionCallingConfig": config.to_hook()}) }
    }
}

impl PartFormat for GenAiV1 {
    fn text<'a>(&self, part: &'a Value) -> Option<&'a str> {
        part.get("text")?.as_str().filter(|_| !self.is_reasoning(part))
    }

    /// A part that says empty text beside a function call is that call.
    fn without_text(&self, part: &Value) -> Option<Value> {
        let mut part = part.clone();
        let fields = part.as_object_mut()?;
        fields.shift_remove("text");
        let is_payload = |field: &String| !matches!(field.as_str(), "thought" | "thoughtSignature" | "partMetadata");
        let has_payload = fields.keys().any(is_payload);
        has_payload.then_some(part)
    }

    fn is_reasoning(&self, part: &Value) -> bool {
        part.get("thought") == Some(&Value::Bool(true))
    }
}

impl TurnFormat for GenAiV1 {
    fn content_field(&self) -> &'static str {
        "parts"
    }

    fn role(&self, turn: &Object) -> Option<Role> {
        match turn.get("role").and_then(Value::as_str) {
            Some("model") => Some(Role::Model),
            Some("system") => Some(Role::System),
            _ => Some(Role::User),
        }
    }

    fn write(&self, role: Role, text: &str) -> Value {
        json!({"role": role.name(), "parts": [{"text": text}]})
    }

    fn clings_to(&self, _call: &Value, turn: &Value) -> bool {
        let parts = content::parts(turn.get("parts").unwrap_or(&Value::Null));
        parts.iter().any(|part| part.get("functionResponse").is_some())
    }
}

impl RequestFormat for GenAiV1 {
    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn settings_in<'a>(&self, request: &'a Object) -> Option<&'a Object> {
        request.get(Form::of(request).settings_field())?.as_object()
    }

    fn settings_of<'a>(&self, request: &'a mut Object) -> Option<&'a mut Object> {
        let field = Form::of(request).settings_field();
        object_in(request, field)
    }

    fn turns<'a>(&self, request: &'a Object) -> Vec<Cow<'a, Value>> {
        content::parts(request.get("contents").unwrap_or(&Value::Null)).iter().map(as_turn).collect()
    }

    fn set_turns(&self, request: &mut Object, turns: Vec<Value>) {
        request.insert("contents".to_owned(), turns.into());
    }

    fn tool_config(&self, request: &Object) -> ToolConfig {
        let holder = match Form::of(request) {
            Form::Sdk => request.get("config").and_then(|config| config.get("toolConfig")),
            Form::Rest => request.get("toolConfig"),
        };
        holder.map(read_tool_config).unwrap_or_default()
    }

    fn set_tool_config(&self, request: &mut Object, config: ToolConfig) {
        let config = acceptable(config, request);
        let holder = match Form::of(request) {
            Form::Sdk => object_in(request, "config"),
            Form::Rest => Some(request),
        };
        let tool_config = holder.and_then(|holder| object_in(holder, "toolConfig"));
        if let Some(calling) = tool_config.and_then(|tool_config| object_in(tool_config, "functionCallingConfig")) {
            calling.shift_remove("mode");
            calling.shift_remove("allowedFunctionNames");
            calling.extend(config.to_hook());
        }
    }
}

/// The API refuses names of tools that a request does not declare. It also refuses names beside mode `AUTO`; a free choice
/// among some tools is what it calls `VALIDATED`.
fn acceptable(config: ToolConfig, request: &Object) -> ToolConfig {
    let tools = match Form::of(request) {
        Form::Sdk => request.get("config").and_then(|config| config.get("tools")),
        Form::Rest => request.get("tools"),
    };
    let tools = tools.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut config = if tools.is_empty() { config } else { config.among(|name| declares(tools, name)) };
    match config.limit() {
        Some(_) if matches!(config.mode, None | Some(Mode::Auto)) => config.mode = Some(Mode::Validated),
        Some(_) => {}
        None => config.names = None,
    }
    config
}

fn declares(tools: &[Value], name: &str) -> bool {
    let functions = tools.iter().filter_map(|tool| tool.get("functionDeclarations")?.as_array()).flatten();
    functions.filter_map(|function| function.get("name")?.as_str()).any(|declared| declared == name)
}

/// Which of Gemini's two spellings a request has.
#[derive(Clone, Copy)]
enum Form {
    Sdk,
    Rest,
}

impl Form {
    fn of(request: &Object) -> Self {
        let rest_fields = ["generationConfig", "tools", "toolConfig", "systemInstruction", "safetySettings"];
        let is_rest = !request.contains_key("config") && rest_fields.iter().any(|field| request.contains_key(*field));
        if is_rest { Self::Rest } else { Self::Sdk }
    }

    fn settings_field(self) -> &'static str {
        match self {
            Self::Sdk => "config",
            Self::Rest => "generationConfig",
        }
    }
}

/// The SDK takes bare strings and bare parts for turns of the user, but not beside turns proper. So a conversation that
/// is put together anew has every turn spelled out.
fn as_turn(item: &Value) -> Cow<'_, Value> {
    match item {
        Value::Object(turn) if turn.contains_key("parts") || turn.contains_key("role") => spell_out(item, turn),
        Value::Object(part) => Cow::Owned(json!({"role": "user", "parts": [part]})),
        Value::String(text) => Cow::Owned(GenAiV1.write(Role::User, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Cow::Borrowed(item),
    }
}

fn spell_out<'a>(item: &'a Value, turn: &Object) -> Cow<'a, Value> {
    let is_spelled_out = |parts: &Value| parts.as_array().is_some_and(|parts| !parts.iter().any(Value::is_string));
    if turn.contains_key("role") && turn.get("parts").is_none_or(is_spelled_out) {
        return Cow::Borrowed(item);
    }
    let mut turn = turn.clone();
    turn.entry("role").or_insert_with(|| Role::User.name().into());
    if let Some(parts) = turn.get_mut("parts") {
        let spelled_out = |part: &Value| part.as_str().map_or_else(|| part.clone(), |text| json!({"text": text}));
        *parts = content::parts(parts).iter().map(spelled_out).collect();
    }
    Cow::Owned(turn.into())
}

fn read_tool_config(tool_config: &Value) -> ToolConfig {
    tool_config.get("functionCallingConfig").map(ToolConfig::from_hook).unwrap_or_default()
}

fn read_candidate(candidate: &Value) -> Option<Candidate> {
    let fields = candidate.as_object()?;
    let parts = fields.get("content").and_then(|content| content.get("parts")).unwrap_or(&Value::Null);
    let parts = content::texts(&GenAiV1, parts).into_iter().map(str::to_owned).collect();
    Some(Candidate { parts, ..Candidate::read_labels(fields) })
}

fn write_candidate(candidate: &Candidate) -> Value {
    let parts: Vec<Value> = candidate.parts.iter().map(|text| json!({"text": text})).collect();
    let mut fields = Object::new();
    fields.insert("content".to_owned(), json!({"role": "model", "parts": parts}));
    candidate.write_labels(&mut fields);
    Value::Object(fields)
}
