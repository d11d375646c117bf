//! HTTP hooks: the event is posted to a web service, which answers like a command on its stdout.

use super::error::AskError;
use super::guard::RequestTargets;
use super::web::{Post, Target, Web};
use hookrail_engine::HttpPolicy;
use hookrail_engine::runner::process::Limits;
use std::time::Duration;
use ureq::http::{HeaderMap, HeaderName, HeaderValue};

/// Headers that belong to the connection or to the body, and so not to a hook.
const RESERVED: [&str; 9] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "te",
    "transfer-encoding",
    "upgrade",
];

pub(super) fn ask(
    web: &Web,
    policy: &HttpPolicy,
    (url, configured): (&str, &[(String, String)]),
    event: &str,
    timeout: Duration,
) -> Result<String, AskError> {
    let target = Target::parse(url)?;
    let reply = web.post(&Post {
        target: &target,
        headers: headers(configured)?,
        body: event.as_bytes(),
        secrets: &secrets(configured),
        reach: RequestTargets::Guarded(policy.clone()),
        timeout,
        limit: u64::try_from(Limits::default().answer_to(event.len())).unwrap_or(u64::MAX),
    })?;
    // The login page of a hotel or a proxy must not pass for a remark of the service behind it.
    if reply.media_type == "text/html" && !reply.text.trim_start().starts_with('{') {
        return Err(AskError::Unreadable { host: target.host(), what: "a web page".to_owned() });
    }
    Ok(reply.text)
}

/// Values are sent as they stand: a variable in one is not expanded, because the file that names it must not be able to
/// send this machine's environment somewhere.
fn headers(configured: &[(String, String)]) -> Result<HeaderMap, AskError> {
    let mut headers = HeaderMap::with_capacity(configured.len());
    for (name, value) in configured {
        let bad = |why| AskError::BadHeader(name.clone(), why);
        let parsed = HeaderName::try_from(name).map_err(|_| bad("is not a header name"))?;
        if RESERVED.contains(&parsed.as_str()) {
            return Err(bad("is not for hooks to set"));
        }
        let value = HeaderValue::try_from(value).map_err(|_| bad("has characters that no HTTP header can carry"))?;
        headers.append(parsed, value);
    }
    Ok(headers)
}

/// Everything in a header may be a token, with or without the word in front of it.
fn secrets(headers: &[(String, String)]) -> Vec<String> {
    headers.iter().flat_map(|(_, value)| value.split_whitespace()).map(str::to_owned).collect()
}
