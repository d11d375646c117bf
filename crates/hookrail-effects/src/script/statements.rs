//! Parses statements.

use super::Language;
use super::ast::Node;
use super::lexer::Kind;
use super::parser::Parser;

impl Parser {
    pub(super) fn statement(&mut self) -> Node {
        if self.eat(";") {
            return Node::Nothing;
        }
        let Some(word) = self.word().map(str::to_owned) else {
            if self.is("{")
                && matches!(self.language, Language::JavaScript | Language::Perl | Language::Php | Language::R)
            {
                return self.braces();
            }
            if self.is("@") && matches!(self.language, Language::Python | Language::JavaScript) {
                return self.decorated();
            }
            if self.is("#") && self.language == Language::Php {
                self.at += 1;
                self.skip_brackets();
                return Node::Nothing;
            }
            return self.simple();
        };
        let is_key = self.is_at(1, ":") && !matches!(word.as_str(), "else" | "try" | "finally" | "default")
            || self.is_at(1, "=")
            || self.is_at(1, ".")
            || self.is_at(1, "=>");
        if is_key {
            return self.labelled(&word);
        }
        let known = match word.as_str() {
            "if" | "unless" => Some(self.conditional()),
            "while" | "until" => Some(self.looping()),
            "for" | "foreach" => Some(self.for_each()),
            "do" => self.do_block(),
            "repeat" => Some(self.repeat()),
            "try" | "begin" => self.trying(),
            "switch" | "case" => Some(self.switch()),
            "match" if self.language == Language::Python => self.python_match(),
            "with" if matches!(self.language, Language::Python | Language::JavaScript) => Some(self.with_statement()),
            "return" => {
                let value = self.return_value();
                Some(self.modified(value))
            }
            "pass" | "break" | "continue" | "next" | "last" | "redo" => {
                self.at += 1;
                Some(self.modified(Node::Nothing))
            }
            "raise" | "throw" | "del" | "assert" => {
                self.at += 1;
                let value = if self.line_ended() { Node::Nothing } else { self.expressions() };
                Some(self.modified(Node::Opaque(vec![value])))
            }
            "global" | "nonlocal" => {
                while !self.line_ended() && !self.is(";") {
                    self.at += 1;
                }
                Some(Node::Nothing)
            }
            _ => self.definition(&word),
        };
        known.unwrap_or_else(|| self.simple())
    }

    /// `name: …` of JavaScript is a label, of Python a type.
    fn labelled(&mut self, word: &str) -> Node {
        if self.is_at(1, ":") && self.language == Language::JavaScript && !matches!(word, "case") {
            self.at += 2;
            return Node::Nothing;
        }
        self.simple()
    }

    /// An expression as a statement, with what may follow it.
    fn simple(&mut self) -> Node {
        let value = self.expressions();
        // `x: int = 3`
        if self.language == Language::Python && self.is(":") && matches!(value, Node::Name(_) | Node::Member(..)) {
            self.at += 1;
            self.skip_type();
            if self.eat("=") {
                let assigned = self.expressions();
                return Node::Assign(Box::new(value), Box::new(assigned));
            }
            return Node::Nothing;
        }
        let value = match value {
            // `a, b = b, a`
            Node::List(targets) if self.is("=") => {
                self.at += 1;
                Node::Assign(Box::new(Node::List(targets)), Box::new(self.expressions()))
            }
            other => other,
        };
        self.modified(value)
    }

    /// `x if y`, `x unless y`, `x for @y`, `x while y`, `x rescue y`
    pub(super) fn modified(&mut self, mut node: Node) -> Node {
        while matches!(self.language, Language::Ruby | Language::Perl)
            && (!self.line_ended() || self.language == Language::Perl)
        {
            let Some(word) = self.word().map(str::to_owned) else { break };
            match word.as_str() {
                "if" | "unless" => {
                    self.at += 1;
                    let condition = self.expression();
                    node = Node::If(vec![(condition, node)], Box::new(Node::Nothing));
                }
                "while" | "until" => {
                    self.at += 1;
                    let condition = self.expression();
                    node = Node::While(Box::new(condition), Box::new(node));
                }
                "for" | "foreach" => {
                    self.at += 1;
                    let items = self.expressions();
                    let target = Box::new(Node::name("$_"));
                    node = Node::For { target, items: Box::new(items), body: Box::new(node), collects: false };
                }
                "rescue" => {
                    self.at += 1;
                    let other = self.expression();
                    node = Node::Branches(vec![node, other]);
                }
                _ => break,
            }
        }
        node
    }

    pub(super) fn parenthesised_condition(&mut self) -> Node {
        if !self.eat("(") {
            return self.expression();
        }
        let mut items = self.with(false, false, false, |parser| {
            Node::Block(parser.list_until(")", |parser| {
                let node = parser.expressions();
                parser.eat(";");
                node
            }))
        });
        if let Node::Block(all) = &mut items
            && all.len() == 1
        {
            return all.remove(0);
        }
        items
    }

    /// The condition of `if` and `while`.
    pub(super) fn condition(&mut self) -> Node {
        match self.language {
            Language::JavaScript | Language::Php | Language::Perl | Language::R => self.parenthesised_condition(),
            Language::Python => self.with(true, false, true, Self::expression),
            _ => self.with(true, false, false, Self::expression),
        }
    }

