use serde::{Deserialize, Serialize};
use std::fmt;
use std::str;

const HEX_LEN: usize = 64;
const SEQ: &[u8] = br#","seq":"#;
const PREV: &[u8] = br#","prev":""#;
const HASH: &[u8] = br#","hash":""#;
/// What a link adds to a record at most: the fields, twenty digits, and the line's end.
pub(crate) const LINK_MAX: usize = SEQ.len() + 20 + PREV.len() + HEX_LEN + 1 + HASH.len() + HEX_LEN + 2;

/// A BLAKE3 hash as lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Digest([u8; HEX_LEN]);

impl Digest {
    const ZERO: Self = Self([b'0'; HEX_LEN]);

    pub fn of(bytes: &[u8]) -> Self {
        let mut digits = [0; HEX_LEN];
        for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(blake3::hash(bytes).as_bytes()) {
            *pair = [digit(byte >> 4), digit(byte & 0xf)];
        }
        Self(digits)
    }

    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }

    pub fn parse(hex: &[u8]) -> Option<Self> {
        let digits: [u8; HEX_LEN] = hex.try_into().ok()?;
        digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')).then_some(Self(digits))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.as_str().to_owned()
    }
}

impl TryFrom<String> for Digest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(text.as_bytes()).ok_or("not a hash")
    }
}

/// A record as the one after it sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tip {
    pub seq: u64,
    pub hash: Digest,
}

impl Tip {
    /// What the very first record follows.
    pub const NOTHING: Self = Self { seq: 0, hash: Digest::ZERO };

    /// Whether a journal that ends with `other` has lost this record: it is newer, or another one with the same number.
    pub fn contradicts(&self, other: &Self) -> bool {
        self.seq > other.seq || (self.seq == other.seq && self.hash != other.hash)
    }

    /// Writes a record, which is a JSON object with at least one field, as the line that follows this one.
    pub fn extend(&self, lines: &mut Vec<u8>, record: &[u8]) -> Self {
        let start = lines.len();
        let seq = self.seq + 1;
        lines.extend_from_slice(record.strip_suffix(b"}").unwrap_or(record));
        lines.extend_from_slice(SEQ);
        lines.extend_from_slice(seq.to_string().as_bytes());
        lines.extend_from_slice(PREV);
        lines.extend_from_slice(&self.hash.0);
        lines.push(b'"');
        let hash = Digest::of(lines.get(start..).unwrap_or_default());
        lines.extend_from_slice(HASH);
        lines.extend_from_slice(&hash.0);
        lines.extend_from_slice(b"\"}\n");
        Self { seq, hash }
    }
}

/// What a line says about its place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub seq: u64,
    pub prev: Digest,
    pub hash: Digest,
    /// The hash that the line really has.
    pub actual: Digest,
}

impl Link {
    /// Reads the end of a line, given without its line break. The record itself is not looked at.
    pub fn read(line: &[u8]) -> Option<Self> {
        let (rest, hash) = split_digest(line.strip_suffix(b"\"}")?)?;
        let hashed = rest.strip_suffix(HASH)?;
        let (rest, prev) = split_digest(hashed.strip_suffix(b"\"")?)?;
        let rest = rest.strip_suffix(PREV)?;
        let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (record, seq) = rest.split_at_checked(rest.len() - digits)?;
        record.strip_suffix(SEQ)?;
        let seq = str::from_utf8(seq).ok()?.parse().ok()?;
        Some(Self { seq, prev, hash, actual: Digest::of(hashed) })
    }

    /// The number of a line's record, without a look at its hashes. `None` if it does not end like a record.
    pub fn seq(line: &[u8]) -> Option<u64> {
        let hashes = HASH.len() + PREV.len() + 2 * HEX_LEN + b"\"\"}".len();
        let (rest, end) = line.split_at_checked(line.len().checked_sub(hashes)?)?;
        let hash = end.get(PREV.len() + HEX_LEN + 1..)?;
        if !end.starts_with(PREV) || !hash.starts_with(HASH) || !line.ends_with(b"\"}") {
            return None;
        }
        let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (record, seq) = rest.split_at_checked(rest.len() - digits)?;
        record.strip_suffix(SEQ)?;
        str::from_utf8(seq).ok()?.parse().ok()
    }

    /// The line says of itself what it is.
    pub fn is_sound(&self) -> bool {
        self.hash == self.actual
    }

    pub fn follows(&self, tip: &Tip) -> bool {
        tip.seq.checked_add(1) == Some(self.seq) && self.prev == tip.hash
    }

    pub fn tip(&self) -> Tip {
        Tip { seq: self.seq, hash: self.hash }
    }

    /// What this record says it follows.
    pub fn before(&self) -> Tip {
        Tip { seq: self.seq.saturating_sub(1), hash: self.prev }
    }
}

const fn digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

/// Splits the digest off the end.
fn split_digest(bytes: &[u8]) -> Option<(&[u8], Digest)> {
    let (rest, hex) = bytes.split_at_checked(bytes.len().checked_sub(HEX_LEN)?)?;
    Some((rest, Digest::parse(hex)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_what_b3sum_prints() {
        for text in ["", "abc"] {
            assert_eq!(Digest::of(text.as_bytes()).as_str(), blake3::hash(text.as_bytes()).to_hex().as_str());
        }
    }

    #[test]
    fn a_line_is_json_and_its_link_reads_back() {
        let mut lines = Vec::new();
        let first = Tip::NOTHING.extend(&mut lines, br#"{"v":1}"#);
        let second = first.extend(&mut lines, br#"{"v":1,"reason":"\",\"hash\":\""}"#);
        let text = String::from_utf8(lines).unwrap();
        let links: Vec<Link> = text.lines().map(|line| Link::read(line.as_bytes()).unwrap()).collect();
        assert!(links.iter().all(Link::is_sound));
        assert!(links[0].follows(&Tip::NOTHING) && links[1].follows(&first));
        assert!(!links[1].follows(&Tip::NOTHING));
        assert_eq!((links[0].tip(), links[1].tip(), links[1].before()), (first, second, first));
        for line in text.lines() {
            let json: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(json["hash"].as_str().unwrap().len(), HEX_LEN);
        }
    }

    #[test]
    fn lines_that_are_not_ours_have_no_link() {
        let mut line = Vec::new();
        Tip::NOTHING.extend(&mut line, br#"{"v":1}"#);
        let line = String::from_utf8(line).unwrap();
        let line = line.trim_end();
        assert!(Link::read(line.as_bytes()).is_some());
        let cases = [
            "",
            "{}",
            "\"}",
            r#"{"v":1,"hash":"00"}"#,
            &line[1..].replace("seq", "SEQ"),
            &line.replace("\"seq\":1", "\"seq\":"),
            &line.replace("\"seq\":1", "\"seq\":99999999999999999999"),
            &line.replace("prev", "Prev"),
            &line.replace("hash", "Hash"),
            &line.to_uppercase(),
            &line[..line.len() - 1],
            &format!("{line} "),
        ];
        for case in cases {
            assert_eq!(Link::read(case.as_bytes()), None, "{case}");
        }
    }

    #[test]
    fn a_link_is_never_longer_than_announced() {
        let mut line = Vec::new();
        Tip { seq: u64::MAX - 1, ..Tip::NOTHING }.extend(&mut line, br#"{"v":1}"#);
        assert_eq!(line.len(), br#"{"v":1}"#.len() + LINK_MAX);
    }
}
