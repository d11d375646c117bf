//! The way to a model that speaks the Gemini API.

use crate::{rest, sse};
use hookrail_host::{ModelClient, ModelError};
use serde_json::Value;
use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, http};

/// How much of an error page is read.
const ERROR_BYTES: u64 = 64 << 10;

#[derive(Clone)]
pub struct GeminiClient {
    agent: Agent,
    base_url: String,
    api_key: Option<String>,
}

impl GeminiClient {
    pub fn new(base_url: &str, api_key: Option<String>) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The key goes where the user sent it and nowhere else.
            .max_redirects(0)
            .user_agent(concat!("mini-agent/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(30)))
            .timeout_recv_response(Some(Duration::from_secs(300)));
        let config = if base_url.starts_with("https:") { config.tls_config(tls()) } else { config };
        let base_url = base_url.trim_end_matches('/').to_owned();
        Self { agent: config.build().into(), base_url, api_key }
    }

    fn post(&self, request: &Value) -> Result<http::Response<Body>, ModelError> {
        let model = request.get("model").and_then(Value::as_str).unwrap_or_default();
        let url = format!("{}/v1beta/models/{}:streamGenerateContent?alt=sse", self.base_url, checked(model)?);
        let mut post = self.agent.post(url).header("content-type", "application/json");
        if let Some(key) = &self.api_key {
            post = post.header("x-goog-api-key", key);
        }
        let unreachable = |error: ureq::Error| ModelError::Unreachable(format!("`{}`: {error}", self.base_url));
        let response = post.send(rest::body(request).to_string()).map_err(unreachable)?;
        if response.status().is_success() { Ok(response) } else { Err(refusal(response)) }
    }
}

impl ModelClient for GeminiClient {
    fn stream(&self, request: &Value, on_chunk: &mut dyn FnMut(Value) -> ControlFlow<()>) -> Result<(), ModelError> {
        let body = self.post(request)?.into_body().into_reader();
        for event in sse::Events::new(BufReader::new(body)) {
            let event = event.map_err(|error| ModelError::BrokenOff(error.to_string()))?;
            let chunk: Value = serde_json::from_str(&event)
                .map_err(|error| ModelError::BrokenOff(format!("a piece of it is not JSON: {error}")))?;
            if let Some(error) = chunk.get("error") {
                return Err(ModelError::BrokenOff(message(error)));
            }
            if on_chunk(chunk).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// A hook may have chosen the model, so its name is not put into a path unseen.
fn checked(model: &str) -> Result<&str, ModelError> {
    let model = model.strip_prefix("models/").unwrap_or(model);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if model.is_empty() || model.starts_with('.') || !model.chars().all(is_plain) {
        return Err(ModelError::Unreachable(format!("`{model}` is not the name of a model")));
    }
    Ok(model)
}

fn refusal(response: http::Response<Body>) -> ModelError {
    let status = response.status().as_u16();
    let mut page = Vec::new();
    // What cannot be read is not quoted; the status says enough.
    let _ = response.into_body().into_reader().take(ERROR_BYTES).read_to_end(&mut page);
    let parsed: Option<Value> = serde_json::from_slice(&page).ok();
    let message = match parsed.as_ref().and_then(|body| body.get("error")) {
        Some(error) => message(error),
        None => String::from_utf8_lossy(&page).trim().to_owned(),
    };
    ModelError::Refused { status, message }
}

fn message(error: &Value) -> String {
    error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned)
}

/// Trusts whom the machine trusts.
fn tls() -> TlsConfig {
    let found = rustls_native_certs::load_native_certs().certs;
    let roots = RootCerts::from(found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    TlsConfig::builder().root_certs(roots).unversioned_rustls_crypto_provider(provider).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_plain_name_of_a_model_becomes_part_of_the_address() {
        for name in ["gemini-2.5-flash", "models/gemini-2.5-flash", "my_model.1"] {
            assert_eq!(checked(name).unwrap(), name.trim_start_matches("models/"));
        }
        for name in ["", "models/", "../secrets", "..", "a/b", "a?b=c", "a:generateContent", "a b", "ü"] {
            assert!(checked(name).is_err(), "{name}");
        }
    }
}
