use super::chain::{Digest, Tip};
use crate::error::StoreError;
use crate::lock::Lock;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

/// The name of the file, which is also the journal's lock.
pub(crate) const NAME: &str = "head";

/// Always this long, so that one write replaces it, and short enough for one sector of a disk.
const LEN: usize = 384;
/// What stands before the sum over all that is before it, and how much of the sum is kept.
const CHECK: &str = r#","check":""#;
const CHECK_LEN: usize = 16;
const WITNESSED: &str = r#","witnessed":true"#;

/// What the journal is known to be: where it ends, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The newest record.
    pub tip: Tip,
    /// The file that is appended to, by its first record.
    pub segment: u64,
    /// How long that file is.
    pub bytes: u64,
    /// The last record that was removed because of its age; the oldest one left follows it.
    pub base: Tip,
    /// There is a witness, so one that is missing was removed.
    pub witnessed: bool,
}

impl Head {
    pub const EMPTY: Self = Self { tip: Tip::NOTHING, segment: 1, bytes: 0, base: Tip::NOTHING, witnessed: false };

    /// `None` if a single byte is not as [`Head::encode`] makes it: the text is checked by its sum, and the rest is known.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let line = bytes.strip_suffix(b"\n").filter(|_| bytes.len() == LEN)?;
        let end = line.iter().rposition(|byte| *byte != b' ')? + 1;
        let text = str::from_utf8(line.get(..end)?).ok()?;
        let (sum, end) = text.split_at_checked(text.len().checked_sub(CHECK.len() + CHECK_LEN + 2)?)?;
        let check = end.strip_prefix(CHECK)?.strip_suffix("\"}")?;
        if !Digest::of(sum.as_bytes()).as_str().starts_with(check) {
            return None;
        }
        let mut fields = Fields(sum);
        let seq = fields.number("{\"seq\":")?;
        let hash = fields.digest(",\"hash\":\"")?;
        let segment = fields.number(",\"segment\":")?;
        let bytes = fields.number(",\"bytes\":")?;
        let base = Tip { seq: fields.number(",\"base_seq\":")?, hash: fields.digest(",\"base_hash\":\"")? };
        let witnessed = match fields.0 {
            "" => false,
            WITNESSED => true,
            _ => return None,
        };
        Some(Self { tip: Tip { seq, hash }, segment, bytes, base, witnessed })
    }

    pub fn encode(&self) -> Vec<u8> {
        let Self { tip, segment, bytes, base, witnessed } = self;
        let (hash, base_hash) = (tip.hash.as_str(), base.hash.as_str());
        let [seq, segment, bytes, base_seq] = [tip.seq, *segment, *bytes, base.seq].map(|number| number.to_string());
        let fields = [
            ("{\"seq\":", &*seq),
            (",\"hash\":\"", hash),
            ("\",\"segment\":", &*segment),
            (",\"bytes\":", &*bytes),
            (",\"base_seq\":", &*base_seq),
            (",\"base_hash\":\"", base_hash),
        ];
        // Every event that is recorded comes here, and the machinery of `format!` takes three times as long.
        let mut text = String::with_capacity(LEN);
        fields.into_iter().flat_map(|(name, value)| [name, value]).for_each(|part| text.push_str(part));
        text.push('"');
        if *witnessed {
            text.push_str(WITNESSED);
        }
        let check = Digest::of(text.as_bytes());
        text.push_str(CHECK);
        text.push_str(check.as_str().get(..CHECK_LEN).unwrap_or_default());
        text.push_str("\"}");
        let mut line = text.into_bytes();
        line.resize(LEN - 1, b' ');
        line.push(b'\n');
        line
    }

    pub fn save(&self, lock: &Lock, path: &Path) -> Result<(), StoreError> {
        write_whole(lock.file(), &self.encode()).map_err(|source| StoreError::io("write", path, source))
    }
}

/// What is left of a head's text.
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn number(&mut self, name: &str) -> Option<u64> {
        let text = self.0.strip_prefix(name)?;
        let (digits, rest) = text.split_at(text.find(',').unwrap_or(text.len()));
        self.0 = rest;
        digits.parse().ok()
    }

    fn digest(&mut self, name: &str) -> Option<Digest> {
        let (digits, rest) = self.0.strip_prefix(name)?.split_once('"')?;
        self.0 = rest;
        Digest::parse(digits.as_bytes())
    }
}

/// What a locked head file holds, right or wrong.
pub(crate) fn read(lock: &Lock) -> io::Result<Vec<u8>> {
    read_whole(lock.file())
}

/// Reads a file of the length of a head; a huge file is cut. Most are read by one system call.
pub(crate) fn read_whole(mut file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; LEN + 1];
    let read = read_start(file, &mut bytes)?;
    bytes.truncate(read);
    if read > 0 && read != LEN {
        bytes.clear();
        file.rewind()?;
        file.take(64 * 1024).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Puts a head into a file.
#[cfg(unix)]
pub(crate) fn write_whole(file: &File, head: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, head, 0)
}

#[cfg(unix)]
fn read_start(file: &File, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, 0)
}

#[cfg(not(unix))]
pub(crate) fn write_whole(mut file: &File, head: &[u8]) -> io::Result<()> {
    file.rewind()?;
    io::Write::write_all(&mut file, head)
}

#[cfg(not(unix))]
fn read_start(mut file: &File, bytes: &mut [u8]) -> io::Result<usize> {
    file.rewind()?;
    file.read(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(n: u64) -> Head {
        let tip = Tip { seq: n, hash: Digest::of(b"tip") };
        Head { tip, segment: n, bytes: n, base: Tip { seq: n, hash: Digest::of(b"base") }, witnessed: n > 7 }
    }

    #[test]
    fn every_head_reads_back_and_is_equally_long() {
        for head in [Head::EMPTY, head(7), head(u64::MAX)] {
            assert_eq!(head.encode().len(), LEN);
            assert_eq!(Head::decode(&head.encode()), Some(head));
        }
    }

    #[test]
    fn no_changed_byte_goes_unnoticed() {
        let good = head(7).encode();
        for position in 0..good.len() {
            for mask in [1, 0x20, 0x80] {
                let mut bad = good.clone();
                bad[position] ^= mask;
                assert_eq!(Head::decode(&bad), None, "byte {position} ^ {mask:#x}");
            }
        }
        assert_eq!(Head::decode(&good[..LEN - 1]), None);
        assert_eq!(Head::decode(b""), None);
    }
}
