//! What is said about a mistake.

use hookrail_engine::registry::positions::line_and_column;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// How bad a mistake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It works, but perhaps not as meant.
    Warning,
    /// A hook does not run, or what it decides is not heard.
    Error,
}

impl Severity {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub path: PathBuf,
    pub text: String,
}

/// A mistake, where it stands, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The code of the lint; see [`crate::LINTS`].
    pub code: &'static str,
    pub severity: Severity,
    pub source: Arc<Source>,
    /// The bytes of the source it is about.
    pub span: Range<usize>,
    pub message: String,
    pub hint: Option<String>,
}

/// Where a finding stands, counted from 1; columns and lengths are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    pub line: usize,
    pub column: usize,
    /// Of the part on that line.
    pub length: usize,
}

impl Finding {
    #[must_use]
    pub fn place(&self) -> SourcePosition {
        place(&self.source.text, &self.span)
    }

    /// The line and column behind its last character, which may be on another line than its first.
    #[must_use]
    pub fn end(&self) -> (usize, usize) {
        let end = self.span.end.max(self.span.start);
        let behind = place(&self.source.text, &(end..end));
        (behind.line, behind.column)
    }
}

pub(crate) fn place(text: &str, span: &Range<usize>) -> SourcePosition {
    let (line, column) = line_and_column(text, span.start);
    let marked = text.get(span.clone()).unwrap_or_default();
    SourcePosition { line, column, length: marked.lines().next().unwrap_or_default().chars().count() }
}
