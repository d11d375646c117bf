//! Requests for each API.

use crate::Provider;
use serde_json::{Value, json};

pub const PROVIDERS: [Provider; 4] =
    [Provider::Gemini, Provider::Anthropic, Provider::OpenAiChat, Provider::OpenAiResponses];

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mode {
    Whole,
    Stream,
}

/// The smallest request that the API accepts, with its target.
pub fn request(provider: Provider, mode: Mode, prompt: &str) -> (&'static str, Value) {
    let stream = mode == Mode::Stream;
    match provider {
        Provider::Gemini => {
            let target = match mode {
                Mode::Whole => "/v1beta/models/gemini-test:generateContent",
                Mode::Stream => "/v1beta/models/gemini-test:streamGenerateContent?alt=sse",
            };
            (target, json!({"contents": [{"role": "user", "parts": [{"text": prompt}]}]}))
        }
        Provider::Anthropic => {
            let messages = json!([{"role": "user", "content": prompt}]);
            ("/v1/messages", json!({"model": "claude-test", "max_tokens": 64, "messages": messages, "stream": stream}))
        }
        Provider::OpenAiChat => {
            let messages = json!([{"role": "user", "content": prompt}]);
            ("/v1/chat/completions", json!({"model": "gpt-test", "messages": messages, "stream": stream}))
        }
        Provider::OpenAiResponses => ("/v1/responses", json!({"model": "gpt-test", "input": prompt, "stream": stream})),
        Provider::Augment => unreachable!("its tests are in augment.rs"),
    }
}

pub fn line_end(provider: Provider) -> &'static str {
    if provider == Provider::Gemini { "\r\n" } else { "\n" }
}
