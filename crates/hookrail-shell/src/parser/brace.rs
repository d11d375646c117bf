//! Brace expansion. Whether a brace means anything is known at the end of its word only: `{a,b}` does, `{a}`, `{a b}` and
//! `{a,b` do not.

use super::parts::{coalesce, is_mark};
use super::{Parser, glob, push};
use crate::MAX_NESTING;
use crate::ast::{Brace, PartKind, Span, UnknownReason, Word, WordPart};
use std::borrow::Cow;

/// What a mark of a word turns out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Text,
    Open,
    Comma,
    Close,
}

/// A brace whose end is not reached.
struct OpenBrace<'a> {
    span: Span,
    words: Vec<Word<'a>>,
    parts: Vec<WordPart<'a>>,
    /// Where the current word begins.
    start: usize,
}

/// Makes braces of the marks in a word.
pub(super) fn resolve<'a>(parser: &Parser<'_, 'a>, list: Vec<WordPart<'a>>) -> Vec<WordPart<'a>> {
    let Some(roles) = roles(&list, MAX_NESTING.saturating_sub(parser.limits.depth)) else {
        return too_deep(parser, list);
    };
    let mut open: Vec<OpenBrace<'a>> = Vec::new();
    let mut outside = Vec::new();
    for (part, role) in list.into_iter().zip(roles) {
        match (role, open.last_mut()) {
            (Role::Open, _) => {
                let start = part.span.end;
                open.push(OpenBrace { span: part.span, words: Vec::new(), parts: Vec::new(), start });
            }
            (Role::Comma, Some(brace)) => brace.end_word(parser, part.span),
            (Role::Close, Some(_)) => {
                let closed = open.pop().map(|brace| brace.close(parser, part.span));
                open.last_mut().map_or(&mut outside, |brace| &mut brace.parts).extend(closed);
            }
            (Role::Text, Some(brace)) => push(&mut brace.parts, part),
            (_, None) => outside.push(part),
        }
    }
    coalesce_text(parser, outside)
}

impl<'a> OpenBrace<'a> {
    fn end_word(&mut self, parser: &Parser<'_, 'a>, at: Span) {
        let parts = coalesce_text(parser, std::mem::take(&mut self.parts));
        let parts = glob::resolve_classes(&parser.source, parts);
        self.words.push(Word { parts, span: Span { start: self.start, end: at.start } });
        self.start = at.end;
    }

    fn close(mut self, parser: &Parser<'_, 'a>, at: Span) -> WordPart<'a> {
        let range = if self.words.is_empty() { range_of(&self.parts) } else { None };
        let span = Span { start: self.span.start, end: at.end };
        let brace = range.unwrap_or_else(|| {
            self.end_word(parser, at);
            Brace::List(self.words)
        });
        WordPart { kind: PartKind::Brace(Box::new(brace)), span }
    }
}

/// What every part of a word is. `None` if braces are nested too deep.
fn roles(list: &[WordPart<'_>], room: usize) -> Option<Vec<Role>> {
    let mut roles = vec![Role::Text; list.len()];
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    // How deep the valid braces within each open one are; they close from the inside to the outside.
    let mut depths: Vec<usize> = vec![0];
    for (index, part) in list.iter().enumerate() {
        if is_mark(part, "{") {
            open.push((index, Vec::new()));
            depths.push(0);
        } else if is_mark(part, ",") {
            if let Some((_, commas)) = open.last_mut() {
                commas.push(index);
            }
        } else if is_mark(part, "}")
            && let Some((start, commas)) = open.pop()
        {
            let valid = !commas.is_empty() || list.get(start + 1..index).is_some_and(|inner| range_of(inner).is_some());
            let depth = depths.pop().unwrap_or(0) + usize::from(valid);
            if let Some(outer) = depths.last_mut() {
                *outer = depth.max(*outer);
            }
            if depth > room {
                return None;
            }
            if valid {
                mark(&mut roles, start, Role::Open);
                commas.into_iter().for_each(|comma| mark(&mut roles, comma, Role::Comma));
                mark(&mut roles, index, Role::Close);
            }
        }
    }
    Some(roles)
}

fn mark(roles: &mut [Role], index: usize, role: Role) {
    if let Some(place) = roles.get_mut(index) {
        *place = role;
    }
}

/// The range that a brace with this content is, if it is one.
fn range_of<'a>(parts: &[WordPart<'a>]) -> Option<Brace<'a>> {
    let [WordPart { kind: PartKind::Literal(text), span }] = parts else { return None };
    // Escaped characters make it a text.
    if text.len() != span.end - span.start {
        return None;
    }
    let (from, rest) = text.split_once("..")?;
    let (to, step) = rest.split_once("..").map_or((rest, None), |(to, step)| (to, Some(step)));
    let letters = is_letter(from) && is_letter(to);
    let numbers = is_integer(from) && is_integer(to);
    let owned = |text: &str| Cow::Owned(text.to_owned());
    ((letters || numbers) && step.is_none_or(is_integer)).then(|| Brace::Range {
        from: owned(from),
        to: owned(to),
        step: step.map(owned),
    })
}

fn is_letter(text: &str) -> bool {
    matches!(text.as_bytes(), [byte] if byte.is_ascii_alphabetic())
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Joins what turned out to be text; marks of brackets stay apart, because their meaning is decided later.
fn coalesce_text<'a>(parser: &Parser<'_, 'a>, list: Vec<WordPart<'a>>) -> Vec<WordPart<'a>> {
    if list.len() < 2 {
        return list;
    }
    let mut joined = Vec::new();
    let mut run = Vec::new();
    for part in list {
        if is_mark(&part, "[") || is_mark(&part, "]") {
            joined.extend(coalesce(&parser.source, std::mem::take(&mut run)));
            joined.push(part);
        } else {
            run.push(part);
        }
    }
    joined.extend(coalesce(&parser.source, run));
    joined
}

/// The word as it was read, with a part that says what is wrong with it.
fn too_deep<'a>(parser: &Parser<'_, 'a>, list: Vec<WordPart<'a>>) -> Vec<WordPart<'a>> {
    let mut list = coalesce_text(parser, list);
    let kind = PartKind::Unknown(crate::ast::Unknown { reason: UnknownReason::NestedTooDeep });
    list.push(WordPart { kind, span: parser.here() });
    list
}
