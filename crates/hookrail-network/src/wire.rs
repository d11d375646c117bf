//! The three wire formats: how a question is put, and where the answer stands.

use super::question::Question;
use hookrail_engine::{PromptEndpoint, Provider};
use serde_json::{Value, json};

/// A question in a provider's words.
#[derive(Debug)]
pub(super) struct ModelCall {
    pub url: String,
    /// The key is not among them.
    pub headers: &'static [(&'static str, &'static str)],
    /// The header that carries the key, and what stands before it.
    pub key_header: (&'static str, &'static str),
    pub body: Value,
}

pub(super) fn write(endpoint: &PromptEndpoint, model: &str, question: &Question) -> ModelCall {
    let (base, limit) = (endpoint.base(), endpoint.token_limit());
    match endpoint.provider() {
        Provider::Anthropic => ModelCall {
            url: format!("{}/v1/messages", base.trim_end_matches("/v1")),
            headers: &[("anthropic-version", "2023-06-01")],
            key_header: ("x-api-key", ""),
            body: json!({
                "model": model,
                "max_tokens": limit,
                "system": question.system,
                "messages": [{"role": "user", "content": question.user}],
            }),
        },
        Provider::OpenAi => ModelCall {
            url: format!("{base}/chat/completions"),
            headers: &[],
            key_header: ("authorization", "Bearer "),
            body: json!({
                "model": model,
                token_limit_field(base): limit,
                "messages": [
                    {"role": "system", "content": question.system},
                    {"role": "user", "content": question.user},
                ],
            }),
        },
        Provider::Gemini => ModelCall {
            url: format!("{}/v1beta/models/{}:generateContent", base.trim_end_matches("/v1beta"), path_segment(model)),
            headers: &[],
            key_header: ("x-goog-api-key", ""),
            body: json!({
                "systemInstruction": {"parts": [{"text": question.system}]},
                "contents": [{"role": "user", "parts": [{"text": question.user}]}],
                "generationConfig": {"maxOutputTokens": limit},
            }),
        },
    }
}

/// OpenAI's newer models refuse the field that other providers of its format still use.
fn token_limit_field(base: &str) -> &'static str {
    if base.starts_with(Provider::OpenAi.default_base_url()) { "max_completion_tokens" } else { "max_tokens" }
}

/// A model's name may come from a hook, so it must not be able to lead to another path.
fn path_segment(model: &str) -> String {
    let name = model.strip_prefix("models/").unwrap_or(model);
    name.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
            b'.' if !matches!(name, "." | "..") => ".".to_owned(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// What a model said.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ModelReply {
    pub text: String,
    /// The provider's word for an end that is not the usual one.
    pub stop: Option<String>,
}

/// Reads a provider's answer; `None` if that is not what it is.
pub(super) fn read(provider: Provider, body: &Value) -> Option<ModelReply> {
    let word = |pointer: &str| body.pointer(pointer).and_then(Value::as_str);
    let (text, stop) = match provider {
        Provider::Anthropic => {
            let blocks = body.get("content")?.as_array()?;
            (join_texts(blocks.iter().filter(|block| block["type"] == "text")), word("/stop_reason"))
        }
        Provider::OpenAi => {
            let message = body.pointer("/choices/0/message")?.as_object()?;
            let text = match message.get("content") {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Array(parts)) => join_texts(parts.iter()),
                _ => message.get("refusal").and_then(Value::as_str).unwrap_or_default().to_owned(),
            };
            (text, word("/choices/0/finish_reason"))
        }
        Provider::Gemini => {
            let stop = word("/promptFeedback/blockReason").or_else(|| word("/candidates/0/finishReason"));
            let parts = body.pointer("/candidates/0/content/parts").and_then(Value::as_array);
            if parts.is_none() && stop.is_none() {
                return None;
            }
            (join_texts(parts.into_iter().flatten().filter(|part| part["thought"] != true)), stop)
        }
    };
    let unusual = |word: &&str| !matches!(*word, "end_turn" | "stop_sequence" | "stop" | "STOP");
    Some(ModelReply { text, stop: stop.filter(unusual).map(str::to_owned) })
}

