//! The bodies of here-documents.
//!
//! A body begins behind the line of its operator, when the command it belongs to is still being read. So the tree gets
//! the number of the body, in the span of an empty word, and the body itself when everything is read (see `fill`).

use super::Parser;
use super::mode::{Ends, Mode, Quoting};
use crate::ast::{PartKind, Span, Word, WordPart};

/// The start of a span that holds the number of a body and no position.
pub(super) const BODY_NUMBER: usize = usize::MAX;

/// How much of the depth a body takes. The end of each body within another is looked for in the same text again, so
/// there must be only a few of them.
const BODY_DEPTH: usize = 8;

/// A body that is still to come.
#[derive(Debug)]
pub(super) struct PendingBody {
    number: usize,
    delimiter: String,
    quoted: bool,
    strip_tabs: bool,
}

impl<'a> Parser<'_, 'a> {
    /// Notes a body, and returns its number as a span.
    pub(super) fn expect_body(&mut self, delimiter: String, quoted: bool, strip_tabs: bool) -> Span {
        let number = self.limits.bodies.len();
        self.limits.bodies.push(Word { parts: Vec::new(), span: self.here() });
        self.pending.push(PendingBody { number, delimiter, quoted, strip_tabs });
        Span { start: BODY_NUMBER, end: number }
    }

    /// Forgets bodies for which there is no line left; they are empty.
    pub(super) fn drop_pending(&mut self) {
        self.pending.clear();
    }

    /// Reads the bodies that begin here.
    pub(super) fn read_bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let body = self.body(&pending);
            if let Some(place) = self.limits.bodies.get_mut(pending.number) {
                *place = body;
            }
        }
    }

    fn body(&mut self, pending: &PendingBody) -> Word<'a> {
        let start = self.pos;
        let (end, after) = self.find_delimiter(pending);
        self.limits.depth += BODY_DEPTH;
        let word = self.within(end, |parser| match pending.quoted {
            true => parser.quoted_body(pending.strip_tabs),
            false => parser.expanded_body(pending.strip_tabs),
        });
        self.limits.depth -= BODY_DEPTH;
        self.pos = after;
        Word { span: self.source.span(start, end), ..word }
    }

    /// Where the body that begins here ends, and where to read on.
    fn find_delimiter(&mut self, pending: &PendingBody) -> (usize, usize) {
        let mut line = self.pos;
        let mut continued = false;
        while line < self.end() {
            let end = self.line_end(line);
            let text = self.source.slice(line, end);
            let text = if pending.strip_tabs { text.trim_start_matches('\t') } else { text };
            if !continued && text == pending.delimiter {
                return (line, (end + 1).min(self.end()));
            }
            if let Some(after) = self.closing_delimiter(pending, text, end).filter(|_| !continued) {
                return (line, after);
            }
            continued = !pending.quoted && text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
            line = end + 1;
        }
        (self.end(), self.end())
    }

    /// In a substitution, bash takes a delimiter with a `)` somewhere behind it on the line for the end of the body.
    fn closing_delimiter(&self, pending: &PendingBody, text: &str, end: usize) -> Option<usize> {
        let rest = text.strip_prefix(pending.delimiter.as_str()).filter(|_| self.in_substitution)?;
        rest.contains(')').then(|| end - rest.len())
    }

    fn line_end(&mut self, line: usize) -> usize {
        let mut at = line;
        while self.at(at).is_some_and(|byte| byte != b'\n') {
            at += 1;
        }
        self.step(at - line + 1);
        at
    }

    fn quoted_body(&mut self, strip_tabs: bool) -> Word<'a> {
        let mut parts = Vec::new();
        if !strip_tabs {
            let start = self.pos;
            self.pos = self.end();
            self.push_text(&mut parts, start);
        }
        while self.pos < self.end() {
            while strip_tabs && self.peek() == Some(b'\t') {
                self.pos += 1;
            }
            let start = self.pos;
            self.pos = (self.line_end(start) + 1).min(self.end());
            self.push_text(&mut parts, start);
        }
        Word { parts, span: Span::default() }
    }

    fn push_text(&self, parts: &mut Vec<WordPart<'a>>, start: usize) {
        if self.pos > start {
            let kind = PartKind::Literal(self.source.cow(start, self.pos));
            parts.push(WordPart { kind, span: self.span(start) });
        }
    }

    fn expanded_body(&mut self, strip_tabs: bool) -> Word<'a> {
        let outer = std::mem::replace(&mut self.in_substitution, false);
        let word = self.word(Mode::quiet(Ends::Nothing, Quoting::HereDocument { strip_tabs }));
        self.in_substitution = outer;
        self.drop_pending();
        word
    }
}
