//! Collecting the parts of a word.

use super::push;
use super::source::Source;
use crate::ast::{PartKind, Span, Unknown, UnknownReason, WordPart};
use std::borrow::Cow;

/// The parts of a word while it is read. Adjacent literals are joined, but for characters of braces and brackets, whose
/// meaning is decided when the whole word is known.
#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    pub(super) list: Vec<WordPart<'a>>,
    /// Whether there is an unquoted `{` whose meaning is open.
    pub(super) open_brace: bool,
    /// Whether there is an unquoted `[` whose meaning is open.
    pub(super) open_bracket: bool,
    /// Whether the last literal must stay as it is.
    sealed: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn push(&mut self, kind: PartKind<'a>, span: Span) {
        self.sealed = false;
        push(&mut self.list, WordPart { kind, span });
    }

    pub(super) fn unknown(&mut self, reason: UnknownReason, span: Span) {
        self.push(PartKind::Unknown(Unknown { reason }), span);
    }

    /// Adds text that stands for itself.
    pub(super) fn literal(&mut self, source: &Source<'_, 'a>, text: Cow<'a, str>, span: Span) {
        let sealed = self.sealed;
        let joined = self.list.last_mut().is_some_and(|last| !sealed && join(source, last, &text, span));
        if !joined {
            self.push(PartKind::Literal(text), span);
        }
    }

    /// Adds one character of a brace or bracket, apart from the text around it.
    pub(super) fn mark(&mut self, text: Cow<'a, str>, span: Span) {
        self.push(PartKind::Literal(text), span);
        self.sealed = true;
    }
}

/// Whether a part is one of the characters that [`Parts::mark`] added. Escaped ones are longer in the text.
pub(super) fn is_mark(part: &WordPart<'_>, character: &str) -> bool {
    matches!(&part.kind, PartKind::Literal(text) if text == character) && part.span.end - part.span.start == 1
}

/// Adds text to a literal. `false` if it is none.
pub(super) fn join<'a>(source: &Source<'_, 'a>, last: &mut WordPart<'a>, text: &str, span: Span) -> bool {
    let PartKind::Literal(before) = &mut last.kind else { return false };
    let whole = Span { start: last.span.start, end: span.end };
    let unchanged = before.len() + text.len() == whole.end - whole.start;
    match (source, &before) {
        // Neither has a backslash in the text: both together are a slice of it.
        (Source::Borrowed(_), Cow::Borrowed(_)) if unchanged => *before = source.cow(whole.start, whole.end),
        _ => before.to_mut().push_str(text),
    }
    last.span = whole;
    true
}

/// Joins adjacent literals.
pub(super) fn coalesce<'a>(source: &Source<'_, 'a>, list: Vec<WordPart<'a>>) -> Vec<WordPart<'a>> {
    if list.len() < 2 {
        return list;
    }
    let mut joined: Vec<WordPart<'a>> = Vec::with_capacity(list.len());
    for part in list {
        if let (Some(last), PartKind::Literal(text)) = (joined.last_mut(), &part.kind)
            && last.span.end == part.span.start
            && join(source, last, text, part.span)
        {
            continue;
        }
        joined.push(part);
    }
    joined
}
