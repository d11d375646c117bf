//! Lines of a file of any size, in a buffer of bounded size.

use super::{SessionFile, Sink, Source, TranscriptProblem};
use memchr::memchr;
use serde::Deserialize;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::Path;

/// How much is read at once.
const CHUNK: usize = 256 * 1024;
/// And of a small file.
const LEAST: usize = 4 * 1024;
/// No line that matters is longer: what is, is an image or a dump, and is skipped without being kept.
const LONGEST: usize = 16 * 1024 * 1024;

/// One line, without its end; or one row or message of a file that has no lines, with its number.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub number: u64,
    pub bytes: &'a [u8],
}

impl<'a> Line<'a> {
    /// What the line is, read without copying; told as a broken one if it is something else.
    pub fn parse<T: Deserialize<'a>>(self, file: &Path, sink: &mut dyn Sink) -> Option<T> {
        self.told(serde_json::from_slice(self.bytes), file, sink)
    }

    /// Tells that the line, or a part of it, is not what it should be.
    pub fn told<T>(self, read: serde_json::Result<T>, file: &Path, sink: &mut dyn Sink) -> Option<T> {
        let told = |error: serde_json::Error| {
            sink.trouble(file, TranscriptProblem::BrokenLine { line: self.number, why: error.to_string() });
        };
        read.map_err(told).ok()
    }
}

/// Makes steps of an agent's lines.
pub(super) trait LineReader {
    /// Takes the next line.
    fn take(&mut self, line: Line<'_>, sink: &mut dyn Sink);
}

/// A file of lines that is being read. A line that is too long, or is no JSON object by its first and last character, is told
/// as a broken one: agents that were killed leave half a line behind.
pub(super) struct Lines<'f, R> {
    scanner: Scanner<'f>,
    source: Option<File>,
    reader: R,
}

impl<'f, R: LineReader> Lines<'f, R> {
    pub fn new(file: &'f SessionFile, reader: R) -> Self {
        let scanner = Scanner { file, buffer: Vec::new(), filled: 0, number: 0, skipping: false };
        Self { scanner, source: None, reader }
    }

    fn fill(&mut self) -> std::io::Result<usize> {
        let source = match &mut self.source {
            Some(source) => source,
            None => {
                // A history may have very many small files.
                let whole = usize::try_from(self.scanner.file.bytes).map_or(CHUNK, |bytes| bytes.saturating_add(1));
                self.scanner.buffer.resize(whole.clamp(LEAST, CHUNK), 0);
                self.source.insert(File::open(&self.scanner.file.path)?)
            }
        };
        self.scanner.fill(source)
    }
}

impl<R: LineReader> Source for Lines<'_, R> {
    fn read_on(&mut self, sink: &mut dyn Sink) -> ControlFlow<(), bool> {
        let opened = self.source.is_some();
        match self.fill() {
            Ok(0) => self.scanner.take_rest(&mut self.reader, sink),
            Ok(count) => {
                self.scanner.take_lines(&mut self.reader, sink);
                sink.advance(count as u64)?;
                return ControlFlow::Continue(true);
            }
            Err(error) => {
                let file = self.scanner.file;
                sink.trouble(&file.path, TranscriptProblem::Unreadable(error.to_string()));
                if !opened {
                    sink.advance(file.bytes)?;
                }
                self.scanner.take_rest(&mut self.reader, sink);
            }
        }
        ControlFlow::Continue(false)
    }
}

struct Scanner<'f> {
    file: &'f SessionFile,
    buffer: Vec<u8>,
    /// How much of the buffer is read and not yet given.
    filled: usize,
    number: u64,
    /// The line that is being read is too long.
    skipping: bool,
}

