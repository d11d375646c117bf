//! The end of a file that may be very long, read backwards and only as far as it is needed.

use hookrail_store::{FileError, Links, careful_open};
use memchr::memrchr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

/// What is read first; then as much again as there is, up to the most.
const FIRST_PIECE: usize = 64 << 10;
const LARGEST_PIECE: usize = 1 << 20;

/// What is known of a file's end.
#[derive(Debug)]
pub(super) struct Tail {
    file: File,
    /// Where the known bytes begin in the file.
    start: u64,
    /// Room for all that may be read, filled from its end: nothing is moved, and what is not filled is not touched.
    buffer: Vec<u8>,
    /// Where the known bytes begin in the buffer.
    first: usize,
}

impl Tail {
    /// `None` if there is no such file.
    pub fn open(path: &Path) -> Result<Option<Self>, FileError> {
        match careful_open(path, Links::Follow) {
            Ok((file, found)) => Ok(Some(Self { file, start: found.len(), buffer: Vec::new(), first: 0 })),
            Err(FileError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Shows lines without their line breaks, the last one first. A line that begins before the last `most` bytes is not shown.
    pub fn show(&mut self, most: u64, see: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> io::Result<()> {
        self.make_room(most);
        let mut end = self.buffer.len();
        // Where the search for the beginning of a line goes on: what is behind it has none.
        let mut search = end;
        loop {
            let before = self.buffer.get(self.first..search).unwrap_or_default();
            if let Some(at) = memrchr(b'\n', before).map(|at| self.first + at) {
                let line = self.buffer.get(at + 1..end).unwrap_or_default();
                if see(line).is_break() {
                    return Ok(());
                }
                (end, search) = (at, at);
            } else if self.start == 0 {
                let _ = see(self.buffer.get(self.first..end).unwrap_or_default());
                return Ok(());
            } else {
                search = self.first;
                if self.extend()? == 0 {
                    return Ok(());
                }
            }
        }
    }

    /// Room for the last `most` bytes of the file, or all of it.
    fn make_room(&mut self, most: u64) {
        let known = self.buffer.len() - self.first;
        let room = usize::try_from(most.min(self.start + known as u64)).unwrap_or(usize::MAX);
        if room > self.buffer.len() {
            let mut buffer = vec![0; room];
            if let (Some(to), Some(from)) = (buffer.get_mut(room - known..), self.buffer.get(self.first..)) {
                to.copy_from_slice(from);
            }
            (self.buffer, self.first) = (buffer, room - known);
        }
    }

    /// Reads what stands before what is known; how many bytes that were. None if there is no room.
    fn extend(&mut self) -> io::Result<usize> {
        let known = self.buffer.len() - self.first;
        let before = usize::try_from(self.start).unwrap_or(usize::MAX);
        let wanted = known.clamp(FIRST_PIECE, LARGEST_PIECE).min(before).min(self.first);
        self.file.seek(SeekFrom::Start(self.start - wanted as u64))?;
        if let Some(piece) = self.buffer.get_mut(self.first - wanted..self.first) {
            self.file.read_exact(piece)?;
        }
        (self.first, self.start) = (self.first - wanted, self.start - wanted as u64);
        Ok(wanted)
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
        (seen, tail.buffer.len() - tail.first)
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