fn join_texts<'a>(parts: impl Iterator<Item = &'a Value>) -> String {
    parts.filter_map(|part| part.get("text")?.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(provider: Provider, base: &str, model: &str) -> ModelCall {
        let question = Question::new("q", "{}");
        write(&PromptEndpoint::new(provider, model).base_url(base), model, &question)
    }

    #[test]
    fn every_usual_base_url_leads_to_the_same_place() {
        for (provider, base, url) in [
            (Provider::Anthropic, "", "https://api.anthropic.com/v1/messages"),
            (Provider::Anthropic, "http://x:1/", "http://x:1/v1/messages"),
            (Provider::Anthropic, "http://x/proxy/v1", "http://x/proxy/v1/messages"),
            (Provider::OpenAi, " ", "https://api.openai.com/v1/chat/completions"),
            (Provider::OpenAi, "http://x/v1/", "http://x/v1/chat/completions"),
            (Provider::Gemini, "", "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"),
            (Provider::Gemini, "http://x/v1beta", "http://x/v1beta/models/m:generateContent"),
        ] {
            assert_eq!(call(provider, base, "m").url, url, "{base}");
        }
    }

    #[test]
    fn a_models_name_stays_one_segment_of_the_path() {
        for (model, segment) in [
            ("gemini-2.5-flash", "gemini-2.5-flash"),
            ("models/gemini_3", "gemini_3"),
            ("../../files?x=1#y", "..%2F..%2Ffiles%3Fx%3D1%23y"),
            ("..", "%2E%2E"),
            ("m:evil", "m%3Aevil"),
            ("ü ", "%C3%BC%20"),
        ] {
            assert_eq!(path_segment(model), segment);
        }
    }

    #[test]
    fn the_limit_of_an_answer_has_the_name_the_server_knows() {
        let limits = |base: &str| {
            let body = call(Provider::OpenAi, base, "m").body;
            ["max_tokens", "max_completion_tokens"].map(|field| body.get(field).is_some())
        };
        assert_eq!(limits(""), [false, true]);
        assert_eq!(limits("http://127.0.0.1:11434/v1"), [true, false]);
    }

    #[track_caller]
    fn check(provider: Provider, body: &Value, expected: Option<(&str, Option<&str>)>) {
        let expected = expected.map(|(text, stop)| ModelReply { text: text.into(), stop: stop.map(str::to_owned) });
        assert_eq!(read(provider, body), expected, "{body}");
    }

    #[test]
    fn answers_of_every_shape_are_read() {
        use Provider::{Anthropic, Gemini, OpenAi};
        let parts = |parts: Value| json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
        let message = |message: Value| json!({"choices": [{"message": message, "finish_reason": "stop"}]});

        let thinking =
            json!([{"type": "thinking", "text": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
        check(Anthropic, &json!({"content": thinking, "stop_reason": "end_turn"}), Some(("ab", None)));
        check(Anthropic, &json!({"content": [], "stop_reason": "refusal"}), Some(("", Some("refusal"))));
        check(OpenAi, &message(json!({"content": "a"})), Some(("a", None)));
        check(OpenAi, &message(json!({"content": [{"type": "text", "text": "a"}]})), Some(("a", None)));
        check(OpenAi, &message(json!({"content": null, "refusal": "I cannot"})), Some(("I cannot", None)));
        let cut = json!({"choices": [{"message": {"content": ""}, "finish_reason": "length"}]});
        check(OpenAi, &cut, Some(("", Some("length"))));
        check(Gemini, &parts(json!([{"text": "hm", "thought": true}, {"text": "a"}])), Some(("a", None)));
        check(Gemini, &json!({"candidates": [{"finishReason": "MAX_TOKENS"}]}), Some(("", Some("MAX_TOKENS"))));
        check(Gemini, &json!({"promptFeedback": {"blockReason": "SAFETY"}}), Some(("", Some("SAFETY"))));
        for provider in [Anthropic, OpenAi, Gemini] {
            for body in [json!(null), json!({}), json!([]), json!({"content": 1, "choices": [], "candidates": []})] {
                check(provider, &body, None);
            }
        }
    }
}
