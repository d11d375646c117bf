//! The parser: a recursive descent over bytes, without a separate lexer, because what a byte means depends on where it
//! stands.
//!
//! Three rules keep it linear and the stack small:
//!
//! - Every construct that may contain itself is entered through [`Parser::nested`], which counts the depth.
//! - No byte is looked at again after an attempt failed. The one ambiguity of the grammar, `((` against `( (`, is decided
//!   by the positions of matching parentheses, which are found once ([`arithmetic`]).
//! - When a limit is reached, the rest of the text becomes one `Unknown`, and all open constructs end.

mod ansi;
mod arithmetic;
mod brace;
mod case;
mod command;
mod compound;
mod dollar;
mod fill;
mod glob;
mod here_document;
mod list;
mod mode;
mod parameter;
mod parts;
mod redirect;
mod simple;
mod source;
mod substitution;
mod test;
mod word;

use crate::ast::{Script, Span, Unknown, UnknownReason, Word};
use crate::{MAX_COMMANDS, MAX_NESTING, MAX_TEXT};
use arithmetic::Parentheses;
use here_document::PendingBody;
use list::Enders;
use source::Source;
use std::borrow::Cow;

/// What is counted over a whole text, the texts of its backticks included.
#[derive(Debug, Default)]
struct Limits<'a> {
    depth: usize,
    commands: usize,
    /// Why the rest of the text is not read, once that is so.
    stopped: Option<UnknownReason>,
    /// The bodies of here-documents, by their number. They are read behind the line of their operator and put into the
    /// tree at the end.
    bodies: Vec<Word<'a>>,
    /// How many bytes and tokens were looked at, for the tests of linearity.
    steps: u64,
}

/// A cursor over a text, or over the part of it that a pair of backticks or a here-document limits.
#[derive(Debug)]
struct Parser<'s, 'a> {
    source: Source<'s, 'a>,
    /// What is read: the text up to the end of the part that is read.
    bytes: &'s [u8],
    pos: usize,
    limits: Limits<'a>,
    /// Here-documents whose bodies begin behind the current line.
    pending: Vec<PendingBody>,
    /// What ends the lists that are open.
    enders: Enders,
    /// Whether this is in a `$(…)` or `<(…)`.
    in_substitution: bool,
    parentheses: Parentheses,
}

/// Reads a text, and counts the steps that took.
pub(crate) fn parse_counted(text: &str) -> (Script<'_>, u64) {
    let cut = floor_char_boundary(text, MAX_TEXT);
    let mut parser = Parser::new(Source::borrowed(text), cut, Limits::default());
    let mut script = parser.list(Enders::NONE);
    parser.drop_pending();
    if cut < text.len() {
        let span = Span { start: cut, end: text.len() };
        script.items.push(list::unknown_item(UnknownReason::TextTooLong, span));
        script.span.end = text.len();
    }
    if !parser.limits.bodies.is_empty() {
        fill::fill_script(&mut script, &mut parser.limits.bodies);
    }
    (script, parser.limits.steps)
}

