//! Headers and names of a program for Linux, 64 bits and little-endian.

use std::path::Path;

const DYNAMIC: u32 = 2;
const SHARED: u16 = 3;
const TAG_NEEDED: u64 = 1;
const TAG_FLAGS: u64 = 30;
const TAG_FLAGS_1: u64 = 0x6fff_fffb;
const FLAG_BIND_NOW: u64 = 8;
const FLAG_1_NOW: u64 = 1;
const SYMBOLS: u32 = 2;

/// A program's file, read.
#[derive(Debug)]
pub struct Elf {
    bytes: Vec<u8>,
    /// Its segments.
    pub segments: Vec<Segment>,
}

/// A part of a program in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// One of the kinds below.
    pub kind: u32,
    /// 1 for executable, 2 for writable, 4 for readable.
    pub flags: u32,
    offset: u64,
    length: u64,
}

impl Segment {
    /// Is mapped.
    pub const LOAD: u32 = 1;
    /// Names the dynamic loader.
    pub const INTERPRETER: u32 = 3;
    /// Says how the stack is mapped.
    pub const STACK: u32 = 0x6474_e551;
    /// Is read-only once the program has begun.
    pub const RELRO: u32 = 0x6474_e552;
}

impl Elf {
    /// Reads a program. Panics if it is none.
    #[must_use]
    pub fn read(path: impl AsRef<Path>) -> Self {
        let bytes = std::fs::read(path).expect("a program");
        assert!(bytes.starts_with(b"\x7fELF\x02\x01"), "no ELF file of 64 bits");
        let mut elf = Self { bytes, segments: Vec::new() };
        let (table, size, count) = (elf.word(32), elf.half(54), elf.half(56));
        elf.segments = (0..u64::from(count))
            .map(|index| table + index * u64::from(size))
            .map(|at| Segment {
                kind: elf.int(at),
                flags: elf.int(at + 4),
                offset: elf.word(at + 8),
                length: elf.word(at + 32),
            })
            .collect();
        elf
    }

    /// Reports whether it can be loaded at any address.
    #[must_use]
    pub fn is_position_independent(&self) -> bool {
        self.half(16) == SHARED
    }

    /// Reports whether all names are looked up before it begins, so that RELRO covers every table of addresses.
    #[must_use]
    pub fn binds_now(&self) -> bool {
        self.dynamic().iter().any(|(tag, value)| match *tag {
            TAG_FLAGS => value & FLAG_BIND_NOW != 0,
            TAG_FLAGS_1 => value & FLAG_1_NOW != 0,
            _ => false,
        })
    }

    /// Number of shared libraries it asks for.
    #[must_use]
    pub fn needed(&self) -> usize {
        self.dynamic().iter().filter(|(tag, _)| *tag == TAG_NEEDED).count()
    }

    fn dynamic(&self) -> Vec<(u64, u64)> {
        let dynamic = self.segments.iter().filter(|segment| segment.kind == DYNAMIC);
        let entries = dynamic.flat_map(|segment| (segment.offset..segment.offset + segment.length).step_by(16));
        entries.map(|at| (self.word(at), self.word(at + 8))).collect()
    }

    /// Every name in its table of symbols.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let (table, size, count) = (self.word(40), self.half(58), self.half(60));
        let sections = (0..u64::from(count)).map(|index| table + index * u64::from(size));
        let symbols = sections.clone().find(|at| self.int(at + 4) == SYMBOLS).expect("a program with its symbols");
        let texts = sections.clone().nth(self.int(symbols + 40) as usize).map(|at| self.word(at + 24));
        let (texts, start, length) = (texts.expect("names"), self.word(symbols + 24), self.word(symbols + 32));
        (start..start + length).step_by(24).map(|at| self.text(texts + u64::from(self.int(at)))).collect()
    }

    fn text(&self, at: u64) -> String {
        let text = self.bytes[at as usize..].split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }

    fn part<const N: usize>(&self, at: u64) -> [u8; N] {
        self.bytes[at as usize..at as usize + N].try_into().expect("so many bytes")
    }

    fn half(&self, at: u64) -> u16 {
        u16::from_le_bytes(self.part(at))
    }

    fn int(&self, at: u64) -> u32 {
        u32::from_le_bytes(self.part(at))
    }

    fn word(&self, at: u64) -> u64 {
        u64::from_le_bytes(self.part(at))
    }
}
