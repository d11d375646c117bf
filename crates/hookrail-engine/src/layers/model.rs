//! `[model]`: whom hooks of this machine may ask for a judgement.

use crate::runner::asking::{PromptEndpoint, Provider};
use serde_json::Value;
use std::time::Duration;

/// How long a model may take if nothing is configured: less than the hooks that ask it have themselves.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15);

/// The model of `[model]`. Whatever it says comes from one layer: a key of one must not go to the address of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    provider: Provider,
    model: String,
    base_url: Option<String>,
    key_env: Option<String>,
    max_tokens: Option<u32>,
    timeout: Duration,
}

impl ModelSettings {
    pub(super) fn read(table: &Value) -> Option<Self> {
        let text = |key: &str| table.get(key)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
        Some(Self {
            provider: Provider::parse(&text("provider")?)?,
            model: text("model")?,
            base_url: text("base_url"),
            key_env: text("key_env"),
            max_tokens: table.get("max_tokens").and_then(Value::as_u64).and_then(|count| u32::try_from(count).ok()),
            timeout: table.get("timeout").and_then(Value::as_u64).map_or(DEFAULT_TIMEOUT, Duration::from_millis),
        })
    }

    /// How long an answer may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The environment variable with the key; `None` if none is sent.
    ///
    /// The vendor's own key goes to the vendor alone: another address gets the key it is given by name, or none.
    #[must_use]
    pub fn key_variable(&self) -> Option<&str> {
        match (&self.key_env, &self.base_url) {
            (Some(name), _) => Some(name),
            (None, Some(_)) => None,
            (None, None) => Some(self.provider.key_variable()),
        }
    }

    /// The endpoint, with the key that the environment holds now.
    #[must_use]
    pub fn endpoint(&self, env: &dyn Fn(&str) -> Option<String>) -> PromptEndpoint {
        let mut endpoint = PromptEndpoint::new(self.provider, &self.model);
        if let Some(count) = self.max_tokens {
            endpoint = endpoint.max_tokens(count);
        }
        if let Some(url) = &self.base_url {
            endpoint = endpoint.base_url(url);
        }
        match self.key_variable() {
            Some(name) => endpoint.api_key(env(name).unwrap_or_default()),
            None => endpoint.keyless(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_vendors_key_goes_to_the_vendor_alone() {
        let env = |name: &str| Some(format!("key of {name}"));
        let base = PromptEndpoint::new(Provider::OpenAi, "m");
        for (fields, expected) in [
            (json!({}), base.clone().api_key("key of OPENAI_API_KEY")),
            (json!({"key_env": "MINE"}), base.clone().api_key("key of MINE")),
            (json!({"base_url": "http://x/v1"}), base.clone().base_url("http://x/v1").keyless()),
            (
                json!({"base_url": "http://x/v1", "key_env": "MINE"}),
                base.clone().base_url("http://x/v1").api_key("key of MINE"),
            ),
            (json!({"max_tokens": 7}), base.clone().max_tokens(7).api_key("key of OPENAI_API_KEY")),
        ] {
            let mut table = json!({"provider": "openai", "model": "m"});
            table.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            let settings = ModelSettings::read(&table).unwrap();
            assert_eq!(settings.endpoint(&env), expected, "{fields}");
        }
    }
}
