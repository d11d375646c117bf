//! The journal's files. Each is named after the number of its first record, so their order needs no index.

use crate::dir::{Dir, DirEntry, EntryKind};
use crate::error::StoreError;

const EXTENSION: &str = ".jsonl";

pub(crate) fn name(first: u64) -> String {
    let digits = first.to_string();
    let zeros = "000000000000".get(digits.len()..).unwrap_or_default();
    [zeros, &digits, EXTENSION].concat()
}

/// A file of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Segment {
    pub first: u64,
    /// Milliseconds since 1970.
    pub modified: i64,
    pub bytes: u64,
}

/// All files, oldest records first.
pub(crate) fn list(dir: &Dir) -> Result<Vec<Segment>, StoreError> {
    let entries = dir.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::File);
    let segment =
        |entry: DirEntry| Some(Segment { first: parse(&entry.name)?, modified: entry.modified, bytes: entry.bytes });
    let mut found: Vec<Segment> = entries.filter_map(segment).collect();
    found.sort_unstable();
    Ok(found)
}

fn parse(file: &str) -> Option<u64> {
    let first = file.strip_suffix(EXTENSION)?.parse().ok()?;
    (name(first) == file).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_we_give_are_ours() {
        for first in [1, 999_999_999_999, 1_000_000_000_000, u64::MAX] {
            assert_eq!(parse(&name(first)), Some(first));
        }
        for foreign in ["1.jsonl", "000000000001.json", "+00000000001.jsonl", "head", "000000000001.jsonl.corrupt-5"] {
            assert_eq!(parse(foreign), None, "{foreign}");
        }
    }
}
