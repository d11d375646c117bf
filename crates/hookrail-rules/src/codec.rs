//! Rules as bytes, so that an event need not parse what did not change.
//!
//! A set is read by index: of a rule that cannot match nothing but its bits is looked at. What is not as expected ends the
//! reading, and the caller parses the configuration again.

/// Builds the bytes.
#[derive(Debug, Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    /// Seven bits a byte, the lowest first.
    pub fn number(&mut self, mut value: u64) {
        loop {
            let low = (value & 0x7f) as u8;
            value >>= 7;
            if value == 0 {
                return self.byte(low);
            }
            self.byte(low | 0x80);
        }
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| write(self, item));
    }
}

/// Reads them again. `None` is anything unexpected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteReader<'b>(pub &'b [u8]);

impl<'b> ByteReader<'b> {
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub fn bytes(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn text(&mut self) -> Option<&'b str> {
        let length = usize::try_from(self.number()?).ok()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    pub fn owned(&mut self) -> Option<String> {
        self.text().map(str::to_owned)
    }

    #[expect(clippy::option_option, reason = "the outer one is damage")]
    pub fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.byte()? {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }

    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = usize::try_from(self.number()?).ok()?;
        // A damaged count must not ask for memory: every item has at least a byte.
        if count > self.0.len() {
            return None;
        }
        (0..count).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again_and_damage_is_noticed() {
        let mut writer = Writer::default();
        for number in [0, 1, 127, 128, 300, u64::MAX] {
            writer.number(number);
        }
        writer.text("häuser");
        writer.option(Some("x"), Writer::text);
        writer.option(None::<&str>, Writer::text);
        writer.list(&["a", "b"], |writer, item| writer.text(item));
        let mut reader = ByteReader(&writer.0);
        let numbers: Vec<u64> = (0..6).filter_map(|_| reader.number()).collect();
        assert_eq!(numbers, [0, 1, 127, 128, 300, u64::MAX]);
        assert_eq!(reader.text(), Some("häuser"));
        assert_eq!(reader.option(ByteReader::owned), Some(Some("x".to_owned())));
        assert_eq!(reader.option(ByteReader::owned), Some(None));
        assert_eq!(reader.list(ByteReader::owned), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(reader.byte(), None);
        assert_eq!(ByteReader(&[0xff; 16]).number(), None);
        assert_eq!(ByteReader(&[200, 1, 0]).list(ByteReader::byte), None);
    }
}
