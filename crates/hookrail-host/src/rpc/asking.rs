//! What `initialize` says about hooks that ask over the network.
//!
//! Both come as parameters of their own and not from `settings`: a project's settings must not be able to send the
//! user's key somewhere, or to open the user's network.

use super::params::{Params, ParamsError};
use hookrail_engine::{HttpPolicy, PromptEndpoint, Provider};
use serde_json::Value;

/// `promptEndpoint`: the model that prompt hooks ask.
pub(super) fn read_prompt_endpoint(params: &mut Params) -> Result<Option<PromptEndpoint>, ParamsError> {
    let Some(fields) = params.optional_object("promptEndpoint")? else { return Ok(None) };
    let mut fields = Params::from_value("promptEndpoint", Value::Object(fields))?;
    let name = fields.text("provider")?;
    let provider = Provider::parse(&name)
        .ok_or_else(|| fields.invalid("provider", &format!("`{name}` is not one of anthropic, openai, gemini")))?;
    let mut endpoint = PromptEndpoint::new(provider, fields.text("model")?);
    if let Some(url) = fields.optional_text("baseUrl")? {
        endpoint = endpoint.base_url(url);
    }
    endpoint = match (fields.optional_text("apiKey")?, fields.optional_flag("keyless")?) {
        (Some(key), _) => endpoint.api_key(key),
        (None, Some(true)) => endpoint.keyless(),
        (None, Some(false) | None) => endpoint,
    };
    fields.finish()?;
    Ok(Some(endpoint))
}

/// `httpPolicy`: what HTTP hooks may reach beyond the public internet.
pub(super) fn read_http_policy(params: &mut Params) -> Result<HttpPolicy, ParamsError> {
    let Some(fields) = params.optional_object("httpPolicy")? else { return Ok(HttpPolicy::default()) };
    let mut fields = Params::from_value("httpPolicy", Value::Object(fields))?;
    let allow_private = fields.optional_flag("allowPrivate")?.unwrap_or(false);
    let mut allow_hosts = Vec::new();
    for (place, host) in fields.list("allowHosts")? {
        match host {
            Value::String(host) => allow_hosts.push(host),
            _ => return Err(ParamsError::Mistyped { field: place, expected: "text" }),
        }
    }
    fields.finish()?;
    Ok(HttpPolicy { allow_private, allow_hosts })
}