    fn conditional(&mut self) -> Node {
        self.at += 1;
        let condition = self.condition();
        let mut branches = vec![(condition, self.body())];
        let mut other = Node::Nothing;
        let ends = matches!(self.language, Language::Ruby | Language::Lua);
        loop {
            if matches!(self.word(), Some("elif" | "elsif" | "elseif")) {
                self.at += 1;
                let condition = self.condition();
                branches.push((condition, self.body()));
            } else if self.is_word("else") {
                self.at += 1;
                if self.is_word("if") && !ends {
                    self.at += 1;
                    let condition = self.condition();
                    branches.push((condition, self.body()));
                    continue;
                }
                other = self.body();
                break;
            } else {
                break;
            }
        }
        if ends {
            self.eat_word("end");
        }
        self.eat_word("endif");
        Node::If(branches, Box::new(other))
    }

    fn trying(&mut self) -> Option<Node> {
        let starts = match self.language {
            Language::Ruby => self.is_word("begin"),
            Language::Python => self.is_at(1, ":"),
            _ => self.is_at(1, "{"),
        };
        if !starts {
            return None;
        }
        self.at += 1;
        let ends = self.language == Language::Ruby;
        let body = self.body();
        let handlers = self.handlers();
        if ends {
            self.eat_word("end");
        }
        Some(Node::Try(Box::new(body), handlers))
    }

    /// `except`, `catch`, `rescue`, `finally`, `ensure` and what they run.
    pub(super) fn handlers(&mut self) -> Vec<Node> {
        let mut blocks = Vec::new();
        while matches!(self.word(), Some("except" | "catch" | "rescue" | "finally" | "ensure" | "else")) {
            self.at += 1;
            match self.language {
                Language::Python => {
                    while self.peek().is_some() && !self.is(":") {
                        self.at += 1;
                    }
                }
                Language::Ruby => {
                    while !self.line_ended() && !self.is_word("then") && !self.is(";") {
                        self.at += 1;
                    }
                }
                _ => {
                    if self.is("(") {
                        self.skip_brackets();
                    }
                }
            }
            blocks.push(self.body());
        }
        blocks
    }

    /// `switch (x) { case 1: … }`, `case x when 1 … end`
    fn switch(&mut self) -> Node {
        self.at += 1;
        let mut blocks = Vec::new();
        if self.language == Language::Ruby {
            let subject = if self.line_ended() { Node::Nothing } else { self.expression() };
            self.eat(";");
            while matches!(self.word(), Some("when" | "in" | "else")) {
                let is_else = self.is_word("else");
                self.at += 1;
                while !is_else && !self.line_ended() && !self.is_word("then") && !self.is(";") {
                    self.at += 1;
                }
                blocks.push(self.body());
            }
            self.eat_word("end");
            return Node::Block(vec![Node::Opaque(vec![subject]), Node::Branches(blocks)]);
        }
        let subject = self.parenthesised_condition();
        let _ = self.eat("{") || self.eat(":");
        while matches!(self.word(), Some("case" | "default")) {
            self.at += 1;
            while self.peek().is_some() && !self.eat(":") && !self.eat(";") {
                self.at += 1;
            }
            blocks.push(self.statements_until(|parser| {
                parser.is("}") || matches!(parser.word(), Some("case" | "default" | "endswitch"))
            }));
        }
        let _ = self.eat("}") || self.eat_word("endswitch");
        Node::Block(vec![Node::Opaque(vec![subject]), Node::Branches(blocks)])
    }

    fn python_match(&mut self) -> Option<Node> {
        let from = self.at;
        self.at += 1;
        let subject = self.expression();
        if !self.is(":") || !matches!(self.token(1).map(|token| &token.kind), Some(Kind::Indent)) {
            self.at = from;
            return None;
        }
        self.at += 2;
        let mut blocks = Vec::new();
        while self.eat_word("case") {
            while self.peek().is_some() && !self.is(":") {
                self.at += 1;
            }
            blocks.push(self.body());
        }
        if matches!(self.peek(), Some(Kind::Dedent)) {
            self.at += 1;
        }
        Some(Node::Block(vec![Node::Opaque(vec![subject]), Node::Branches(blocks)]))
    }

    /// `with open(x) as f, y as g:`
    fn with_statement(&mut self) -> Node {
        self.at += 1;
        let parenthesised = self.is("(") && self.closes_at(0).is_some_and(|end| self.is_at(end - self.at + 1, ":"));
        if parenthesised {
            self.at += 1;
        }
        let mut parts = Vec::new();
        loop {
            let value = self.expression();
            if self.eat_word("as") {
                let target = self.primary_target();
                parts.push(Node::Assign(Box::new(target), Box::new(value)));
            } else {
                parts.push(value);
            }
            if !self.eat(",") {
                break;
            }
        }
        if parenthesised {
            self.eat(")");
        }
        parts.push(self.body());
        Node::Block(parts)
    }

    fn primary_target(&mut self) -> Node {
        let mut target = self.primary();
        while self.eat(".") {
            let Some(name) = self.take_name() else { break };
            target = Node::Member(Box::new(target), name);
        }
        target
    }
}
