//! What is wrong with the comments, the cases or the policy. All of it is reported at once.

use std::fmt;

use serde::{Serialize, Serializer};

use super::policy::{self, MIN_REASON};

/// A line of a file, relative to the workspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CitedLine {
    pub file: String,
    pub line: usize,
}

impl fmt::Display for CitedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("{place}: `covers:` stands outside a test\nhint: move it into the body of the test that it speaks of")]
    Homeless { place: CitedLine },
    #[error("{place}: the test `{test}` is skipped, so it covers nothing")]
    Skipped { place: CitedLine, test: String },
    #[error("{place}: `covers:` names no id")]
    NoId { place: CitedLine },
    #[error("{place}: unknown id `{id}`{}", hint(nearest.as_deref()))]
    UnknownId { place: CitedLine, id: String, nearest: Option<String> },
    #[error("{place}: `{id}` has been merged into `{target}`\nhint: name `{target}` if that is what is tested")]
    MergedId { place: CitedLine, id: String, target: String },
    #[error("{place}: not a conformance case: {source}")]
    Case { place: CitedLine, source: serde_json::Error },

    #[error("{}: unknown document `{name}` in `complete`{}", policy::FILE, hint(nearest.as_deref()))]
    PolicyDocument { name: String, nearest: Option<String> },
    #[error("{}: unknown id `{id}` in [{table}]{}", policy::FILE, hint(nearest.as_deref()))]
    PolicyId { table: &'static str, id: String, nearest: Option<String> },
    #[error("{}: `{id}` in [{table}] has been merged into `{target}`\nhint: name `{target}`", policy::FILE)]
    PolicyMerged { table: &'static str, id: String, target: String },
    #[error("{}: the reason for `{id}` in [{table}] is shorter than {MIN_REASON} characters", policy::FILE)]
    ShortReason { table: &'static str, id: String },
    #[error("{}: `{id}` is both in [pending] and in [not_applicable]", policy::FILE)]
    Undecided { id: String },
    #[error("{}: `{id}` is in [pending], but `{document}` is not in `complete`", policy::FILE)]
    NeedlesslyPending { id: String, document: String },
    #[error("{}: `{id}` is in [{table}], yet {by} covers it\nhint: remove the entry", policy::FILE)]
    CoveredAnyway { table: &'static str, id: String, by: String },

    #[error(
        "`{document}` must be complete; ids without cover: {uncovered}\n\
         hint: `cargo xtask trace --document {document} --uncovered` lists them"
    )]
    Incomplete { document: String, uncovered: usize },
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The known name that was probably meant, as the end of an error message.
pub(super) fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("\nhint: did you mean `{name}`?")).unwrap_or_default()
}
