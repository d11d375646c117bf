//! `$'…'`.

use super::Parser;
use super::parts::Parts;
use crate::ast::{PartKind, UnknownReason};
use std::borrow::Cow;

impl<'a> Parser<'_, 'a> {
    pub(super) fn ansi_quoted(&mut self, parts: &mut Parts<'a>, start: usize, open: usize) {
        let mut at = open + 1;
        let mut escaped = false;
        while let Some(byte) = self.at(at).filter(|byte| *byte != b'\'') {
            escaped |= byte == b'\\';
            at += if byte == b'\\' { 2 } else { 1 };
        }
        self.step(at - open);
        if at >= self.end() {
            self.pos = start;
            let span = self.skip_rest();
            return parts.unknown(UnknownReason::Unclosed("$'"), span);
        }
        self.pos = at + 1;
        let text = match escaped {
            false => self.source.cow(open + 1, at),
            true => Cow::Owned(decode(self.source.slice(open + 1, at))),
        };
        parts.push(PartKind::AnsiQuoted(text), self.span(start));
    }
}

/// Resolves the escapes. A character of code 0 ends the text, as it does in bash.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(rest.get(..at).unwrap_or_default().as_bytes());
        let escape = rest.get(at + 1..).unwrap_or_default();
        let Some(length) = decode_one(escape, &mut bytes) else {
            return String::from_utf8_lossy(&bytes).into_owned();
        };
        rest = escape.get(length..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Resolves one escape, from behind its backslash. Returns its length, or `None` if the text ends here.
fn decode_one(escape: &str, bytes: &mut Vec<u8>) -> Option<usize> {
    let Some(letter) = escape.chars().next() else {
        bytes.push(b'\\');
        return Some(0);
    };
    let simple = match letter {
        'a' => Some(0x07),
        'b' => Some(0x08),
        'e' | 'E' => Some(0x1b),
        'f' => Some(0x0c),
        'n' => Some(b'\n'),
        'r' => Some(b'\r'),
        't' => Some(b'\t'),
        'v' => Some(0x0b),
        '\\' | '\'' | '"' | '?' => u8::try_from(letter).ok(),
        _ => None,
    };
    if let Some(byte) = simple {
        bytes.push(byte);
        return Some(1);
    }
    match letter {
        '0'..='7' => number(escape, 0, 3, 8, bytes, Kind::Byte),
        'x' => number(escape, 1, 2, 16, bytes, Kind::Byte),
        'u' => number(escape, 1, 4, 16, bytes, Kind::Character),
        'U' => number(escape, 1, 8, 16, bytes, Kind::Character),
        'c' => Some(control(escape, bytes)),
        _ => Some(as_written(escape, letter.len_utf8(), bytes)),
    }
}

/// What a number stands for.
#[derive(Clone, Copy)]
enum Kind {
    Byte,
    Character,
}

/// Resolves a number of at most `most` digits behind `prefix` bytes.
fn number(escape: &str, prefix: usize, most: usize, radix: u32, bytes: &mut Vec<u8>, kind: Kind) -> Option<usize> {
    let digits = escape.get(prefix..).unwrap_or_default().chars().take(most).take_while(|c| c.is_digit(radix)).count();
    let Ok(code) = u32::from_str_radix(escape.get(prefix..prefix + digits).unwrap_or_default(), radix) else {
        return Some(as_written(escape, prefix, bytes));
    };
    match kind {
        Kind::Byte if code & 0xff == 0 => return None,
        Kind::Character if code == 0 => return None,
        Kind::Byte => bytes.push(code.to_le_bytes()[0]),
        Kind::Character => {
            let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Some(prefix + digits)
}

fn control(escape: &str, bytes: &mut Vec<u8>) -> usize {
    match escape.as_bytes() {
        [_, byte, ..] if byte.is_ascii() => {
            bytes.push(byte.to_ascii_uppercase() & 0x1f);
            2
        }
        _ => as_written(escape, 1, bytes),
    }
}

/// An escape that means nothing stands for itself, with its backslash.
fn as_written(escape: &str, length: usize, bytes: &mut Vec<u8>) -> usize {
    bytes.push(b'\\');
    bytes.extend_from_slice(escape.get(..length).unwrap_or_default().as_bytes());
    length
}
