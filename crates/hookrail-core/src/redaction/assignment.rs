//! Secrets that are known by the name before them: `PASSWORD=…`, `"token": "…"`, `--api-key …`, `Authorization: …`.

use super::MARK;
use super::name::is_sensitive_name;
use std::ops::Range;

/// Longer names are no names.
const NAME_MAX: usize = 64;
/// Unquoted words that are what a secret is called in code, or none.
const PLAIN_WORDS: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "string",
    "str",
    "text",
    "bytes",
    "any",
    "required",
    "optional",
];

/// The secret that is given to a name by the `=` or `:` at `at`.
pub(super) fn value_after(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let separator = *bytes.get(at)?;
    let next = bytes.get(at + 1).copied();
    // `==`, `=>`, `!=`, `::` and the like compare or point; they give nothing.
    if matches!(next, Some(b'=' | b'>' | b'~')) && separator == b'=' || next == Some(b':') {
        return None;
    }
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    if matches!(before, Some(b'=' | b'!' | b'<' | b'>')) {
        return None;
    }
    let name = name_before(text, at)?;
    if !is_sensitive_name(name) {
        return None;
    }
    let header = is_header(name) && separator == b':';
    let value = Value::read(text, at + 1, header)?;
    if header && value.quote.is_none() {
        // `Bearer $TOKEN` is a word for the kind and a variable.
        let last = text.get(value.range.clone())?.rsplit(' ').next().unwrap_or_default();
        return (!last.is_empty() && !is_placeholder(last)).then_some(value.range);
    }
    if separator == b':'
        && value.quote.is_none()
        && let Some(sentence) = sentence_after(text, at)
    {
        return Some(sentence);
    }
    let tight = separator == b'=' && before.is_some_and(|before| !before.is_ascii_whitespace()) && value.touches;
    value.is_secret(text, tight).then_some(value.range)
}

/// A secret of several words, as YAML has them: all of the line behind the `:` at `at`, unless it looks like code.
fn sentence_after(text: &str, at: usize) -> Option<Range<usize>> {
    const CODE: &[char] = &[',', ';', '(', ')', '{', '}', '[', ']', '<', '>', '|', '=', '"', '\'', '`', '\\'];
    let start = text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
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

/// The secret that is given to the option that begins at `at`: `--token abc`, `-u name:password`.
pub(super) fn value_of_option(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let name_end = rest.find(|c: char| c.is_whitespace() || c == '=')?;
    let name = rest.get(..name_end)?;
    if name.len() > NAME_MAX || !rest.get(name_end..)?.starts_with(' ') {
        return None;
    }
    let value = Value::read(text, at + name_end, false)?;
    let shown = text.get(value.range.clone())?;
    if matches!(name, "-u" | "--user" | "--proxy-user") {
        let colon = shown.find(':')?;
        let password = value.range.start + colon + 1..value.range.end;
        let secret = text.get(password.clone())?;
        return (!secret.is_empty() && !is_placeholder(secret) && !shown.contains('/')).then_some(password);
    }
    let named = name.strip_prefix("--").is_some_and(is_sensitive_name);
    (named && !shown.starts_with('-') && !shown.is_empty() && !is_placeholder(shown)).then_some(value.range)
}

/// Headers whose value is all that follows on the line.
fn is_header(name: &str) -> bool {
    ["authorization", "proxy-authorization", "cookie", "set-cookie"]
        .iter()
        .any(|header| name.eq_ignore_ascii_case(header))
}

/// The name that ends before `at`, behind quotes and blanks.
fn name_before(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(NAME_MAX);
    let window = bytes.get(from..at)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_between = |byte: &u8| matches!(byte, b' ' | b'"' | b'\'' | b'`' | b'\\' | b']');
    let end = window.iter().rposition(|byte| !is_between(byte))? + 1;
    let start = window.get(..end)?.iter().rposition(|byte| !is_name(byte)).map_or(0, |before| before + 1);
    text.get(from + start..from + end).filter(|name| !name.is_empty())
}

/// What stands behind a name.
struct Value {
    range: Range<usize>,
    quote: Option<u8>,
    /// Nothing stands between the separator and it.
    touches: bool,
    /// It is all that is left of its line.
    to_line_end: bool,
}

impl Value {
    fn read(text: &str, from: usize, whole_line: bool) -> Option<Self> {
        let bytes = text.as_bytes();
        let at = |index: usize| bytes.get(index).copied();
        let mut start = from;
        while matches!(at(start), Some(b' ' | b'\t')) {
            start += 1;
        }
        let touches = start == from;
        // Quotes of a text inside a text come with backslashes.
        let mut escaped = false;
        while at(start) == Some(b'\\') && matches!(at(start + 1), Some(b'\\' | b'"' | b'\'')) {
            (escaped, start) = (true, start + 1);
        }
        let quote = at(start).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let end = match quote {
            Some(quote) => {
                start += 1;
                quoted_end(bytes, start, quote, escaped)
            }
            None => {
                let length = bytes.get(start..)?.iter().position(|byte| ends(*byte, whole_line));
                length.map_or(bytes.len(), |length| start + length)
            }
        };
        let to_line_end = matches!(at(end), None | Some(b'\n' | b'\r'));
        Some(Self { range: start..end, quote, touches, to_line_end })
    }

    fn is_secret(&self, text: &str, tight: bool) -> bool {
        let Some(value) = text.get(self.range.clone()) else { return false };
        // Between single quotes a dollar sign is a dollar sign.
        let literal = self.quote == Some(b'\'') && value.starts_with('$');
        if value.is_empty() || (is_placeholder(value) && !literal) {
            return false;
        }
        if self.quote.is_some() {
            return true;
        }
        if PLAIN_WORDS.iter().any(|word| value.eq_ignore_ascii_case(word)) {
            return false;
        }
        let random = value.len() >= 8 && value.contains(|c: char| c.is_ascii_digit());
        tight || self.to_line_end || random
    }
}

fn ends(byte: u8, whole_line: bool) -> bool {
    match byte {
        b'\n' | b'\r' | b'"' | b'\'' | b'`' => true,
        b' ' | b'\t' | b',' | b';' | b'&' | b'|' | b')' | b'(' | b'<' | b'>' | b'}' => !whole_line,
        _ => false,
    }
}

fn quoted_end(bytes: &[u8], from: usize, quote: u8, escaped: bool) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if escaped && bytes.get(at + 1) == Some(&quote) => return at,
            b'\\' => at += 1,
            byte if *byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// It stands for a secret that is elsewhere, or was one.
fn is_placeholder(value: &str) -> bool {
    let variable = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '{' | '('));
    value.strip_prefix('$').is_some_and(variable)
        || value.starts_with(MARK)
        || value.starts_with("{{")
        || value.starts_with('<')
        || (value.starts_with('%') && value.len() > 1 && value.ends_with('%'))
}
