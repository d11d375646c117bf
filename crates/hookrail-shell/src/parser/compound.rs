//! `if`, `while`, `until`, `for` and `select`.

use super::list::Enders;
use super::mode::{Ends, Mode};
use super::{Parser, push};
use crate::ast::{ArithmeticFor, Branch, CommandKind, For, If, Loop, Script, UnknownReason, Word};

impl<'a> Parser<'_, 'a> {
    /// Reads from behind `if`.
    pub(super) fn if_command(&mut self) -> CommandKind<'a> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            push(&mut branches, self.branch());
            if self.eat_word("elif") {
                continue;
            }
            if self.eat_word("else") {
                otherwise = Some(self.until_word(Enders::BRANCH, "fi", "if"));
            } else if !self.eat_word("fi")
                && let Some(branch) = branches.last_mut()
            {
                self.push_unknown(&mut branch.body, UnknownReason::Unclosed("if"));
            }
            return CommandKind::If(Box::new(If { branches, otherwise }));
        }
    }

    fn branch(&mut self) -> Branch<'a> {
        let mut condition = self.list(Enders::THEN.and(Enders::BRANCH));
        if !self.eat_word("then") {
            self.push_unknown(&mut condition, UnknownReason::Missing("then"));
        }
        Branch { condition, body: self.list(Enders::BRANCH) }
    }

    /// Reads from behind `while` or `until`.
    pub(super) fn loop_command(&mut self, until: bool) -> CommandKind<'a> {
        let condition = self.list(Enders::DO.and(Enders::DONE));
        let body = self.loop_body();
        CommandKind::Loop(Box::new(Loop { until, condition, body }))
    }

    /// Reads `do … done`, or `{ … }` in its place.
    fn loop_body(&mut self) -> Script<'a> {
        self.skip_lines();
        if self.eat_word("do") {
            return self.until_word(Enders::DONE, "done", "do");
        }
        if self.eat_word("{") {
            return self.until_word(Enders::BRACE, "}", "{");
        }
        let mut script = Script { items: Vec::new(), span: self.here() };
        self.push_unknown(&mut script, UnknownReason::Missing("do"));
        self.eat_word("done");
        script
    }

    /// Reads from behind `for` or `select`.
    pub(super) fn for_command(&mut self, select: bool) -> CommandKind<'a> {
        self.skip_blanks();
        if !select
            && self.looking_at("((")
            && let Some(close) = self.arithmetic_end(self.pos + 1)
        {
            return self.arithmetic_for(close);
        }
        let start = self.pos;
        self.word(Mode::UNBRACED);
        let name = self.source.cow(start, self.pos);
        self.skip_lines();
        let words = self.eat_word("in").then(|| self.words());
        self.skip_blanks();
        self.eat(b';');
        let mut body = self.loop_body();
        if name.is_empty() {
            self.push_unknown(&mut body, UnknownReason::Missing("name"));
        }
        CommandKind::For(Box::new(For { select, name, words, body }))
    }

    /// Reads words up to an operator, a comment or the end of the line.
    fn words(&mut self) -> Vec<Word<'a>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if !self.begins_word() {
                return words;
            }
            words.push(self.word(Mode::ARGUMENT));
        }
    }

    fn arithmetic_for(&mut self, close: usize) -> CommandKind<'a> {
        self.pos += 2;
        let part = Mode { ends: Ends::Semicolon, ..Mode::ARITHMETIC };
        let (initial, condition, step) = self.within(close, |parser| {
            let initial = parser.word(part);
            parser.eat(b';');
            let condition = parser.word(part);
            parser.eat(b';');
            (initial, condition, parser.word(Mode::ARITHMETIC))
        });
        self.pos = (close + 2).min(self.end());
        self.skip_blanks();
        self.eat(b';');
        let body = self.loop_body();
        CommandKind::ArithmeticFor(Box::new(ArithmeticFor { initial, condition, step, body }))
    }
}
