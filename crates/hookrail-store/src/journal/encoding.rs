//! Records as JSON that is safe to look at: one line each, of limited length, and nothing in it that a terminal obeys.

use super::record::JournalRecord;
use crate::error::StoreError;
use crate::nesting::is_too_deep;
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;
use std::borrow::Cow;
use std::io::{self, Write};

/// The longest record, in bytes.
const RECORD_MAX: usize = 64 * 1024;
/// From here on characters of one byte are not inert, and others have more bytes.
const DELETE: u8 = 0x7f;

/// The record as a JSON object without line breaks. What makes it too large, or too deep to be read back, is left out
/// and named instead.
pub(crate) fn encode(record: &JournalRecord) -> Result<Vec<u8>, StoreError> {
    let bytes = to_json(record)?;
    if is_fit(&bytes) {
        return Ok(bytes);
    }
    let mut smaller = JournalRecord { input: None, ..record.clone() };
    smaller.dropped = record.input.iter().map(|_| "input".to_owned()).collect();
    let bytes = to_json(&smaller)?;
    if is_fit(&bytes) {
        return Ok(bytes);
    }
    smaller.extra.clear();
    smaller.dropped.push("extra".to_owned());
    to_json(&smaller)
}

fn is_fit(json: &[u8]) -> bool {
    json.len() <= RECORD_MAX && !is_too_deep(json)
}

/// Serialises a text that is cut after about `MAX` bytes.
pub(crate) fn cap<const MAX: usize, T: Text, S: Serializer>(text: &T, serializer: S) -> Result<S::Ok, S::Error> {
    match text.text() {
        Some(text) => serializer.serialize_str(&shorten(text, MAX)),
        None => serializer.serialize_none(),
    }
}

/// A text, or none.
pub(crate) trait Text {
    fn text(&self) -> Option<&str>;
}

impl Text for String {
    fn text(&self) -> Option<&str> {
        Some(self)
    }
}

impl Text for Option<String> {
    fn text(&self) -> Option<&str> {
        self.as_deref()
    }
}

fn shorten(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let kept = text.get(..text.floor_char_boundary(max)).unwrap_or_default();
    Cow::Owned(format!("{kept}…"))
}

fn to_json(record: &JournalRecord) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::with_capacity(512);
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Inert);
    let written = record.serialize(&mut serializer);
    written.map_err(|source| StoreError::Encode { what: "a journal record", source })?;
    Ok(bytes)
}

/// JSON already escapes line breaks and the like; this also escapes what else a terminal or an editor would act upon:
/// delete, the second set of control characters, line separators, and changes of the writing direction.
struct Inert;

impl Formatter for Inert {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Almost every text, and then there is nothing to look for: JSON has escaped the other ASCII controls already.
        if is_below_delete(fragment.as_bytes()) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, found)) = rest.char_indices().find(|(_, c)| is_active(*c)) {
            let (inert, tail) = rest.split_at(at);
            write!(writer, "{inert}\\u{:04x}", u32::from(found))?;
            rest = tail.strip_prefix(found).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }
}

/// Whether all bytes are below [`DELETE`]; eight are looked at together.
fn is_below_delete(bytes: &[u8]) -> bool {
    const EACH: u64 = u64::MAX / 0xff;
    const HIGHEST_BIT: u64 = EACH * 0x80;
    let (words, rest) = bytes.as_chunks();
    let are_below = |word: u64| (word | ((word & !HIGHEST_BIT) + EACH)) & HIGHEST_BIT == 0;
    words.iter().all(|word| are_below(u64::from_ne_bytes(*word))) && rest.iter().all(|byte| *byte < DELETE)
}

fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nesting::MAX_DEPTH;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn text(record: &JournalRecord) -> String {
        String::from_utf8(encode(record).unwrap()).unwrap()
    }

    fn with_reason(reason: &str) -> JournalRecord {
        JournalRecord { reason: Some(reason.to_owned()), ..JournalRecord::default() }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let cases = [
            ("a".repeat(4096), "a".repeat(4096)),
            ("a".repeat(4097), format!("{}…", "a".repeat(4096))),
            (format!("{}é", "a".repeat(4095)), format!("{}…", "a".repeat(4095))),
        ];
        for (reason, kept) in cases {
            let read: JournalRecord = serde_json::from_str(&text(&with_reason(&reason))).unwrap();
            assert_eq!(read.reason, Some(kept));
        }
    }

    #[test]
    fn what_makes_a_record_too_large_is_left_out_and_named() {
        let (small, large) = (json!("x"), json!("x".repeat(RECORD_MAX)));
        let deep = (0..MAX_DEPTH).fold(json!("x"), |inner, _| json!([inner]));
        let cases: [(&Value, &Value, &[&str]); 6] = [
            (&deep, &small, &["input"]),
            (&deep, &deep, &["input", "extra"]),
            (&small, &small, &[]),
            (&large, &small, &["input"]),
            (&small, &large, &["input", "extra"]),
            (&large, &large, &["input", "extra"]),
        ];
        for (input, extra, dropped) in cases {
            let record = JournalRecord {
                input: Some(input.clone()),
                extra: [("note".to_owned(), extra.clone())].into_iter().collect(),
                ..with_reason("kept")
            };
            let read: JournalRecord = serde_json::from_str(&text(&record)).unwrap();
            assert_eq!(read.dropped, dropped);
            assert_eq!(read.input.is_none(), dropped.contains(&"input"));
            assert_eq!(read.extra.is_empty(), dropped.contains(&"extra"));
            assert_eq!(read.reason.as_deref(), Some("kept"));
        }
    }

    proptest! {
        #[test]
        fn any_text_reads_back_and_stays_inert(reason in any::<String>(), key in any::<String>()) {
            let record = JournalRecord {
                extra: [(key, json!(reason))].into_iter().collect(),
                ..with_reason(&reason)
            };
            let line = text(&record);
            prop_assert!(!line.contains(is_active), "{line:?}");
            prop_assert_eq!(serde_json::from_str::<JournalRecord>(&line).unwrap(), record);
        }
    }

    #[test]
    fn every_byte_is_told_from_those_below_delete_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            for (length, place) in (1..20).flat_map(|length| (0..length).map(move |place| (length, place))) {
                let mut bytes = vec![b'~'; length];
                bytes[place] = byte;
                assert_eq!(is_below_delete(&bytes), byte < DELETE, "{byte:#x} at {place} of {length}");
            }
        }
        assert!(is_below_delete(b""));
    }

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        let line = text(&with_reason("\u{1b}[2J \u{9b}1m \u{7f} \u{202e}x \u{2028} \n\r\t é"));
        let expected = r#""reason":"\u001b[2J \u009b1m \u007f \u202ex \u2028 \n\r\t é""#;
        assert!(line.contains(expected), "{line}");
    }
}
