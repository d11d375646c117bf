//! Secrets that follow the word for them without a sign between: netrc, `setenv TOKEN x`, `npm config set _authToken x`,
//! `IDENTIFIED BY 'x'`.

use super::name::is_sensitive_name;
use super::value::{Extent, Value, is_placeholder};
use std::ops::Range;

/// How far back the words are looked for that make a phrase.
const BEFORE_MAX: usize = 256;
/// Words after which a name and then its value follow.
const SETTERS: &[&str] = &["set", "setenv", "ENV", "config", "-x", "-gx", "-Ux", "-lx"];
/// Words of a netrc file that stand two words before `password`.
const NETRC: &[&str] = &["login", "account"];

/// The secret that follows the word at `range`.
pub(super) fn secret_after_word(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    if !matches!(text.as_bytes().get(range.end), Some(b' ' | b'\t' | b'\n')) {
        return None;
    }
    let word = text.get(range.clone()).filter(|word| could_begin(word))?;
    let value = Value::read(text, next_word(text, range.end)?, Extent::Word)?;
    let shown = text.get(value.range.clone())?;
    if shown.is_empty() || (is_placeholder(shown) && value.quote != Some(b'\'')) || shown.starts_with(['-', '=']) {
        return None;
    }
    let from = text.floor_char_boundary(range.start.saturating_sub(BEFORE_MAX));
    let mut before = text.get(from..range.start)?.rsplit(char::is_whitespace);
    // What is joined to the word is part of its name: `//registry/:_authToken`.
    before.next();
    let mut before = before.filter(|word| !word.is_empty());
    let (last, second) = (before.next().unwrap_or_default(), before.next().unwrap_or_default());
    let is_host = last.contains('.') || last == "localhost";
    let is_netrc = word == "password" && (NETRC.contains(&second) || (second == "machine" && is_host));
    let is_set = SETTERS.contains(&last) && is_sensitive_name(word);
    let is_sql = value.quote == Some(b'\'') && is_sql_phrase(word, last);
    (is_netrc || is_set || is_sql).then_some(value.range)
}

/// Most words need no closer look.
fn could_begin(word: &str) -> bool {
    word == "BY" || word == "by" || is_sensitive_name(word)
}

/// `PASSWORD 'x'`, `IDENTIFIED BY 'x'`, and with `WITH` or a plugin between.
fn is_sql_phrase(word: &str, last: &str) -> bool {
    let is = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
    is(word, "by") && (is(last, "identified") || last.ends_with('\'') || last.ends_with("password"))
        || (is(word, "password") && (is(last, "with") || is(last, "encrypted") || is(last, "role") || is(last, "user")))
}

/// Where the next word begins, on this line or, as netrc allows, on the next one.
fn next_word(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    Some(from + rest.find(|c: char| !c.is_whitespace())?)
}
