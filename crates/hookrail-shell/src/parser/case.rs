//! `case`.

use super::Parser;
use super::list::{Enders, unknown_item};
use super::mode::Mode;
use crate::ast::{Case, CaseArm, CaseEnd, CommandKind, Script, UnknownReason};

impl<'a> Parser<'_, 'a> {
    /// What ends an arm here, if anything does, and where that ends.
    pub(super) fn arm_end(&self) -> Option<(CaseEnd, usize)> {
        let second = self.past_continuations(self.pos + 1);
        let third = self.past_continuations(second + 1);
        match (self.peek()?, self.at(second)?) {
            (b';', b';') if self.at(third) == Some(b'&') => Some((CaseEnd::Continue, third + 1)),
            (b';', b';') => Some((CaseEnd::Break, second + 1)),
            (b';', b'&') => Some((CaseEnd::FallThrough, second + 1)),
            (b';', b'|') => Some((CaseEnd::Continue, second + 1)),
            _ => None,
        }
    }

    /// Reads from behind `case`.
    pub(super) fn case_command(&mut self) -> CommandKind<'a> {
        self.skip_blanks();
        let word = self.word(Mode::UNBRACED);
        self.skip_lines();
        let mut arms = Vec::new();
        if !self.eat_word("in") {
            arms.push(self.broken_arm(UnknownReason::Missing("in")));
        }
        loop {
            self.skip_lines();
            self.step(1);
            if self.eat_word("esac") {
                break;
            }
            if self.peek().is_none() {
                arms.push(self.broken_arm(UnknownReason::Unclosed("case")));
                break;
            }
            arms.push(self.arm());
        }
        CommandKind::Case(Box::new(Case { word, arms }))
    }

    fn arm(&mut self) -> CaseArm<'a> {
        let start = self.pos;
        self.eat(b'(');
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            patterns.push(self.word(Mode::UNBRACED));
            self.skip_blanks();
            if !self.eat(b'|') {
                break;
            }
        }
        let closed = self.eat(b')');
        if self.pos == start {
            // Something that is no pattern: one character is given up, so that reading goes on.
            self.pos = self.after_char(start);
        }
        let unreadable = self.span(start);
        let mut body = if closed { self.list(Enders::ARM) } else { Script { items: Vec::new(), span: self.here() } };
        if !closed {
            body.items.push(unknown_item(self.unknown(UnknownReason::Missing(")")).reason, unreadable));
            body.span = unreadable;
        }
        let span = self.span(start);
        let (end, after) = self.arm_end().filter(|_| closed).unwrap_or((CaseEnd::Break, self.pos));
        self.pos = after;
        CaseArm { patterns, body, end, span }
    }

    fn broken_arm(&self, reason: UnknownReason) -> CaseArm<'a> {
        let mut body = Script { items: Vec::new(), span: self.here() };
        self.push_unknown(&mut body, reason);
        CaseArm { patterns: Vec::new(), body, end: CaseEnd::Break, span: self.here() }
    }
}
