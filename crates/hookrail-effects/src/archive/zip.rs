//! Zip files: the directory at their end.

use super::{MAX_MEMBERS, Member};

/// The members of a zip file; `None` if its directory cannot be read, or is one of the 64-bit form.
pub(super) fn members(bytes: &[u8]) -> Option<Vec<Member>> {
    let end = end_record(bytes)?;
    let (count, mut at) = (number(end, 10, 2)?, number(end, 16, 4)?);
    if count > MAX_MEMBERS || count == 0xffff || at == 0xffff_ffff {
        return None;
    }
    let mut members = Vec::new();
    for _ in 0..count {
        let entry = bytes.get(at..)?;
        if !entry.starts_with(b"PK\x01\x02") {
            return None;
        }
        let length = number(entry, 28, 2)?;
        let name = String::from_utf8_lossy(entry.get(46..46 + length)?).replace('\\', "/");
        // The upper half is the mode of Unix.
        let is_link = number(entry, 40, 2)? & 0o170_000 == 0o120_000;
        if !name.ends_with('/') {
            members.push(Member { name, is_link });
        }
        at += 46 + length + number(entry, 30, 2)? + number(entry, 32, 2)?;
    }
    Some(members)
}

/// The last record, which a comment may follow.
fn end_record(bytes: &[u8]) -> Option<&[u8]> {
    const LENGTH: usize = 22;
    let last = bytes.len().checked_sub(LENGTH)?;
    let first = last.saturating_sub(0xffff);
    (first..=last).rev().filter_map(|at| bytes.get(at..)).find(|record| {
        let comment = number(record, 20, 2);
        record.starts_with(b"PK\x05\x06") && comment == record.len().checked_sub(LENGTH)
    })
}

/// A number of so many bytes, the lowest first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let field = bytes.get(at..at + length)?;
    Some(field.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
}
