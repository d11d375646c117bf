use super::chain::{Digest, Link};
use super::glance::{RecordSummary, SummaryVisitor};
use super::lines::{Line, Lines};
use super::record::JournalRecord;
use super::report::RecordPosition;
use super::segment;
use crate::dir::{Access, Dir};
use crate::error::StoreError;
use std::collections::VecDeque;

/// A position between two lines of the journal. The default is its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    segment: u64,
    offset: u64,
    lines_before: u64,
}

/// A record, where it stands, and where to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub place: RecordPosition,
    /// The record's number, counted from the journal's beginning.
    pub seq: u64,
    pub record: JournalRecord,
    /// The position after it.
    pub next: Cursor,
    pub link: ChainLink,
}

/// What a record says about its place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainLink {
    segment: u64,
    prev: Digest,
    hash: Digest,
    sound: bool,
}

impl ChainLink {
    /// The first record of the file it stands in, which names that file.
    #[must_use]
    pub fn segment(&self) -> u64 {
        self.segment
    }

    /// The hash of the record before it, as hexadecimal digits.
    #[must_use]
    pub fn prev(&self) -> &str {
        self.prev.as_str()
    }

    /// Its own hash, as hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> &str {
        self.hash.as_str()
    }

    /// Whether the record is as it was written.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.sound
    }
}

/// Why there is no record.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// One line is not a record. Reading can go on after it.
    #[error("{place}: {why}")]
    Broken { place: RecordPosition, why: String, next: Cursor },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads the journal from a position on. Nothing is locked: a line is complete as soon as its line break is there, and
/// a last line without one is left for the next time.
#[derive(Debug)]
pub(crate) struct JournalReader {
    dir: Dir,
    segments: VecDeque<u64>,
    from: Cursor,
    current: Option<(u64, Lines)>,
}

pub(crate) fn read_from(dir: Dir, from: Cursor) -> Result<JournalReader, StoreError> {
    let segments = segment::list(&dir)?.into_iter().map(|segment| segment.first);
    let segments = segments.filter(|first| *first >= from.segment).collect();
    Ok(JournalReader { dir, segments, from, current: None })
}

impl JournalReader {
    /// Shows what is needed to count records, without reading the rest of them, to the end.
    pub fn glance(mut self, see: &mut SummaryVisitor<'_>) {
        loop {
            let Some((first, lines)) = &mut self.current else {
                match self.open_next() {
                    Ok(true) => continue,
                    Ok(false) => return,
                    Err(error) => return see(Err(error.into())),
                }
            };
            let first = *first;
            match lines.next() {
                Ok(Some(line)) if line.complete || !self.segments.is_empty() => match RecordSummary::read(line.bytes) {
                    Some((seq, glance)) => see(Ok((seq, glance))),
                    None => match read_entry(first, &line) {
                        Ok(entry) => see(Ok((entry.seq, RecordSummary::of(&entry.record)))),
                        Err(error) => see(Err(error)),
                    },
                },
                Ok(Some(_)) => return,
                Ok(None) => self.current = None,
                Err(source) => {
                    let path = self.dir.path_of(&segment::name(first));
                    return see(Err(StoreError::io("read", &path, source).into()));
                }
            }
        }
    }

    fn advance(&mut self) -> Result<Option<Entry>, ReadError> {
        loop {
            let Some((first, lines)) = &mut self.current else {
                if self.open_next()? {
                    continue;
                }
                return Ok(None);
            };
            let first = *first;
            match lines.next() {
                Ok(Some(line)) if line.complete || !self.segments.is_empty() => {
                    return read_entry(first, &line).map(Some);
                }
                Ok(Some(_)) => return Ok(None),
                Ok(None) => self.current = None,
                Err(source) => {
                    let path = self.dir.path_of(&segment::name(first));
                    return Err(StoreError::io("read", &path, source).into());
                }
            }
        }
    }

    fn open_next(&mut self) -> Result<bool, StoreError> {
        while let Some(first) = self.segments.pop_front() {
            let name = segment::name(first);
            // A file may be pruned while it is read.
            let Some(found) = self.dir.open(&name, Access::Read)? else { continue };
            let (offset, before) =
                if first == self.from.segment { (self.from.offset, self.from.lines_before) } else { (0, 0) };
            let lines = Lines::new(found.file, offset, before, u64::MAX);
            let lines = lines.map_err(|source| StoreError::io("read", &self.dir.path_of(&name), source))?;
            self.current = Some((first, lines));
            return Ok(true);
        }
        Ok(false)
    }
}

