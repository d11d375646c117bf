//! Numbers and texts one after the other, as the cache keeps them: reading them takes a fraction of what JSON does.

/// Stands for a text or a number that is not there.
pub(super) const NONE: u32 = u32::MAX;

/// No configuration file is that long.
pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}

pub(super) fn put_number(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend(number.to_le_bytes());
}

pub(super) fn put_long(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend(number.to_le_bytes());
}

pub(super) fn put_text(bytes: &mut Vec<u8>, text: Option<&str>) {
    put_number(bytes, text.map_or(NONE, |text| count(text.len())));
    bytes.extend(text.unwrap_or_default().as_bytes());
}

pub(super) fn put_piece(bytes: &mut Vec<u8>, piece: &[u8]) {
    put_number(bytes, count(piece.len()));
    bytes.extend(piece);
}

/// What is not read yet. Everything is `None` if the bytes end before it does.
pub(super) struct Unread<'a>(pub &'a [u8]);

impl<'a> Unread<'a> {
    pub fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub fn number(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub fn long(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    pub fn text(&mut self) -> Option<Option<&'a str>> {
        match self.number()? {
            NONE => Some(None),
            length => std::str::from_utf8(self.take(length)?).ok().map(Some),
        }
    }

    pub fn list(&mut self) -> Option<Vec<&'a str>> {
        (0..self.number()?).map(|_| self.text()?).collect()
    }

    /// Bytes with their length before them.
    pub fn piece(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(length)
    }

    fn take(&mut self, length: u32) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }
}
