//! The texts of a document.

use super::Unreadable;
use super::parser::Parser;
use super::repair::RepairKind;
use std::char::{self, REPLACEMENT_CHARACTER};
use std::str;

impl Parser<'_> {
    /// Reads a text behind its opening quote.
    pub(super) fn text(&mut self) -> Result<String, Unreadable> {
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).ok_or(self.truncated())?;
            let (chunk, rest) = rest.split_at(length);
            self.push_chunk(&mut text, chunk);
            self.advance(length + 1);
            if rest.first() == Some(&b'"') {
                return Ok(text);
            }
            self.escape(&mut text)?;
        }
    }

    /// Adds what stands between two escapes.
    fn push_chunk(&mut self, text: &mut String, chunk: &[u8]) {
        let at = self.at();
        let controls = chunk.iter().filter(|byte| **byte < b' ').count();
        self.repairs.add(RepairKind::ControlCharacter, at, controls);
        match str::from_utf8(chunk) {
            Ok(valid) => text.push_str(valid),
            Err(error) => {
                self.repairs.add(RepairKind::InvalidUtf8, at + error.valid_up_to(), 1);
                text.push_str(&String::from_utf8_lossy(chunk));
            }
        }
    }

    /// Reads an escape behind its backslash.
    fn escape(&mut self, text: &mut String) -> Result<(), Unreadable> {
        let at = self.at().saturating_sub(1);
        let letter = self.peek().ok_or(self.truncated())?;
        let plain = match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' if let Some(unit) = self.code_unit(1) => {
                self.advance(5);
                text.push(self.character(unit, at));
                return Ok(());
            }
            // What follows the backslash is read like any other part of the text.
            _ => {
                self.repairs.add(RepairKind::UnknownEscape, at, 1);
                text.push('\\');
                return Ok(());
            }
        };
        self.advance(1);
        text.push(plain);
        Ok(())
    }

    /// The character of an escaped code unit, together with a second one if both are halves of it.
    fn character(&mut self, unit: u32, at: usize) -> char {
        if let Some(plain) = char::from_u32(unit) {
            return plain;
        }
        let low = if self.rest().starts_with(b"\\u") { self.code_unit(2) } else { None };
        if let (0xD800..0xDC00, Some(low @ 0xDC00..0xE000)) = (unit, low)
            && let Some(pair) = char::from_u32(0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        {
            self.advance(6);
            return pair;
        }
        self.repairs.add(RepairKind::LoneSurrogate, at, 1);
        REPLACEMENT_CHARACTER
    }

    /// The four hexadecimal digits that stand `ahead` of here.
    fn code_unit(&self, ahead: usize) -> Option<u32> {
        let digits = self.rest().get(ahead..ahead + 4)?;
        digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))
    }
}
