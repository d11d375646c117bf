//! The text that is read, and where it came from.

use crate::ast::Span;
use std::borrow::Cow;

/// A text with the way back to the text that was given to the parser.
///
/// Between backticks one layer of backslashes is removed before the content is read. What is read there is a text of
/// its own, whose nodes own what they say, and whose positions are looked up.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source<'s, 'a> {
    /// The text itself.
    Borrowed(&'a str),
    /// A copy without one layer of backslashes, and for each byte and the end its position in the original.
    Unescaped { text: &'s str, origins: &'s [usize] },
}

impl<'s, 'a: 's> Source<'s, 'a> {
    pub(super) fn bytes(&self) -> &'s [u8] {
        match self {
            Self::Borrowed(text) => text.as_bytes(),
            Self::Unescaped { text, .. } => text.as_bytes(),
        }
    }
}

impl<'a> Source<'_, 'a> {
    pub(super) fn borrowed(text: &'a str) -> Self {
        Self::Borrowed(text)
    }

    fn text(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Unescaped { text, .. } => text,
        }
    }

    pub(super) fn after_char(&self, pos: usize) -> usize {
        let text = self.text();
        (pos + 1..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &str {
        self.text().get(start..end).unwrap_or_default()
    }

    /// The text of a range, borrowed if it can be.
    pub(super) fn cow(&self, start: usize, end: usize) -> Cow<'a, str> {
        match self {
            Self::Borrowed(text) => Cow::Borrowed(text.get(start..end).unwrap_or_default()),
            Self::Unescaped { .. } => Cow::Owned(self.slice(start, end).to_owned()),
        }
    }

    /// Where a position is in the original text.
    pub(super) fn origin(&self, pos: usize) -> usize {
        match self {
            Self::Borrowed(_) => pos,
            Self::Unescaped { origins, .. } => origins.get(pos).or(origins.last()).copied().unwrap_or_default(),
        }
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span { start: self.origin(start), end: self.origin(end) }
    }
}