fn floor_char_boundary(text: &str, limit: usize) -> usize {
    if text.len() <= limit {
        return text.len();
    }
    (0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

impl<'s, 'a: 's> Parser<'s, 'a> {
    fn new(source: Source<'s, 'a>, end: usize, limits: Limits<'a>) -> Self {
        let bytes = source.bytes();
        Self {
            source,
            bytes: bytes.get(..end).unwrap_or(bytes),
            pos: 0,
            limits,
            pending: Vec::new(),
            enders: Enders::NONE,
            in_substitution: false,
            parentheses: Parentheses::default(),
        }
    }
}

impl<'a> Parser<'_, 'a> {
    /// Where what is read ends.
    fn end(&self) -> usize {
        self.bytes.len()
    }

    /// The byte at a position of the text, if that is before the end of what is read.
    fn at(&self, pos: usize) -> Option<u8> {
        self.bytes.get(pos).copied()
    }

    fn peek(&self) -> Option<u8> {
        self.at(self.pos)
    }

    fn looking_at(&self, text: &str) -> bool {
        text.bytes().enumerate().all(|(offset, byte)| self.at(self.pos + offset) == Some(byte))
    }

    /// Goes past `byte` if it is next.
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    fn step(&mut self, count: usize) {
        self.limits.steps += count as u64;
    }

    /// The position behind the character that begins at `pos`.
    fn after_char(&self, pos: usize) -> usize {
        self.source.after_char(pos).min(self.end())
    }

    /// The first position from `pos` on that is not a backslash before a newline. The shell removes those before it
    /// looks for operators.
    fn past_continuations(&self, mut pos: usize) -> usize {
        while self.at(pos) == Some(b'\\') && self.at(pos + 1) == Some(b'\n') {
            pos += 2;
        }
        pos
    }

    /// Where the name that begins at `start` ends. A continued line does not interrupt it.
    fn name_end(&self, start: usize) -> usize {
        let mut at = start;
        loop {
            let next = self.past_continuations(at);
            match self.at(next) {
                Some(byte) if mode::is_name_byte(byte) => at = next + 1,
                _ => return at,
            }
        }
    }

    /// The text of a range without its continued lines.
    fn joined(&self, start: usize, end: usize) -> Cow<'a, str> {
        match self.source.slice(start, end).contains('\\') {
            true => Cow::Owned(self.source.slice(start, end).replace("\\\n", "")),
            false => self.source.cow(start, end),
        }
    }

    /// Skips blanks and continued lines.
    fn skip_blanks(&mut self) {
        let start = self.pos;
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.at(self.pos + 1) == Some(b'\n') => self.pos += 2,
                _ => break,
            }
        }
        self.step(self.pos - start);
    }

    /// Skips a comment, if one begins here. The newline stays.
    fn skip_comment(&mut self) {
        if self.peek() == Some(b'#') {
            let start = self.pos;
            while self.peek().is_some_and(|byte| byte != b'\n') {
                self.pos += 1;
            }
            self.step(self.pos - start);
        }
    }

    /// Skips blanks, comments and newlines. Behind a newline, bodies of here-documents are read.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            self.skip_comment();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.newline();
        }
    }

    /// Goes past a newline, and past the bodies of here-documents behind it.
    fn newline(&mut self) {
        self.pos += 1;
        self.step(1);
        if !self.pending.is_empty() {
            self.read_bodies();
        }
    }

    fn span(&self, start: usize) -> Span {
        self.source.span(start, self.pos)
    }

    /// The span of nothing, here.
    fn here(&self) -> Span {
        self.source.span(self.pos, self.pos)
    }

    /// Enters a construct, or returns `None` and stops reading if there are too many around it.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.limits.depth >= MAX_NESTING {
            self.limits.stopped.get_or_insert(UnknownReason::NestedTooDeep);
            return None;
        }
        self.limits.depth += 1;
        let result = inside(self);
        self.limits.depth -= 1;
        Some(result)
    }

    /// Counts a command. `false` if it is one too many.
    fn count_command(&mut self) -> bool {
        self.limits.commands += 1;
        if self.limits.commands > MAX_COMMANDS {
            self.limits.stopped.get_or_insert(UnknownReason::TooManyCommands);
        }
        self.limits.stopped.is_none()
    }

    /// Goes to the end; the span is what was skipped.
    fn skip_rest(&mut self) -> Span {
        let start = self.pos;
        self.pos = self.end();
        self.span(start)
    }

    /// Why something is not read: the limit that was reached, or else `reason`.
    fn unknown(&self, reason: UnknownReason) -> Unknown {
        Unknown { reason: self.limits.stopped.unwrap_or(reason) }
    }
}

/// Adds to a list that has mostly one element. The first room that a list makes for itself is for four, and nearly all memory of
/// a long script would be room that stays empty.
fn push<T>(list: &mut Vec<T>, element: T) {
    if list.capacity() == 0 {
        *list = vec![element];
    } else {
        list.push(element);
    }
}
