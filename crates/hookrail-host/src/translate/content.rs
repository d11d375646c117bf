//! The text inside a turn, whose content is one part or a list of parts; a part may be a plain string.

use serde_json::Value;
use std::slice;

/// What a provider's parts look like.
pub(super) trait PartFormat {
    /// The text of a part that hooks see; `None` for every other kind of part.
    fn text<'a>(&self, part: &'a Value) -> Option<&'a str>;

    /// A text part with other words.
    fn reword(&self, part: &Value, text: &str) -> Value {
        replace_text(part, text)
    }

    /// What a text part holds beside its text.
    fn without_text(&self, _part: &Value) -> Option<Value> {
        None
    }

    /// Whether a part only explains how the model came to the others, so that it means nothing alone.
    fn is_reasoning(&self, part: &Value) -> bool;
}

/// The text of a part that says its `type`, if it is one of `types`.
pub(super) fn typed_text<'a>(part: &'a Value, types: &[&str]) -> Option<&'a str> {
    if types.contains(&kind(part)) { part.get("text")?.as_str() } else { None }
}

pub(super) fn kind(part: &Value) -> &str {
    part.get("type").and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn replace_text(part: &Value, text: &str) -> Value {
    let mut part = part.clone();
    if let Value::Object(fields) = &mut part {
        fields.insert("text".to_owned(), text.into());
    }
    part
}

pub(super) fn parts(content: &Value) -> &[Value] {
    match content {
        Value::Array(parts) => parts,
        Value::Null => &[],
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => slice::from_ref(content),
    }
}

pub(super) fn texts<'a>(format: &impl PartFormat, content: &'a Value) -> Vec<&'a str> {
    parts(content).iter().filter_map(|part| part_text(format, part)).collect()
}

fn part_text<'a>(format: &impl PartFormat, part: &'a Value) -> Option<&'a str> {
    part.as_str().or_else(|| format.text(part))
}

/// Whether there is nothing in a content but empty text.
pub(super) fn is_blank(format: &impl PartFormat, content: &Value) -> bool {
    parts(content).iter().all(|part| part_text(format, part) == Some(""))
}

/// The content with other words: they stand where its first text stood, the texts after it are gone, and everything
/// else keeps its place.
pub(super) fn reword(format: &impl PartFormat, content: &Value, text: &str) -> Value {
    let mut words = Some(text);
    let mut reworded = parts(content).iter().filter_map(|part| match part_text(format, part) {
        None => Some(part.clone()),
        Some("") => without_text(format, part),
        Some(_) => match words.take() {
            Some(text) => Some(reword_part(format, part, text)),
            None => without_text(format, part),
        },
    });
    if content.is_array() { reworded.collect() } else { reworded.next().unwrap_or_default() }
}

/// What is left of a content without its text.
pub(super) fn strip(format: &impl PartFormat, content: &Value) -> Value {
    let rest = parts(content).iter().filter_map(|part| match part_text(format, part) {
        None => Some(part.clone()),
        Some(_) => without_text(format, part),
    });
    let rest: Vec<Value> = rest.collect();
    if rest.is_empty() { Value::Null } else { Value::Array(rest) }
}

/// Whether a content is nothing without its text; reasoning about words that are gone is nothing.
pub(super) fn is_only_text(format: &impl PartFormat, content: &Value) -> bool {
    parts(content).iter().all(|part| match part_text(format, part) {
        None => format.is_reasoning(part),
        Some(_) => without_text(format, part).is_none(),
    })
}

fn reword_part(format: &impl PartFormat, part: &Value, text: &str) -> Value {
    if part.is_string() { text.into() } else { format.reword(part, text) }
}

fn without_text(format: &impl PartFormat, part: &Value) -> Option<Value> {
    if part.is_string() { None } else { format.without_text(part) }
}
