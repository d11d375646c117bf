use super::MARK;
use super::assignment::{name_before, value_after};
use super::command::Command;
use super::markup::secret_of_tag;
use super::name::is_sensitive_name;
use super::phrase::secret_after_word;
use super::shape::{private_key_length, secret_length};
use super::value::{Extent, Value, is_placeholder, is_random};
use std::borrow::Cow;
use std::ops::Range;

/// A text with every secret that can be recognised replaced by [`MARK`].
#[must_use]
pub fn redact_text(text: &str) -> Cow<'_, str> {
    let mut shown = hide(text, &find_secrets(text));
    // What was too long to be a name may be one when a secret in it is hidden.
    for _ in 0..MAX_PASSES {
        let Cow::Owned(before) = &shown else { break };
        let Cow::Owned(after) = hide(before, &find_secrets(before)) else { break };
        shown = Cow::Owned(after);
    }
    shown
}

/// A text is read again so often at most.
const MAX_PASSES: usize = 4;

/// The same for the first `most` bytes of a text, about, without a look at all the rest; what is cut ends in `…`.
#[must_use]
pub fn redact_start(text: &str, most: usize) -> String {
    if text.len() <= most {
        return redact_text(text).into_owned();
    }
    format!("{}…", redact_text(&start_of(text, most).shown))
}

/// The beginning of a long text, without secrets.
pub(super) struct Start<'a> {
    pub shown: Cow<'a, str>,
    /// How many secrets were taken out.
    pub secrets: usize,
    /// Where it ends in the text.
    pub end: usize,
}

/// The first `most` bytes, and the rest of a secret that begins in them.
pub(super) fn start_of(text: &str, most: usize) -> Start<'_> {
    // A secret that the cut would go through must be whole to be recognised.
    const BEYOND: usize = 512;
    let seen = text.get(..text.floor_char_boundary(most + BEYOND)).unwrap_or_default();
    let kept = text.floor_char_boundary(most);
    let mut secrets = find_secrets(seen);
    secrets.retain(|secret| secret.start < kept);
    let end = secrets.last().map_or(kept, |secret| secret.end.max(kept));
    let shown = hide(text.get(..end).unwrap_or_default(), &secrets);
    Start { shown, secrets: secrets.len(), end }
}

/// The places of secrets in a text, in order, none inside another.
pub(super) fn find_secrets(text: &str) -> Vec<Range<usize>> {
    let mut scan = Scan { text, at: 0, command: Command::default(), value_of: None };
    let mut found: Vec<Range<usize>> = Vec::new();
    loop {
        let rest = text.as_bytes().get(scan.at..).unwrap_or_default();
        let Some(idle) = rest.iter().position(|byte| !is_idle(byte)) else { break };
        scan.at += idle;
        let rest = rest.get(idle..).unwrap_or_default();
        let length = step(rest);
        let secret = rest.first().and_then(|byte| scan.look(*byte, length));
        scan.at = match secret {
            Some(secret) if secret.end > scan.at => {
                let end = secret.end;
                found.push(secret);
                end
            }
            _ => scan.at + length,
        };
    }
    found
}

/// How far a `value` may be from the `name` that says what it is.
const PAIR_MAX: usize = 200;

/// One pass over a text.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    command: Command,
    /// A `name` or `key` whose text is the name of a secret ended here; its `value` follows.
    value_of: Option<usize>,
}

