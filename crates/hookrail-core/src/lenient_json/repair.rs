use serde_json::Value;
use std::fmt;

/// Duplicate keys that are listed with their values; more are only counted.
const MAX_DUPLICATES: usize = 1000;

/// Something that a strict parser would not have accepted, or would have hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// What was repaired.
    pub kind: RepairKind,
    /// The byte at which it was found for the first time.
    pub at: usize,
    /// How often it was found.
    pub count: usize,
}

/// What can be repaired in a text that a strict parser rejects; the table in [`lenient_json`](super) says how.
#[derive(Clone, Debug, PartialEq)]
pub enum RepairKind {
    /// A byte order mark before the object.
    ByteOrderMark,
    /// Bytes behind the object; `count` says how many.
    TrailingBytes,
    /// Bytes that are not UTF-8, in a text.
    InvalidUtf8,
    /// `\ud800` without its other half, as JavaScript writes it.
    LoneSurrogate,
    /// A raw control character in a text, such as a line break.
    ControlCharacter,
    /// A backslash before a character that needs none.
    UnknownEscape,
    /// A number that no double can hold; it is a text now.
    NumberOutOfRange,
    /// `NaN`, `Infinity` or `-Infinity`; it is a text now.
    NotANumber,
    /// An array or object that is a text now.
    TooDeep,
    /// A key that its object has already, and the value that does not count.
    DuplicateKey {
        /// The key that is given twice.
        key: String,
        /// The value that a reader with the other rule would see.
        shadowed: Value,
    },
    /// Duplicate keys beyond those that are listed.
    MoreDuplicateKeys,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, at, count } = self;
        match kind {
            RepairKind::ByteOrderMark => f.write_str("a byte order mark was skipped")?,
            RepairKind::TrailingBytes => return write!(f, "{count} bytes behind the object were skipped at byte {at}"),
            RepairKind::InvalidUtf8 => f.write_str("bytes that are not UTF-8 were replaced")?,
            RepairKind::LoneSurrogate => f.write_str("a lone surrogate was replaced")?,
            RepairKind::ControlCharacter => f.write_str("a raw control character was accepted")?,
            RepairKind::UnknownEscape => f.write_str("an unknown escape was kept as it is")?,
            RepairKind::NumberOutOfRange => f.write_str("a number out of range became a text")?,
            RepairKind::NotANumber => f.write_str("a value that is not a number became a text")?,
            RepairKind::TooDeep => f.write_str("a value nested too deeply became a text")?,
            RepairKind::DuplicateKey { key, .. } => write!(f, "the key {} is given twice", Value::from(key.as_str()))?,
            RepairKind::MoreDuplicateKeys => f.write_str("more keys are given twice")?,
        }
        write!(f, " at byte {at}")?;
        if *count > 1 { write!(f, " and {} more times", count - 1) } else { Ok(()) }
    }
}

/// Collects repairs: one entry for each kind, and one for each duplicate key, because their values differ.
#[derive(Debug, Default)]
pub(super) struct Repairs {
    /// At most one of each kind, so looking through them takes no time.
    kinds: Vec<Repair>,
    duplicates: Vec<Repair>,
}

impl Repairs {
    pub fn add(&mut self, kind: RepairKind, at: usize, count: usize) {
        if count == 0 {
            return;
        }
        match self.kinds.iter_mut().find(|repair| repair.kind == kind) {
            Some(repair) => repair.count += count,
            None => self.kinds.push(Repair { kind, at, count }),
        }
    }

    pub fn add_duplicate(&mut self, key: String, shadowed: Value, at: usize) {
        if self.duplicates.len() < MAX_DUPLICATES {
            self.duplicates.push(Repair { kind: RepairKind::DuplicateKey { key, shadowed }, at, count: 1 });
        } else {
            self.add(RepairKind::MoreDuplicateKeys, at, 1);
        }
    }

    /// All repairs in the order of the text.
    pub fn finish(mut self) -> Vec<Repair> {
        self.kinds.append(&mut self.duplicates);
        self.kinds.sort_by_key(|repair| repair.at);
        self.kinds
    }
}
