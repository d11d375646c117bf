//! Simple commands, assignments and arrays.

use super::mode::{Mode, is_metacharacter, is_name_start};
use super::parts::Parts;
use super::{Parser, push};
use crate::ast::{
    ArrayElement, Assignment, Command, CommandKind, Glob, PartKind, Redirect, SimpleCommand, UnknownReason, Word,
};

/// What a word that begins like an assignment turns out to be.
enum Assigned<'a> {
    Assignment(Assignment<'a>),
    Word(Word<'a>),
}

impl<'a> Parser<'_, 'a> {
    pub(super) fn simple(&mut self) -> Command<'a> {
        let start = self.pos;
        let mut simple = SimpleCommand::default();
        let mut redirects: Vec<Redirect<'a>> = Vec::new();
        let mut end = start;
        loop {
            self.skip_blanks();
            self.step(1);
            if self.peek() == Some(b'(') && is_function_name(&simple, &redirects) && self.eat_empty_parentheses() {
                let name = simple.words.pop().unwrap_or_default();
                return self.function_named(name, start);
            }
            if let Some(redirect) = self.redirect() {
                push(&mut redirects, redirect);
            } else if !self.begins_word() {
                break;
            } else if simple.words.is_empty() {
                self.first_words(&mut simple);
            } else {
                simple.words.push(self.word(Mode::ARGUMENT));
            }
            end = self.pos;
        }
        Command { kind: CommandKind::Simple(simple), redirects, span: self.source.span(start, end) }
    }

    /// Whether a word begins here, and not a comment, an operator or the end.
    pub(super) fn begins_word(&self) -> bool {
        match self.peek() {
            None | Some(b'#') => false,
            Some(b'<' | b'>') => self.begins_process(),
            Some(byte) => !is_metacharacter(byte),
        }
    }

    fn first_words(&mut self, simple: &mut SimpleCommand<'a>) {
        match self.assigned() {
            Some(Assigned::Assignment(assignment)) => push(&mut simple.assignments, assignment),
            Some(Assigned::Word(word)) => simple.words.push(word),
            None => simple.words.push(self.word(Mode::ARGUMENT)),
        }
    }

    /// Reads what begins with a name and `=`, `+=` or `[`; otherwise goes nowhere.
    fn assigned(&mut self) -> Option<Assigned<'a>> {
        let start = self.pos;
        if !self.at(start).is_some_and(is_name_start) {
            return None;
        }
        let name_end = self.name_end(start);
        let at = self.past_continuations(name_end);
        self.step(at - start);
        let subscript = match (self.at(at), self.at(at + 1)) {
            (Some(b'='), _) | (Some(b'+'), Some(b'=')) => None,
            (Some(b'['), _) => Some(()),
            _ => return None,
        };
        let name = self.joined(start, name_end);
        self.pos = at;
        let subscript = match subscript {
            None => None,
            Some(()) => {
                let mut parts = Parts::default();
                parts.literal(&self.source, name.clone(), self.span(start));
                match self.assigned_subscript(&mut parts) {
                    Some(word) => Some(word),
                    None => return Some(Assigned::Word(self.word_from(start, parts, Mode::ARGUMENT))),
                }
            }
        };
        let append = self.eat(b'+');
        self.eat(b'=');
        let value = self.assigned_value();
        Some(Assigned::Assignment(Assignment { name, subscript, append, value, span: self.span(start) }))
    }

    /// Reads `[…]` if `=` or `+=` is behind it. Otherwise the brackets are a pattern, which is added to `parts`.
    fn assigned_subscript(&mut self, parts: &mut Parts<'a>) -> Option<Word<'a>> {
        let start = self.pos;
        self.pos += 1;
        let Some(word) = self.nested(|parser| parser.word(Mode::ASSIGNED_SUBSCRIPT)) else {
            self.rest_unknown(parts, start);
            return None;
        };
        if !self.eat(b']') {
            parts.push(PartKind::Glob(Glob::Class(word.parts)), self.span(start));
            parts.unknown(self.unknown(UnknownReason::Unclosed("[")).reason, self.here());
            return None;
        }
        let assigns = self.peek() == Some(b'=') || (self.peek() == Some(b'+') && self.at(self.pos + 1) == Some(b'='));
        if !assigns {
            parts.push(PartKind::Glob(Glob::Class(word.parts)), self.span(start));
            return None;
        }
        Some(word)
    }

    fn assigned_value(&mut self) -> Word<'a> {
        if self.peek() != Some(b'(') {
            return self.word(Mode::ASSIGNED);
        }
        let start = self.pos;
        let mut parts = Parts::default();
        self.array(&mut parts);
        Word { parts: parts.list, span: self.span(start) }
    }

    /// Reads `(…)` behind an assignment operator.
    pub(super) fn array(&mut self, parts: &mut Parts<'a>) {
        let start = self.pos;
        self.pos += 1;
        let Some(elements) = self.nested(Self::elements) else { return self.rest_unknown(parts, start) };
        let closed = self.eat(b')');
        parts.push(PartKind::Array(elements), self.span(start));
        if !closed {
            parts.unknown(self.unknown(UnknownReason::Unclosed("(")).reason, self.here());
        }
    }

    fn elements(&mut self) -> Vec<ArrayElement<'a>> {
        let mut elements = Vec::new();
        loop {
            self.skip_lines();
            self.step(1);
            match self.peek() {
                None | Some(b')') => return elements,
                Some(b'[') => elements.push(self.element()),
                Some(_) if self.begins_word() => elements.push(plain(self.word(Mode::ARGUMENT))),
                Some(_) => elements.push(plain(self.stray_in_array())),
            }
        }
    }

    /// Reads `[subscript]=value`, or a word that begins with a bracket.
    fn element(&mut self) -> ArrayElement<'a> {
        let start = self.pos;
        let mut parts = Parts::default();
        match self.assigned_subscript(&mut parts) {
            None => plain(self.word_from(start, parts, Mode::ARGUMENT)),
            Some(subscript) => {
                let append = self.eat(b'+');
                self.eat(b'=');
                ArrayElement { subscript: Some(subscript), append, value: self.word(Mode::ASSIGNED) }
            }
        }
    }

    fn stray_in_array(&mut self) -> Word<'a> {
        let start = self.pos;
        let mut parts = Parts::default();
        self.pos += 1;
        parts.unknown(self.unknown(UnknownReason::Unexpected).reason, self.span(start));
        Word { parts: parts.list, span: self.span(start) }
    }
}

fn plain(value: Word<'_>) -> ArrayElement<'_> {
    ArrayElement { subscript: None, append: false, value }
}

/// Whether `()` behind these words would define a function.
fn is_function_name(simple: &SimpleCommand<'_>, redirects: &[Redirect<'_>]) -> bool {
    simple.words.len() == 1 && simple.assignments.is_empty() && redirects.is_empty()
}
