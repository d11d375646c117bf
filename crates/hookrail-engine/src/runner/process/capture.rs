//! What is kept of one output stream.

/// One output stream as text. Bytes that are not UTF-8 became U+FFFD.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// What was kept.
    pub text: String,
    /// There was more than the limit allowed to keep.
    pub truncated: bool,
}

/// Collects bytes up to a limit. They are decoded once, at the end, so that a character split across two reads stays whole.
#[derive(Debug)]
pub(super) struct Capture {
    bytes: Vec<u8>,
    pub(super) limit: usize,
    truncated: bool,
}

impl Capture {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, truncated: false }
    }

    pub(super) fn push(&mut self, chunk: &[u8]) {
        let room = self.limit.saturating_sub(self.bytes.len());
        match chunk.split_at_checked(room) {
            Some((fits, rest)) => {
                self.bytes.extend_from_slice(fits);
                self.truncated |= !rest.is_empty();
            }
            None => self.bytes.extend_from_slice(chunk),
        }
    }

    /// The text so far; the capture is empty afterwards.
    pub(super) fn take(&mut self) -> Captured {
        let mut bytes = std::mem::take(&mut self.bytes);
        if self.truncated {
            bytes.truncate(whole_characters(&bytes));
        }
        let text = String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
        Captured { text, truncated: self.truncated }
    }
}

/// The length of `bytes` without a last character that the limit cut in two.
fn whole_characters(bytes: &[u8]) -> usize {
    let Some(start) = bytes.iter().rposition(|byte| *byte >= 0xC0) else { return bytes.len() };
    let cut = bytes.get(start..).is_some_and(|tail| matches!(str::from_utf8(tail), Err(e) if e.error_len().is_none()));
    if cut { start } else { bytes.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(limit: usize, chunks: &[&[u8]], text: &str, truncated: bool) {
        let mut capture = Capture::new(limit);
        chunks.iter().for_each(|chunk| capture.push(chunk));
        assert_eq!(capture.take(), Captured { text: text.to_owned(), truncated });
    }

    #[test]
    fn a_capture_keeps_whole_characters_up_to_its_limit() {
        check(9, &[], "", false);
        check(9, &[b"abc"], "abc", false);
        check(3, &[b"abc"], "abc", false);
        check(3, &[b"abc", b""], "abc", false);
        check(3, &[b"abc", b"d"], "abc", true);
        check(3, &[b"abcd"], "abc", true);
        check(0, &[b"a"], "", true);
        // A character split across reads is whole, whatever the split.
        check(9, &[b"\xE2", b"\x82", b"\xAC!"], "€!", false);
        check(9, &[b"\xF0\x9F", b"\x98\x80"], "😀", false);
        // One cut by the limit is left out; one broken by its author is not hidden.
        check(4, &[b"ab\xE2\x82\xAC"], "ab", true);
        check(5, &[b"ab\xE2\x82\xAC", b"x"], "ab€", true);
        check(6, &[b"\xFFab\xF0\x9F\x98\x80"], "\u{FFFD}ab", true);
        check(9, &[b"ab\xE2\x82"], "ab\u{FFFD}", false);
        check(4, &[b"ab\xE2(cd"], "ab\u{FFFD}(", true);
        check(3, &[b"ab\xFFcd"], "ab\u{FFFD}", true);
        check(3, &[b"a\x80\x80\x80"], "a\u{FFFD}\u{FFFD}", true);
        check(9, &[b"a\xC3(\xFF"], "a\u{FFFD}(\u{FFFD}", false);
    }
}
