//! The paths that a part of a call names which is not understood, whatever is done with them.

use crate::analysis::Analysis;
use crate::effect::Sure;
use crate::flow::Arg;
use crate::object::PathObject;
use crate::resolve::paths;
use hookrail_shell::ast::Span;
use std::path::Path;

/// So many names of one part are kept.
const MAX_NAMES: usize = 256;
/// So much of a text is searched for names.
const MAX_TEXT: usize = 64 * 1024;

/// What a part names.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    pub names: Vec<PathObject>,
    /// There were more names than are kept, or more text than is searched.
    pub cut_off: bool,
    /// So many pieces were looked up: each costs a question to the machine.
    pub looked_up: usize,
}

/// The paths that words name: as a word, as the value of an option, or in a text.
pub(crate) fn of_words(analysis: &Analysis<'_>, words: &[Arg], cwd: Option<&Path>) -> Mentions {
    let mut mentions = Mentions::default();
    for word in words {
        let plain = !word.text.contains(char::is_whitespace);
        if plain && !word.text.starts_with('-') {
            mentions.add(analysis, word, cwd);
        }
        if let Some(at) = word.text.find('=') {
            mentions.add(analysis, &word.after(at + 1), cwd);
        }
        if !plain || word.text.contains(['\'', '"', '(']) {
            mentions.search(analysis, &word.text, word.span, cwd);
        }
    }
    mentions
}

/// The paths that a text of unknown meaning names.
pub(crate) fn in_text(analysis: &Analysis<'_>, text: &str, span: Span, cwd: Option<&Path>) -> Mentions {
    let mut mentions = Mentions::default();
    mentions.search(analysis, text, span, cwd);
    mentions
}

impl Mentions {
    fn search(&mut self, analysis: &Analysis<'_>, text: &str, span: Span, cwd: Option<&Path>) {
        let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_TEXT).last().unwrap_or_default();
        self.cut_off |= text.len() > MAX_TEXT;
        let text = if text.len() <= MAX_TEXT { text } else { text.get(..end).unwrap_or_default() };
        let separates = |c: char| c.is_whitespace() || "'\"`()[]{},;|&<>=:".contains(c);
        // A word without a slash or a dot is a word of the language.
        for piece in text.split(separates).filter(|piece| piece.len() > 1 && piece.contains(['/', '.'])) {
            self.add(analysis, &Arg::new(piece, span), cwd);
        }
        // In quotes it may be the name of something that is there: `os.walk('secrets')`.
        let is_there = |piece: &&str| cwd.is_some_and(|cwd| analysis.machine.kind(&cwd.join(piece)).is_some());
        let is_word = |piece: &&str| piece.len() > 1 && !piece.contains(|c: char| c == '/' || c == '.' || separates(c));
        let quoted = text.split(['\'', '"']).skip(1).step_by(2).filter(is_word).take(MAX_NAMES);
        for piece in quoted.filter(is_there) {
            self.add(analysis, &Arg::new(piece, span), cwd);
        }
    }

    fn add(&mut self, analysis: &Analysis<'_>, arg: &Arg, cwd: Option<&Path>) {
        if arg.text.is_empty() || arg.text.contains("://") || arg.text.len() > 4096 {
            return;
        }
        if self.names.len() >= MAX_NAMES {
            self.cut_off = true;
            return;
        }
        self.looked_up += 1;
        let found =
            paths(analysis, arg, cwd).into_iter().filter(|found| found.place.is_none() || found.sure == Sure::Certain);
        for path in found.map(|found| found.path) {
            if self.names.len() < MAX_NAMES && !self.names.contains(&path) {
                self.names.push(path);
            }
        }
    }
}
