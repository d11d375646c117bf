//! Escapes that stand for one unit or a set of them. All functions read on from behind the `\`.

use super::cursor::Cursor;
use super::unit_set::{DIGITS, SPACE, UnitSet, WORD};

const BACKSLASH: u16 = b'\\' as u16;

/// Where an escape stands; Annex B reads some of them differently in `[…]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapePosition {
    Outside,
    InClass,
}

/// Reads `d`, `D`, `s`, `S`, `w` or `W`, if one is there.
pub(super) fn read_set(cursor: &mut Cursor) -> Option<UnitSet> {
    let name = cursor.peek()?;
    let members = match name.to_ascii_lowercase() {
        'd' => DIGITS,
        's' => SPACE,
        'w' => WORD,
        _ => return None,
    };
    cursor.next();
    let set = UnitSet::new(members);
    Some(if name.is_ascii_uppercase() { set.complement() } else { set })
}

/// Reads any other escape. Where Annex B makes the backslash stand for itself, only that is taken.
pub(super) fn read_unit(cursor: &mut Cursor, place: EscapePosition) -> u16 {
    let at = cursor.at();
    let Some(unit) = cursor.next() else { return BACKSLASH };
    match char::from_u32(u32::from(unit)) {
        Some('t') => 0x09,
        Some('n') => 0x0A,
        Some('v') => 0x0B,
        Some('f') => 0x0C,
        Some('r') => 0x0D,
        Some('b') if place == EscapePosition::InClass => 0x08,
        Some('c') => read_control(cursor, place).unwrap_or_else(|| {
            cursor.rewind(at);
            BACKSLASH
        }),
        Some('0'..='7') => {
            cursor.rewind(at);
            read_octal(cursor)
        }
        Some('x') => cursor.hex(2).unwrap_or(unit),
        Some('u') => cursor.hex(4).unwrap_or(unit),
        _ => unit,
    }
}

/// Reads the letter of `\cX`; in a class it may be a digit or an underscore too.
fn read_control(cursor: &mut Cursor, place: EscapePosition) -> Option<u16> {
    let name = cursor.peek()?;
    let fits = name.is_ascii_alphabetic() || place == EscapePosition::InClass && (name.is_ascii_digit() || name == '_');
    if fits { cursor.next().map(|unit| unit % 32) } else { None }
}

/// Up to three octal digits, as long as the number stays below 256.
fn read_octal(cursor: &mut Cursor) -> u16 {
    let mut value = 0;
    for _ in 0..3 {
        let Some(digit) = cursor.peek().and_then(|c| c.to_digit(8)) else { break };
        let larger = value * 8 + digit;
        if larger > 0xFF {
            break;
        }
        value = larger;
        cursor.next();
    }
    u16::try_from(value).unwrap_or(u16::MAX)
}
