//! Decompression of gzip, as RFC 1951 and 1952 describe it.
//!
//! Written for names in archives: it stops at a limit, checks no sum, and is only as fast as it has to be.

/// So long a code may be.
const MAX_BITS: usize = 15;

/// What a gzip file holds; `None` if it is damaged or larger than `limit`.
pub(super) fn gunzip(bytes: &[u8], limit: usize) -> Option<Vec<u8>> {
    inflate(bytes.get(header_length(bytes)?..)?, limit)
}

/// The header has optional parts: extra data, a name, a comment, a sum.
fn header_length(bytes: &[u8]) -> Option<usize> {
    let flags = *bytes.get(3)?;
    let mut at = 10;
    if flags & 4 != 0 {
        at += 2 + usize::from(*bytes.get(at)?) + (usize::from(*bytes.get(at + 1)?) << 8);
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            at += bytes.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
        }
    }
    Some(if flags & 2 != 0 { at + 2 } else { at })
}

fn inflate(bytes: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut input = Bits { bytes, at: 0, buffer: 0, count: 0 };
    let mut output = Vec::new();
    loop {
        let last = input.take(1)? == 1;
        match input.take(2)? {
            0 => stored(&mut input, &mut output)?,
            1 => {
                let (literals, distances) = fixed_codes()?;
                compressed(&mut input, &mut output, &literals, &distances, limit)?;
            }
            2 => {
                let (literals, distances) = dynamic_codes(&mut input)?;
                compressed(&mut input, &mut output, &literals, &distances, limit)?;
            }
            _ => return None,
        }
        if output.len() > limit {
            return None;
        }
        if last {
            return Some(output);
        }
    }
}

/// Bits, the lowest of each byte first.
struct Bits<'b> {
    bytes: &'b [u8],
    at: usize,
    buffer: u64,
    count: u32,
}

impl Bits<'_> {
    fn fill(&mut self) {
        while self.count <= 48 {
            let Some(byte) = self.bytes.get(self.at) else { return };
            self.buffer |= u64::from(*byte) << self.count;
            self.at += 1;
            self.count += 8;
        }
    }

    fn take(&mut self, count: u32) -> Option<usize> {
        self.fill();
        self.count = self.count.checked_sub(count)?;
        let value = self.buffer & ((1 << count) - 1);
        self.buffer >>= count;
        usize::try_from(value).ok()
    }

    /// Goes on with whole bytes.
    fn align(&mut self) {
        let odd = self.count % 8;
        self.buffer >>= odd;
        self.count -= odd;
        self.at -= usize::try_from(self.count / 8).unwrap_or_default();
        (self.buffer, self.count) = (0, 0);
    }
}

fn stored(input: &mut Bits<'_>, output: &mut Vec<u8>) -> Option<()> {
    input.align();
    let length = usize::from(*input.bytes.get(input.at)?) | usize::from(*input.bytes.get(input.at + 1)?) << 8;
    let start = input.at + 4;
    output.extend(input.bytes.get(start..start + length)?);
    input.at = start + length;
    Some(())
}

/// A table from bits to symbols: how many codes have each length, and the symbols in the order of their codes.
struct Code {
    counts: [usize; MAX_BITS + 1],
    symbols: Vec<usize>,
}

impl Code {
    fn new(lengths: &[usize]) -> Option<Self> {
        let mut counts = [0; MAX_BITS + 1];
        for length in lengths {
            *counts.get_mut(*length)? += 1;
        }
        let mut symbols = Vec::with_capacity(lengths.len());
        for wanted in 1..=MAX_BITS {
            symbols
                .extend(lengths.iter().enumerate().filter(|(_, length)| **length == wanted).map(|(symbol, _)| symbol));
        }
        *counts.first_mut()? = 0;
        Some(Self { counts, symbols })
    }

    /// Reads one symbol, bit by bit: codes of one length are consecutive numbers.
    fn read(&self, input: &mut Bits<'_>) -> Option<usize> {
        input.fill();
        let (mut code, mut first, mut index) = (0, 0, 0);
        for (length, count) in self.counts.iter().enumerate().skip(1) {
            code |= usize::from(input.buffer >> (length - 1) & 1 == 1);
            if code < first + count {
                input.take(u32::try_from(length).ok()?)?;
                return self.symbols.get(index + code - first).copied();
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

fn fixed_codes() -> Option<(Code, Code)> {
    let length = |symbol: usize| match symbol {
        0..=143 => 8,
        144..=255 => 9,
        256..=279 => 7,
        _ => 8,
    };
    Some((Code::new(&(0..288).map(length).collect::<Vec<_>>())?, Code::new(&[5; 30])?))
}

/// The order in which lengths of the code for lengths are written.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

fn dynamic_codes(input: &mut Bits<'_>) -> Option<(Code, Code)> {
    let literals = input.take(5)? + 257;
    let distances = input.take(5)? + 1;
    let count = input.take(4)? + 4;
    let mut lengths = [0; 19];
    for symbol in ORDER.iter().take(count) {
        *lengths.get_mut(*symbol)? = input.take(3)?;
    }
    let code = Code::new(&lengths)?;
    let mut all: Vec<usize> = Vec::with_capacity(literals + distances);
    while all.len() < literals + distances {
        match code.read(input)? {
            16 => {
                let last = *all.last()?;
                let times = 3 + input.take(2)?;
                all.extend(std::iter::repeat_n(last, times));
            }
            17 => {
                let times = 3 + input.take(3)?;
                all.extend(std::iter::repeat_n(0, times));
            }
            18 => {
                let times = 11 + input.take(7)?;
                all.extend(std::iter::repeat_n(0, times));
            }
            length => all.push(length),
        }
    }
    Some((Code::new(all.get(..literals)?)?, Code::new(all.get(literals..literals + distances)?)?))
}

const LENGTHS: [usize; 29] =
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_BITS: [u32; 29] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES: [usize; 30] = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
];

fn compressed(
    input: &mut Bits<'_>,
    output: &mut Vec<u8>,
    literals: &Code,
    distances: &Code,
    limit: usize,
) -> Option<()> {
    while output.len() <= limit {
        match literals.read(input)? {
            256 => return Some(()),
            symbol if symbol < 256 => output.push(u8::try_from(symbol).ok()?),
            symbol => {
                let length = *LENGTHS.get(symbol - 257)? + input.take(*LENGTH_BITS.get(symbol - 257)?)?;
                let symbol = distances.read(input)?;
                let bits = u32::try_from(symbol / 2).ok()?.saturating_sub(1);
                let distance = *DISTANCES.get(symbol)? + input.take(bits)?;
                let start = output.len().checked_sub(distance)?;
                // The copy may reach into what it has just written.
                for at in start..start + length {
                    output.push(*output.get(at)?);
                }
            }
        }
    }
    None
}