impl Scan<'_> {
    /// The secret that what stands here leads to: a byte, or a word of this length.
    fn look(&mut self, byte: u8, length: usize) -> Option<Range<usize>> {
        let (text, at) = (self.text, self.at);
        match byte {
            b':' if text.as_bytes().get(at + 1..at + 3) == Some(b"//") => secret_in_address(text, at),
            b'=' | b':' => value_after(text, at).or_else(|| self.paired(at)),
            b'-' => private_key(text, at).or_else(|| self.option(at)),
            b'<' => secret_of_tag(text, at),
            b';' | b'|' | b'&' | b'\n' if !self.is_continued() => {
                self.command.end(at);
                None
            }
            byte if is_word(&byte) => self.word(length),
            _ => None,
        }
    }

    fn word(&mut self, length: usize) -> Option<Range<usize>> {
        let range = self.at..self.at + length;
        if let Some(secret) = shaped(self.text.as_bytes(), self.at) {
            return Some(secret);
        }
        secret_after_word(self.text, range)
    }

    /// `name: DB_PASSWORD` and then `value: x`, as Kubernetes and others have it.
    fn paired(&mut self, at: usize) -> Option<Range<usize>> {
        let name = name_before(self.text, at)?.text;
        if name.eq_ignore_ascii_case("value") {
            let from = self.value_of.take().filter(|from| at - from < PAIR_MAX)?;
            let value = Value::read(self.text, at + 1, Extent::Word)?;
            let shown = self.text.get(value.range.clone())?;
            let is_open = shown.is_empty() || (is_placeholder(shown) && !value.is_long());
            return (from < at && !is_open).then_some(value.range);
        }
        if ["name", "key"].iter().any(|known| name.eq_ignore_ascii_case(known)) {
            // No name is longer.
            let near = self.text.get(..self.text.floor_char_boundary(at + PAIR_MAX))?;
            let value = Value::read(near, at + 1, Extent::Word)?;
            let is_secret = self.text.get(value.range.clone()).is_some_and(is_sensitive_name);
            self.value_of = is_secret.then_some(value.range.end);
        }
        None
    }

    /// An option begins a word of a command.
    fn option(&mut self, at: usize) -> Option<Range<usize>> {
        let before = at.checked_sub(1).and_then(|before| self.text.as_bytes().get(before));
        let begins = before.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'('));
        if begins { self.command.value_of_option(self.text, at) } else { None }
    }

    /// A line that ends in a backslash goes on.
    fn is_continued(&self) -> bool {
        self.at.checked_sub(1).and_then(|before| self.text.as_bytes().get(before)) == Some(&b'\\')
    }
}

/// How far to go on: behind the word that begins here, behind a line break of a text inside a text, or by one byte.
fn step(rest: &[u8]) -> usize {
    match rest {
        [b'\\', b'n' | b'r' | b't', ..] => 2,
        rest => rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len()).max(1),
    }
}

/// A hyphen goes on with a word: otherwise every part of a long hyphenated text would be looked at to its end.
pub(super) fn is_word(byte: &u8) -> bool {
    WORD.get(usize::from(*byte)).copied().unwrap_or_default()
}

/// Whether a byte means nothing between words: it is no sign that a secret may begin at, and no part of one.
fn is_idle(byte: &u8) -> bool {
    IDLE.get(usize::from(*byte)).copied().unwrap_or_default()
}

/// The bytes of words: every byte of a text is asked about.
const WORD: [bool; 256] = table(false);
const IDLE: [bool; 256] = table(true);

const fn table(of_idle: bool) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        let is_word = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_sign = matches!(byte, b':' | b'=' | b'<' | b';' | b'|' | b'&' | b'\n' | b'\\');
        #[expect(clippy::indexing_slicing, reason = "a byte is below 256")]
        {
            table[byte as usize] = if of_idle { !is_word && !is_sign } else { is_word };
        }
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
}

pub(super) fn hide<'a>(text: &'a str, secrets: &[Range<usize>]) -> Cow<'a, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    for secret in secrets {
        shown.push_str(text.get(from..secret.start).unwrap_or_default());
        shown.push_str(MARK);
        from = secret.end;
    }
    shown.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(shown)
}

fn shaped(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let length = secret_length(bytes.get(at..)?)?;
    Some(at..at + length)
}

fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    let length = private_key_length(text.get(at..)?)?;
    Some(at..at + length)
}

/// The password in `scheme://name:password@host`, or the token in `scheme://token@host`, for the `:` of `://`.
fn secret_in_address(text: &str, at: usize) -> Option<Range<usize>> {
    let authority = text.get(at..)?.strip_prefix("://")?;
    let from = at + 3;
    let end =
        authority.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>'));
    let authority = authority.get(..end.unwrap_or(authority.len()))?;
    let (user, _) = authority.rsplit_once('@')?;
    let (start, secret) = match user.split_once(':') {
        Some((name, password)) => (from + name.len() + 1, password),
        None if user.len() >= TOKEN_MIN && is_random(user) => (from, user),
        None => return None,
    };
    let open = secret.is_empty() || is_placeholder(secret);
    (!open).then_some(start..start + secret.len())
}

/// A name in an address that is longer, and has digits in it, is none.
const TOKEN_MIN: usize = 16;
