//! A second copy of the head, outside of the journal's directory.
//!
//! Whoever removes the newest records together with `head`, or puts an older copy of the whole directory in its place, leaves a
//! journal that agrees with itself. The witness still knows better. It is written after the head, so it may be behind by what a
//! killed process wrote; that it is ahead of the head is always a sign of tampering.

use super::head::{self, Head};
use crate::dir::{Access, Dir};
use crate::error::StoreError;
use std::fs::File;
use std::io;

/// The name of the file in the state root.
pub(crate) const NAME: &str = "journal.witness";

/// What the witness says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WitnessedHead {
    /// There is none, or one that a killed process has just made.
    Missing,
    Damaged,
    Good(Head),
}

impl WitnessedHead {
    pub fn known(&self) -> Option<&Head> {
        match self {
            Self::Good(head) => Some(head),
            Self::Missing | Self::Damaged => None,
        }
    }

    fn of(bytes: &[u8]) -> Self {
        match Head::decode(bytes) {
            Some(head) => Self::Good(head),
            None if bytes.is_empty() => Self::Missing,
            None => Self::Damaged,
        }
    }
}

/// The witness, open for writing. The journal must be locked.
#[derive(Debug)]
pub(crate) struct Witness {
    file: File,
    pub testimony: WitnessedHead,
}

impl Witness {
    /// Opens the witness, a new one if there is none. One with the bytes of a head that is known says what that says.
    pub fn open(root: &Dir, known: Option<(&[u8], &Head)>) -> Result<Self, StoreError> {
        let file = root.open_or_create(NAME, Access::ReadWrite)?.file;
        let testimony =
            testimony(&file, known).map_err(|source| StoreError::io("read", &root.path_of(NAME), source))?;
        Ok(Self { file, testimony })
    }

    /// Reads the witness without making one.
    pub fn ask(root: &Dir) -> Result<WitnessedHead, StoreError> {
        let Some(found) = root.open(NAME, Access::Read)? else { return Ok(WitnessedHead::Missing) };
        testimony(&found.file, None).map_err(|source| StoreError::io("read", &root.path_of(NAME), source))
    }

    /// Brings the witness up to date. It is never wrong to be behind, so a disk without room is no failure of an append
    /// whose records are written.
    pub fn save(&mut self, head: &[u8]) {
        let _ = head::write_whole(&self.file, head).and_then(|()| {
            // Something longer was there, which is not ours.
            if self.testimony == WitnessedHead::Damaged { self.file.set_len(head.len() as u64) } else { Ok(()) }
        });
    }
}

fn testimony(file: &File, known: Option<(&[u8], &Head)>) -> io::Result<WitnessedHead> {
    let bytes = head::read_whole(file)?;
    Ok(match known {
        Some((same, head)) if same == bytes => WitnessedHead::Good(head.clone()),
        _ => WitnessedHead::of(&bytes),
    })
}