impl Iterator for JournalReader {
    type Item = Result<Entry, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.advance().transpose()?;
        if matches!(item, Err(ReadError::Store(_))) {
            // Trying again would fail again, forever.
            self.current = None;
            self.segments.clear();
        }
        Some(item)
    }
}

fn read_entry(first: u64, line: &Line<'_>) -> Result<Entry, ReadError> {
    let place = RecordPosition { file: segment::name(first), line: line.number };
    let next = Cursor { segment: first, offset: line.end, lines_before: line.number };
    let Some(link) = Link::read(line.bytes) else {
        return Err(ReadError::Broken { place, why: "this is not a record of the journal".to_owned(), next });
    };
    match serde_json::from_slice(line.bytes) {
        Ok(record) => {
            let sound = link.is_sound();
            let chain = ChainLink { segment: first, prev: link.prev, hash: link.hash, sound };
            Ok(Entry { place, seq: link.seq, record, next, link: chain })
        }
        Err(error) => Err(ReadError::Broken { place, why: error.to_string(), next }),
    }
}

/// How much later than its time a record may be written, and how far a clock may be set back: records are nearly in the order of
/// their times.
pub(crate) const DISORDER_MILLIS: i64 = 60 * 60 * 1000;

/// A position before which all records are older than `millis`: that of the newest file that begins with one.
pub(crate) fn from_time(dir: &Dir, millis: i64) -> Result<Cursor, StoreError> {
    let older = millis.saturating_sub(DISORDER_MILLIS);
    for segment in segment::list(dir)?.into_iter().rev() {
        if first_time(dir, segment.first)?.is_some_and(|first| first < older) {
            return Ok(Cursor { segment: segment.first, ..Cursor::default() });
        }
    }
    Ok(Cursor::default())
}

/// The time of a file's first record, if that can be read.
fn first_time(dir: &Dir, first: u64) -> Result<Option<i64>, StoreError> {
    let name = segment::name(first);
    let Some(found) = dir.open(&name, Access::Read)? else { return Ok(None) };
    let failed = |source| StoreError::io("read", &dir.path_of(&name), source);
    let mut lines = Lines::new(found.file, 0, 0, u64::MAX).map_err(failed)?;
    let line = lines.next().map_err(failed)?;
    Ok(line.and_then(|line| read_entry(first, &line).ok()).map(|entry| entry.record.ts))
}

/// The beginning of the file in which the record of this number stands, or would stand.
pub(crate) fn file_of(dir: &Dir, seq: u64) -> Result<Cursor, StoreError> {
    let before = segment::list(dir)?.into_iter().rev().find(|segment| segment.first <= seq);
    Ok(before.map(|segment| Cursor { segment: segment.first, ..Cursor::default() }).unwrap_or_default())
}

/// The position that has `count` lines after it, or the beginning if there are fewer.
pub(crate) fn tail(dir: &Dir, count: u64) -> Result<Cursor, StoreError> {
    let mut wanted = count;
    for segment in segment::list(dir)?.into_iter().rev() {
        let (lines, end) = count_lines(dir, segment.first, u64::MAX)?;
        if let Some(before) = lines.checked_sub(wanted) {
            let offset = if wanted == 0 { end } else { count_lines(dir, segment.first, before)?.1 };
            return Ok(Cursor { segment: segment.first, offset, lines_before: before });
        }
        wanted -= lines;
    }
    Ok(Cursor::default())
}

/// Counts complete lines, up to `limit`, and the bytes they take.
fn count_lines(dir: &Dir, first: u64, limit: u64) -> Result<(u64, u64), StoreError> {
    let name = segment::name(first);
    let Some(found) = dir.open(&name, Access::Read)? else { return Ok((0, 0)) };
    let failed = |source| StoreError::io("read", &dir.path_of(&name), source);
    let mut lines = Lines::new(found.file, 0, 0, u64::MAX).map_err(failed)?;
    let (mut count, mut end) = (0, 0);
    while count < limit
        && let Some(line) = lines.next().map_err(failed)?
        && line.complete
    {
        (count, end) = (line.number, line.end);
    }
    Ok((count, end))
}
