//! Secrets that are known by the name before them: `PASSWORD=…`, `"token": "…"`, `'password' => …`, `Authorization: …`.

use super::MARK;
use super::name::{is_path_like, is_sensitive_in_query, is_sensitive_name, is_short_name};
use super::value::{Extent, Value, is_placeholder, is_random};
use std::ops::Range;

/// Longer names are no names.
const NAME_MAX: usize = 64;
/// How far a type may be from the value: `let api_key: &'static str = …`.
const TYPE_MAX: usize = 64;

/// The secret that is given to a name by the `=` or `:` at `at`.
pub(super) fn value_after(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let separator = *bytes.get(at)?;
    let next = bytes.get(at + 1).copied();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    if separator == b'=' && next == Some(b'>') {
        return pointed_at(text, at);
    }
    if separator == b':' && next == Some(b'=') {
        return declared(text, at);
    }
    // `==`, `!=`, `::` and the like compare or point; they give nothing.
    if matches!(next, Some(b'=' | b'~')) && separator == b'=' || next == Some(b':') {
        return None;
    }
    if matches!(before, Some(b'=' | b'!' | b'<' | b'>' | b':')) {
        return None;
    }
    let name = name_before(text, at)?;
    if is_sensitive_name(name.text) {
        return named(text, at, &name);
    }
    if separator == b'=' {
        return query_parameter(text, at, &name).or_else(|| short_name(text, at, &name)).or_else(|| typed(text, at));
    }
    None
}

/// A name that is followed by a separator.
pub(super) struct Name<'a> {
    pub text: &'a str,
    pub start: usize,
    /// It stands in quotes.
    quoted: bool,
}

/// A value whose name says that it is secret.
fn named(text: &str, at: usize, name: &Name<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let separator = *bytes.get(at)?;
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    let header = is_header(name.text) && separator == b':';
    let value = Value::read(text, at + 1, if header { Extent::Line } else { extent_after(text, name) })?;
    if value.is_long() {
        return Some(value.range);
    }
    if header && value.quote.is_none() {
        // `Bearer $TOKEN` is a word for the kind and a variable.
        let last = text.get(value.range.clone())?.rsplit(' ').next().unwrap_or_default();
        return (!last.is_empty() && !is_placeholder(last)).then_some(value.range);
    }
    if separator == b':' && value.quote.is_none() {
        if let Some(found) = block_after(text, at, name).or_else(|| sentence_after(text, at)) {
            return Some(found);
        }
        if let Some(nested) = nested_after(text, &value, name) {
            return Some(nested);
        }
    }
    let tight = separator == b'=' && before.is_some_and(|before| !before.is_ascii_whitespace()) && value.touches;
    value.is_secret(text, tight).then_some(value.range)
}

/// In a connection string a value goes on to the next `;`, whatever is in it.
fn extent_after(text: &str, name: &Name<'_>) -> Extent {
    let before = text.get(..name.start).map(|before| before.trim_end_matches(' '));
    if before.is_some_and(|before| before.ends_with(';')) { Extent::Field } else { Extent::Word }
}

/// `'password' => 'x'`, as PHP, Perl and Ruby have it. An arrow between bare words is a function.
fn pointed_at(text: &str, at: usize) -> Option<Range<usize>> {
    let name = name_before(text, at)?;
    let value = Value::read(text, at + 2, Extent::Word)?;
    let is_symbol = text.get(..name.start).is_some_and(|before| before.ends_with(':'));
    let is_plain = value.quote.is_none()
        && !value.is_long()
        && !((name.quoted || is_symbol) && text.get(value.range.clone()).is_some_and(is_random));
    (is_sensitive_name(name.text) && !is_plain && value.is_secret(text, false)).then_some(value.range)
}

/// `token := "x"`, as Go has it.
fn declared(text: &str, at: usize) -> Option<Range<usize>> {
    let name = name_before(text, at)?;
    let value = Value::read(text, at + 2, Extent::Word)?;
    let is_literal = value.quote.is_some() || value.is_long() || text.get(value.range.clone()).is_some_and(is_random);
    (is_sensitive_name(name.text) && is_literal && value.is_secret(text, false)).then_some(value.range)
}

/// `let api_key: &str = "x"`, `const apiKey: string = "x"`: the name stands before its type.
fn typed(text: &str, at: usize) -> Option<Range<usize>> {
    let from = text.floor_char_boundary(at.saturating_sub(TYPE_MAX));
    let window = text.get(from..at)?;
    let window = window.rsplit(['\n', ';', '{', '(', '=', '"']).next()?;
    let start = at - window.len();
    // Paths have two colons; the one behind the name has none beside it.
    let colon = window.bytes().enumerate().position(|(index, byte)| {
        let beside = |index: Option<usize>| index.and_then(|index| window.as_bytes().get(index)) == Some(&b':');
        byte == b':' && !beside(index.checked_sub(1)) && !beside(Some(index + 1))
    })?;
    let name = name_before(text, start + colon)?;
    let value = Value::read(text, at + 1, Extent::Word)?;
    (is_sensitive_name(name.text) && value.quote.is_some() && value.is_secret(text, false)).then_some(value.range)
}

/// `Pwd=x;`, `pass=x`: too short to be trusted everywhere, but what is no path behind it is a password.
fn short_name(text: &str, at: usize, name: &Name<'_>) -> Option<Range<usize>> {
    if !is_short_name(name.text) {
        return None;
    }
    let value = Value::read(text, at + 1, extent_after(text, name))?;
    let shown = text.get(value.range.clone())?;
    let is_flag = shown.len() <= 1 || ["true", "false", "yes", "no", "ok"].contains(&shown);
    (value.touches && !is_flag && (value.is_long() || !is_path_like(shown)) && value.is_secret(text, true))
        .then_some(value.range)
}

