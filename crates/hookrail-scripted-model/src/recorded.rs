//! A request as the server received it, and what the model saw in it.

use crate::conversation::{Message, Role, ToolResult};
use crate::http::Request;
use crate::route::{Endpoint, Operation};
use crate::wire::Provider;
use serde_json::Value;

/// A request the server received.
///
/// The fields are the HTTP request; the methods read its body the way the model would, whatever the provider.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// What follows the `?`, undecoded; empty if there is none.
    pub query: String,
    /// Names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body as JSON; null if there is none, a string if it is something else than JSON.
    pub body: Value,
    pub(crate) endpoint: Option<Endpoint>,
}

impl Recorded {
    pub(crate) fn new(request: Request) -> Self {
        let Request { method, path, query, headers, body, .. } = request;
        let body = match serde_json::from_slice(&body) {
            Ok(json) => json,
            Err(_) if body.is_empty() => Value::Null,
            Err(_) => Value::String(String::from_utf8_lossy(&body).into_owned()),
        };
        let endpoint = Endpoint::find(&method, &path, &query, &body);
        Self { method, path, query, headers, body, endpoint }
    }

    /// Whose API was called; none for a request to an unknown path.
    pub fn provider(&self) -> Option<Provider> {
        self.endpoint.as_ref().map(|endpoint| endpoint.provider)
    }

    /// Whether the request asks the model to say something. The script answers these and no others.
    pub fn is_generation(&self) -> bool {
        self.endpoint.as_ref().is_some_and(|endpoint| matches!(endpoint.operation, Operation::Generate(_)))
    }

    /// The model that was asked; empty if none was named.
    pub fn model(&self) -> &str {
        self.endpoint.as_ref().map(|endpoint| endpoint.model.as_str()).unwrap_or_default()
    }

    /// The value of a header; the case of the name does not matter.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The texts of the user's and the model's messages, in order. Instructions and tool results are not among them:
    /// see [`system_text`](Self::system_text) and [`tool_results`](Self::tool_results).
    pub fn texts(&self) -> Vec<String> {
        self.messages().into_iter().filter(|message| message.role != Role::System).flat_map(|m| m.texts).collect()
    }

    /// The text of the last user message that has any, its parts joined by line breaks; empty if there is none.
    pub fn last_user_text(&self) -> String {
        let is_user_text = |message: &Message| message.role == Role::User && !message.texts.is_empty();
        self.messages().into_iter().rfind(is_user_text).map(|m| m.texts.join("\n")).unwrap_or_default()
    }

    /// What the last message tells the model: results of tools, then texts, joined by line breaks.
    pub fn news(&self) -> String {
        let last = self.messages().pop();
        let parts = last.into_iter().flat_map(|message| {
            let results = message.results.into_iter().map(|result| result.text);
            results.chain(message.texts).collect::<Vec<_>>()
        });
        parts.collect::<Vec<_>>().join("\n")
    }

    /// The instructions to the model, joined by line breaks; empty if there are none.
    pub fn system_text(&self) -> String {
        let system = self.messages().into_iter().filter(|message| message.role == Role::System);
        system.flat_map(|message| message.texts).collect::<Vec<_>>().join("\n")
    }

    /// What tools gave back, in order.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        let messages = self.messages();
        let calls: Vec<_> = messages.iter().flat_map(|message| message.calls.clone()).collect();
        let called = |id: &Option<String>| calls.iter().find(|(call, _)| Some(call) == id.as_ref());
        messages
            .into_iter()
            .flat_map(|message| message.results)
            .map(|result| {
                let name = result.name.or_else(|| called(&result.id).map(|(_, name)| name.clone()));
                ToolResult { name, ..result }
            })
            .collect()
    }

    /// The names of the tools the model may call.
    pub fn tool_names(&self) -> Vec<String> {
        self.provider().map(|provider| provider.wire().tool_names(&self.body)).unwrap_or_default()
    }

    /// The request's own word on which tools must or may be called, as it stands: `tool_choice`, or Gemini's
    /// `toolConfig`.
    pub fn tool_choice(&self) -> Option<&Value> {
        self.provider()?.wire().tool_choice(&self.body)
    }

    /// Whether `needle` is anywhere in what the model was told: instructions, messages or tool results.
    pub fn mentions(&self, needle: &str) -> bool {
        self.messages().iter().any(|message| {
            let results = message.results.iter().map(|result| &result.text);
            message.texts.iter().chain(results).any(|text| text.contains(needle))
        })
    }

    fn messages(&self) -> Vec<Message> {
        self.provider().map(|provider| provider.wire().messages(&self.body)).unwrap_or_default()
    }
}
