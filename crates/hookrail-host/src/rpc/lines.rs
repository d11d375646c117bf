use std::io::{self, BufRead, BufReader, Read};

/// As much as a pipe usually holds.
const BUFFER_BYTES: usize = 64 * 1024;

/// Memory that one long line leaves behind for the next ones.
const KEPT_BYTES: usize = 1 << 20;

/// What stood between two line breaks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Bytes(&'a [u8]),
    /// Longer than the limit; it was read past and is gone.
    TooLong,
}

/// Reads lines of limited length.
pub(super) struct LineReader<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    limit: usize,
}

impl<R: Read> LineReader<R> {
    pub fn new(input: R, limit: usize) -> Self {
        Self { input: BufReader::with_capacity(BUFFER_BYTES, input), line: Vec::new(), limit }
    }

    /// The next line without its line break; `None` at the end of the input. `before_waiting` is called before the
    /// reader may have to wait for more input.
    pub fn next(&mut self, before_waiting: impl FnOnce()) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        self.line.shrink_to(KEPT_BYTES);
        if !self.input.buffer().contains(&b'\n') {
            before_waiting();
        }
        let with_break = u64::try_from(self.limit).unwrap_or(u64::MAX).saturating_add(1);
        let count = self.input.by_ref().take(with_break).read_until(b'\n', &mut self.line)?;
        if count == 0 {
            return Ok(None);
        }
        match self.line.strip_suffix(b"\n") {
            Some(line) => Ok(Some(Line::Bytes(line))),
            None if count > self.limit => {
                self.input.skip_until(b'\n')?;
                Ok(Some(Line::TooLong))
            }
            None => Ok(Some(Line::Bytes(&self.line))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(input: &[u8], limit: usize) -> Vec<Option<String>> {
        let mut reader = LineReader::new(input, limit);
        let mut lines = Vec::new();
        while let Some(line) = reader.next(|| ()).unwrap() {
            lines.push(match line {
                Line::Bytes(bytes) => Some(String::from_utf8(bytes.to_vec()).unwrap()),
                Line::TooLong => None,
            });
        }
        lines
    }

    #[test]
    fn lines_end_at_line_breaks_and_at_the_end_of_the_input() {
        let cases: [(&str, &[Option<&str>]); 8] = [
            ("", &[]),
            ("a\n", &[Some("a")]),
            ("a\nb", &[Some("a"), Some("b")]),
            ("\n\na", &[Some(""), Some(""), Some("a")]),
            ("123456\nb\n", &[Some("123456"), Some("b")]),
            ("1234567\nb\n", &[None, Some("b")]),
            ("12345678901234567890\nb\n", &[None, Some("b")]),
            ("1234567", &[None]),
        ];
        for (input, expected) in cases {
            let expected: Vec<Option<String>> = expected.iter().map(|line| line.map(str::to_owned)).collect();
            assert_eq!(read_all(input.as_bytes(), 6), expected, "{input:?}");
        }
    }

    #[test]
    fn the_reader_says_so_before_it_may_have_to_wait() {
        // Each part is what one read of the stream yields.
        struct Parts(Vec<&'static [u8]>);
        impl Read for Parts {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if self.0.is_empty() { Ok(0) } else { self.0.remove(0).read(buffer) }
            }
        }
        let mut reader = LineReader::new(Parts(vec![b"one\ntwo\nth", b"ree\n"]), 100);
        let mut waits = Vec::new();
        for expected in ["one", "two", "three"] {
            let mut waited = false;
            let line = reader.next(|| waited = true).unwrap();
            assert_eq!(line, Some(Line::Bytes(expected.as_bytes())));
            waits.push(waited);
        }
        assert_eq!(waits, [true, false, true]);
    }
}
