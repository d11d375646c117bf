//! Prompt hooks: an event is put before a model, which decides.

use super::answer;
use super::error::{AskError, Excerpt, Stop};
use super::guard::RequestTargets;
use super::question::Question;
use super::web::{Post, Target, Web};
use super::wire;
use hookrail_core::HookOutput;
use hookrail_engine::PromptEndpoint;
use serde_json::Value;
use std::time::Duration;
use ureq::http::{HeaderMap, HeaderName, HeaderValue};

/// A judgement is short; whatever else a model writes is not read to its end.
const ANSWER_BYTES: u64 = 1 << 20;

/// A prompt, and the model that it is for.
pub(super) struct ModelQuestion<'a> {
    pub endpoint: &'a PromptEndpoint,
    pub prompt: &'a str,
    /// Overrides the endpoint's model.
    pub model: Option<&'a str>,
}

pub(super) fn ask(
    web: &Web,
    asked: &ModelQuestion<'_>,
    event: &str,
    timeout: Duration,
) -> Result<HookOutput, AskError> {
    let endpoint = asked.endpoint;
    let model = asked.model.unwrap_or(endpoint.model());
    let question = Question::new(asked.prompt, event);
    let call = wire::write(endpoint, model, &question);
    let target = Target::parse(&call.url)?;
    let secrets: Vec<String> = endpoint.key().map(|key| key.expose().to_owned()).into_iter().collect();
    let reply = web.post(&Post {
        target: &target,
        headers: headers(&call, endpoint)?,
        body: call.body.to_string().as_bytes(),
        secrets: &secrets,
        // It is the user who says where the model is, not the hook.
        reach: RequestTargets::Anywhere,
        timeout,
        limit: ANSWER_BYTES,
    })?;

    let json: Value = serde_json::from_str(&reply.text).unwrap_or_default();
    let Some(said) = wire::read(endpoint.provider(), &json) else {
        let provider = endpoint.provider().as_str();
        return Err(AskError::NotAModel {
            host: target.host(),
            provider,
            excerpt: Excerpt::new(&reply.text, &secrets),
        });
    };
    answer::extract(&said.text).ok_or_else(|| AskError::NoDecision {
        model: model.to_owned(),
        excerpt: Excerpt::new(&said.text, &secrets),
        stop: Stop(said.stop),
    })
}

fn headers(call: &wire::ModelCall, endpoint: &PromptEndpoint) -> Result<HeaderMap, AskError> {
    let mut headers = HeaderMap::new();
    for (name, value) in call.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(key) = endpoint.key() {
        let (name, prefix) = call.key_header;
        let mut value = HeaderValue::try_from(format!("{prefix}{}", key.expose())).map_err(|_| AskError::BadKey)?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}
