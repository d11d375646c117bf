//! Protocol Buffers, as much of them as OTLP needs.

/// A message that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// A whole number, or one of an enumeration. Zero is what a missing field means.
    pub fn number(&mut self, field: u32, value: u64) {
        if value != 0 {
            self.key(field, 0);
            self.varint(value);
        }
    }

    /// A whole number that stands also if it is zero, because it is one of several kinds of value.
    pub fn chosen_number(&mut self, field: u32, value: u64) {
        self.key(field, 0);
        self.varint(value);
    }

    pub fn fixed64(&mut self, field: u32, value: u64) {
        self.key(field, 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn double(&mut self, field: u32, value: f64) {
        self.fixed64(field, value.to_bits());
    }

    pub fn bytes(&mut self, field: u32, value: &[u8]) {
        self.key(field, 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    /// Nothing is written for an empty text.
    pub fn text(&mut self, field: u32, value: &str) {
        if !value.is_empty() {
            self.bytes(field, value.as_bytes());
        }
    }

    pub fn message(&mut self, field: u32, value: &Self) {
        self.bytes(field, &value.0);
    }

    pub fn packed(&mut self, field: u32, values: impl IntoIterator<Item = u64>) {
        let bytes: Vec<u8> = values.into_iter().flat_map(u64::to_le_bytes).collect();
        self.bytes(field, &bytes);
    }

    fn key(&mut self, field: u32, kind: u32) {
        self.varint(u64::from(field << 3 | kind));
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(u8::try_from(value & 0x7f).unwrap_or_default() | 0x80);
            value >>= 7;
        }
        self.0.push(u8::try_from(value).unwrap_or_default());
    }
}

/// How many records a collector rejected, from its answer: field 1 of the partial success, which is field 1.
pub(super) fn rejected(answer: &[u8]) -> Option<u64> {
    let partial = field(answer, 1)?;
    match field(partial.bytes?, 1)?.number {
        Some(0) | None => None,
        rejected => rejected,
    }
}

#[derive(Clone, Copy)]
struct Field<'a> {
    number: Option<u64>,
    bytes: Option<&'a [u8]>,
}

/// The first field of this number; what cannot be read is not there.
fn field(mut message: &[u8], wanted: u64) -> Option<Field<'_>> {
    while !message.is_empty() {
        let key = read_varint(&mut message)?;
        let found = match key & 7 {
            0 => Field { number: Some(read_varint(&mut message)?), bytes: None },
            1 => Field { number: None, bytes: Some(message.split_off(..8)?) },
            2 => {
                let length = usize::try_from(read_varint(&mut message)?).ok()?;
                Field { number: None, bytes: Some(message.split_off(..length)?) }
            }
            5 => Field { number: None, bytes: Some(message.split_off(..4)?) },
            _ => return None,
        };
        if key >> 3 == wanted {
            return Some(found);
        }
    }
    None
}

fn read_varint(message: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *message.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_the_specification_encodes_them() {
        for (value, expected) in [(1, vec![8, 1]), (150, vec![8, 0x96, 1]), (0, vec![])] {
            let mut message = Message::default();
            message.number(1, value);
            assert_eq!(message.into_bytes(), expected, "{value}");
        }
    }

    #[test]
    fn a_partial_success_tells_what_was_rejected() {
        let answer = |rejected: u64| {
            let (mut partial, mut answer) = (Message::default(), Message::default());
            partial.number(1, rejected);
            partial.text(2, "too old");
            answer.message(1, &partial);
            answer.into_bytes()
        };
        let cases = [
            (answer(300), Some(300)),
            (answer(0), None),
            (Vec::new(), None),
            (vec![0xff; 20], None),
            (vec![10, 200], None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(rejected(&bytes), expected, "{bytes:?}");
        }
    }
}
