//! How groups open, and what they are called.

use super::Fault;
use super::cursor::{Cursor, is_high_surrogate, is_low_surrogate};
use super::parse::Flags;
use super::tree::Direction;
use std::collections::HashMap;

#[derive(Debug, Clone, Copy)]
pub(super) enum GroupKind {
    Plain,
    Capture(u32),
    Look { direction: Direction, wanted: bool },
}

/// The capturing groups of a whole pattern, counted before it is read: what `\7` and `\k` mean depends on groups that
/// may come later.
#[derive(Debug, Default)]
pub(super) struct Census {
    captures: u32,
    has_names: bool,
    names: HashMap<String, u32>,
}

impl Census {
    pub(super) fn take(cursor: &mut Cursor) -> Census {
        let mut census = Census::default();
        let mut in_class = false;
        while let Some(c) = cursor.peek() {
            cursor.next();
            match c {
                '\\' => {
                    cursor.next();
                }
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => census.count(cursor),
                _ => {}
            }
        }
        census
    }

    fn count(&mut self, cursor: &mut Cursor) {
        if cursor.peek() != Some('?') {
            self.captures = self.captures.saturating_add(1);
        } else if cursor.peek_ahead(1) == Some('<') && !matches!(cursor.peek_ahead(2), Some('=' | '!')) {
            self.captures = self.captures.saturating_add(1);
            self.has_names = true;
            let at = cursor.at();
            cursor.rewind(at + 2);
            if let Some(name) = read_name(cursor) {
                self.names.entry(name).or_insert(self.captures);
            } else {
                cursor.rewind(at);
            }
        }
    }

    pub(super) fn captures(&self) -> u32 {
        self.captures
    }

    pub(super) fn has_names(&self) -> bool {
        self.has_names
    }
}

/// Reads what follows a `(`. A group that captures is number `capture`; one with flags changes `flags`.
pub(super) fn open(cursor: &mut Cursor, census: &Census, capture: u32, flags: &mut Flags) -> Result<GroupKind, Fault> {
    if !cursor.eat('?') {
        return Ok(GroupKind::Capture(capture));
    }
    let looks = [
        ("=", Direction::Ahead, true),
        ("!", Direction::Ahead, false),
        ("<=", Direction::Behind, true),
        ("<!", Direction::Behind, false),
    ];
    if let Some((_, direction, wanted)) = looks.into_iter().find(|(opening, ..)| cursor.eat_all(opening)) {
        return Ok(GroupKind::Look { direction, wanted });
    }
    if cursor.eat('<') {
        let name = read_name(cursor).ok_or(Fault::BadGroupName)?;
        if census.names.get(&name) != Some(&capture) {
            return Err(Fault::DuplicateGroupName);
        }
        return Ok(GroupKind::Capture(capture));
    }
    *flags = read_flags(cursor, *flags)?;
    Ok(GroupKind::Plain)
}

/// Reads `:`, `ims:`, `ims-ims:` or `-ims:`.
fn read_flags(cursor: &mut Cursor, outer: Flags) -> Result<Flags, Fault> {
    let mut flags = outer;
    let mut seen = String::new();
    let mut value = true;
    loop {
        match cursor.peek() {
            Some(':') if value || !seen.is_empty() => break,
            Some('-') if value => value = false,
            Some(flag @ ('i' | 'm' | 's')) => {
                if seen.contains(flag) {
                    return Err(Fault::RepeatedFlag);
                }
                seen.push(flag);
                match flag {
                    'i' => flags.ignore_case = value,
                    'm' => flags.multi_line = value,
                    _ => flags.dot_all = value,
                }
            }
            _ => return Err(Fault::UnknownGroupKind),
        }
        cursor.next();
    }
    cursor.next();
    Ok(flags)
}

/// Reads the `<name>` behind a `\k`, in a pattern that has names.
pub(super) fn named_reference(cursor: &mut Cursor, census: &Census) -> Result<u32, Fault> {
    if !cursor.eat('<') {
        return Err(Fault::BadNamedReference);
    }
    let name = read_name(cursor).ok_or(Fault::BadNamedReference)?;
    census.names.get(&name).copied().ok_or(Fault::UnknownGroupName)
}

/// Reads `name>`.
fn read_name(cursor: &mut Cursor) -> Option<String> {
    let mut name = String::new();
    while !cursor.eat('>') {
        let c = read_name_character(cursor)?;
        let starts = c.is_alphabetic() || matches!(c, '$' | '_');
        let continues = c.is_alphanumeric() || matches!(c, '\u{200C}' | '\u{200D}');
        if !starts && (name.is_empty() || !continues) {
            return None;
        }
        name.push(c);
    }
    (!name.is_empty()).then_some(name)
}

/// A name is made of characters, not units, and any of them may be written as an escape.
fn read_name_character(cursor: &mut Cursor) -> Option<char> {
    let unit = cursor.next()?;
    if unit != u16::from(b'\\') {
        return join_surrogates(unit, || cursor.next());
    }
    cursor.eat('u').then_some(())?;
    if cursor.eat('{') {
        return read_code_point(cursor);
    }
    let unit = cursor.hex(4)?;
    join_surrogates(unit, || cursor.eat_all("\\u").then(|| cursor.hex(4))?)
}

/// Reads `10FFFF}`.
fn read_code_point(cursor: &mut Cursor) -> Option<char> {
    let mut value = 0_u32;
    let mut digits = 0;
    while !cursor.eat('}') {
        let digit = cursor.peek()?.to_digit(16)?;
        cursor.next();
        value = value.saturating_mul(16).saturating_add(digit);
        digits += 1;
    }
    if digits == 0 { None } else { char::from_u32(value) }
}

fn join_surrogates(unit: u16, next: impl FnOnce() -> Option<u16>) -> Option<char> {
    if !is_high_surrogate(unit) {
        return char::from_u32(u32::from(unit));
    }
    let low = next().filter(|low| is_low_surrogate(*low))?;
    char::decode_utf16([unit, low]).next()?.ok()
}
