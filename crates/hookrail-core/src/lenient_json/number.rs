//! Numbers, and what stands for one.

use super::Unreadable;
use super::parser::Parser;
use super::repair::RepairKind;
use serde_json::{Number, Value};
use std::str;

impl Parser<'_> {
    /// Reads a number that begins here with a digit or a minus sign.
    pub(super) fn number(&mut self) -> Result<Value, Unreadable> {
        if self.rest().starts_with(b"-Infinity") {
            return Ok(self.not_a_number("-Infinity"));
        }
        let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        let rest = self.rest();
        let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let token = rest.get(..length).and_then(|token| str::from_utf8(token).ok()).unwrap_or_default();
        let value = match token.parse::<Number>() {
            Ok(number) => Value::Number(number),
            Err(_) if is_number(token.as_bytes()) => {
                self.repairs.add(RepairKind::NumberOutOfRange, self.at(), 1);
                Value::from(token)
            }
            Err(_) if length == rest.len() => return Err(Unreadable::Truncated { at: self.at() + length }),
            Err(_) => return Err(self.unexpected("a number")),
        };
        self.advance(length);
        Ok(value)
    }

    /// A word that stands for a number which JSON does not have.
    pub(super) fn not_a_number(&mut self, word: &str) -> Value {
        self.repairs.add(RepairKind::NotANumber, self.at(), 1);
        self.advance(word.len());
        Value::from(word)
    }
}

/// Whether a token is a number by the grammar of JSON, of whatever size.
fn is_number(token: &[u8]) -> bool {
    let token = token.strip_prefix(b"-").unwrap_or(token);
    let (whole, rest) = split_digits(token);
    let is_whole = matches!(whole, [b'0'] | [b'1'..=b'9', ..]);
    let (has_fraction, rest) = match rest.strip_prefix(b".") {
        Some(rest) => {
            let (fraction, rest) = split_digits(rest);
            (!fraction.is_empty(), rest)
        }
        None => (true, rest),
    };
    let has_exponent = match rest.split_first() {
        Some((b'e' | b'E', rest)) => {
            let rest = rest.strip_prefix(b"-").or_else(|| rest.strip_prefix(b"+")).unwrap_or(rest);
            let (exponent, rest) = split_digits(rest);
            !exponent.is_empty() && rest.is_empty()
        }
        Some(_) => false,
        None => true,
    };
    is_whole && has_fraction && has_exponent
}

fn split_digits(bytes: &[u8]) -> (&[u8], &[u8]) {
    let length = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len());
    bytes.split_at_checked(length).unwrap_or((bytes, b""))
}
