//! Pattern characters, groups and bracket expressions.

use super::Parser;
use super::mode::{Ends, Mode};
use super::parts::{Parts, coalesce, is_mark};
use super::source::Source;
use crate::ast::{Glob, PartKind, Span, UnknownReason, WordPart};

impl<'a> Parser<'_, 'a> {
    pub(super) fn glob_character(&mut self, parts: &mut Parts<'a>, byte: u8) {
        let start = self.pos;
        self.pos += 1;
        let glob = if byte == b'*' { Glob::Any } else { Glob::One };
        parts.push(PartKind::Glob(glob), self.span(start));
    }

    /// Whether a group such as `@(a|b)` begins here. An empty one does not: `name@()` defines a function.
    pub(super) fn begins_group(&self) -> bool {
        self.at(self.pos + 1) == Some(b'(') && self.at(self.pos + 2).is_some_and(|byte| byte != b')')
    }

    pub(super) fn glob_group(&mut self, parts: &mut Parts<'a>, operator: u8) {
        let start = self.pos;
        self.pos += 2;
        let alternatives = self.nested(|parser| {
            let mut alternatives = vec![parser.word(Mode::pattern(Ends::Group))];
            while parser.eat(b'|') {
                alternatives.push(parser.word(Mode::pattern(Ends::Group)));
            }
            alternatives
        });
        let Some(alternatives) = alternatives else { return self.rest_unknown(parts, start) };
        let closed = self.eat(b')');
        let glob = Glob::Group { operator: char::from(operator), alternatives };
        parts.push(PartKind::Glob(glob), self.span(start));
        if !closed {
            parts.unknown(self.unknown(UnknownReason::Unclosed("(")).reason, self.here());
        }
    }
}

/// Makes bracket expressions of the marks in a word. Brackets without a partner, or with a slash between them, are text.
pub(super) fn resolve_classes<'a>(source: &Source<'_, 'a>, list: Vec<WordPart<'a>>) -> Vec<WordPart<'a>> {
    if !list.iter().any(|part| is_mark(part, "[")) {
        return coalesce(source, list);
    }
    let closes = closing_brackets(&list);
    let mut resolved = Vec::with_capacity(list.len());
    let mut rest = list.into_iter().enumerate();
    while let Some((index, part)) = rest.next() {
        let Some(close) = closes.get(index).copied().filter(|close| *close > index) else {
            resolved.push(part);
            continue;
        };
        let inside: Vec<WordPart<'a>> = rest.by_ref().take(close - index - 1).map(|(_, part)| part).collect();
        let end = rest.next().map_or(part.span.end, |(_, close)| close.span.end);
        let span = Span { start: part.span.start, end };
        resolved.push(WordPart { kind: PartKind::Glob(Glob::Class(coalesce(source, inside))), span });
    }
    coalesce(source, resolved)
}

/// For every part that opens a class, the index of the part that closes it, or 0.
fn closing_brackets(list: &[WordPart<'_>]) -> Vec<usize> {
    let mut closes = vec![0; list.len()];
    let mut open: Option<usize> = None;
    // Whether the next `]` ends a `[:class:]` within the brackets.
    let mut named = false;
    for (index, part) in list.iter().enumerate() {
        match open {
            None if is_mark(part, "[") => open = Some(index),
            None => {}
            Some(_) if has_slash(part) => open = None,
            Some(start) if is_mark(part, "]") => {
                if named {
                    named = false;
                } else if !is_first(list, start, index) {
                    if let Some(place) = closes.get_mut(start) {
                        *place = index;
                    }
                    open = None;
                }
            }
            Some(_) => named |= is_mark(part, "[") && list.get(index + 1).is_some_and(begins_name),
        }
    }
    closes
}

/// A `]` that is the first character of a class, or the first behind `!` or `^`, stands for itself.
fn is_first(list: &[WordPart<'_>], start: usize, index: usize) -> bool {
    match list.get(start + 1..index) {
        Some([]) => true,
        Some([only]) => matches!(&only.kind, PartKind::Literal(text) if text == "!" || text == "^"),
        _ => false,
    }
}

fn has_slash(part: &WordPart<'_>) -> bool {
    matches!(&part.kind, PartKind::Literal(text) if text.contains('/'))
}

fn begins_name(part: &WordPart<'_>) -> bool {
    matches!(&part.kind, PartKind::Literal(text) if text.starts_with([':', '.', '=']))
}
