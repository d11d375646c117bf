//! The text of `apply_patch`.

use super::content;
use crate::act::Act;
use crate::analysis::{Analysis, Extent};
use crate::flow::Arg;
use hookrail_shell::ast::Span;
use std::path::Path;

/// Follows a patch: every file that it adds, changes, deletes or moves.
pub(crate) fn apply(analysis: &mut Analysis<'_>, cwd: Option<&Path>, text: &str, span: Span) {
    let mut current: Option<Arg> = None;
    let mut added = String::new();
    for line in text.lines() {
        let trimmed = line.trim();
        let header = |prefix: &str| trimmed.strip_prefix(prefix).map(str::trim).filter(|path| !path.is_empty());
        if let Some(path) = header("*** Add File: ").or_else(|| header("*** Update File: ")) {
            finish(analysis, cwd, current.take(), &mut added);
            let arg = Arg::new(path, span);
            analysis.touch(Act::FsWrite, &arg, cwd, Extent::Single);
            current = Some(arg);
        } else if let Some(path) = header("*** Delete File: ") {
            finish(analysis, cwd, current.take(), &mut added);
            analysis.touch(Act::FsDelete, &Arg::new(path, span), cwd, Extent::Single);
        } else if let Some(path) = header("*** Move to: ") {
            if let Some(source) = &current {
                analysis.touch(Act::FsMove, source, cwd, Extent::Single);
            }
            analysis.touch(Act::FsWrite, &Arg::new(path, span), cwd, Extent::Single);
        } else if let Some(text) = line.strip_prefix('+') {
            added.push_str(text);
            added.push('\n');
        }
    }
    finish(analysis, cwd, current, &mut added);
}

/// Whether a header of the patch names this path.
pub(crate) fn names(text: &str, path: &str) -> bool {
    let header = |line: &str| Some(line.trim().strip_prefix("*** ")?.split_once(": ")?.1.trim() == path);
    text.lines().any(|line| header(line) == Some(true))
}

fn finish(analysis: &mut Analysis<'_>, cwd: Option<&Path>, file: Option<Arg>, added: &mut String) {
    if let Some(file) = file {
        content::inspect(analysis, cwd, &file, added);
    }
    added.clear();
}
