//! Translators between a provider's JSON and the stable form that hooks see (described in [`hookrail_core::llm`]).
//!
//! The same rules hold for every provider:
//!
//! - **Hooks see text.** Images, files, reasoning, tool calls and their results are left out, and so is a turn that has
//!   nothing else. The text parts of a turn are one message.
//! - **The system prompt is not a message.** GenAI's `systemInstruction`, Anthropic's `system`, OpenAI's `instructions`
//!   and its system and developer messages are not shown and survive whatever a hook returns. A `system` message that a
//!   hook adds is sent in addition to them.
//! - **What hooks do not see they cannot destroy.** Messages that come back are matched with the turns they were read
//!   from: an equal message keeps its turn as it was, a changed one replaces the text of its turn only, a new one is put
//!   where it stands in the list, and a turn whose message is gone loses its text, or goes if it has nothing else. Calls
//!   and their results stay together. With a text-only request the list of messages simply is the conversation.
//! - **Tool restrictions never touch tool definitions.** They are said in the provider's own words, as far as it has
//!   words for them; refusing a call the model makes nevertheless is the caller's part. An empty list of allowed names
//!   restricts nothing: `NONE` is the mode that forbids tools.

mod alignment;
mod anthropic;
mod content;
mod conversation;
mod genai;
mod openai;
mod openai_chat;
mod openai_responses;
mod passthrough;
mod provider;
mod request;
mod settings;
mod stable;
mod tool_config;

pub use anthropic::AnthropicMessages;
pub use genai::GenAiV1;
pub use openai::OpenAi;
pub use openai_chat::OpenAiChat;
pub use openai_responses::OpenAiResponses;
pub use passthrough::Stable;

use hookrail_core::Translator;
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

type Object = serde_json::Map<String, Value>;

/// Whose JSON an agent sends to its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Gemini: `GenerateContentParameters` and `GenerateContentResponse`.
    GenAi,
    /// The Anthropic Messages API.
    Anthropic,
    /// OpenAI: Chat Completions or Responses, told apart by shape.
    OpenAi,
    /// None: requests and responses are in the stable form already.
    Stable,
}

impl Provider {
    /// Every provider there is a translator for.
    pub const ALL: [Self; 4] = [Self::GenAi, Self::Anthropic, Self::OpenAi, Self::Stable];

    /// The word for this provider in configuration and on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GenAi => "genai",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Stable => "stable",
        }
    }

    /// The translator for one model call. It differs from [`translator`] where the provider has two APIs: a response
    /// that a hook makes up gets the shape that the sender of this `request` expects.
    #[must_use]
    pub fn for_request(self, request: &Value) -> &'static dyn Translator {
        match self {
            Self::GenAi => &GenAiV1,
            Self::Anthropic => &AnthropicMessages,
            Self::OpenAi => OpenAi::for_request(request),
            Self::Stable => &Stable,
        }
    }
}

/// The translator that serves every call of a provider. For OpenAI it decides anew at each JSON it is given; see
/// [`OpenAi`] for how, and [`Provider::for_request`] for when the request is known.
#[must_use]
pub fn translator(provider: Provider) -> &'static dyn Translator {
    match provider {
        Provider::GenAi => &GenAiV1,
        Provider::Anthropic => &AnthropicMessages,
        Provider::OpenAi => &OpenAi,
        Provider::Stable => &Stable,
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A provider's name could not be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// There is no translator for a provider of this name.
    #[error("unknown provider `{0}`\nhint: use `genai`, `anthropic`, `openai` or `stable`")]
    Unknown(String),
}

impl FromStr for Provider {
    type Err = ProviderError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|provider| provider.name() == name);
        known.ok_or_else(|| ProviderError::Unknown(name.to_owned()))
    }
}
