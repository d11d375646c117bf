//! Makes new inputs of known ones.

/// The longest input. Longer ones find little more and take longer.
const MAX_LEN: usize = 48 * 1024;

/// Pieces that decoders treat in a special way. None of them is a command: some targets might run one.
const PIECES: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"'",
    b"`",
    b"\\",
    b":",
    b",",
    b"=",
    b"---\n",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\\ud800",
    b"\\udc00",
    b"\\u0000",
    b"1e400",
    b"-0",
    b"NaN",
    b"null",
    b"true",
    b"../",
    b"/",
    b"**/",
    b"*",
    b"?",
    b"$",
    b"${",
    b"$(",
    b"<<",
    b"|",
    b"&&",
    b";",
    b"#",
    b"//",
    b"/*",
    b"[[",
    b"]]",
    b"&a ",
    b"*a",
    b"<<: *a",
    b"|\n ",
    b"token: ",
    b"password=",
    b"-p",
    b"https://a:b@c",
    b"<secret>",
    b"</",
    b"-----BEGIN PRIVATE KEY-----",
    b"\"seq\":1,\"prev\":\"",
    b"\"hash\":\"",
    b"18446744073709551616",
    b"-9223372036854775809",
    "\u{202e}".as_bytes(),
    "\u{fffd}".as_bytes(),
    "é".as_bytes(),
    "😀".as_bytes(),
    b"(?:",
    b"(a+)+$",
    b"\"jsonrpc\":\"2.0\",",
    b"\"id\":",
    b"\"method\":",
];

/// A source of numbers that only depends on its seed.
#[derive(Debug)]
pub struct Randomness(u64);

impl Randomness {
    pub fn new(seed: u64) -> Self {
        // Zero would stay zero.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `limit`; 0 if there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        if limit == 0 { 0 } else { usize::try_from(self.next() % limit).unwrap_or(0) }
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = self.below(from.len());
        from.get(index)
    }
}

/// An input made of one or two of the corpus by a few changes.
pub fn mutate(dice: &mut Randomness, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut input = dice.pick(corpus).cloned().unwrap_or_default();
    for _ in 0..=dice.below(6) {
        change(dice, &mut input, corpus);
        input.truncate(MAX_LEN);
    }
    input
}

fn change(dice: &mut Randomness, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    let at = dice.below(input.len() + 1);
    let range = at..(at + 1 + dice.below(32)).min(input.len()).max(at);
    match dice.below(10) {
        0 => {
            let bit = 1_u8 << dice.below(8);
            input.get_mut(at).into_iter().for_each(|byte| *byte ^= bit);
        }
        1 => drop(input.drain(range)),
        2 => input.truncate(at),
        3 | 4 => insert(input, at, dice.pick(PIECES).copied().unwrap_or_default()),
        5 => {
            let piece = dice.pick(PIECES).copied().unwrap_or_default();
            let end = range.end;
            input.splice(at..end, piece.iter().copied());
        }
        6 => {
            let copy = input.get(range).unwrap_or_default().to_vec();
            let to = dice.below(input.len() + 1);
            insert(input, to, &copy);
        }
        7 => {
            let other = dice.pick(corpus).cloned().unwrap_or_default();
            let from = dice.below(other.len() + 1);
            input.truncate(at);
            input.extend_from_slice(other.get(from..).unwrap_or_default());
        }
        8 => repeat(dice, input, at),
        _ => {
            let digits = dice.next().to_string();
            insert(input, at, digits.as_bytes());
        }
    }
}

/// Many copies of a piece: what is linear stays quick, and what calls itself is found.
fn repeat(dice: &mut Randomness, input: &mut Vec<u8>, at: usize) {
    let own = input.get(at..(at + 1 + dice.below(12)).min(input.len()).max(at)).unwrap_or_default().to_vec();
    let piece = if dice.below(2) == 0 || own.is_empty() {
        dice.pick(PIECES).copied().unwrap_or_default().to_vec()
    } else {
        own
    };
    let count = 1 << dice.below(15);
    let room = MAX_LEN.saturating_sub(input.len()) / piece.len().max(1);
    insert(input, at, &piece.repeat(count.min(room)));
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    let at = at.min(input.len());
    input.splice(at..at, piece.iter().copied());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_another_one_others() {
        let corpus = [b"{\"a\": [1, 2]}".to_vec(), b"x = 1\n".to_vec()];
        let inputs = |seed| {
            let mut dice = Randomness::new(seed);
            (0..200).map(|_| mutate(&mut dice, &corpus)).collect::<Vec<_>>()
        };
        assert_eq!(inputs(7), inputs(7));
        assert_ne!(inputs(7), inputs(8));
        assert!(inputs(7).iter().all(|input| input.len() <= MAX_LEN));
        assert!(inputs(7).iter().any(|input| input.len() > 1000), "some are long");
    }
}
