use super::chain::{Digest, Tip};
use crate::error::StoreError;
use crate::lock::Lock;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// The name of the file, which is also the journal's lock.
pub(crate) const NAME: &str = "head";

/// Always this long, so that one write replaces it, and short enough for one sector of a disk.
const LEN: usize = 384;

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

#[derive(Deserialize)]
struct HeadWire {
    seq: u64,
    hash: Digest,
    segment: u64,
    bytes: u64,
    base_seq: u64,
    base_hash: Digest,
    #[serde(default)]
    witnessed: bool,
}

impl Head {
    pub const EMPTY: Self = Self { tip: Tip::NOTHING, segment: 1, bytes: 0, base: Tip::NOTHING, witnessed: false };

    /// `None` if a single byte is not as [`Head::encode`] makes it.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let wire: HeadWire = serde_json::from_slice(bytes).ok()?;
        let head = Self {
            tip: Tip { seq: wire.seq, hash: wire.hash },
            segment: wire.segment,
            bytes: wire.bytes,
            base: Tip { seq: wire.base_seq, hash: wire.base_hash },
            witnessed: wire.witnessed,
        };
        (head.encode() == bytes).then_some(head)
    }

    pub fn encode(&self) -> Vec<u8> {
        let Self { tip, segment, bytes, base, witnessed } = self;
        let (hash, base_hash) = (tip.hash.as_str(), base.hash.as_str());
        let mut text = format!(
            r#"{{"seq":{},"hash":"{hash}","segment":{segment},"bytes":{bytes},"base_seq":{},"base_hash":"{base_hash}""#,
            tip.seq, base.seq,
        );
        if *witnessed {
            text.push_str(r#","witnessed":true"#);
        }
        let check = Digest::of(text.as_bytes());
        text.push_str(r#","check":""#);
        text.extend(check.as_str().chars().take(16));
        text.push_str("\"}");
        let mut line = text.into_bytes();
        line.resize(LEN - 1, b' ');
        line.push(b'\n');
        line
    }

    pub fn save(&self, lock: &Lock, path: &Path) -> Result<(), StoreError> {
        let mut file = lock.file();
        let written = file.rewind().and_then(|()| file.write_all(&self.encode()));
        written.map_err(|source| StoreError::io("write", path, source))
    }
}

/// What a locked head file holds, right or wrong.
pub(crate) fn read(lock: &Lock) -> io::Result<Vec<u8>> {
    let mut file: &File = lock.file();
    file.rewind()?;
    let mut bytes = Vec::with_capacity(LEN + 32);
    // A wrong one is set aside, but not if somebody made it huge.
    file.take(64 * 1024).read_to_end(&mut bytes)?;
    Ok(bytes)
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
