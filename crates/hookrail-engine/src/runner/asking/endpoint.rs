//! The model that prompt hooks ask, as the user configured it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How long an answer may get. A decision needs few tokens, but models that think first spend theirs from the same purse.
const DEFAULT_MAX_TOKENS: u32 = 4096;

/// Whose API an endpoint speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Provider {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Chat Completions, which most other vendors and local servers speak too.
    OpenAi,
    /// Google's `generateContent`.
    Gemini,
}

impl Provider {
    /// Reads the word of a configuration file; `None` for any other word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "anthropic" => Some(Self::Anthropic),
            "openai" => Some(Self::OpenAi),
            "gemini" => Some(Self::Gemini),
            _ => None,
        }
    }

    /// The word for it in configuration files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
        }
    }

    /// Where the vendor itself serves the API, written the way the vendor's own clients expect it.
    #[must_use]
    pub fn default_base_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com",
        }
    }

    /// Where the vendor's own clients look for the key.
    #[must_use]
    pub fn key_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::OpenAi => "OPENAI_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A secret that opens a model endpoint. It is sent to the endpoint only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey(String);

impl ApiKey {
    /// White space around a key comes from the file it was read from; a key of nothing else is no key.
    #[must_use]
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }

    /// The secret itself, for the endpoint.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Access {
    Missing,
    Open,
    Key(ApiKey),
}

/// A model endpoint.
///
/// ```
/// use hookrail_engine::{PromptEndpoint, Provider};
///
/// let hosted = PromptEndpoint::new(Provider::Anthropic, "claude-haiku-4-5").api_key("sk-ant-…");
/// let local = PromptEndpoint::new(Provider::OpenAi, "qwen3").base_url("http://127.0.0.1:11434/v1").keyless();
/// assert!(!format!("{hosted:?}").contains("sk-ant"));
/// # let _ = local;
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptEndpoint {
    provider: Provider,
    base_url: String,
    access: Access,
    model: String,
    max_tokens: u32,
}

impl PromptEndpoint {
    /// The vendor's own endpoint. It still needs a key.
    #[must_use]
    pub fn new(provider: Provider, model: impl Into<String>) -> Self {
        Self {
            provider,
            base_url: provider.default_base_url().to_owned(),
            access: Access::Missing,
            model: model.into(),
            max_tokens: DEFAULT_MAX_TOKENS,
        }
    }

    /// Another place that speaks the same API: for `OpenAi` including the version (`…/v1`), for the others without it.
    /// Loopback and plain `http` are fine here. Blank text changes nothing.
    #[must_use]
    pub fn base_url(mut self, url: impl AsRef<str>) -> Self {
        let url = url.as_ref().trim().trim_end_matches('/');
        if !url.is_empty() {
            url.clone_into(&mut self.base_url);
        }
        self
    }

    /// The key to send. With a blank one, prompt hooks abstain as if there were none.
    #[must_use]
    pub fn api_key(mut self, key: impl AsRef<str>) -> Self {
        self.access = ApiKey::new(key.as_ref()).map_or(Access::Missing, Access::Key);
        self
    }

    /// For a server that asks for no key.
    #[must_use]
    pub fn keyless(mut self) -> Self {
        self.access = Access::Open;
        self
    }

    /// How many tokens an answer may have, thinking included.
    #[must_use]
    pub fn max_tokens(mut self, max_tokens: u32) -> Self {
        self.max_tokens = max_tokens;
        self
    }

    pub(super) fn lacks_key(&self) -> bool {
        self.access == Access::Missing
    }

    /// The key to send, if there is one.
    #[must_use]
    pub fn key(&self) -> Option<&ApiKey> {
        match &self.access {
            Access::Key(key) => Some(key),
            Access::Missing | Access::Open => None,
        }
    }

    /// The vendor whose API it speaks.
    #[must_use]
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// Where it is.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base_url
    }

    /// The model to ask.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// How many tokens an answer may have.
    #[must_use]
    pub fn token_limit(&self) -> u32 {
        self.max_tokens
    }
}
