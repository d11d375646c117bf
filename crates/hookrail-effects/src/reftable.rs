//! References in git's binary format, `reftable`.
//!
//! A repository has a stack of tables, listed in `reftable/tables.list`; a later table wins. A table is a header and blocks;
//! blocks of references begin with `r` and hold records whose names are written as what differs from the name before. The
//! index and the log are not read: references come first.

use crate::machine::ReadOnlyWorld;
use std::path::Path;

/// So many tables of a stack are read, the newest first. git merges them long before.
const MAX_TABLES: usize = 64;

/// What a reference is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Commit,
    /// The name of another reference.
    Symbolic(String),
}

/// A reference by its whole name, such as `refs/heads/main` or `HEAD`.
pub(crate) fn find(folder: &Path, name: &str, machine: &dyn ReadOnlyWorld) -> Option<Value> {
    let list = machine.read_small(&folder.join("tables.list"))?;
    for table in list.lines().rev().take(MAX_TABLES).filter(|table| !table.contains('/')) {
        let bytes = machine.read_bytes(&folder.join(table))?;
        if let Some(value) = find_in(&bytes, name) {
            return value;
        }
    }
    None
}

/// `Some(None)` if the table says that the reference was deleted.
fn find_in(table: &[u8], name: &str) -> Option<Option<Value>> {
    if table.get(..4) != Some(b"REFT") {
        return None;
    }
    let version = table.get(4).copied()?;
    let block_size = number(table.get(5..8)?);
    let header = if version == 2 { 28 } else { 24 };
    let hash = if version == 2 && table.get(24..28) == Some(b"s256") { 32 } else { 20 };
    // The first block begins at the start of the file, with the header in it.
    let (mut start, mut at) = (0, header);
    while table.get(at) == Some(&b'r') {
        let length = number(table.get(at + 1..at + 4)?);
        let end = start + length;
        let block = table.get(at + 4..end)?;
        if let Some(found) = find_in_block(block, name, hash) {
            return Some(found);
        }
        start = if block_size == 0 { end } else { start + block_size };
        at = start;
        // Every block is longer than nothing, so the walk ends.
        if length == 0 {
            return None;
        }
    }
    None
}

fn find_in_block(block: &[u8], name: &str, hash: usize) -> Option<Option<Value>> {
    // Behind the records stand their restart points and how many there are.
    let restarts = number(block.get(block.len().checked_sub(2)?..)?);
    let records = block.get(..block.len().checked_sub(2 + 3 * restarts)?)?;
    let mut rest = records;
    let mut current: Vec<u8> = Vec::new();
    while !rest.is_empty() {
        let prefix = varint(&mut rest)?;
        let suffix = varint(&mut rest)?;
        let (length, kind) = (suffix >> 3, suffix & 7);
        current.truncate(prefix);
        current.extend_from_slice(take(&mut rest, length)?);
        varint(&mut rest)?;
        let value = match kind {
            0 => None,
            1 => take(&mut rest, hash).map(|_| Value::Commit),
            2 => take(&mut rest, 2 * hash).map(|_| Value::Commit),
            3 => {
                let length = varint(&mut rest)?;
                Some(Value::Symbolic(String::from_utf8_lossy(take(&mut rest, length)?).into_owned()))
            }
            _ => return None,
        };
        if current == name.as_bytes() {
            return Some(value);
        }
    }
    None
}

fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

fn take<'b>(rest: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(taken)
}

/// A number of variable length, as in git's packs: seven bits a byte, the most significant first, each continuation adds
/// one.
fn varint(rest: &mut &[u8]) -> Option<usize> {
    let mut byte = *take(rest, 1)?.first()?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = *take(rest, 1)?.first()?;
        value = value.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table with `HEAD -> refs/heads/main`, `refs/heads/main` and a deleted `refs/heads/old`.
    fn table() -> Vec<u8> {
        let mut records: Vec<u8> = Vec::new();
        let mut record = |prefix: u8, suffix: &[u8], kind: u8, value: &[u8]| {
            records.extend([prefix, u8::try_from(suffix.len()).unwrap() << 3 | kind]);
            records.extend(suffix);
            records.push(0);
            records.extend(value);
        };
        record(0, b"HEAD", 3, b"\x0frefs/heads/main");
        record(0, b"refs/heads/main", 1, &[7; 20]);
        record(11, b"old", 0, b"");
        records.extend([0, 0, 28, 0, 1]);
        let mut table = b"REFT\x01\x00\x10\x00".to_vec();
        table.resize(24, 0);
        let length = u8::try_from(24 + 4 + records.len()).unwrap();
        table.extend([b'r', 0, 0, length]);
        table.extend(records);
        table
    }

    #[test]
    fn references_are_found_by_their_whole_names() {
        for (name, expected) in [
            ("HEAD", Some(Some(Value::Symbolic("refs/heads/main".to_owned())))),
            ("refs/heads/main", Some(Some(Value::Commit))),
            ("refs/heads/old", Some(None)),
            ("refs/heads/mai", None),
        ] {
            assert_eq!(find_in(&table(), name), expected, "{name}");
        }
    }

    #[test]
    fn a_table_that_is_cut_or_broken_says_nothing_and_ends() {
        let whole = table();
        for length in 0..whole.len() {
            let _ = find_in(&whole[..length], "refs/heads/zzz");
        }
        for at in 0..whole.len() {
            let mut broken = whole.clone();
            broken[at] = 0xff;
            let _ = find_in(&broken, "refs/heads/zzz");
        }
    }
}
