//! From a line to requests.

use super::error::RpcError;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// What a client calls a request: text, a number or null, given back letter by letter.
#[derive(Clone, Debug)]
pub(super) struct RequestId(Arc<RawValue>);

impl RequestId {
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned().into())
    }

    pub fn read(json: &RawValue) -> Option<Self> {
        let is_id =
            json.get() == "null" || json.get().starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit());
        is_id.then(|| Self(json.to_owned().into()))
    }

    pub fn as_json(&self) -> &RawValue {
        &self.0
    }

    /// Whether `value` is this id, however it was spelled.
    pub fn is(&self, value: &Value) -> bool {
        serde_json::from_str::<Value>(self.0.get()).is_ok_and(|own| own == *value)
    }
}

#[derive(Debug)]
pub(super) struct Request<'a> {
    /// Absent: a notification, which is never answered.
    pub id: Option<RequestId>,
    pub method: Cow<'a, str>,
    /// JSON, not looked at yet.
    pub params: Option<&'a str>,
}

/// What could not be taken for a request, and whom to tell.
#[derive(Debug)]
pub(super) struct Refusal {
    pub id: RequestId,
    pub error: RpcError,
}

impl Refusal {
    pub fn of_line(error: RpcError) -> Self {
        Self { id: RequestId::null(), error }
    }
}

pub(super) type Parsed<'a> = Result<Request<'a>, Refusal>;

#[derive(Debug)]
pub(super) enum Message<'a> {
    Single(Parsed<'a>),
    Batch(Vec<Parsed<'a>>),
}

#[derive(Deserialize)]
struct RequestWire<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "even_null")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// Tells a null, which is an id, from nothing at all, which makes a notification.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

impl<'a> Message<'a> {
    pub fn parse(line: &'a [u8]) -> Self {
        match std::str::from_utf8(line) {
            Ok(text) if text.trim_start().starts_with('[') => Self::parse_batch(text),
            Ok(text) => Self::Single(parse_request(text)),
            Err(error) => Self::refuse(RpcError::NotJson(error.to_string())),
        }
    }

    pub fn refuse(error: RpcError) -> Self {
        Self::Single(Err(Refusal::of_line(error)))
    }

    fn parse_batch(text: &'a str) -> Self {
        match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(items) if items.is_empty() => Self::refuse(not_a_request("a batch must not be empty")),
            Ok(items) => Self::Batch(items.into_iter().map(|item| parse_request(item.get())).collect()),
            Err(error) => Self::refuse(RpcError::NotJson(error.to_string())),
        }
    }
}

fn parse_request(text: &str) -> Parsed<'_> {
    // Asked first, because a list of the right length would be taken for an object.
    if !text.trim_start().starts_with('{') {
        return Err(Refusal::of_line(match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => not_a_request("a request must be an object"),
            Err(error) => RpcError::NotJson(error.to_string()),
        }));
    }
    let wire: RequestWire<'_> = serde_json::from_str(text).map_err(|error| refuse_object(text, &error))?;
    let id = match wire.id.map(RequestId::read) {
        None => None,
        Some(Some(id)) => Some(id),
        Some(None) => return Err(Refusal::of_line(not_a_request("`id` must be text, a number or null"))),
    };
    let problem = match (wire.jsonrpc.as_deref(), wire.method) {
        (Some("2.0"), Some(method)) => return Ok(Request { id, method, params: wire.params.map(RawValue::get) }),
        (Some("2.0"), None) => "`method` is missing",
        (Some(_) | None, _) => "`jsonrpc` must be \"2.0\"",
    };
    Err(Refusal { id: id.unwrap_or_else(RequestId::null), error: not_a_request(problem) })
}

/// Says what is wrong with an object that is no request, to its sender if it can be told who that was.
fn refuse_object(text: &str, error: &serde_json::Error) -> Refusal {
    #[derive(Deserialize)]
    struct OnlyId<'a> {
        #[serde(borrow, default, deserialize_with = "even_null")]
        id: Option<&'a RawValue>,
    }
    if !error.is_data() {
        return Refusal::of_line(RpcError::NotJson(error.to_string()));
    }
    match serde_json::from_str::<OnlyId<'_>>(text) {
        Ok(OnlyId { id }) => Refusal {
            id: id.and_then(RequestId::read).unwrap_or_else(RequestId::null),
            error: not_a_request(&error.to_string()),
        },
        Err(error) if error.is_data() => Refusal::of_line(not_a_request(&error.to_string())),
        Err(error) => Refusal::of_line(RpcError::NotJson(error.to_string())),
    }
}

fn not_a_request(problem: &str) -> RpcError {
    RpcError::NotARequest(problem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REQUEST: &str =
        r#"[{"jsonrpc": "2.0", "id": "a\u00e9", "method": "fire", "params": {"x": [1, null]}}, {"id": 1}]"#;

    /// Whether every part of the line became a request or a refusal.
    fn is_accounted_for(line: &[u8]) -> bool {
        match Message::parse(line) {
            Message::Single(_) => true,
            Message::Batch(items) => !items.is_empty(),
        }
    }

    proptest! {
        #[test]
        fn any_line_is_taken_or_refused(line: Vec<u8>) {
            prop_assert!(is_accounted_for(&line));
        }

        #[test]
        fn a_request_with_any_wrong_byte_is_taken_or_refused(place in 0..REQUEST.len(), byte: u8, length in 0..REQUEST.len()) {
            let mut line = REQUEST.as_bytes().to_vec();
            line[place] = byte;
            prop_assert!(is_accounted_for(&line));
            prop_assert!(is_accounted_for(&line[..length]));
        }
    }
}
