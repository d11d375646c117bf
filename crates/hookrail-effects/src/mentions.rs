//! The paths that a part of a call names which is not understood, whatever is done with them.

use crate::analysis::Analysis;
use crate::effect::Sure;
use crate::flow::Arg;
use crate::object::PathObject;
use crate::resolve::paths;
use hookrail_shell::ast::Span;
use std::path::Path;

/// So many names of one part are kept.
const MAX_NAMES: usize = 32;
/// So much of a text is searched for names.
const MAX_TEXT: usize = 64 * 1024;

/// The paths that words name: as a word, as the value of an option, or in a text.
pub(crate) fn of_words(analysis: &Analysis<'_>, words: &[Arg], cwd: Option<&Path>) -> Vec<PathObject> {
    let mut names = Vec::new();
    for word in words {
        if names.len() >= MAX_NAMES {
            break;
        }
        let plain = !word.text.contains(char::is_whitespace);
        if plain && !word.text.starts_with('-') {
            add(analysis, &mut names, word, cwd);
        }
        if let Some(at) = word.text.find('=') {
            add(analysis, &mut names, &word.after(at + 1), cwd);
        }
        if !plain || word.text.contains(['\'', '"', '(']) {
            names.extend(in_text(analysis, &word.text, word.span, cwd));
        }
    }
    names.truncate(MAX_NAMES);
    names
}

/// The paths that a text of unknown meaning names.
pub(crate) fn in_text(analysis: &Analysis<'_>, text: &str, span: Span, cwd: Option<&Path>) -> Vec<PathObject> {
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_TEXT).last().unwrap_or_default();
    let text = if text.len() <= MAX_TEXT { text } else { text.get(..end).unwrap_or_default() };
    let separates = |c: char| c.is_whitespace() || "'\"`()[]{},;|&<>=:".contains(c);
    let mut names = Vec::new();
    // A word without a slash or a dot is a word of the language.
    for piece in text.split(separates).filter(|piece| piece.len() > 1 && piece.contains(['/', '.'])) {
        if names.len() >= MAX_NAMES {
            break;
        }
        add(analysis, &mut names, &Arg::new(piece, span), cwd);
    }
    names
}

fn add(analysis: &Analysis<'_>, names: &mut Vec<PathObject>, arg: &Arg, cwd: Option<&Path>) {
    if arg.text.is_empty() || arg.text.contains("://") || arg.text.len() > 4096 {
        return;
    }
    let found =
        paths(analysis, arg, cwd).into_iter().filter(|found| found.place.is_none() || found.sure == Sure::Certain);
    for path in found.map(|found| found.path) {
        if names.len() < MAX_NAMES && !names.contains(&path) {
            names.push(path);
        }
    }
}
