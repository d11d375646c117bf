//! From tokens to a tree. What is not understood is passed over token by token, so that calls behind it are still seen.

use super::Language;
use super::ast::Node;
use super::lexer::{self, Kind, Token};
use super::quotes::Piece;
use crate::act::Act;
use crate::models::sql;
use std::rc::Rc;

/// Maximum nesting of statements, expressions and filled-in texts.
const MAX_DEPTH: usize = 48;

pub(super) struct Parser {
    pub language: Language,
    tokens: Vec<Token>,
    pub at: usize,
    /// Where brackets close, by where they open.
    closing: Vec<usize>,
    depth: usize,
    /// Something was nested too deep.
    pub cut_off: bool,
    /// Something was passed over.
    pub broken: bool,
    /// `do` begins the body of a loop and no block.
    pub no_do: bool,
    /// `in` is part of a loop and no operator.
    pub no_in: bool,
    /// Braces begin a body and no map or block.
    pub no_brace: bool,
    /// How many calls stand around whose arguments are being read.
    pub arguments: usize,
}

/// Parses a script.
pub(super) fn parse(language: Language, code: &str) -> (Node, Parser) {
    let chars: Vec<char> = code.chars().collect();
    let mut parser = Parser::new(language, &chars, 0);
    let mut statements = Vec::new();
    while parser.peek().is_some() {
        parser.statement_into(&mut statements);
    }
    (Node::Block(statements), parser)
}

impl Parser {
    fn new(language: Language, chars: &[char], depth: usize) -> Self {
        let (tokens, unclosed) = lexer::cut(language, chars);
        let closing = brackets(&tokens);
        Self {
            language,
            tokens,
            at: 0,
            closing,
            depth,
            cut_off: false,
            broken: unclosed,
            no_do: false,
            no_in: false,
            no_brace: false,
            arguments: 0,
        }
    }

    /// Reports whether a text of the script is SQL that changes something.
    pub(super) fn changes_data(&self) -> bool {
        let changes = |text: &str| sql::looks_like(text) && sql::classify(text) != Some(Act::DbRead);
        self.tokens.iter().any(|token| match &token.kind {
            Kind::Text(pieces) => pieces.iter().any(|piece| matches!(piece, Piece::Plain(text) if changes(text))),
            _ => false,
        })
    }

