//! Cuts scripts into tokens, linear in their length.

use super::Language;
use super::quotes::{self, Piece};

/// Operators, longest first.
const OPERATORS: &[&str] = &[
    ">>>=", "...", "===", "!==", "<=>", "**=", "<<=", ">>=", "&&=", "||=", "??=", "//=", "?->", "<<-", "=>", "->",
    "::", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "&.", "+=", "-=", "*=", "/=", "%=", ".=", "|=", "&=", "^=",
    ":=", "**", "++", "--", "..", "<<", ">>", "=~", "!~", "//", "<-", "%>", "+", "-", "*", "/", "%", "=", "<", ">",
    "!", "?", ":", ".", ",", ";", "(", ")", "[", "]", "{", "}", "|", "&", "^", "~", "@", "\\", "$", "#",
];

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// An identifier or a keyword, sigils of Ruby's variables included.
    Name(String),
    /// A variable with a sigil: `$x`, `@x`, `%x`.
    Variable(char, String),
    Text(Vec<Piece>),
    /// A command that a shell runs: backticks.
    Command(Vec<Piece>),
    /// The words of `qw(…)` and `%w[…]`.
    Words(Vec<String>),
    Number(String),
    /// A regular expression; what it says does not matter.
    Pattern,
    Operator(&'static str),
    /// A block of Python begins.
    Indent,
    /// A block of Python ends.
    Dedent,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub kind: Kind,
    /// The token starts a new line of its script.
    pub newline: bool,
    /// White space precedes the token.
    pub space: bool,
}

pub(super) struct Lexer<'c> {
    pub language: Language,
    pub chars: &'c [char],
    pub at: usize,
    tokens: Vec<Token>,
    newline: bool,
    space: bool,
    /// Open brackets; inside of parentheses and square brackets lines do not end.
    open: Vec<&'static str>,
    /// Columns of the blocks of Python that are open.
    columns: Vec<usize>,
    /// Where the line after here-documents begins.
    resume: Option<usize>,
    /// A text does not end.
    pub unclosed: bool,
}

/// Cuts a script into tokens, and reports whether one of them does not end.
pub(super) fn cut(language: Language, chars: &[char]) -> (Vec<Token>, bool) {
    let mut lexer = Lexer {
        language,
        chars,
        at: 0,
        tokens: Vec::new(),
        newline: true,
        space: true,
        open: Vec::new(),
        columns: vec![0],
        resume: None,
        unclosed: false,
    };
    if language == Language::Php {
        lexer.skip_page();
    }
    while lexer.step() {}
    for _ in 1..lexer.columns.len() {
        lexer.push(Kind::Dedent);
    }
    (lexer.tokens, lexer.unclosed)
}

