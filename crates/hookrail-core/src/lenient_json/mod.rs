//! Reads JSON that an agent really sends but a strict parser rejects.
//!
//! A guard that cannot read an event cannot judge it. Some agents send text that no strict parser takes: JavaScript writes
//! lone surrogates, Python writes `NaN`, a tool result may hold bytes that are not UTF-8. [`parse`] reads all of that and says
//! what it had to repair, so that the event is judged and the caller can tell a person about it.
//!
//! | in the text | in the value | why |
//! |---|---|---|
//! | a lone surrogate, bytes that are not UTF-8 | U+FFFD | a Rust text cannot hold them |
//! | a raw control character in a text | itself | nothing is lost |
//! | an escape that does not exist, such as `\x` | the backslash and what follows it | nothing is lost |
//! | a number out of range (`1e400`), `NaN`, `Infinity` | a text with its digits | JSON has no infinity, and a saturated number was not in the text |
//! | nesting beyond [`MAX_DEPTH`] | a text: [`DEEP_MARK`] and the source of that part | a deeper value would overflow the stack of whoever drops, clones or prints it |
//! | the same key twice in an object | the last value, as in JavaScript and Python | the other value is in the [`Repair`] |
//! | a byte order mark, bytes behind the object | nothing | they mean nothing |
//!
//! Whatever `serde_json` accepts gives an equal value here, without a repair but for duplicate keys. One exception is on
//! purpose: an object with the key `$serde_json::private::RawValue` stays the object that it is.
//!
//! The time is linear in the length of the text.

mod number;
mod parser;
mod repair;
#[cfg(test)]
mod tests;
mod text;

pub use repair::{Repair, RepairKind};

use parser::Parser;
use serde_json::Value;

/// How many arrays and objects may be inside each other, the outermost included: as many as `serde_json` accepts.
pub const MAX_DEPTH: usize = 127;
/// The longest text that is read, in bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// The beginning of a text that stands for arrays and objects nested too deeply.
pub const DEEP_MARK: &str = "[nested too deeply] ";

/// An object, and what had to be repaired to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lenient {
    /// Always an object.
    pub value: Value,
    /// In the order of the text; empty if a strict parser would have read the same.
    pub repairs: Vec<Repair>,
}

/// Which value of a key counts that an object has more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// As in JavaScript, Python and `serde_json`.
    #[default]
    LastWins,
    /// As in some parsers of C and C++.
    FirstWins,
}

/// Why a text is not a JSON object, not even a damaged one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The text ends too early.
    #[error("the text ends at byte {at}, in the middle of a value")]
    Truncated {
        /// The number of bytes that could be read.
        at: usize,
    },
    /// Something stands where it has no meaning.
    #[error("expected {expected} at byte {at}")]
    Unexpected {
        /// Where it stands.
        at: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// The text is JSON, and no event.
    #[error("the value at byte {at} is not an object")]
    NotAnObject {
        /// Where the value begins.
        at: usize,
    },
    /// The text has more than [`MAX_BYTES`].
    #[error("the text has {bytes} bytes, more than the {MAX_BYTES} that are read")]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
}

/// Reads a text that should be one JSON object.
pub fn parse(bytes: &[u8]) -> Result<Lenient, Unreadable> {
    parse_with(bytes, DuplicateKeys::LastWins)
}

/// Reads a text as a parser with another rule for duplicate keys would. Whoever must know every meaning that the text can
/// have reads it in both ways if the first one reports a [`RepairKind::DuplicateKey`].
pub fn parse_with(bytes: &[u8], duplicates: DuplicateKeys) -> Result<Lenient, Unreadable> {
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable::TooLarge { bytes: bytes.len() });
    }
    Parser::new(bytes, duplicates).document()
}
