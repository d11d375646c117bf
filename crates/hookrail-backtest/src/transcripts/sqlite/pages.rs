//! Pages of a database, from the file or its write-ahead log.

use super::broken;
use super::record::varint;
use super::wal::Wal;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// What a database begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

pub(super) struct Pages {
    file: File,
    wal: Option<Wal>,
    size: usize,
    /// The part of a page that may be used.
    usable: usize,
}

/// One page of a table.
pub(super) struct Page {
    bytes: Vec<u8>,
    /// Where its own header begins: the first page has the file's before it.
    start: usize,
    usable: usize,
}

/// A row as it stands in a leaf.
pub(super) struct Cell {
    pub length: u64,
    pub here: Vec<u8>,
    /// The page where it goes on, or 0.
    pub overflow: u32,
}

impl Pages {
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut head = Vec::with_capacity(100);
        (&mut file).take(100).read_to_end(&mut head)?;
        let mut wal = Wal::open(&path.with_file_name(log_name(path)))?;
        if head.len() < 100
            && let Some(wal) = &mut wal
        {
            head = wal.page(1)?.unwrap_or_default();
        }
        if head.get(..16) != Some(MAGIC) {
            return Err(broken("it is no SQLite database"));
        }
        let size = match number(&head, 16, 2)? {
            1 => 65536,
            size => usize::try_from(size).unwrap_or_default(),
        };
        let reserved = usize::from(head.get(20).copied().unwrap_or_default());
        let usable = size.saturating_sub(reserved);
        if size < 512 || usable < 480 {
            return Err(broken("its pages have an impossible size"));
        }
        let wal = wal.filter(|wal| wal.page_size() == size);
        Ok(Self { file, wal, size, usable })
    }

    pub fn read(&mut self, number: u32) -> io::Result<Page> {
        let from_log = self.wal.as_mut().map(|wal| wal.page(number)).transpose()?.flatten();
        let bytes = match from_log {
            Some(bytes) => bytes,
            None => {
                let at = u64::from(number.checked_sub(1).ok_or_else(|| broken("there is no page 0"))?);
                self.file.seek(SeekFrom::Start(at * self.size as u64))?;
                let mut bytes = vec![0; self.size];
                self.file.read_exact(&mut bytes)?;
                bytes
            }
        };
        Ok(Page { bytes, start: if number == 1 { 100 } else { 0 }, usable: self.usable })
    }
}

/// The log has the name of the file with `-wal` behind it.
fn log_name(path: &Path) -> std::ffi::OsString {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push("-wal");
    name
}

impl Page {
    pub fn is_leaf(&self) -> bool {
        self.kind() == 13
    }

    fn kind(&self) -> u8 {
        self.bytes.get(self.start).copied().unwrap_or_default()
    }

    fn count(&self) -> io::Result<usize> {
        match self.kind() {
            5 | 13 => Ok(usize::try_from(number(&self.bytes, self.start + 3, 2)?).unwrap_or_default()),
            _ => Err(broken("a page is not one of a table")),
        }
    }

    /// Where a cell begins.
    fn at(&self, index: usize) -> io::Result<usize> {
        let head = if self.is_leaf() { 8 } else { 12 };
        let at = number(&self.bytes, self.start + head + 2 * index, 2)?;
        Ok(usize::try_from(at).unwrap_or_default())
    }

    /// A page below this one; the last one stands in the header.
    pub fn child(&self, index: usize) -> io::Result<Option<u32>> {
        let count = self.count()?;
        let at = match index {
            index if index < count => self.at(index)?,
            index if index == count => self.start + 8,
            _ => return Ok(None),
        };
        Ok(u32::try_from(number(&self.bytes, at, 4)?).ok())
    }

    /// A row of a leaf.
    pub fn cell(&self, index: usize) -> io::Result<Option<Cell>> {
        if index >= self.count()? {
            return Ok(None);
        }
        let mut rest = self.bytes.get(self.at(index)?..).ok_or_else(|| broken("a row is outside of its page"))?;
        let length = varint(&mut rest)?;
        varint(&mut rest)?;
        let here = self.local(length);
        let content = rest.get(..here).ok_or_else(|| broken("a row is outside of its page"))?.to_vec();
        let overflow = if (here as u64) < length { number(rest, here, 4)? } else { 0 };
        Ok(Some(Cell { length, here: content, overflow: u32::try_from(overflow).unwrap_or_default() }))
    }

    /// How much of a row of this length stands in the leaf.
    fn local(&self, length: u64) -> usize {
        let most = self.usable - 35;
        let Ok(length) = usize::try_from(length) else { return most };
        if length <= most {
            return length;
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let wanted = least + (length - least) % (self.usable - 4);
        if wanted <= most { wanted } else { least }
    }

    /// The page behind this one, and what of a row stands here.
    pub fn overflow(&self) -> io::Result<(u32, &[u8])> {
        let next = u32::try_from(number(&self.bytes, 0, 4)?).unwrap_or_default();
        let bytes = self.bytes.get(4..self.usable).ok_or_else(|| broken("a page is too short"))?;
        Ok((next, bytes))
    }
}

/// A number of so many bytes, the most significant first.
pub(super) fn number(bytes: &[u8], at: usize, length: usize) -> io::Result<u64> {
    let bytes = bytes.get(at..at + length).ok_or_else(|| broken("a page is too short"))?;
    Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
