use super::content::kind;
use super::tool_config::{Mode, ToolConfig};
use super::{Object, OpenAiChat, OpenAiResponses};
use hookrail_core::Translator;
use serde_json::Value;

/// OpenAI's two APIs behind one translator, which looks at each JSON it is given:
///
/// - a request with `input`, or without `messages` but with another field that only the Responses API knows, is of the
///   Responses API; every other is of Chat Completions;
/// - a response with `output`, or whose `object` is `response`, is of the Responses API;
/// - what a hook made up, with no request beside it, is said in the words of Chat Completions.
///
/// Where the request is at hand, [`Provider::for_request`](super::Provider::for_request) leaves nothing to guess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenAi;

const ONLY_IN_RESPONSES: &[&str] =
    &["instructions", "max_output_tokens", "previous_response_id", "conversation", "prompt"];

impl OpenAi {
    pub(super) fn for_request(request: &Value) -> &'static dyn Translator {
        let has = |field: &&str| request.get(*field).is_some();
        if has(&"input") || (!has(&"messages") && ONLY_IN_RESPONSES.iter().any(has)) {
            &OpenAiResponses
        } else {
            &OpenAiChat
        }
    }

    fn for_response(response: &Value) -> &'static dyn Translator {
        let is_named = response.get("object").and_then(Value::as_str) == Some("response");
        if is_named || response.get("output").is_some() { &OpenAiResponses } else { &OpenAiChat }
    }
}

impl Translator for OpenAi {
    fn to_hook_request(&self, request: &Value) -> Value {
        Self::for_request(request).to_hook_request(request)
    }

    fn from_hook_request(&self, request: &Value, base: Option<&Value>) -> Value {
        Self::for_request(base.unwrap_or(&Value::Null)).from_hook_request(request, base)
    }

    fn to_hook_response(&self, response: &Value) -> Value {
        Self::for_response(response).to_hook_response(response)
    }

    fn from_hook_response(&self, response: &Value) -> Value {
        OpenAiChat.from_hook_response(response)
    }

    fn to_hook_tool_config(&self, tool_config: &Value) -> Value {
        read_tool_choice(tool_config).to_hook().into()
    }

    fn from_hook_tool_config(&self, tool_config: &Value) -> Value {
        OpenAiChat.from_hook_tool_config(tool_config)
    }

    fn empty_response(&self) -> Value {
        OpenAiChat.empty_response()
    }

    fn text_response(&self, text: &str) -> Value {
        OpenAiChat.text_response(text)
    }

    fn apply_tool_config(&self, request: &mut Value, tool_config: &Value) {
        Self::for_request(request).apply_tool_config(request, tool_config);
    }
}

/// Reads a `tool_choice`. The two APIs differ only in how deep names are nested, so both spellings are read everywhere.
pub(super) fn read_tool_choice(choice: &Value) -> ToolConfig {
    match choice {
        Value::String(word) => read_mode(word).map(ToolConfig::from).unwrap_or_default(),
        Value::Object(_) if kind(choice) == "allowed_tools" => {
            read_allowed(choice.get("allowed_tools").unwrap_or(choice))
        }
        Value::Object(_) => tool_name(choice).map(|name| ToolConfig::any_of(&[name])).unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => ToolConfig::default(),
    }
}

fn read_mode(word: &str) -> Option<Mode> {
    match word {
        "auto" => Some(Mode::Auto),
        "required" => Some(Mode::Any),
        "none" => Some(Mode::None),
        _ => None,
    }
}

fn read_allowed(allowed: &Value) -> ToolConfig {
    let tools = allowed.get("tools").and_then(Value::as_array);
    ToolConfig {
        mode: allowed.get("mode").and_then(Value::as_str).and_then(read_mode),
        names: tools.map(|tools| tools.iter().filter_map(tool_name).map(str::to_owned).collect()),
    }
}

/// The name under which hooks know a tool, from its definition or from a reference to it: its own, that of the MCP
/// server behind it, or that of the kind of tool OpenAI runs itself.
pub(super) fn tool_name(tool: &Value) -> Option<&str> {
    let nested = tool.get("function").or_else(|| tool.get("custom")).unwrap_or(tool);
    let named = nested.get("name").or_else(|| tool.get("server_label"));
    let is_built_in = !matches!(kind(tool), "function" | "custom" | "mcp");
    named.or_else(|| tool.get("type").filter(|_| is_built_in))?.as_str()
}

/// How one API writes a `tool_choice` that names tools.
pub(super) trait ChoiceFormat {
    /// A reference to the tool of that name, which `definition` defines if it is known.
    fn refer_to(&self, name: &str, definition: Option<&Value>) -> Value;

    /// A choice among the tools referred to, where `mode` is `auto` or `required`.
    fn allow(&self, mode: &str, references: Vec<Value>) -> Value;
}

pub(super) fn write_tool_choice(format: &impl ChoiceFormat, config: &ToolConfig, tools: &[Value]) -> Value {
    let definition = |name: &str| tools.iter().find(|tool| tool_name(tool) == Some(name));
    let refer_to = |name: &String| format.refer_to(name, definition(name));
    match (config.mode, config.limit()) {
        (Some(Mode::None), _) => "none".into(),
        (Some(Mode::Any), None) => "required".into(),
        (Some(Mode::Any), Some([name])) => refer_to(name),
        (Some(Mode::Any), Some(names)) => format.allow("required", names.iter().map(refer_to).collect()),
        (Some(Mode::Auto | Mode::Validated) | None, None) => "auto".into(),
        (Some(Mode::Auto | Mode::Validated) | None, Some(names)) => {
            format.allow("auto", names.iter().map(refer_to).collect())
        }
    }
}

pub(super) fn set_tool_choice(format: &impl ChoiceFormat, request: &mut Object, config: ToolConfig) {
    let tools = request.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    // The API refuses a choice where there are no tools.
    if tools.is_empty() {
        return;
    }
    let config = config.among(|name| tools.iter().any(|tool| tool_name(tool) == Some(name)));
    let choice = write_tool_choice(format, &config, tools);
    request.insert("tool_choice".to_owned(), choice);
}
