//! Classes: `[…]`.

use super::cursor::Cursor;
use super::escape::{self, EscapePosition};
use super::group::Census;
use super::parse::{Flags, Refusal};
use super::unit_set::UnitSet;
use super::{Fault, fold};

/// One member of a class, as written.
enum Member {
    Unit(u16),
    Set(UnitSet),
}

/// What a class lists: ranges of units, and ranges that come from escapes like `\w`.
#[derive(Default)]
struct Members {
    written: Vec<(u16, u16)>,
    named: Vec<(u16, u16)>,
}

impl Members {
    fn add(&mut self, member: &Member) {
        match member {
            Member::Unit(unit) => self.written.push((*unit, *unit)),
            Member::Set(set) => self.named.extend_from_slice(set.ranges()),
        }
    }

    /// The sets of escapes hold both cases of a letter or none, so only what was written needs its other case.
    fn into_set(mut self, flags: Flags) -> UnitSet {
        if flags.ignore_case {
            let set = fold::set(&UnitSet::new(&self.written));
            self.named.extend_from_slice(set.ranges());
        } else {
            self.named.append(&mut self.written);
        }
        UnitSet::new(&self.named)
    }
}

/// Reads what follows the `[` at `opened_at`.
pub(super) fn read(cursor: &mut Cursor, census: &Census, flags: Flags, opened_at: usize) -> Result<UnitSet, Refusal> {
    let negated = cursor.eat('^');
    let mut members = Members::default();
    while !cursor.eat(']') {
        let at = cursor.at();
        let first = read_member(cursor, census, opened_at)?;
        // A `-` before the closing bracket is itself.
        if cursor.peek() != Some('-') || cursor.peek_ahead(1) == Some(']') {
            members.add(&first);
            continue;
        }
        cursor.next();
        let last = read_member(cursor, census, opened_at)?;
        match (&first, &last) {
            (Member::Unit(first), Member::Unit(last)) if first <= last => members.written.push((*first, *last)),
            (Member::Unit(_), Member::Unit(_)) => return Err((Fault::RangeOutOfOrder, at)),
            // Annex B: `\w-z` is no range but its three members.
            _ => [&first, &Member::Unit(u16::from(b'-')), &last].into_iter().for_each(|member| members.add(member)),
        }
    }
    // `[^a]` without case excludes `A` too, so the negation comes last.
    let set = members.into_set(flags);
    Ok(if negated { set.complement() } else { set })
}

fn read_member(cursor: &mut Cursor, census: &Census, opened_at: usize) -> Result<Member, Refusal> {
    let at = cursor.at();
    let unit = cursor.next().ok_or((Fault::UnclosedClass, opened_at))?;
    if unit != u16::from(b'\\') {
        return Ok(Member::Unit(unit));
    }
    match cursor.peek() {
        None => Err((Fault::TrailingBackslash, at)),
        Some('k') if census.has_names() => Err((Fault::NamedReferenceInClass, at)),
        Some(_) => Ok(match escape::read_set(cursor) {
            Some(set) => Member::Set(set),
            None => Member::Unit(escape::read_unit(cursor, EscapePosition::InClass)),
        }),
    }
}
