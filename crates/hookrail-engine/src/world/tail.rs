//! The end of a file that may be very long, read backwards and only as far as it is needed.

use hookrail_store::{FileError, Links, careful_open};
use memchr::memrchr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

/// What is read first; then as much again as there is.
const FIRST: u64 = 64 << 10;

/// What is known of a file's end.
#[derive(Debug)]
pub(super) struct Tail {
    file: File,
    /// Where `bytes` begins in the file.
    start: u64,
    bytes: Vec<u8>,
}

impl Tail {
    /// `None` if there is no such file.
    pub fn open(path: &Path) -> Result<Option<Self>, FileError> {
        match careful_open(path, Links::Follow) {
            Ok((file, found)) => Ok(Some(Self { file, start: found.len(), bytes: Vec::new() })),
            Err(FileError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Shows lines without their line breaks, the last one first. A line that begins before the last `most` bytes is not shown.
    pub fn show(&mut self, most: u64, see: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> io::Result<()> {
        let mut end = self.bytes.len();
        // Where the search for the beginning of a line goes on: what is behind it has none.
        let mut search = end;
        loop {
            let before = self.bytes.get(..search).unwrap_or_default();
            if let Some(at) = memrchr(b'\n', before) {
                let line = self.bytes.get(at + 1..end).unwrap_or_default();
                if see(line).is_break() {
                    return Ok(());
                }
                (end, search) = (at, at);
            } else if self.start == 0 {
                let _ = see(self.bytes.get(..end).unwrap_or_default());
                return Ok(());
            } else {
                let read = self.extend(most)?;
                if read == 0 {
                    return Ok(());
                }
                (end, search) = (end + read, read);
            }
        }
    }

    /// Reads what stands before; how many bytes that were. None if they would be more than `most` in all.
    fn extend(&mut self, most: u64) -> io::Result<usize> {
        let known = self.bytes.len() as u64;
        let wanted = known.max(FIRST).min(self.start).min(most.saturating_sub(known));
        self.file.seek(SeekFrom::Start(self.start - wanted))?;
        let mut bytes = Vec::with_capacity(usize::try_from(wanted + known).unwrap_or_default());
        self.file.by_ref().take(wanted).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != wanted {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it became shorter while it was read"));
        }
        let read = bytes.len();
        bytes.append(&mut self.bytes);
        (self.bytes, self.start) = (bytes, self.start - wanted);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(content: &[u8], most: u64, wanted: usize) -> (Vec<Vec<u8>>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, content).unwrap();
        let mut tail = Tail::open(&path).unwrap().unwrap();
        let mut seen = Vec::new();
        for _ in 0..2 {
            seen.clear();
            let see = &mut |line: &[u8]| {
                seen.push(line.to_vec());
                if seen.len() == wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            tail.show(most, see).unwrap();
        }
        (seen, tail.bytes.len())
    }

    #[test]
    fn lines_come_from_the_last_to_the_first() {
        for content in
            ["", "a", "a\n", "a\nbc\n\nd", "\n\n", &"x\n".repeat(100_000), &format!("{}\nb", "x".repeat(300_000))]
        {
            let expected: Vec<Vec<u8>> = content.split('\n').rev().map(|line| line.as_bytes().to_vec()).collect();
            assert_eq!(lines(content.as_bytes(), u64::MAX, usize::MAX).0, expected, "{}", content.len());
        }
    }

    #[test]
    fn no_more_is_read_than_is_needed_or_allowed() {
        let content = "0123456789abcde\n".repeat(1 << 20);
        let (seen, read) = lines(content.as_bytes(), u64::MAX, 3);
        assert_eq!((seen.len(), read), (3, 64 << 10));
        let (seen, read) = lines(content.as_bytes(), 1 << 20, usize::MAX);
        assert_eq!(
            (seen.len(), read),
            (1 << 16, 1 << 20),
            "a whole line that begins exactly there is not told from a part"
        );
        let (_, read) = lines(content.as_bytes(), 100_000, usize::MAX);
        assert_eq!(read, 100_000);
    }
}