    pub(super) fn token(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn peek(&self) -> Option<&Kind> {
        self.token(0).map(|token| &token.kind)
    }

    pub(super) fn is(&self, mark: &str) -> bool {
        self.is_at(0, mark)
    }

    pub(super) fn is_at(&self, ahead: usize, mark: &str) -> bool {
        matches!(self.token(ahead), Some(Token { kind: Kind::Operator(found), .. }) if *found == mark)
    }

    pub(super) fn word(&self) -> Option<&str> {
        self.word_at(0)
    }

    pub(super) fn word_at(&self, ahead: usize) -> Option<&str> {
        match self.token(ahead) {
            Some(Token { kind: Kind::Name(name), .. }) => Some(name),
            _ => None,
        }
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    pub(super) fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    /// Takes a name.
    pub(super) fn take_name(&mut self) -> Option<Rc<str>> {
        let name = match self.peek()? {
            Kind::Name(name) => name.as_str().into(),
            Kind::Variable(sigil, name) => format!("{sigil}{name}").into(),
            _ => return None,
        };
        self.at += 1;
        Some(name)
    }

    /// Reports whether the next token is on a new line, or there is none.
    pub(super) fn line_ended(&self) -> bool {
        self.token(0).is_none_or(|token| token.newline)
    }

    /// Where the bracket closes that opens at the next token.
    pub(super) fn closes_at(&self, ahead: usize) -> Option<usize> {
        self.closing.get(self.at + ahead).copied().filter(|end| *end > 0)
    }

    /// Passes over a bracket and what is in it.
    pub(super) fn skip_brackets(&mut self) {
        self.at = self.closes_at(0).map_or(self.at + 1, |end| end + 1);
    }

    /// Parses one level deeper; at the limit one token is passed over.
    pub(super) fn deeper(&mut self, inner: impl FnOnce(&mut Self) -> Node) -> Node {
        if self.depth >= MAX_DEPTH {
            self.cut_off = true;
            self.at += 1;
            return Node::Nothing;
        }
        self.depth += 1;
        let node = inner(self);
        self.depth -= 1;
        node
    }

    /// Parses with flags for what words and braces mean, and restores them.
    pub(super) fn with(
        &mut self,
        no_do: bool,
        no_in: bool,
        no_brace: bool,
        inner: impl FnOnce(&mut Self) -> Node,
    ) -> Node {
        let before = (self.no_do, self.no_in, self.no_brace);
        (self.no_do, self.no_in, self.no_brace) = (no_do, no_in, no_brace);
        let node = inner(self);
        (self.no_do, self.no_in, self.no_brace) = before;
        node
    }

    /// Parses a text with what is filled in.
    pub(super) fn text(&mut self, pieces: &[Piece]) -> Node {
        match pieces {
            [] => Node::text(""),
            [Piece::Plain(text)] => Node::text(text),
            _ => Node::Parts(pieces.iter().map(|piece| self.piece(piece)).collect()),
        }
    }

    fn piece(&mut self, piece: &Piece) -> Node {
        let code = match piece {
            Piece::Plain(text) => return Node::text(text),
            Piece::Code(code) => code,
        };
        self.deeper(|parser| {
            let code = if parser.language == Language::Php { format!("<?php {code}") } else { code.clone() };
            let chars: Vec<char> = code.chars().collect();
            let mut inner = Self::new(parser.language, &chars, parser.depth);
            let node = inner.expression();
            parser.cut_off |= inner.cut_off;
            parser.broken |= inner.broken || inner.peek().is_some();
            node
        })
    }

    /// Parses a statement; always goes on by at least one token.
    pub(super) fn statement_into(&mut self, statements: &mut Vec<Node>) {
        let from = self.at;
        let node = self.deeper(Self::statement);
        if self.at == from {
            self.broken |= !self.is(";");
            self.at += 1;
        }
        if !matches!(node, Node::Nothing) {
            statements.push(node);
        }
    }

    /// Parses statements up to one of some words or closing marks, which are left.
    pub(super) fn statements_until(&mut self, ends: impl Fn(&Self) -> bool) -> Node {
        let mut statements = Vec::new();
        while self.peek().is_some() && !ends(self) {
            self.statement_into(&mut statements);
        }
        Node::Block(statements)
    }

    /// Parses what belongs to a statement: an indented block, braces, words up to `end`, or one statement.
    pub(super) fn body(&mut self) -> Node {
        self.with(false, false, false, |parser| parser.deeper(Self::any_body))
    }

    fn any_body(&mut self) -> Node {
        match self.language {
            Language::Python => self.indented(),
            Language::Ruby | Language::Lua => {
                let _ = self.eat_word("then") || self.eat_word("do");
                self.statements_until(Self::at_end_word)
            }
            _ if self.is("{") => self.braces(),
            Language::Php if self.is(":") => {
                self.at += 1;
                self.statements_until(Self::at_php_end)
            }
            _ => {
                let mut statements = Vec::new();
                self.statement_into(&mut statements);
                Node::Block(statements)
            }
        }
    }

    fn indented(&mut self) -> Node {
        if !self.eat(":") {
            self.broken = true;
            return Node::Nothing;
        }
        if !matches!(self.peek(), Some(Kind::Indent)) {
            let mut statements = Vec::new();
            while !self.line_ended() {
                self.statement_into(&mut statements);
                self.eat(";");
            }
            return Node::Block(statements);
        }
        self.at += 1;
        let block = self.statements_until(|parser| matches!(parser.peek(), Some(Kind::Dedent)));
        self.at += 1;
        block
    }

    pub(super) fn braces(&mut self) -> Node {
        self.at += 1;
        let block = self.with(false, false, false, |parser| parser.statements_until(|parser| parser.is("}")));
        self.eat("}");
        block
    }

    pub(super) fn at_end_word(&self) -> bool {
        let Some(word) = self.word() else { return false };
        let starts_line = self.token(0).is_some_and(|token| token.newline)
            || self
                .at
                .checked_sub(1)
                .and_then(|at| self.tokens.get(at))
                .is_some_and(|token| token.kind == Kind::Operator(";"));
        match word {
            "end" | "else" | "elsif" | "elseif" | "when" | "ensure" => true,
            "rescue" | "in" => starts_line,
            "until" => self.language == Language::Lua,
            _ => false,
        }
    }

    fn at_php_end(&self) -> bool {
        self.is("}")
            || matches!(self.word(), Some(word) if word.starts_with("end") || matches!(word, "else" | "elseif" | "case" | "default"))
    }

    /// Parses things that are separated by commas up to a closing bracket, which is taken.
    pub(super) fn list_until(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Node) -> Vec<Node> {
        let mut items = Vec::new();
        while self.peek().is_some() && !self.is(close) {
            let from = self.at;
            let node = self.deeper(&mut item);
            items.push(node);
            self.eat(",");
            if self.at == from {
                self.broken = true;
                self.at += 1;
            }
        }
        self.eat(close);
        items
    }
}

fn brackets(tokens: &[Token]) -> Vec<usize> {
    let mut closing = vec![0; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Operator("(" | "[" | "{") => open.push(at),
            Kind::Operator(")" | "]" | "}") => {
                if let Some(slot) = open.pop().and_then(|start: usize| closing.get_mut(start)) {
                    *slot = at;
                }
            }
            _ => {}
        }
    }
    closing
}
