//! The fields of a row.

use super::broken;
use std::io;

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Field<'a> {
    Null,
    Integer(i64),
    Real,
    Text(&'a str),
    Blob,
}

impl<'a> Field<'a> {
    pub fn text(&self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Integer(_) | Self::Real | Self::Blob => None,
        }
    }

    pub fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Null | Self::Real | Self::Text(_) | Self::Blob => None,
        }
    }
}

/// Reads rows.
pub(super) struct Fields;

impl Fields {
    /// The fields of a row, in the order of the table's columns.
    pub fn read(row: &[u8]) -> io::Result<Vec<Field<'_>>> {
        let mut head = row;
        let head_length = usize::try_from(varint(&mut head)?).unwrap_or(usize::MAX);
        let before = row.len() - head.len();
        let too_short = || broken("a row is too short");
        let types = head_length.checked_sub(before).and_then(|length| head.get(..length));
        let (mut types, mut body) = (types.ok_or_else(too_short)?, row.get(head_length..).ok_or_else(too_short)?);
        let mut fields = Vec::new();
        while !types.is_empty() {
            let kind = varint(&mut types)?;
            let length = match kind {
                0 | 8 | 9 => 0,
                1..=4 => kind,
                5 => 6,
                6 | 7 => 8,
                _ => (kind.saturating_sub(12)) / 2,
            };
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let value = body.get(..length).ok_or_else(too_short)?;
            body = body.get(length..).unwrap_or_default();
            fields.push(match kind {
                0 => Field::Null,
                1..=6 => Field::Integer(signed(value)),
                7 => Field::Real,
                8 => Field::Integer(0),
                9 => Field::Integer(1),
                kind if kind % 2 == 1 => std::str::from_utf8(value).map_or(Field::Blob, Field::Text),
                _ => Field::Blob,
            });
        }
        Ok(fields)
    }
}

fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    bytes.iter().fold(if negative { -1 } else { 0 }, |number, byte| number << 8 | i64::from(*byte))
}

/// A number of one to nine bytes.
pub(super) fn varint(rest: &mut &[u8]) -> io::Result<u64> {
    let mut number = 0_u64;
    for index in 0..9 {
        let (byte, behind) = rest.split_first().ok_or_else(|| broken("a number ends too early"))?;
        *rest = behind;
        if index == 8 {
            return Ok(number << 8 | u64::from(*byte));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Ok(number)
}
