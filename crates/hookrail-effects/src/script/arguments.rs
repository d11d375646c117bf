//! Parses calls: with parentheses, without them, with blocks.

use super::Language;
use super::ast::{Function, Node, Parameter, Rest};
use super::lexer::{Kind, Token};
use super::parser::Parser;
use std::rc::Rc;

impl Parser {
    /// Reports whether the arguments of a call are being read.
    pub(super) fn in_call(&self) -> bool {
        self.arguments > 0
    }

    /// `f(a, b)`
    pub(super) fn call(&mut self, function: Node) -> Node {
        self.at += 1;
        self.arguments += 1;
        let arguments = self.with(false, false, false, |parser| Node::List(parser.list_until(")", Self::argument)));
        self.arguments -= 1;
        let Node::List(arguments) = arguments else { return function };
        Node::Call(Box::new(function), arguments)
    }

    fn argument(&mut self) -> Node {
        // `map { … } @list` and `print {$file} …` inside of parentheses
        if self.language == Language::Perl
            && self.is("{")
            && self.closes_at(0).is_some_and(|end| !self.is_at(end - self.at + 1, ","))
            && let Some(block) = self.perl_block()
        {
            return block;
        }
        let node = self.element();
        // `open my $file, …`, `new Foo(…)`
        if self.language == Language::Perl && self.starts_operand() && !self.line_ended() {
            return Node::List(vec![node, self.element()]);
        }
        node
    }

    /// A block as the first argument, which is a function or a file that is printed to.
    fn perl_block(&mut self) -> Option<Node> {
        let end = self.closes_at(0)?;
        let is_map = (self.at..end).any(|at| self.is_at(at - self.at, "=>")) && self.is_at(end - self.at + 1, ")");
        if is_map {
            return None;
        }
        let body = self.braces();
        Some(Node::Function(Rc::new(Function { name: "".into(), parameters: Vec::new(), body, registered: false })))
    }

    /// Reports whether a name is followed by arguments without parentheses.
    pub(super) fn starts_command(&self, node: &Node) -> bool {
        let Some(token) = self.token(0) else { return false };
        if token.newline {
            return false;
        }
        match self.language {
            Language::Perl => match node {
                Node::Name(name) => {
                    (!name.starts_with(['$', '@', '%'])) && (self.starts_operand() || self.starts_perl_block(name))
                }
                Node::Member(_, name) => {
                    !name.starts_with('$') && matches!(token.kind, Kind::Text(_) | Kind::Variable(..))
                }
                _ => false,
            },
            Language::Ruby => {
                matches!(node, Node::Name(_) | Node::Member(..)) && token.space && self.starts_ruby_argument(token)
            }
            _ => false,
        }
    }

    fn starts_perl_block(&self, name: &str) -> bool {
        self.is("{")
            && matches!(
                name,
                "map"
                    | "grep"
                    | "sort"
                    | "first"
                    | "any"
                    | "all"
                    | "print"
                    | "printf"
                    | "say"
                    | "try"
                    | "catch"
                    | "finally"
            )
    }

    /// Reports whether an operand begins at the next token, and no operator.
    fn starts_operand(&self) -> bool {
        let Some(token) = self.token(0) else { return false };
        match &token.kind {
            Kind::Text(_)
            | Kind::Command(_)
            | Kind::Words(_)
            | Kind::Number(_)
            | Kind::Variable(..)
            | Kind::Pattern => true,
            Kind::Name(word) => !is_operator_word(word) && !self.is_at(1, "=>"),
            Kind::Operator("\\") => true,
            Kind::Operator("@" | "%" | "$") => {
                self.is_at(1, "{")
                    || matches!(self.token(1), Some(Token { kind: Kind::Variable(..), space: false, .. }))
            }
            Kind::Operator("-") => token.space && self.token(1).is_some_and(|next| !next.space),
            Kind::Operator("[") => token.space,
            _ => false,
        }
    }

    fn starts_ruby_argument(&self, token: &Token) -> bool {
        let tight = self.token(1).is_some_and(|next| !next.space && !next.newline);
        match &token.kind {
            Kind::Text(_)
            | Kind::Command(_)
            | Kind::Words(_)
            | Kind::Number(_)
            | Kind::Variable(..)
            | Kind::Pattern => true,
            Kind::Name(word) => !matches!(
                word.as_str(),
                "if" | "unless"
                    | "while"
                    | "until"
                    | "and"
                    | "or"
                    | "do"
                    | "then"
                    | "in"
                    | "rescue"
                    | "end"
                    | "else"
                    | "elsif"
                    | "when"
                    | "ensure"
            ),
            Kind::Operator("->" | "::") => true,
            Kind::Operator("[" | "*" | "&" | "-" | "**" | "!") => tight,
            Kind::Operator("(") => true,
            _ => false,
        }
    }

    /// `f a, b`
    pub(super) fn command_call(&mut self, function: Node) -> Node {
        let mut arguments = Vec::new();
        self.arguments += 1;
        let before = self.no_brace;
        loop {
            let argument = self.deeper(Self::argument);
            // `print {$file} "text"` and `map { … } @list` have no comma.
            let is_block = matches!(argument, Node::Function(_)) && self.language == Language::Perl;
            arguments.push(argument);
            let goes_on = self.eat(",") || is_block && self.starts_operand();
            if !goes_on || self.peek().is_none() {
                break;
            }
            if self.is(")") || self.is("}") || self.is(";") {
                break;
            }
        }
        self.no_brace = before;
        self.arguments -= 1;
        let call = Node::Call(Box::new(function), arguments);
        let takes_do = self.language == Language::Ruby
            && self.is_word("do")
            && !self.no_do
            && !self.line_ended()
            && !self.in_call();
        if takes_do { self.block_argument(call) } else { call }
    }