/// `?sig=x`: names that mean a secret in an address only.
fn query_parameter(text: &str, at: usize, name: &Name<'_>) -> Option<Range<usize>> {
    let in_query = text.get(..name.start).is_some_and(|before| before.ends_with(['?', '&']));
    if !in_query || !is_sensitive_in_query(name.text) {
        return None;
    }
    let value = Value::read(text, at + 1, Extent::Word)?;
    let shown = text.get(value.range.clone())?;
    (value.touches && shown.len() >= 8 && (value.is_long() || !is_placeholder(shown))).then_some(value.range)
}

/// A secret of several words, as YAML has them: all of the line behind the `:` at `at`, unless it looks like code.
fn sentence_after(text: &str, at: usize) -> Option<Range<usize>> {
    const CODE: &[char] = &[',', ';', '(', ')', '{', '}', '[', ']', '<', '>', '|', '=', '"', '\'', '`', '\\'];
    let from = text.floor_char_boundary(at.saturating_sub(NAME_MAX + 1));
    let start = text.get(from..at)?.rfind('\n').map_or(from, |newline| from + newline + 1);
    if start == from && from > 0 {
        return None;
    }
    let name = text.get(start..at)?;
    let rest = text.get(at + 1..)?.lines().next()?;
    let value = rest.trim();
    let is_key = name.len() <= NAME_MAX && !name.trim_start_matches([' ', '-']).contains(char::is_whitespace);
    if !is_key || !rest.starts_with(' ') || !value.contains(' ') || value.contains(CODE) || is_placeholder(value) {
        return None;
    }
    let from = at + 1 + (rest.len() - rest.trim_start().len());
    Some(from..from + value.len())
}

/// A value on the lines below its key, as YAML has them: a block (`password: |`) or a plain text, further in than the key.
fn block_after(text: &str, at: usize, name: &Name<'_>) -> Option<Range<usize>> {
    let from = text.floor_char_boundary(name.start.saturating_sub(NAME_MAX));
    let before = text.get(from..name.start)?;
    let indent_text = before.rsplit('\n').next()?;
    if (indent_text.len() == before.len() && from > 0) || indent_text.contains(|c: char| !" -\"'".contains(c)) {
        return None;
    }
    let rest = text.get(at + 1..)?;
    let (marker, _) = rest.split_once('\n')?;
    let marker = marker.trim();
    let is_block = marker.starts_with(['|', '>']) && marker.bytes().all(|byte| b"|>+-0123456789".contains(&byte));
    if !is_block && !marker.is_empty() {
        return None;
    }
    let body_from = at + 1 + rest.find('\n')? + 1;
    if text.get(body_from..)?.trim_start_matches(' ').starts_with(MARK) {
        return None;
    }
    let (mut start, mut end, mut line_at) = (None, body_from, body_from);
    for line in text.get(body_from..)?.split_inclusive('\n') {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if !content.is_empty() && indent <= indent_text.len() {
            break;
        }
        if !content.is_empty() {
            start.get_or_insert(line_at + indent);
            end = line_at + indent + content.len();
        }
        line_at += line.len();
        // Without a mark only one line is believed to be a value, and not if it begins a list or another key.
        if !is_block && !content.is_empty() {
            break;
        }
    }
    let found = start?..end;
    let shown = text.get(found.clone())?;
    let is_other =
        !is_block && (shown.starts_with(['-', '#', '{', '[', '"', '\'']) || shown.contains([':', ' ', '(', '=']));
    (!is_other && !is_placeholder(shown)).then_some(found)
}

/// An object or array of a JSON text whose key says that all of it is secret.
fn nested_after(text: &str, value: &Value, name: &Name<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = value.range.start;
    if !name.quoted || !matches!(bytes.get(start), Some(b'{' | b'[')) {
        return None;
    }
    // What was replaced before looks like an array itself.
    if [start, start + 1].iter().any(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(MARK))) {
        return None;
    }
    let (mut open, mut in_text, mut escaped) = (0_usize, false, false);
    let mut end = bytes.len();
    for (index, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => open += 1,
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 {
            end = index;
            break;
        }
    }
    let inside = start + 1..end;
    let shown = text.get(inside.clone())?;
    (!shown.trim().is_empty()).then_some(inside)
}

/// Headers whose value is all that follows on the line. Names with a hyphen are headers, too.
fn is_header(name: &str) -> bool {
    name.contains('-') || ["authorization", "cookie"].iter().any(|header| name.eq_ignore_ascii_case(header))
}

/// The name that ends before `at`, behind quotes and blanks.
pub(super) fn name_before(text: &str, at: usize) -> Option<Name<'_>> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(NAME_MAX);
    let window = bytes.get(from..at)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_between = |byte: &u8| matches!(byte, b' ' | b'"' | b'\'' | b'`' | b'\\' | b']');
    let end = window.iter().rposition(|byte| !is_between(byte))? + 1;
    let start = window.get(..end)?.iter().rposition(|byte| !is_name(byte)).map_or(0, |before| before + 1);
    let quoted = window.get(end..)?.iter().any(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let text = text.get(from + start..from + end).filter(|name| !name.is_empty())?;
    Some(Name { text, start: from + start, quoted })
}
