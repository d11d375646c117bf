//! Letter case, for the inside of `(?i:…)`: units are the same there if JavaScript's `Canonicalize` makes them so.

use super::tree::Node;
use super::unit_set::UnitSet;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What matches `unit` when case does not count.
pub(super) fn unit(unit: u16) -> Node {
    match variants(unit).as_slice() {
        [_] => Node::Unit(unit),
        several => Node::Set(set_of(several.iter().copied())),
    }
}

/// What matches a member of `set` when case does not count.
pub(super) fn set(set: &UnitSet) -> UnitSet {
    set_of(set.units().flat_map(variants))
}

fn set_of(units: impl Iterator<Item = u16>) -> UnitSet {
    let ranges: Vec<(u16, u16)> = units.map(|unit| (unit, unit)).collect();
    UnitSet::new(&ranges)
}

/// `unit` and all that differ from it by case alone. ASCII keeps to itself, and need not build the table.
fn variants(unit: u16) -> Vec<u16> {
    static BEYOND_ASCII: LazyLock<HashMap<u16, Vec<u16>>> = LazyLock::new(|| {
        let mut table: HashMap<u16, Vec<u16>> = HashMap::new();
        for unit in 0x80..=u16::MAX {
            table.entry(canonicalize(unit)).or_default().push(unit);
        }
        table.retain(|_, variants| variants.len() > 1);
        table
    });
    match u8::try_from(unit) {
        Ok(ascii) if ascii.is_ascii_alphabetic() => {
            vec![u16::from(ascii.to_ascii_uppercase()), u16::from(ascii.to_ascii_lowercase())]
        }
        Ok(ascii) if ascii.is_ascii() => vec![unit],
        _ => BEYOND_ASCII.get(&canonicalize(unit)).cloned().unwrap_or_else(|| vec![unit]),
    }
}

/// The upper case of a unit beyond ASCII, unless that is more than one unit or within ASCII.
fn canonicalize(unit: u16) -> u16 {
    let upper = char::from_u32(u32::from(unit)).map(char::to_uppercase);
    match upper.map(|mut upper| (upper.next(), upper.next())) {
        Some((Some(single), None)) if !single.is_ascii() => u16::try_from(u32::from(single)).unwrap_or(unit),
        _ => unit,
    }
}