impl Scanner<'_> {
    fn fill(&mut self, source: &mut File) -> std::io::Result<usize> {
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match source.read(self.buffer.get_mut(self.filled..).unwrap_or_default()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(count) => {
                    self.filled += count;
                    return Ok(count);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn take_lines(&mut self, reader: &mut dyn LineReader, sink: &mut dyn Sink) {
        let mut start = 0;
        while let Some(length) = memchr(b'\n', self.buffer.get(start..self.filled).unwrap_or_default()) {
            self.number += 1;
            if std::mem::take(&mut self.skipping) {
                self.tell_too_long(sink);
            } else {
                self.give(start, start + length, reader, sink);
            }
            start += length + 1;
        }
        self.buffer.copy_within(start..self.filled, 0);
        self.filled -= start;
        if self.filled >= LONGEST {
            (self.skipping, self.filled) = (true, 0);
        }
        // One long line does not cost its length for ever.
        if self.buffer.len() > CHUNK && self.filled < CHUNK {
            self.buffer.truncate(CHUNK);
            self.buffer.shrink_to_fit();
        }
    }

    fn take_rest(&mut self, reader: &mut dyn LineReader, sink: &mut dyn Sink) {
        if self.filled > 0 || self.skipping {
            self.number += 1;
            if self.skipping {
                self.tell_too_long(sink);
            } else {
                self.give(0, self.filled, reader, sink);
            }
        }
    }

    fn give(&self, start: usize, end: usize, reader: &mut dyn LineReader, sink: &mut dyn Sink) {
        let bytes = self.buffer.get(start..end).unwrap_or_default().trim_ascii();
        match (bytes.first(), bytes.last()) {
            (None, _) => {}
            (Some(b'{'), Some(b'}')) => reader.take(Line { number: self.number, bytes }, sink),
            _ => self.tell(sink, "it is no JSON object".to_owned()),
        }
    }

    fn tell_too_long(&self, sink: &mut dyn Sink) {
        self.tell(sink, format!("it is longer than {} MiB", LONGEST >> 20));
    }

    fn tell(&self, sink: &mut dyn Sink, why: String) {
        sink.trouble(&self.file.path, TranscriptProblem::BrokenLine { line: self.number, why });
    }
}

/// Whether a line contains one of these.
pub(super) fn has_any(line: &[u8], marks: &[&memchr::memmem::Finder<'_>]) -> bool {
    marks.iter().any(|mark| mark.find(line).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcripts::Step;

    #[derive(Default)]
    struct Notes {
        trouble: Vec<String>,
        bytes: u64,
        enough: bool,
    }

    impl Sink for Notes {
        fn step(&mut self, _: Step) {}
        fn trouble(&mut self, _: &Path, trouble: TranscriptProblem) {
            self.trouble.push(format!("{trouble:?}"));
        }
        fn advance(&mut self, bytes: u64) -> ControlFlow<()> {
            self.bytes += bytes;
            if self.enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }

    #[derive(Default)]
    struct Lengths(Vec<(u64, usize)>);

    impl LineReader for &mut Lengths {
        fn take(&mut self, line: Line<'_>, _: &mut dyn Sink) {
            self.0.push((line.number, line.bytes.len()));
        }
    }

    fn read(content: &[u8]) -> (Vec<(u64, usize)>, Notes) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, content).unwrap();
        let file = SessionFile::at(&path, None).unwrap();
        let (mut lengths, mut notes) = (Lengths::default(), Notes::default());
        let mut lines = Lines::new(&file, &mut lengths);
        while lines.read_on(&mut notes) == ControlFlow::Continue(true) {}
        (lengths.0, notes)
    }

    #[test]
    fn lines_are_given_with_their_numbers_whatever_their_length() {
        let long = format!("{{\"x\":\"{}\"}}", "y".repeat(3 * CHUNK));
        let content = format!("{{}}\r\n\n  {{\"a\":1}}  \n{long}\n{{\"last\":1}}");
        let (lines, notes) = read(content.as_bytes());
        assert_eq!(lines, [(1, 2), (3, 7), (4, long.len()), (5, 10)]);
        assert_eq!((notes.trouble.len(), notes.bytes), (0, content.len() as u64));
    }

    #[test]
    fn half_a_line_and_a_line_without_an_end_are_told_and_the_rest_is_read() {
        let endless = "z".repeat(LONGEST + 5);
        let content = format!("{{\"half\": \n[1]\n{{\"x\":\"{endless}\"}}\n{{}}\n{{\"torn");
        let (lines, notes) = read(content.as_bytes());
        assert_eq!(lines, [(4, 2)]);
        let told: Vec<bool> = [("1", "no JSON"), ("2", "no JSON"), ("3", "longer than 16 MiB"), ("5", "no JSON")]
            .iter()
            .zip(&notes.trouble)
            .map(|((line, why), told)| told.contains(&format!("line: {line}")) && told.contains(why))
            .collect();
        assert_eq!(told, [true; 4], "{:?}", notes.trouble);
    }

    #[test]
    fn a_file_that_is_not_there_is_told_and_counted_as_read() {
        let file = SessionFile { path: "/none".into(), bytes: 7, written: 0, parent: None, begun: None };
        let (mut lengths, mut notes) = (Lengths::default(), Notes::default());
        let more = Lines::new(&file, &mut lengths).read_on(&mut notes);
        assert_eq!(more, ControlFlow::Continue(false));
        assert_eq!((notes.trouble.len(), notes.bytes), (1, 7));
    }
}
