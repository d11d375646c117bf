//! What a request tells the model, freed from the provider's way of writing it.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Role {
    System,
    User,
    Model,
}

/// One message as the model sees it.
#[derive(Debug)]
pub(crate) struct Message {
    pub role: Role,
    pub texts: Vec<String>,
    /// The tools the model called in it: id and name.
    pub calls: Vec<(String, String)>,
    pub results: Vec<ToolResult>,
}

/// What a tool gave back to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call it answers.
    pub id: Option<String>,
    /// The name of the tool, from the result itself or from the call with the same id in the conversation.
    pub name: Option<String>,
    /// The text of the result; what is not text is given as JSON.
    pub text: String,
}

impl Message {
    pub fn new(role: Role) -> Self {
        Self { role, texts: Vec::new(), calls: Vec::new(), results: Vec::new() }
    }

    /// A message of nothing but text, in any shape that [`texts_of`] reads.
    pub fn of_text(role: Role, content: &Value) -> Self {
        Self { texts: texts_of(content), ..Self::new(role) }
    }
}

/// The texts of a content field: a string, or a list of parts of which those with a `text` count.
pub(crate) fn texts_of(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().filter_map(|part| string(part, "text")).collect(),
        _ => Vec::new(),
    }
}

/// The one text of a tool's result: its texts, or the JSON of a result without any.
pub(crate) fn result_text(content: &Value) -> String {
    let texts = texts_of(content);
    if texts.is_empty() && !content.is_null() { content.to_string() } else { texts.join("\n") }
}

/// The elements of the list `key` of an object; none if there is no such list.
pub(crate) fn list<'a>(object: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    object.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The string `key` of an object.
pub(crate) fn string(object: &Value, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// The string `key` of an object, to look at.
pub(crate) fn str_of<'a>(object: &'a Value, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}
