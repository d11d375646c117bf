//! Commands of every kind, functions and coprocesses.

use super::Parser;
use super::list::{Enders, unknown_command};
use super::mode::{Mode, is_metacharacter};
use crate::ast::{Command, CommandKind, Coproc, Function, Redirect, Script, UnknownReason, Word};

/// The reserved words that begin a compound command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    Brace,
    If,
    While,
    Until,
    For,
    Select,
    Case,
    Test,
    Function,
    Coproc,
}

impl Keyword {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "{" => Self::Brace,
            "if" => Self::If,
            "while" => Self::While,
            "until" => Self::Until,
            "for" => Self::For,
            "select" => Self::Select,
            "case" => Self::Case,
            "[[" => Self::Test,
            "function" => Self::Function,
            "coproc" => Self::Coproc,
            _ => return None,
        })
    }
}

impl<'a> Parser<'_, 'a> {
    pub(super) fn command(&mut self) -> Command<'a> {
        let start = self.pos;
        if !self.count_command() {
            return self.rest_of_commands(start);
        }
        let byte = self.peek().unwrap_or(b'\n');
        if byte == b'(' {
            return self.compound(start, Self::parenthesis);
        }
        let redirects = self.redirect_operator(start).is_some();
        if is_metacharacter(byte) && !redirects {
            return unknown_command(UnknownReason::Missing("command"), self.here());
        }
        let Some((word, end)) = self.peek_word() else { return self.simple() };
        if Enders::of_word(&word) != Enders::NONE {
            return unknown_command(UnknownReason::Missing("command"), self.here());
        }
        match Keyword::of(&word) {
            Some(keyword) => {
                self.pos = end;
                self.compound(start, |parser| parser.keyword(keyword))
            }
            None => self.simple(),
        }
    }

    /// Everything from `start` on as one `Unknown`, because a limit was reached.
    fn rest_of_commands(&mut self, start: usize) -> Command<'a> {
        self.pos = start;
        let reason = self.unknown(UnknownReason::Unexpected).reason;
        let span = self.skip_rest();
        unknown_command(reason, span)
    }

    /// Reads a compound command and the redirections behind it.
    fn compound(&mut self, start: usize, read: impl FnOnce(&mut Self) -> CommandKind<'a>) -> Command<'a> {
        let Some(kind) = self.nested(read) else { return self.rest_of_commands(start) };
        let mut end = self.pos;
        let mut redirects: Vec<Redirect<'a>> = Vec::new();
        loop {
            self.skip_blanks();
            let Some(redirect) = self.redirect() else { break };
            end = self.pos;
            redirects.push(redirect);
        }
        Command { kind, redirects, span: self.source.span(start, end) }
    }

    fn keyword(&mut self, keyword: Keyword) -> CommandKind<'a> {
        match keyword {
            Keyword::Brace => CommandKind::Group(self.until_word(Enders::BRACE, "}", "{")),
            Keyword::If => self.if_command(),
            Keyword::While | Keyword::Until => self.loop_command(keyword == Keyword::Until),
            Keyword::For | Keyword::Select => self.for_command(keyword == Keyword::Select),
            Keyword::Case => self.case_command(),
            Keyword::Test => self.test_command(),
            Keyword::Function => self.function_keyword(),
            Keyword::Coproc => self.coproc(),
        }
    }

    /// Reads a list and the reserved word that closes it.
    pub(super) fn until_word(&mut self, enders: Enders, close: &str, what: &'static str) -> Script<'a> {
        let mut script = self.list(enders);
        if !self.eat_word(close) {
            self.push_unknown(&mut script, UnknownReason::Unclosed(what));
        }
        script
    }

    /// Goes past a reserved word if it is next.
    pub(super) fn eat_word(&mut self, expected: &str) -> bool {
        let found = self.peek_word().filter(|(word, _)| word == expected).map(|(_, end)| end);
        self.pos = found.unwrap_or(self.pos);
        found.is_some()
    }

    /// Reads `(( … ))` or `( … )`.
    fn parenthesis(&mut self) -> CommandKind<'a> {
        let second = self.past_continuations(self.pos + 1);
        if self.at(second) == Some(b'(')
            && let Some(close) = self.arithmetic_end(second)
        {
            self.pos = second + 1;
            return CommandKind::Arithmetic(self.arithmetic_to(close));
        }
        self.pos += 1;
        let mut script = self.isolated_list(Enders::PARENTHESIS);
        if !self.eat(b')') {
            self.push_unknown(&mut script, UnknownReason::Unclosed("("));
        }
        CommandKind::Subshell(script)
    }

    /// Reads a function from behind the reserved word `function`.
    fn function_keyword(&mut self) -> CommandKind<'a> {
        self.skip_blanks();
        let name = self.word(Mode::UNBRACED);
        self.skip_blanks();
        self.eat_empty_parentheses();
        self.function_body(name)
    }

    /// Goes past `()`, if it is next.
    pub(super) fn eat_empty_parentheses(&mut self) -> bool {
        let start = self.pos;
        if self.eat(b'(') {
            self.skip_blanks();
            if self.eat(b')') {
                return true;
            }
        }
        self.pos = start;
        false
    }

    fn function_body(&mut self, name: Word<'a>) -> CommandKind<'a> {
        self.skip_lines();
        let body = self.command();
        CommandKind::Function(Box::new(Function { name, body }))
    }

    /// Reads the body of a function whose name and parentheses were read as a simple command.
    pub(super) fn function_named(&mut self, name: Word<'a>, start: usize) -> Command<'a> {
        match self.nested(|parser| parser.function_body(name)) {
            Some(kind) => {
                let end = match &kind {
                    CommandKind::Function(function) => function.body.span.end,
                    _ => self.here().end,
                };
                let span = crate::ast::Span { start: self.source.origin(start), end };
                Command { kind, redirects: Vec::new(), span }
            }
            None => self.rest_of_commands(start),
        }
    }

    fn coproc(&mut self) -> CommandKind<'a> {
        self.skip_blanks();
        let name = self.coproc_name();
        let command = self.command();
        CommandKind::Coproc(Box::new(Coproc { name, command }))
    }

    /// A name, if a compound command is behind it; otherwise the word is the program.
    fn coproc_name(&mut self) -> Option<std::borrow::Cow<'a, str>> {
        let start = self.pos;
        let mut at = start;
        while self.at(at).is_some_and(super::mode::is_name_byte) {
            at += 1;
        }
        self.step(at - start);
        let is_keyword = self.peek_word().is_some_and(|(word, _)| Keyword::of(&word).is_some());
        if at == start || is_keyword || !matches!(self.at(at), Some(b' ' | b'\t')) {
            return None;
        }
        self.pos = at;
        self.skip_blanks();
        let compound =
            self.peek() == Some(b'(') || self.peek_word().is_some_and(|(word, _)| Keyword::of(&word).is_some());
        if !compound {
            self.pos = start;
            return None;
        }
        Some(self.source.cow(start, at))
    }
}
