use super::chain::{Digest, Tip};
use std::fmt;
use std::str::FromStr;

/// A record of the journal, by its number and hash: small enough to be kept elsewhere, where whoever can change the journal
/// cannot change it. A journal that still has this record where it was has lost nothing before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The record's number; a bare hash says nothing about it.
    seq: Option<u64>,
    hash: Digest,
}

impl Anchor {
    #[must_use]
    pub fn seq(&self) -> Option<u64> {
        self.seq
    }

    /// The hash as hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> &str {
        self.hash.as_str()
    }

    pub(super) fn digest(&self) -> Digest {
        self.hash
    }
}

impl From<Tip> for Anchor {
    fn from(tip: Tip) -> Self {
        Self { seq: Some(tip.seq), hash: tip.hash }
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seq {
            Some(seq) => write!(f, "{seq}:{}", self.hash.as_str()),
            None => f.write_str(self.hash.as_str()),
        }
    }
}

/// A text that is no anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an anchor is a record's number, a colon and its hash, or the hash alone")]
pub struct NotAnAnchor;

impl FromStr for Anchor {
    type Err = NotAnAnchor;

    fn from_str(text: &str) -> Result<Self, NotAnAnchor> {
        let (seq, hash) = match text.split_once(':') {
            Some((seq, hash)) => (Some(seq.parse().map_err(|_| NotAnAnchor)?), hash),
            None => (None, text),
        };
        let hash = Digest::try_from(hash.to_owned()).map_err(|_| NotAnAnchor)?;
        Ok(Self { seq, hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_reads_back_as_it_is_printed_and_nothing_else_does() {
        let hash = "0123456789abcdef".repeat(4);
        for text in [format!("42:{hash}"), hash.clone()] {
            assert_eq!(text.parse::<Anchor>().unwrap().to_string(), text);
        }
        let wrong = [
            String::new(),
            ":".into(),
            "42:".into(),
            format!(":{hash}"),
            format!("-1:{hash}"),
            hash.to_uppercase(),
            format!("{hash}0"),
        ];
        for text in wrong {
            assert_eq!(text.parse::<Anchor>(), Err(NotAnAnchor), "{text}");
        }
    }
}