    /// `f { |x| … }` and `f do |x| … end`
    pub(super) fn block_argument(&mut self, node: Node) -> Node {
        let braces = self.is("{");
        self.at += 1;
        let mut parameters = Vec::new();
        if self.eat("|") {
            while self.peek().is_some() && !self.is("|") {
                let from = self.at;
                parameters.extend(self.block_parameter());
                if self.at == from {
                    self.at += 1;
                }
            }
            self.eat("|");
        } else {
            self.eat("||");
        }
        let arguments = std::mem::take(&mut self.arguments);
        let body = self.with(false, false, false, |parser| {
            parser.statements_until(|parser| if braces { parser.is("}") } else { parser.at_end_word() })
        });
        self.arguments = arguments;
        let _ = if braces { self.eat("}") } else { self.eat_word("end") };
        if parameters.is_empty() {
            let it = |name: &str| Parameter { target: Node::name(name), default: None, rest: Rest::One };
            parameters = vec![it("it")];
        }
        let block = Node::Function(Rc::new(Function { name: "".into(), parameters, body, registered: false }));
        match node {
            Node::Call(function, mut arguments) => {
                arguments.push(block);
                Node::Call(function, arguments)
            }
            other => Node::Call(Box::new(other), vec![block]),
        }
    }

    fn block_parameter(&mut self) -> Option<Parameter> {
        let rest = if self.eat("*") { Rest::List } else { Rest::One };
        let target =
            if self.eat("(") { Node::List(self.list_until(")", Self::primary)) } else { Node::Name(self.take_name()?) };
        self.eat(",");
        Some(Parameter { target, default: None, rest })
    }

    /// `(a, b = 1, *rest, **options)` with the types of TypeScript, Python and PHP.
    pub(super) fn parameters(&mut self) -> Vec<Parameter> {
        self.at += 1;
        self.parameters_until(")")
    }

    pub(super) fn parameters_until(&mut self, close: &str) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        while self.peek().is_some() && !self.is(close) {
            let from = self.at;
            if let Some(parameter) = self.parameter(close) {
                parameters.push(parameter);
            }
            self.eat(",");
            if self.at == from {
                self.at += 1;
            }
        }
        self.eat(close);
        parameters
    }

    fn parameter(&mut self, close: &str) -> Option<Parameter> {
        let mut rest = Rest::One;
        // Attributes, modifiers and types of PHP and TypeScript stand before the name.
        while self.language == Language::Php
            && !matches!(self.peek(), Some(Kind::Variable(..)))
            && !self.is(",")
            && !self.is(close)
        {
            if self.eat("...") {
                rest = Rest::List;
            } else {
                self.at += 1;
            }
        }
        while self.language == Language::JavaScript
            && matches!(self.word(), Some("private" | "public" | "protected" | "readonly"))
            && matches!(self.token(1).map(|token| &token.kind), Some(Kind::Name(_)))
        {
            self.at += 1;
        }
        if self.eat("...") || self.eat("*") {
            rest = Rest::List;
        } else if self.eat("**") {
            rest = Rest::Map;
        } else {
            self.eat("&");
        }
        if self.is(",") || self.is(close) || self.is("/") {
            self.eat("/");
            return None;
        }
        let target = match self.peek()? {
            Kind::Operator("{" | "[" | "(") => self.primary(),
            Kind::Operator(_) => return None,
            _ => Node::Name(self.take_name()?),
        };
        self.eat("?");
        // `a: str` of Python and TypeScript; `a:` and `a: 1` of Ruby are named.
        if close != ":" && self.eat(":") {
            if self.language == Language::Ruby {
                let default = (!self.is(",") && !self.is(close) && !self.line_ended()).then(|| self.expression());
                return Some(Parameter { target, default, rest });
            }
            self.skip_type();
        }
        let default = self.eat("=").then(|| self.expression());
        Some(Parameter { target, default, rest })
    }

    /// Passes over a type.
    pub(super) fn skip_type(&mut self) {
        let mut angles = 0usize;
        let mut first = true;
        while let Some(kind) = self.peek() {
            match kind {
                Kind::Operator("(" | "[") => self.skip_brackets(),
                Kind::Operator("{") if first => self.skip_brackets(),
                Kind::Operator("<") => {
                    angles += 1;
                    self.at += 1;
                }
                Kind::Operator(">") if angles > 0 => {
                    angles -= 1;
                    self.at += 1;
                }
                Kind::Operator(">>") if angles > 1 => {
                    angles -= 2;
                    self.at += 1;
                }
                Kind::Operator(",") if angles > 0 => self.at += 1,
                Kind::Operator("|" | "&" | "." | "?") => {
                    self.at += 1;
                    first = true;
                    continue;
                }
                Kind::Name(_) | Kind::Text(_) | Kind::Number(_) if !self.line_ended() || first => self.at += 1,
                _ => return,
            }
            first = false;
        }
    }
}

fn is_operator_word(word: &str) -> bool {
    matches!(
        word,
        "if" | "unless"
            | "while"
            | "until"
            | "for"
            | "foreach"
            | "and"
            | "or"
            | "xor"
            | "x"
            | "eq"
            | "ne"
            | "lt"
            | "gt"
            | "le"
            | "ge"
            | "cmp"
    )
}
