//! Which request is for which API.

use crate::wire::Provider;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Endpoint {
    pub provider: Provider,
    pub operation: Operation,
    pub model: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Operation {
    Generate(Delivery),
    CountTokens,
    /// What the service offers.
    Describe,
}

/// How the answer travels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Delivery {
    Whole,
    /// Server-sent events.
    Events,
    /// The elements of one JSON array: how Gemini streams unless it is asked for events.
    Array,
    /// One JSON object a line.
    Lines,
}

impl Endpoint {
    pub fn find(method: &str, path: &str, query: &str, body: &Value) -> Option<Self> {
        if method != "POST" {
            return None;
        }
        Self::find_other(path, body).or_else(|| Self::find_gemini(path, query))
    }

    #[cfg(not(feature = "other-providers"))]
    fn find_other(_: &str, _: &Value) -> Option<Self> {
        None
    }

    #[cfg(feature = "other-providers")]
    fn find_other(path: &str, body: &Value) -> Option<Self> {
        let in_body = |provider, operation| {
            let model = body.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
            Some(Self { provider, operation, model })
        };
        let generate = Operation::Generate(if body.get("stream") == Some(&Value::Bool(true)) {
            Delivery::Events
        } else {
            Delivery::Whole
        });
        match path {
            "/v1/messages" => in_body(Provider::Anthropic, generate),
            "/v1/messages/count_tokens" => in_body(Provider::Anthropic, Operation::CountTokens),
            "/v1/chat/completions" => in_body(Provider::OpenAiChat, generate),
            "/v1/responses" => in_body(Provider::OpenAiResponses, generate),
            "/v1/responses/input_tokens" => in_body(Provider::OpenAiResponses, Operation::CountTokens),
            "/chat-stream" => in_body(Provider::Augment, Operation::Generate(Delivery::Lines)),
            "/get-models" | "/report-error" => in_body(Provider::Augment, Operation::Describe),
            path if path.starts_with("/agents/") || path.starts_with("/settings/") => {
                in_body(Provider::Augment, Operation::Describe)
            }
            _ => None,
        }
    }

    fn find_gemini(path: &str, query: &str) -> Option<Self> {
        let (model, verb) = path.strip_prefix("/v1beta/models/")?.split_once(':')?;
        let operation = match verb {
            "generateContent" => Operation::Generate(Delivery::Whole),
            "streamGenerateContent" if query.split('&').any(|pair| pair == "alt=sse") => {
                Operation::Generate(Delivery::Events)
            }
            "streamGenerateContent" => Operation::Generate(Delivery::Array),
            "countTokens" => Operation::CountTokens,
            _ => return None,
        };
        Some(Self { provider: Provider::Gemini, operation, model: model.to_owned() })
    }
}

#[cfg(test)]
#[cfg(feature = "other-providers")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn requests_find_their_api() {
        use Delivery::{Array, Events, Lines, Whole};
        use Operation::{CountTokens, Describe, Generate};
        use Provider::{Anthropic, Augment, Gemini, OpenAiChat, OpenAiResponses};

        let plain = json!({"model": "m"});
        let stream = json!({"model": "m", "stream": true});
        let no_stream = json!({"model": "m", "stream": false});
        let cases = [
            ("POST", "/v1/messages", "beta=true", &plain, Some((Anthropic, Generate(Whole)))),
            ("POST", "/v1/messages", "", &stream, Some((Anthropic, Generate(Events)))),
            ("POST", "/v1/messages/count_tokens", "", &plain, Some((Anthropic, CountTokens))),
            ("POST", "/v1/chat/completions", "", &no_stream, Some((OpenAiChat, Generate(Whole)))),
            ("POST", "/v1/chat/completions", "", &stream, Some((OpenAiChat, Generate(Events)))),
            ("POST", "/v1/responses", "", &plain, Some((OpenAiResponses, Generate(Whole)))),
            ("POST", "/v1/responses", "", &stream, Some((OpenAiResponses, Generate(Events)))),
            ("POST", "/v1/responses/input_tokens", "", &plain, Some((OpenAiResponses, CountTokens))),
            ("POST", "/v1beta/models/m:generateContent", "key=k", &plain, Some((Gemini, Generate(Whole)))),
            (
                "POST",
                "/v1beta/models/m:streamGenerateContent",
                "key=k&alt=sse",
                &plain,
                Some((Gemini, Generate(Events))),
            ),
            ("POST", "/v1beta/models/m:streamGenerateContent", "alt=json", &plain, Some((Gemini, Generate(Array)))),
            ("POST", "/v1beta/models/m:countTokens", "", &plain, Some((Gemini, CountTokens))),
            ("POST", "/chat-stream", "", &plain, Some((Augment, Generate(Lines)))),
            ("POST", "/get-models", "", &plain, Some((Augment, Describe))),
            ("POST", "/settings/get-mcp-user-configs", "", &plain, Some((Augment, Describe))),
            ("POST", "/v1beta/models/m:embedContent", "", &plain, None),
            ("POST", "/v1beta/models/m", "", &plain, None),
            ("POST", "/v1/responses/compact", "", &plain, None),
            ("GET", "/v1/messages", "", &plain, None),
            ("GET", "/v1/models", "", &Value::Null, None),
        ];
        for (method, path, query, body, expected) in cases {
            let expected =
                expected.map(|(provider, operation)| Endpoint { provider, operation, model: "m".to_owned() });
            assert_eq!(Endpoint::find(method, path, query, body), expected, "{method} {path}?{query} {body}");
        }
    }
}
