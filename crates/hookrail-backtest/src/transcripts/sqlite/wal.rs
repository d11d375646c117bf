//! The write-ahead log: pages that were changed and are not in the file yet.

use super::pages::number;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

const HEAD: usize = 32;
const FRAME_HEAD: usize = 24;

pub(super) struct Wal {
    file: File,
    size: usize,
    /// Where the newest committed version of each page is.
    frames: HashMap<u32, u64>,
}

impl Wal {
    /// `None` if there is no log, or nothing in it counts.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let Ok(file) = File::open(path) else { return Ok(None) };
        let mut reader = BufReader::with_capacity(256 * 1024, &file);
        let mut head = [0; HEAD];
        if reader.read_exact(&mut head).is_err() {
            return Ok(None);
        }
        let order = match number(&head, 0, 4)? {
            0x377f_0682 => Order::Little,
            0x377f_0683 => Order::Big,
            _ => return Ok(None),
        };
        let size = usize::try_from(number(&head, 8, 4)?).unwrap_or_default();
        let (body, stored) = head.split_at(24);
        let mut sum = checksum(order, (0, 0), body);
        if !(512..=65536).contains(&size) || sum != stored_sum(stored)? {
            return Ok(None);
        }
        let salt = head.get(16..24).unwrap_or_default();
        let mut wal = Self { file: file.try_clone()?, size, frames: HashMap::new() };
        let mut pending: Vec<(u32, u64)> = Vec::new();
        let (mut frame, mut at) = (vec![0; FRAME_HEAD + size], HEAD as u64);
        // The first frame that does not fit to the one before is left over from an earlier time.
        while reader.read_exact(&mut frame).is_ok() {
            let (frame_head, page) = frame.split_at(FRAME_HEAD);
            if frame_head.get(8..16) != Some(salt) {
                break;
            }
            sum = checksum(order, sum, frame_head.get(..8).unwrap_or_default());
            sum = checksum(order, sum, page);
            if sum != stored_sum(frame_head.get(16..24).unwrap_or_default())? {
                break;
            }
            pending.push((u32::try_from(number(frame_head, 0, 4)?).unwrap_or_default(), at + FRAME_HEAD as u64));
            if number(frame_head, 4, 4)? != 0 {
                wal.frames.extend(pending.drain(..));
            }
            at += frame.len() as u64;
        }
        Ok((!wal.frames.is_empty()).then_some(wal))
    }

    pub fn page_size(&self) -> usize {
        self.size
    }

    /// The newest version of a page, if the log has one.
    pub fn page(&mut self, number: u32) -> io::Result<Option<Vec<u8>>> {
        let Some(at) = self.frames.get(&number) else { return Ok(None) };
        self.file.seek(SeekFrom::Start(*at))?;
        let mut bytes = vec![0; self.size];
        self.file.read_exact(&mut bytes)?;
        Ok(Some(bytes))
    }
}

/// In which order the bytes of a number are summed up.
#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

fn stored_sum(bytes: &[u8]) -> io::Result<(u32, u32)> {
    let word = |at: usize| -> io::Result<u32> { Ok(u32::try_from(number(bytes, at, 4)?).unwrap_or_default()) };
    Ok((word(0)?, word(4)?))
}

fn checksum(order: Order, (mut a, mut b): (u32, u32), bytes: &[u8]) -> (u32, u32) {
    let word = |bytes: &[u8]| {
        let bytes: [u8; 4] = bytes.try_into().unwrap_or_default();
        match order {
            Order::Little => u32::from_le_bytes(bytes),
            Order::Big => u32::from_be_bytes(bytes),
        }
    };
    for pair in bytes.chunks_exact(8) {
        let (first, second) = pair.split_at(4);
        a = a.wrapping_add(word(first)).wrapping_add(b);
        b = b.wrapping_add(word(second)).wrapping_add(a);
    }
    (a, b)
}
