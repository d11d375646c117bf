use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};

/// More than any record has. Of a longer line only this much is kept.
const MAX_LINE: u64 = 1024 * 1024;
const BUFFER: usize = 64 * 1024;

/// A file's lines, with bounded memory whatever is in it.
#[derive(Debug)]
pub(crate) struct Lines {
    reader: BufReader<Take<File>>,
    buffer: Vec<u8>,
    offset: u64,
    number: u64,
}

/// One line, without its line break.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub bytes: &'a [u8],
    /// Counted from 1.
    pub number: u64,
    /// Where it begins in the file, and where the next one does.
    pub start: u64,
    pub end: u64,
    /// It has a line break. Only the last line of a file can be without.
    pub complete: bool,
}

impl Lines {
    /// The lines of a file from `offset`, with `number` lines before it, to `limit`.
    pub fn new(mut file: File, offset: u64, number: u64, limit: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(offset))?;
        let reader = BufReader::with_capacity(BUFFER, file.take(limit.saturating_sub(offset)));
        Ok(Self { reader, buffer: Vec::new(), offset, number })
    }

    /// The next line; `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let kept = self.reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.buffer)? as u64;
        if kept == 0 {
            return Ok(None);
        }
        let mut complete = self.buffer.pop_if(|last| *last == b'\n').is_some();
        let mut skipped = 0;
        if !complete && kept == MAX_LINE {
            (skipped, complete) = self.skip_rest()?;
        }
        let start = self.offset;
        self.offset += kept + skipped;
        self.number += 1;
        Ok(Some(Line { bytes: &self.buffer, number: self.number, start, end: self.offset, complete }))
    }

    /// Goes to the end of the line; returns how far that was, and whether there was a line break.
    fn skip_rest(&mut self) -> io::Result<(u64, bool)> {
        let mut skipped = 0;
        loop {
            let chunk = self.reader.fill_buf()?;
            let (len, ended) = match chunk.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (chunk.len(), false),
            };
            self.reader.consume(len);
            skipped += len as u64;
            if ended || len == 0 {
                return Ok((skipped, ended));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    type Seen = (usize, u64, u64, u64, bool);

    fn read(content: &[u8], offset: u64, limit: u64) -> Vec<Seen> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        let mut lines = Lines::new(file, offset, 10, limit).unwrap();
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push((line.bytes.len(), line.number, line.start, line.end, line.complete));
        }
        seen
    }

    #[test]
    fn lines_know_where_they_stand() {
        let max = usize::try_from(MAX_LINE).unwrap();
        let huge = |len: usize, end: &str| [vec![b'x'; len], end.as_bytes().to_vec()].concat();
        let end = MAX_LINE + 5;
        let cases: [(Vec<u8>, u64, u64, Vec<Seen>); 8] = [
            (b"".into(), 0, 99, vec![]),
            (b"ab\n\nc".into(), 0, 99, vec![(2, 11, 0, 3, true), (0, 12, 3, 4, true), (1, 13, 4, 5, false)]),
            (b"ab\ncd\n".into(), 3, 99, vec![(2, 11, 3, 6, true)]),
            (b"ab\ncd\n".into(), 0, 5, vec![(2, 11, 0, 3, true), (2, 12, 3, 5, false)]),
            (b"ab\n".into(), 7, 99, vec![]),
            (huge(max - 1, "\n"), 0, u64::MAX, vec![(max - 1, 11, 0, MAX_LINE, true)]),
            (huge(max + 4, "\nz\n"), 0, u64::MAX, vec![(max, 11, 0, end, true), (1, 12, end, end + 2, true)]),
            (huge(max + 5, ""), 0, u64::MAX, vec![(max, 11, 0, end, false)]),
        ];
        for (content, offset, limit, expected) in cases {
            assert_eq!(read(&content, offset, limit), expected, "{} bytes", content.len());
        }
    }
}
