//! Collecting commands, words and redirections.

use super::{CommandLine, Separator, WindowsCommand, WindowsOperator, WindowsRedirect, WindowsWord};
use crate::ast::Span;
use crate::{MAX_COMMANDS, MAX_TEXT};
use std::borrow::Cow;

/// A position in a text, and what was read before it.
pub(super) struct Cursor<'a> {
    text: &'a str,
    pub(super) pos: usize,
    line: CommandLine<'a>,
    words: Vec<WindowsWord<'a>>,
    redirects: Vec<WindowsRedirect<'a>>,
    before: Separator,
    /// A redirection that has no target yet.
    open: Option<(Option<char>, WindowsOperator)>,
    span: Option<Span>,
}

/// A word while it is read.
pub(super) struct Building {
    start: usize,
    text: String,
    pub(super) expands: bool,
    changed: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let cut = (0..=text.len().min(MAX_TEXT)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        Self {
            text: text.get(..cut).unwrap_or_default(),
            pos: 0,
            line: CommandLine { commands: Vec::new(), complete: cut == text.len() },
            words: Vec::new(),
            redirects: Vec::new(),
            before: Separator::Start,
            open: None,
            span: None,
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text.get(self.pos..)?.chars().next()
    }

    pub(super) fn peek_second(&self) -> Option<char> {
        self.text.get(self.pos..)?.chars().nth(1)
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.pos += character.len_utf8();
        Some(character)
    }

    /// Goes past `text` if it is next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.text.get(self.pos..).is_some_and(|rest| rest.starts_with(text));
        self.pos += if found { text.len() } else { 0 };
        found
    }

    pub(super) fn incomplete(&mut self) {
        self.line.complete = false;
    }

    pub(super) fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Whether a parenthesis here begins a block of `cmd.exe`: before a command, or behind `if`, `else` or `for`.
    pub(super) fn allows_block(&self) -> bool {
        let opens =
            |word: &WindowsWord<'_>| ["if", "else", "for"].iter().any(|name| word.text.eq_ignore_ascii_case(name));
        self.words.first().is_none_or(opens)
    }

    pub(super) fn begin(&self) -> Building {
        Building { start: self.pos, text: String::new(), expands: false, changed: false }
    }

    /// Adds a word, or the target of a redirection.
    pub(super) fn end(&mut self, word: Building) {
        let span = Span { start: word.start, end: self.pos };
        let text = match word.changed {
            true => Cow::Owned(word.text),
            false => Cow::Borrowed(span.of(self.text)),
        };
        let word = WindowsWord { text, expands: word.expands, span };
        match self.open.take() {
            Some((stream, operator)) => self.redirects.push(WindowsRedirect { stream, operator, target: Some(word) }),
            None => self.words.push(word),
        }
        self.cover(span);
    }

    pub(super) fn redirect(&mut self, start: usize, stream: Option<char>, operator: WindowsOperator) {
        self.close_redirect();
        self.open = Some((stream, operator));
        self.cover(Span { start, end: self.pos });
    }

    fn close_redirect(&mut self) {
        if let Some((stream, operator)) = self.open.take() {
            self.redirects.push(WindowsRedirect { stream, operator, target: None });
            self.line.complete = false;
        }
    }

    fn cover(&mut self, span: Span) {
        let start = self.span.map_or(span.start, |whole| whole.start);
        self.span = Some(Span { start, end: span.end });
    }

    /// Ends a command; `before` stands before the next one. `false` if there are too many.
    pub(super) fn separate(&mut self, before: Separator) -> bool {
        self.close_redirect();
        if let Some(span) = self.span.take() {
            let words = std::mem::take(&mut self.words);
            let redirects = std::mem::take(&mut self.redirects);
            self.line.commands.push(WindowsCommand { words, redirects, before: self.before, span });
            self.before = before;
        } else if self.before != Separator::Pipe {
            self.before = before;
        }
        let few = self.line.commands.len() < MAX_COMMANDS;
        self.line.complete &= few;
        few
    }

    pub(super) fn finish(mut self) -> CommandLine<'a> {
        self.separate(Separator::Then);
        self.line
    }
}

impl Building {
    /// Adds a character as it is written.
    pub(super) fn push(&mut self, character: char) {
        self.text.push(character);
    }

    /// Says that a quote or an escape was removed.
    pub(super) fn removed(&mut self) {
        self.changed = true;
    }
}
