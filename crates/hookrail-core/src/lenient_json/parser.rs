use super::repair::{RepairKind, Repairs};
use super::{DEEP_MARK, DuplicateKeys, Lenient, MAX_DEPTH, Unreadable};
use serde_json::map::Entry;
use serde_json::{Map, Value};
use std::mem;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads a document from its beginning to its end. Calls itself for values inside values, at most [`MAX_DEPTH`] times.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How many arrays and objects are open.
    depth: usize,
    duplicates: DuplicateKeys,
    pub(super) repairs: Repairs,
}

impl<'a> Parser<'a> {
    pub fn new(bytes: &'a [u8], duplicates: DuplicateKeys) -> Self {
        Self { bytes, at: 0, depth: 0, duplicates, repairs: Repairs::default() }
    }

    pub fn document(mut self) -> Result<Lenient, Unreadable> {
        if self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.repairs.add(RepairKind::ByteOrderMark, 0, 1);
            self.advance(BYTE_ORDER_MARK.len());
        }
        self.skip_blanks();
        match self.peek() {
            Some(b'{') => {}
            Some(_) => return Err(Unreadable::NotAnObject { at: self.at }),
            None => return Err(self.truncated()),
        }
        let value = self.value()?;
        self.skip_blanks();
        let trailing = self.rest().len();
        self.repairs.add(RepairKind::TrailingBytes, self.at, trailing);
        Ok(Lenient { value, repairs: self.repairs.finish() })
    }

    fn value(&mut self) -> Result<Value, Unreadable> {
        self.skip_blanks();
        match self.peek() {
            Some(b'{' | b'[') if self.depth >= MAX_DEPTH => self.deep_value(),
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => {
                self.advance(1);
                self.text().map(Value::String)
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.word(),
            None => Err(self.truncated()),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Unreadable>) -> Result<Value, Unreadable> {
        self.advance(1);
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value, Unreadable> {
        let mut fields = Map::new();
        if self.ends_with(b'}') {
            return Ok(Value::Object(fields));
        }
        loop {
            self.skip_blanks();
            let at = self.at;
            self.expect(b'"', "a key in double quotes")?;
            let key = self.text()?;
            self.skip_blanks();
            self.expect(b':', "`:`")?;
            let value = self.value()?;
            self.insert(&mut fields, key, value, at);
            if self.ends_with(b'}') {
                return Ok(Value::Object(fields));
            }
            self.expect(b',', "`,` or `}`")?;
        }
    }

    fn insert(&mut self, fields: &mut Map<String, Value>, key: String, value: Value, at: usize) {
        match fields.entry(key) {
            Entry::Vacant(free) => {
                free.insert(value);
            }
            Entry::Occupied(mut taken) => {
                let key = taken.key().clone();
                let shadowed = match self.duplicates {
                    DuplicateKeys::LastWins => mem::replace(taken.get_mut(), value),
                    DuplicateKeys::FirstWins => value,
                };
                self.repairs.add_duplicate(key, shadowed, at);
            }
        }
    }

    fn array(&mut self) -> Result<Value, Unreadable> {
        let mut items = Vec::new();
        if self.ends_with(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.ends_with(b']') {
                return Ok(Value::Array(items));
            }
            self.expect(b',', "`,` or `]`")?;
        }
    }

    /// Keeps an array or object as it is written. Only its end is looked for.
    fn deep_value(&mut self) -> Result<Value, Unreadable> {
        let (rest, mut open, mut in_text, mut escaped) = (self.rest(), 0_usize, false, false);
        for (index, byte) in rest.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = in_text,
                b'"' => in_text = !in_text,
                _ if in_text => {}
                b'{' | b'[' => open += 1,
                b'}' | b']' => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                let source = String::from_utf8_lossy(rest.get(..=index).unwrap_or_default());
                self.repairs.add(RepairKind::TooDeep, self.at, 1);
                self.advance(index + 1);
                return Ok(Value::from(format!("{DEEP_MARK}{source}")));
            }
        }
        Err(self.truncated())
    }

    fn word(&mut self) -> Result<Value, Unreadable> {
        for (word, value) in [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)] {
            if self.rest().starts_with(word.as_bytes()) {
                self.advance(word.len());
                return Ok(value);
            }
        }
        for word in ["NaN", "Infinity"] {
            if self.rest().starts_with(word.as_bytes()) {
                return Ok(self.not_a_number(word));
            }
        }
        let is_cut = ["true", "false", "null", "NaN", "Infinity"].iter().any(|w| w.as_bytes().starts_with(self.rest()));
        Err(if is_cut { self.truncated() } else { self.unexpected("a value") })
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub fn truncated(&self) -> Unreadable {
        Unreadable::Truncated { at: self.bytes.len() }
    }

    pub fn unexpected(&self, expected: &'static str) -> Unreadable {
        Unreadable::Unexpected { at: self.at, expected }
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Passes over a closing bracket, if that comes next.
    fn ends_with(&mut self, bracket: u8) -> bool {
        self.skip_blanks();
        let ends = self.peek() == Some(bracket);
        self.at += usize::from(ends);
        ends
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), Unreadable> {
        match self.peek() {
            Some(found) if found == byte => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.unexpected(expected)),
            None => Err(self.truncated()),
        }
    }
}
