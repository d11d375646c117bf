//! What stands between two values: white space, comments and at most one comma.

use std::ops::Range;

/// The comma behind a value that ends at `from`, if there is one before anything else.
pub(super) fn comma_after(text: &str, from: usize) -> Option<usize> {
    let at = skip(text, from, Until::Value);
    text.get(at..)?.starts_with(',').then_some(at)
}

/// Where the comments end that begin on the same line as `from`; `from` itself if there are none.
pub(super) fn same_line_end(text: &str, from: usize) -> usize {
    last_comment(text, from, Until::LineEnd).unwrap_or(from)
}

/// Where the last comment within a gap ends.
pub(super) fn comments_end(text: &str, gap: Range<usize>) -> Option<usize> {
    last_comment(text, gap.start, Until::Value).filter(|end| *end <= gap.end)
}

/// How far to look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    LineEnd,
    /// Anything that is neither white space nor comment.
    Value,
}

fn skip(text: &str, from: usize, until: Until) -> usize {
    let mut at = from;
    while let Some(length) = blank(text, at, until).or_else(|| comment(text, at, until)) {
        at += length;
    }
    at
}

fn last_comment(text: &str, from: usize, until: Until) -> Option<usize> {
    let (mut at, mut end) = (from, None);
    loop {
        if let Some(length) = blank(text, at, until) {
            at += length;
        } else if let Some(length) = comment(text, at, until) {
            at += length;
            end = Some(at);
        } else {
            return end;
        }
    }
}

fn blank(text: &str, at: usize, until: Until) -> Option<usize> {
    let next = text.get(at..)?.chars().next()?;
    let counts = next.is_whitespace() && (until == Until::Value || !matches!(next, '\n' | '\r'));
    counts.then(|| next.len_utf8())
}

/// The length of a comment at a position.
fn comment(text: &str, at: usize, until: Until) -> Option<usize> {
    let rest = text.get(at..)?;
    if rest.starts_with("//") {
        return Some(rest.find(['\n', '\r']).unwrap_or(rest.len()));
    }
    let length = rest.strip_prefix("/*")?.find("*/")? + 4;
    let over_lines = rest.get(..length)?.contains('\n');
    (until == Until::Value || !over_lines).then_some(length)
}
