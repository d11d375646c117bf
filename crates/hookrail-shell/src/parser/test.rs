//! `[[ … ]]`.

use super::Parser;
use super::mode::Mode;
use crate::ast::{CommandKind, Span, Test, TestKind, UnknownReason};

/// The operators between two words that are words themselves.
const BINARY: [&str; 12] = ["=~", "==", "!=", "=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot"];

impl<'a> Parser<'_, 'a> {
    /// Reads from behind `[[`.
    pub(super) fn test_command(&mut self) -> CommandKind<'a> {
        let start = self.pos;
        let mut tests = vec![self.or_test()];
        loop {
            self.skip_lines();
            self.step(1);
            if self.looking_at("]]") {
                self.pos += 2;
                break;
            }
            if matches!(self.peek(), None | Some(b';')) {
                tests.push(self.unknown_test(UnknownReason::Unclosed("[[")));
                break;
            }
            tests.push(self.stray_test());
        }
        let test = match (tests.len(), tests.pop()) {
            (1, Some(test)) => test,
            (_, last) => {
                tests.extend(last);
                Test { kind: TestKind::And(tests), span: self.span(start) }
            }
        };
        CommandKind::Test(Box::new(test))
    }

    fn or_test(&mut self) -> Test<'a> {
        let mut tests = vec![self.and_test()];
        while self.eat_operator("||") {
            tests.push(self.and_test());
        }
        several(tests, TestKind::Or)
    }

    fn and_test(&mut self) -> Test<'a> {
        let mut tests = vec![self.negated_test()];
        while self.eat_operator("&&") {
            tests.push(self.negated_test());
        }
        several(tests, TestKind::And)
    }

    fn eat_operator(&mut self, operator: &str) -> bool {
        self.skip_lines();
        let found = self.looking_at(operator);
        self.pos += if found { operator.len() } else { 0 };
        found
    }

    fn negated_test(&mut self) -> Test<'a> {
        self.skip_lines();
        let start = self.pos;
        let mut negated = false;
        while self.peek() == Some(b'!') && matches!(self.at(self.pos + 1), Some(b' ' | b'\t' | b'\n' | b'(')) {
            self.pos += 1;
            negated = !negated;
            self.skip_lines();
        }
        let test = self.primary();
        match negated {
            true => Test { span: self.span(start), kind: TestKind::Not(Box::new(test)) },
            false => test,
        }
    }

    fn primary(&mut self) -> Test<'a> {
        let start = self.pos;
        match self.peek() {
            Some(b'(') => self.grouped_test(start),
            None | Some(b')' | b'&' | b'|' | b';' | b'\n') => self.unknown_test(UnknownReason::Missing("condition")),
            Some(b']') if self.at_close() => self.unknown_test(UnknownReason::Missing("condition")),
            Some(b'-') if self.begins_unary() => self.unary(start),
            Some(_) => self.binary(start),
        }
    }

    fn grouped_test(&mut self, start: usize) -> Test<'a> {
        self.pos += 1;
        let Some(test) = self.nested(Self::or_test) else {
            self.pos = start;
            let unknown = self.unknown(UnknownReason::NestedTooDeep);
            return Test { kind: TestKind::Unknown(unknown), span: self.skip_rest() };
        };
        self.skip_lines();
        if self.eat(b')') {
            return Test { kind: test.kind, span: self.span(start) };
        }
        let tests = vec![test, self.unknown_test(UnknownReason::Unclosed("("))];
        Test { kind: TestKind::And(tests), span: self.span(start) }
    }

    /// Whether `]]` stands here as a word.
    fn at_close(&self) -> bool {
        self.looking_at("]]") && self.at(self.pos + 2).is_none_or(super::mode::is_metacharacter)
    }

    fn begins_unary(&self) -> bool {
        let letter = self.at(self.pos + 1).is_some_and(|byte| b"abcdefghknoprstuvwxzGLNORS".contains(&byte));
        letter && matches!(self.at(self.pos + 2), Some(b' ' | b'\t' | b'\n'))
    }

    fn unary(&mut self, start: usize) -> Test<'a> {
        self.pos += 2;
        let operator = self.source.cow(start, self.pos);
        self.skip_blanks();
        if !self.begins_word() || self.at_close() {
            return self.unknown_test(UnknownReason::Missing("operand"));
        }
        let operand = self.word(Mode::UNBRACED);
        Test { kind: TestKind::Unary { operator, operand }, span: self.span(start) }
    }

    fn binary(&mut self, start: usize) -> Test<'a> {
        let left = self.word(Mode::UNBRACED);
        let end = self.pos;
        self.skip_lines();
        let from = self.pos;
        let Some(regex) = self.binary_operator() else {
            return Test { kind: TestKind::Word(left), span: self.source.span(start, end) };
        };
        let operator = self.source.cow(from, self.pos);
        self.skip_blanks();
        let right = self.word(if regex { Mode::REGEX } else { Mode::UNBRACED });
        Test { kind: TestKind::Binary { left, operator, right }, span: self.span(start) }
    }

    /// Goes past an operator between two words; `true` if a regular expression is behind it.
    fn binary_operator(&mut self) -> Option<bool> {
        if matches!(self.peek(), Some(b'<' | b'>')) && !self.begins_process() {
            self.pos += 1;
            return Some(false);
        }
        let found = BINARY.into_iter().chain(["-ef"]).find(|operator| {
            self.looking_at(operator) && self.at(self.pos + operator.len()).is_some_and(super::mode::is_metacharacter)
        })?;
        self.pos += found.len();
        Some(found == "=~")
    }

    /// A word, or else a character, where the condition should have ended.
    fn stray_test(&mut self) -> Test<'a> {
        let start = self.pos;
        let word = self.word(Mode::UNBRACED);
        if self.pos == start {
            self.pos = self.after_char(start);
            return Test { kind: TestKind::Unknown(self.unknown(UnknownReason::Unexpected)), span: self.span(start) };
        }
        let word = Test { kind: TestKind::Word(word), span: self.span(start) };
        let tests = vec![word, self.unknown_test(UnknownReason::Unexpected)];
        Test { kind: TestKind::And(tests), span: self.span(start) }
    }

    fn unknown_test(&self, reason: UnknownReason) -> Test<'a> {
        Test { kind: TestKind::Unknown(self.unknown(reason)), span: self.here() }
    }
}

/// One test as it is, or several under one node.
fn several<'a>(mut tests: Vec<Test<'a>>, kind: fn(Vec<Test<'a>>) -> TestKind<'a>) -> Test<'a> {
    let start = tests.first().map_or(0, |test| test.span.start);
    let end = tests.last().map_or(0, |test| test.span.end);
    match (tests.len(), tests.pop()) {
        (1, Some(test)) => test,
        (_, last) => {
            tests.extend(last);
            Test { kind: kind(tests), span: Span { start, end } }
        }
    }
}
