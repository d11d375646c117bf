//! A reading position in a pattern.

/// Reads a pattern by UTF-16 code units, because that is what JavaScript calls a character in a pattern without flags:
/// `[😀-😎]` is an error there, for its range starts with a low surrogate and ends with a high one.
#[derive(Debug)]
pub(super) struct Cursor {
    units: Vec<u16>,
    at: usize,
}

impl Cursor {
    pub(super) fn new(pattern: &str) -> Cursor {
        Cursor { units: pattern.encode_utf16().collect(), at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    /// How many characters, not units, precede unit `at`.
    pub(super) fn characters_before(&self, at: usize) -> usize {
        self.units.iter().take(at).filter(|unit| !is_low_surrogate(**unit)).count()
    }

    /// The unit that `next` would give, as a character to compare with syntax: no syntax is a surrogate.
    pub(super) fn peek(&self) -> Option<char> {
        self.peek_ahead(0)
    }

    pub(super) fn peek_ahead(&self, units: usize) -> Option<char> {
        let unit = *self.units.get(self.at.checked_add(units)?)?;
        Some(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    pub(super) fn next(&mut self) -> Option<u16> {
        let unit = *self.units.get(self.at)?;
        self.at += 1;
        Some(unit)
    }

    pub(super) fn eat(&mut self, expected: char) -> bool {
        let there = self.peek() == Some(expected);
        if there {
            self.at += 1;
        }
        there
    }

    pub(super) fn eat_all(&mut self, expected: &str) -> bool {
        let there = expected.chars().enumerate().all(|(ahead, c)| self.peek_ahead(ahead) == Some(c));
        if there {
            self.at += expected.len();
        }
        there
    }

    /// Exactly `count` hexadecimal digits, four at most, or nothing.
    pub(super) fn hex(&mut self, count: usize) -> Option<u16> {
        let mut value = 0;
        for ahead in 0..count {
            value = value * 16 + self.peek_ahead(ahead)?.to_digit(16)?;
        }
        self.at += count;
        u16::try_from(value).ok()
    }

    /// Decimal digits, at least one, as a number that stops growing at `limit`.
    pub(super) fn decimal(&mut self, limit: u32) -> Option<u32> {
        let mut value = self.peek()?.to_digit(10)?;
        self.at += 1;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            value = value.saturating_mul(10).saturating_add(digit).min(limit);
            self.at += 1;
        }
        Some(value)
    }
}

pub(super) fn is_high_surrogate(unit: u16) -> bool {
    (0xD800..=0xDBFF).contains(&unit)
}

pub(super) fn is_low_surrogate(unit: u16) -> bool {
    (0xDC00..=0xDFFF).contains(&unit)
}
