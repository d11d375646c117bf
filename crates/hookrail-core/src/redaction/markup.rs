//! Secrets in XML: `<password>x</password>`, `<add key="ApiKey" value="x"/>`.

use super::MARK;
use super::name::is_sensitive_name;
use super::value::is_placeholder;
use std::ops::Range;

/// Longer tags are no tags.
const TAG_MAX: usize = 1024;

/// The secret that the tag which begins at `at` holds: the text behind it, or its `value`.
pub(super) fn secret_of_tag(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at + 1..)?;
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    let window = rest.get(..rest.floor_char_boundary(TAG_MAX)).unwrap_or(rest);
    let end = window.find(['>', '<']).filter(|end| window.as_bytes().get(*end) == Some(&b'>'))?;
    let tag = window.get(..end)?;
    let name = tag.split([' ', '\t', '\n', '\r', '/']).next()?;
    let name = name.rsplit(':').next()?;
    let named_by_attribute = ["name", "key", "id"]
        .iter()
        .any(|key| attribute(tag, key).and_then(|range| tag.get(range)).is_some_and(is_sensitive_name));
    if named_by_attribute && let Some(value) = attribute(tag, "value") {
        let range = at + 1 + value.start..at + 1 + value.end;
        return text.get(range.clone()).filter(|value| is_secret(value)).map(|_| range);
    }
    if !(named_by_attribute || is_sensitive_name(name)) || tag.ends_with('/') {
        return None;
    }
    content(text, at + 1 + end + 1, name)
}

/// The text of an element, given from behind its tag, if it is an element of markup and not a type in code.
fn content(text: &str, from: usize, name: &str) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let end = rest.find('<')?;
    let shown = rest.get(..end)?;
    let closing = rest.get(end..)?.strip_prefix("</").or_else(|| rest.get(end..)?.strip_prefix("<![CDATA["))?;
    let closes = rest.get(end..)?.starts_with("<![") || closing.split('>').next()?.ends_with(name) || name.is_empty();
    if rest.get(end..)?.starts_with("<![CDATA[") {
        let inner = rest.get(end + "<![CDATA[".len()..)?;
        if inner.starts_with(MARK) || inner.starts_with("]]>") {
            return None;
        }
        let start = text.len() - inner.len();
        return Some(start..start + inner.find("]]>").unwrap_or(inner.len()));
    }
    let start = from + (shown.len() - shown.trim_start().len());
    let range = start..start + shown.trim().len();
    (closes && is_secret(text.get(range.clone())?)).then_some(range)
}

fn is_secret(value: &str) -> bool {
    !value.trim().is_empty() && !value.starts_with(MARK) && !is_placeholder(value)
}

/// Where the value of an attribute stands in a tag.
fn attribute(tag: &str, name: &str) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(found) = tag.get(from..)?.find(name) {
        let start = from + found;
        let behind = start + name.len();
        let begins = start > 0 && tag.as_bytes().get(start - 1).is_some_and(u8::is_ascii_whitespace);
        let rest = tag.get(behind..)?;
        let value = rest.trim_start().strip_prefix('=').map(str::trim_start);
        if begins && let Some(value) = value {
            let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let open = tag.len() - value.len() + 1;
            let length = tag.get(open..)?.find(quote)?;
            return Some(open..open + length);
        }
        from = behind;
    }
    None
}
