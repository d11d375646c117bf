//! The text of a scenario file, and complaints about places in it.

use crate::screen::{Level, Snippet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scenario file.
#[derive(Debug)]
pub struct Source {
    pub path: PathBuf,
    pub text: String,
}

/// Something is wrong with a scenario file.
#[derive(Clone, Debug)]
pub struct Mistake {
    pub source: Arc<Source>,
    /// Byte offset in the file.
    pub at: usize,
    pub message: String,
    pub hint: Option<String>,
}

/// A piece of a scenario file: its text, and where it stands.
#[derive(Clone, Debug)]
pub struct Piece {
    pub source: Arc<Source>,
    pub range: Range<usize>,
}

impl Source {
    /// The line and column of a byte, both from 1.
    pub fn position(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        (before.matches('\n').count() + 1, column)
    }

    pub fn line(&self, at: usize) -> usize {
        self.position(at).0
    }
}

impl Piece {
    pub fn text(&self) -> &str {
        self.source.text.get(self.range.clone()).unwrap_or_default()
    }

    /// A complaint about a byte of this piece.
    pub fn mistake(&self, offset: usize, message: impl Into<String>) -> Mistake {
        Mistake { source: Arc::clone(&self.source), at: self.range.start + offset, message: message.into(), hint: None }
    }
}

impl Mistake {
    pub fn new(source: &Arc<Source>, at: usize, message: impl Into<String>) -> Self {
        Self { source: Arc::clone(source), at, message: message.into(), hint: None }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The first hint of an error that this mistake repeats.
    pub fn with_hints(self, hints: &[String]) -> Self {
        match hints.first() {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// `file:line:column`, the message, and the line itself.
    pub fn show(&self, name: &Path) -> String {
        let (line, column) = self.source.position(self.at);
        let snippet = Snippet {
            level: Level::Error,
            code: None,
            message: &self.message,
            file: &name.display().to_string(),
            source: &self.source.text,
            line,
            column,
            length: 0,
            hint: self.hint.as_deref(),
        };
        snippet.to_string()
    }
}
