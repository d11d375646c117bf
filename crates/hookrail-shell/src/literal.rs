//! What of a tree is known without expanding anything.

use crate::ast::{PartKind, SimpleCommand, Span, Word, WordPart};
use std::borrow::Cow;

impl Span {
    /// The text of this span, or nothing if it is not within `text`.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

impl<'a> Word<'a> {
    /// The text of a word in which nothing is expanded, with quotes and backslashes removed.
    ///
    /// `None` if any part depends on the machine or on what ran before: parameters, substitutions, `~`, braces, and
    /// patterns.
    #[must_use]
    pub fn literal(&self) -> Option<Cow<'a, str>> {
        literal(&self.parts)
    }

    /// Whether any of the word is quoted. Such a word is never dropped, even if it is empty.
    #[must_use]
    pub fn has_quotes(&self) -> bool {
        self.parts.iter().any(|part| {
            matches!(part.kind, PartKind::SingleQuoted(_) | PartKind::AnsiQuoted(_) | PartKind::DoubleQuoted(_))
        })
    }
}

impl<'a> SimpleCommand<'a> {
    /// The program, if it is named literally.
    #[must_use]
    pub fn name(&self) -> Option<Cow<'a, str>> {
        self.words.first()?.literal()
    }
}

/// The text of parts in which nothing is expanded. Borrowed where one part is all there is.
fn literal<'a>(parts: &[WordPart<'a>]) -> Option<Cow<'a, str>> {
    let mut text = Cow::Borrowed("");
    for part in parts {
        let more = match &part.kind {
            PartKind::Literal(more) | PartKind::SingleQuoted(more) | PartKind::AnsiQuoted(more) => more.clone(),
            PartKind::DoubleQuoted(parts) => literal(parts)?,
            PartKind::Parameter(_)
            | PartKind::Command(_)
            | PartKind::Process(_)
            | PartKind::Arithmetic(_)
            | PartKind::Tilde(_)
            | PartKind::Brace(_)
            | PartKind::Glob(_)
            | PartKind::Array(_)
            | PartKind::Unknown(_) => return None,
        };
        if text.is_empty() {
            text = more;
        } else {
            text.to_mut().push_str(&more);
        }
    }
    Some(text)
}
