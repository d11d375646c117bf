//! What each provider's format must be able to do.

#[cfg(feature = "other-providers")]
use crate::anthropic::Anthropic;
#[cfg(feature = "other-providers")]
use crate::augment::Augment;
use crate::conversation::Message;
use crate::gemini::Gemini;
#[cfg(feature = "other-providers")]
use crate::openai_chat::OpenAiChat;
#[cfg(feature = "other-providers")]
use crate::openai_responses::OpenAiResponses;
use crate::recorded::Recorded;
use crate::script::{ScriptedReply, ToolCall};
use serde_json::{Value, json};
use std::borrow::Cow;

/// Whose API a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    Gemini,
    #[cfg(feature = "other-providers")]
    Anthropic,
    #[cfg(feature = "other-providers")]
    OpenAiChat,
    #[cfg(feature = "other-providers")]
    OpenAiResponses,
    #[cfg(feature = "other-providers")]
    Augment,
}

impl Provider {
    pub(crate) fn wire(self) -> &'static dyn Wire {
        match self {
            Self::Gemini => &Gemini,
            #[cfg(feature = "other-providers")]
            Self::Anthropic => &Anthropic,
            #[cfg(feature = "other-providers")]
            Self::OpenAiChat => &OpenAiChat,
            #[cfg(feature = "other-providers")]
            Self::OpenAiResponses => &OpenAiResponses,
            #[cfg(feature = "other-providers")]
            Self::Augment => &Augment,
        }
    }
}

/// One provider's format, in both directions.
pub(crate) trait Wire {
    /// The fields without which the provider refuses a request.
    fn required_fields(&self) -> &'static [&'static str];

    /// The answer in one piece.
    fn whole(&self, reply: &WireReply) -> Value;

    /// The same answer as a stream.
    fn events(&self, reply: &WireReply) -> Vec<Event>;

    /// The body of an HTTP error.
    fn error(&self, status: u16, message: &str) -> Value;

    /// The answer to the question how many tokens a request has.
    fn token_count(&self, tokens: u64) -> Value {
        json!({ "input_tokens": tokens })
    }

    /// The answer to a question about the service itself.
    fn describe(&self, _path: &str) -> Value {
        Value::Null
    }

    /// The conversation in a request.
    fn messages(&self, body: &Value) -> Vec<Message>;

    fn tool_names(&self, body: &Value) -> Vec<String>;

    fn tool_choice<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        body.get("tool_choice")
    }

    /// How lines of an event stream end.
    fn line_end(&self) -> &'static str {
        "\n"
    }
}

/// Every request counts as this many tokens, far from any limit at which an agent would compress its history.
pub(crate) const INPUT_TOKENS: u64 = 100;
pub(crate) const OUTPUT_TOKENS: u64 = 20;

/// When every answer was made: a fixed moment, so that equal scripts give equal bytes.
pub(crate) const CREATED_AT: u64 = 1_700_000_000;

/// An answer to be put into a provider's words.
#[derive(Debug)]
pub(crate) struct WireReply<'a> {
    /// Which request of the server's life this answers; makes ids unique.
    pub number: usize,
    pub request: &'a Recorded,
    pub speech: &'a ScriptedReply,
    pub piece_length: usize,
}

impl WireReply<'_> {
    pub fn id(&self, prefix: &str) -> String {
        format!("{prefix}_{:04}", self.number)
    }

    /// The id of the `index`th thing in this answer.
    pub fn item_id(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}_{:04}_{index}", self.number)
    }

    /// `text` cut into the pieces in which it is streamed.
    pub fn pieces(&self, text: &str) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        characters.chunks(self.piece_length).map(|piece| piece.iter().collect()).collect()
    }
}

impl ToolCall {
    /// The arguments for a format that has only objects.
    pub(crate) fn object_args(&self) -> Cow<'_, Value> {
        match &self.args {
            Value::String(input) => Cow::Owned(json!({ "input": input })),
            args => Cow::Borrowed(args),
        }
    }
}

/// An object with the fields of both, the second's after the first's.
pub(crate) fn merge(mut first: Value, second: Value) -> Value {
    debug_assert!(first.is_object() && second.is_object(), "only objects can be merged");
    if let (Some(fields), Value::Object(second)) = (first.as_object_mut(), second) {
        fields.extend(second);
    }
    first
}

/// One event of a stream.
#[derive(Debug)]
pub(crate) struct Event {
    pub name: Option<&'static str>,
    pub data: String,
    /// Whether it carries a piece of what is said. A stream that breaks ends after the last such event.
    pub speaks: bool,
}

impl Event {
    /// An event whose name is also the `type` of its data.
    pub fn typed(name: &'static str, fields: Value) -> Self {
        let data = merge(json!({ "type": name }), fields);
        Self { name: Some(name), data: data.to_string(), speaks: false }
    }

    pub fn unnamed(data: impl Into<String>) -> Self {
        Self { name: None, data: data.into(), speaks: false }
    }

    pub fn speaking(self) -> Self {
        Self { speaks: true, ..self }
    }

    pub fn frame(&self, line_end: &str) -> String {
        let name = self.name.map(|name| format!("event: {name}{line_end}")).unwrap_or_default();
        format!("{name}data: {}{line_end}{line_end}", self.data)
    }
}