impl Lexer<'_> {
    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    pub(super) fn push(&mut self, kind: Kind) {
        self.tokens.push(Token { kind, newline: self.newline, space: self.space });
        self.newline = false;
        self.space = false;
    }

    fn step(&mut self) -> bool {
        let Some(c) = self.peek(0) else { return false };
        if c == '\n' {
            self.line_end();
        } else if c.is_whitespace() {
            self.at += 1;
            self.space = true;
        } else if c == '\\' && self.peek(1) == Some('\n') {
            self.at += 2;
            self.space = true;
        } else if self.skip_comment() {
            self.space = true;
        } else {
            if self.newline && self.language == Language::Python && self.open.is_empty() {
                self.indent();
            }
            if !quotes::read(self) {
                self.word_or_operator(c);
            }
        }
        true
    }

    fn line_end(&mut self) {
        self.at += 1;
        if let Some(resume) = self.resume.take() {
            self.at = resume;
        }
        self.space = true;
        let joined = matches!(self.language, Language::Python | Language::Ruby)
            && matches!(self.open.last(), Some(&("(" | "[")))
            || self.language == Language::Python && !self.open.is_empty();
        self.newline |= !joined;
    }

    fn indent(&mut self) {
        let line = self.chars.get(..self.at).unwrap_or_default().iter().rev().take_while(|c| **c != '\n');
        let column = line.map(|c| if *c == '\t' { 8 } else { 1 }).sum();
        let current = self.columns.last().copied().unwrap_or_default();
        if column > current {
            self.columns.push(column);
            self.tokens.push(Token { kind: Kind::Indent, newline: true, space: true });
        }
        while self.columns.len() > 1 && self.columns.last().is_some_and(|last| column < *last) {
            self.columns.pop();
            self.tokens.push(Token { kind: Kind::Dedent, newline: true, space: true });
        }
    }

    fn skip_comment(&mut self) -> bool {
        let to_line_end = match self.language {
            Language::JavaScript => self.looking_at("//") || self.at == 0 && self.looking_at("#!"),
            Language::Php => self.looking_at("//") || self.looking_at("#") && !self.looking_at("#["),
            Language::Lua => self.looking_at("--"),
            _ => self.looking_at("#"),
        };
        if self.language == Language::Lua && self.looking_at("--[[") {
            self.skip_to("]]", 2);
            return true;
        }
        if matches!(self.language, Language::JavaScript | Language::Php) && self.looking_at("/*") {
            self.skip_to("*/", 2);
            return true;
        }
        let documents = matches!(self.language, Language::Perl | Language::Ruby) && self.newline && self.column() == 0;
        if documents && self.looking_at("=") && self.peek(1).is_some_and(char::is_alphabetic) {
            self.skip_to(if self.language == Language::Ruby { "\n=end" } else { "\n=cut" }, 5);
            return true;
        }
        if documents && (self.looking_at("__END__") || self.looking_at("__DATA__")) {
            self.at = self.chars.len();
            return true;
        }
        if self.language == Language::Php && self.looking_at("?>") {
            self.skip_page();
            self.newline = true;
            return true;
        }
        if to_line_end {
            while self.peek(0).is_some_and(|c| c != '\n') {
                self.at += 1;
            }
        }
        to_line_end
    }

    fn column(&self) -> usize {
        self.chars.get(..self.at).unwrap_or_default().iter().rev().take_while(|c| **c != '\n').count()
    }

    fn skip_to(&mut self, end: &str, length: usize) {
        while self.at < self.chars.len() && !self.looking_at(end) {
            self.at += 1;
        }
        self.at = (self.at + length).min(self.chars.len());
    }

    /// Skips text of a page up to the code in it.
    fn skip_page(&mut self) {
        let from = self.at;
        while self.at < self.chars.len() && !self.looking_at("<?php") && !self.looking_at("<?=") {
            self.at += 1;
        }
        if self.at == self.chars.len() && from == 0 {
            // `php -r` needs no tag.
            self.at = 0;
            return;
        }
        self.at = (self.at + if self.looking_at("<?=") { 3 } else { 5 }).min(self.chars.len());
    }

    /// Continues after the bodies of here-documents when the line ends.
    pub(super) fn resume_at(&mut self, at: usize) {
        self.resume = Some(at);
    }

    /// Returns where the body of a here-document begins.
    pub(super) fn body_start(&self) -> usize {
        self.resume.unwrap_or_else(|| {
            let rest = self.chars.get(self.at..).unwrap_or_default();
            rest.iter().position(|c| *c == '\n').map_or(self.chars.len(), |end| self.at + end + 1)
        })
    }

    /// Reports whether a value ends right before: then `/` divides and `<<` shifts.
    pub(super) fn after_value(&self) -> bool {
        let Some(last) = self.tokens.last() else { return false };
        match &last.kind {
            Kind::Name(name) => !matches!(
                name.as_str(),
                "return"
                    | "and"
                    | "or"
                    | "not"
                    | "if"
                    | "unless"
                    | "while"
                    | "until"
                    | "when"
                    | "in"
                    | "print"
                    | "puts"
                    | "split"
                    | "grep"
                    | "join"
                    | "map"
                    | "push"
                    | "case"
                    | "typeof"
                    | "await"
                    | "yield"
                    | "echo"
                    | "x"
                    | "elsif"
            ),
            Kind::Operator(mark) => matches!(*mark, ")" | "]" | "}"),
            Kind::Indent | Kind::Dedent => false,
            _ => true,
        }
    }

    /// Reports whether the last token is this operator.
    pub(super) fn after(&self, mark: &str) -> bool {
        matches!(self.tokens.last(), Some(Token { kind: Kind::Operator(last), .. }) if *last == mark)
    }

    /// Reports whether the next token begins with white space before it, or at the start of a line.
    pub(super) fn spaced(&self) -> bool {
        self.space || self.newline
    }

    fn word_or_operator(&mut self, c: char) {
        let language = self.language;
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$' && language == Language::JavaScript;
        let starts = |c: char| is_part(c) && !c.is_ascii_digit();
        if matches!(language, Language::Perl | Language::Php) && self.sigil(c) {
            return;
        }
        if c.is_ascii_digit() {
            let from = self.at;
            while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_')
                || self.peek(0) == Some('.') && self.peek(1).is_some_and(|c| c.is_ascii_digit())
            {
                self.at += 1;
            }
            let number = self.slice(from, self.at);
            self.push(Kind::Number(number));
            return;
        }
        let ruby_sigil = language == Language::Ruby && matches!(c, '@' | '$');
        if starts(c) || ruby_sigil || c == '#' && language == Language::JavaScript && self.peek(1).is_some_and(starts) {
            let from = self.at;
            self.at += 1;
            while self.peek(0).is_some_and(|c| is_part(c) || ruby_sigil && c == '@') {
                self.at += 1;
            }
            // `exist?` and `map!`, but not `a ? b : c` and `a != b`.
            let marked = language == Language::Ruby && matches!(self.peek(0), Some('?' | '!'));
            if marked && !matches!(self.peek(1), Some('=' | ' '))
                || marked && self.peek(0) == Some('?') && self.peek(1) == Some(' ') && !self.ternary()
            {
                self.at += 1;
            }
            // A dotted name of R is one name.
            while language == Language::R && self.peek(0) == Some('.') && self.peek(1).is_some_and(starts) {
                self.at += 1;
                while self.peek(0).is_some_and(is_part) {
                    self.at += 1;
                }
            }
            let name = self.slice(from, self.at);
            self.push(Kind::Name(name));
            return;
        }
        let found = OPERATORS.iter().find(|mark| self.looking_at(mark));
        let Some(mark) = found else {
            self.at += 1;
            return;
        };
        self.at += mark.len();
        match *mark {
            "(" | "[" | "{" => self.open.push(mark),
            ")" | "]" | "}" => {
                self.open.pop();
            }
            _ => {}
        }
        self.push(Kind::Operator(mark));
    }

    /// Reports whether a `:` follows on the line, as of `a ? b : c`.
    fn ternary(&self) -> bool {
        let line = self.chars.get(self.at + 2..).unwrap_or_default().iter().take(200).take_while(|c| **c != '\n');
        let line: String = line.collect();
        line.contains(" : ")
    }

    fn sigil(&mut self, c: char) -> bool {
        let perl = self.language == Language::Perl;
        let starts = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() || c == '_');
        if perl && c == '$' && self.peek(1) == Some('#') {
            self.at += 2;
            while self.peek(0).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) {
                self.at += 1;
            }
            self.push(Kind::Number("0".to_owned()));
            return true;
        }
        let is_variable = match c {
            '$' => {
                starts(self.peek(1))
                    || perl
                        && self.peek(1).is_some_and(|c| c.is_ascii_digit() || matches!(c, '@' | '!' | '&' | '0' | '/'))
            }
            '@' => perl && starts(self.peek(1)),
            '%' => perl && starts(self.peek(1)) && !self.after_value(),
            _ => false,
        };
        if !is_variable {
            return false;
        }
        let from = self.at + 1;
        self.at += 2;
        if starts(self.chars.get(from).copied()) {
            while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_')
                || perl && self.looking_at("::") && starts(self.peek(2))
            {
                self.at += if self.peek(0) == Some(':') { 2 } else { 1 };
            }
        }
        let name = self.slice(from, self.at);
        self.push(Kind::Variable(c, name));
        true
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> String {
        self.chars.get(from..to.max(from)).unwrap_or_default().iter().collect()
    }
}
