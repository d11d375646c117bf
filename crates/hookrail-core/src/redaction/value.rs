//! What stands behind a name, and whether it is a secret or a word for one.

use super::MARK;
use super::name::is_sensitive_name;
use std::ops::Range;

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
    "inherit",
];
/// What a quoted text is wrapped in when it is still the text: `String::from("…")`, `Some("…")`.
const WRAPPERS: &[&str] =
    &["from", "new", "Some", "Ok", "String", "str", "bytes", "Secret", "SecretString", "SecureString"];

/// A longer constructor is none.
const PREFIX_MAX: usize = 64;
/// An unquoted value that is longer is a secret, whatever it looks like: a closer look at each part of a text without blanks
/// would take time that grows with its square.
const LONG: usize = 1024;

/// Where an unquoted value ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// At what ends a word of a command or of code.
    Word,
    /// At the end of the line or the quote that it stands in, as in a header.
    Line,
    /// At the next `;`, as in a connection string.
    Field,
}

impl Extent {
    fn ends_at(self, byte: u8) -> bool {
        match byte {
            b'\n' | b'\r' | b'"' | b'\'' | b'`' => true,
            b';' => self != Self::Line,
            b' ' | b'\t' | b',' | b'&' | b'|' | b')' | b'(' | b'<' | b'>' | b'}' => self == Self::Word,
            _ => false,
        }
    }
}

pub(super) struct Value {
    pub range: Range<usize>,
    pub quote: Option<u8>,
    /// Nothing stands between the separator and it.
    pub touches: bool,
    /// It is all that is left of its line.
    to_line_end: bool,
}

impl Value {
    pub fn read(text: &str, from: usize, extent: Extent) -> Option<Self> {
        let bytes = text.as_bytes();
        let at = |index: usize| bytes.get(index).copied();
        let mut start = from;
        while matches!(at(start), Some(b' ' | b'\t')) {
            start += 1;
        }
        let touches = start == from;
        if let Some(quoted) = text.get(start..).and_then(prefix_before_quote) {
            start += quoted;
        }
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
                let length = bytes.get(start..)?.iter().position(|byte| extent.ends_at(*byte));
                length.map_or(bytes.len(), |length| start + length)
            }
        };
        let to_line_end = matches!(at(end), None | Some(b'\n' | b'\r'));
        Some(Self { range: start..end, quote, touches, to_line_end })
    }

    /// Too long to be anything else.
    pub fn is_long(&self) -> bool {
        self.quote.is_none() && self.range.len() > LONG
    }

    /// Whether this is a secret, if its name says so. `tight` says that it is joined to the name, as a shell wants it.
    pub fn is_secret(&self, text: &str, tight: bool) -> bool {
        if self.is_long() {
            return true;
        }
        let Some(value) = text.get(self.range.clone()) else { return false };
        // Between single quotes a dollar sign is a dollar sign.
        let literal = self.quote == Some(b'\'') && value.starts_with('$');
        if value.is_empty() || (is_placeholder(value) && !literal) {
            return false;
        }
        if self.quote.is_some() {
            return true;
        }
        if PLAIN_WORDS.iter().any(|word| value.eq_ignore_ascii_case(word)) || value.starts_with(['{', '[']) {
            return false;
        }
        tight || (self.to_line_end && !is_expression(value)) || is_random(value)
    }
}

/// How long the letters are that say how a quoted text is to be read (`r"…"`, `b'…'`, `$'…'`, `@"…"`), or the constructor
/// around it (`String::from("…")`).
fn prefix_before_quote(rest: &str) -> Option<usize> {
    let near = rest.get(..rest.floor_char_boundary(PREFIX_MAX)).unwrap_or(rest);
    let end = near.find(['"', '\'', '`'])?;
    let before = rest.get(..end)?;
    let letters = before.len() <= 3 && before.bytes().all(|byte| byte.is_ascii_alphabetic() || b"@$#".contains(&byte));
    let wrapped = before.trim_end().strip_suffix('(').is_some_and(|name| {
        let last = name.rsplit([':', '.', ' ']).next().unwrap_or(name);
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:. ".contains(&byte)) && WRAPPERS.contains(&last)
    });
    (end > 0 && (letters || wrapped)).then_some(end)
}

fn quoted_end(bytes: &[u8], from: usize, quote: u8, escaped: bool) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if escaped && bytes.get(at + 1) == Some(&quote) => {
                let inner = bytes.get(from..at).unwrap_or_default();
                return from + inner.iter().rposition(|byte| *byte != b'\\').map_or(0, |last| last + 1);
            }
            b'\\' => at += 1,
            byte if *byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Long enough and with digits in it, as made-up texts are and words are not.
pub(super) fn is_random(value: &str) -> bool {
    value.len() >= 8 && value.contains(|c: char| c.is_ascii_digit()) && !is_expression(value)
}

/// Code that says where a secret comes from: `self.token`, `new_password`, `config::token`.
fn is_expression(value: &str) -> bool {
    let value = value.strip_suffix('.').unwrap_or(value);
    let is_code = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:->&*[]".contains(&byte));
    is_code
        && (is_sensitive_name(value)
            || value.contains("::")
            || value.starts_with("self.")
            || value.starts_with("this."))
}

/// It stands for a secret that is elsewhere, or was one.
pub(super) fn is_placeholder(value: &str) -> bool {
    let variable = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '{' | '('));
    let starred = value.len() > 2 && value.bytes().all(|byte| byte == b'*' || byte == b'.');
    value.strip_prefix('$').is_some_and(variable)
        || value.starts_with(MARK)
        || value.starts_with("{{")
        || value.starts_with('<')
        || value.starts_with("...")
        || starred
        || (value.starts_with('%') && value.len() > 1 && value.ends_with('%'))
}
