//! Parses operands: literals, calls and their arguments, functions without a name.

use super::Language;
use super::ast::{Function, Node, Parameter, Rest};
use super::lexer::Kind;
use super::parser::Parser;
use std::rc::Rc;

impl Parser {
    pub(super) fn primary(&mut self) -> Node {
        let Some(kind) = self.peek().cloned() else { return Node::Nothing };
        match kind {
            Kind::Text(pieces) => {
                self.at += 1;
                let first = self.text(&pieces);
                self.adjacent_texts(first)
            }
            Kind::Command(pieces) => {
                self.at += 1;
                Node::Command(Box::new(self.text(&pieces)))
            }
            Kind::Words(words) => {
                self.at += 1;
                Node::List(words.iter().map(Node::text).collect())
            }
            Kind::Number(number) => {
                self.at += 1;
                Node::Number(number.as_str().into())
            }
            Kind::Pattern => {
                self.at += 1;
                Node::Opaque(Vec::new())
            }
            Kind::Variable(sigil, name) => {
                self.at += 1;
                Node::name(format!("{sigil}{name}"))
            }
            Kind::Name(name) => self.word_operand(&name),
            Kind::Operator(mark) => self.bracketed(mark),
            Kind::Indent | Kind::Dedent => Node::Nothing,
        }
    }

    /// `"a" "b"` is one text in Python and Ruby.
    fn adjacent_texts(&mut self, first: Node) -> Node {
        let mut parts = vec![first];
        while matches!(self.language, Language::Python | Language::Ruby) && !self.line_ended() {
            let Some(Kind::Text(pieces)) = self.peek().cloned() else { break };
            self.at += 1;
            parts.push(self.text(&pieces));
        }
        if parts.len() == 1 { parts.remove(0) } else { Node::Parts(parts) }
    }

    fn bracketed(&mut self, mark: &str) -> Node {
        match mark {
            "(" => self.parenthesised(),
            "[" => {
                self.at += 1;
                let items = self.with(false, false, false, |parser| Node::List(parser.list_until("]", Self::element)));
                Self::comprehension(items)
            }
            "{" => self.map(),
            "->" if self.language == Language::Ruby => self.lambda(),
            "::" => {
                self.at += 1;
                self.primary()
            }
            "\\" if self.language == Language::Php => {
                self.at += 1;
                self.primary()
            }
            // `@{$list}`, `%$map`, `$$name`
            "@" | "%" | "$" if self.language == Language::Perl => {
                self.at += 1;
                if self.is("{") {
                    self.at += 1;
                    let node = self.expression();
                    self.eat("}");
                    return node;
                }
                self.primary()
            }
            "$" if self.language == Language::Php => {
                self.at += 1;
                let inner = self.primary();
                Node::Index(Box::new(Node::name("$GLOBALS")), Box::new(inner))
            }
            "#" => {
                self.at += 1;
                Node::Opaque(vec![self.primary()])
            }
            _ => Node::Nothing,
        }
    }

    fn parenthesised(&mut self) -> Node {
        self.at += 1;
        let mut is_list = matches!(self.language, Language::Perl);
        let items = self.with(false, false, false, |parser| {
            let items = parser.list_until(")", |parser| {
                let node = parser.element();
                is_list |= parser.is(",");
                // `(a; b)` of Ruby
                parser.eat(";");
                node
            });
            Node::List(items)
        });
        let Node::List(mut items) = items else { return Node::Nothing };
        match items.len() {
            0 => Node::List(items),
            1 if matches!(items.first(), Some(Node::For { .. })) || !is_list => items.remove(0),
            _ if self.language == Language::JavaScript => items.pop().unwrap_or(Node::Nothing),
            _ => Node::List(items),
        }
    }

    /// An element of a list, or an argument: a comprehension, a pair, a spread value.
    pub(super) fn element(&mut self) -> Node {
        let key = match (self.peek().cloned(), self.language) {
            (Some(Kind::Name(name)), _) if self.is_at(1, "=>") && self.language != Language::JavaScript => Some(name),
            (Some(Kind::Name(name)), Language::Ruby) if self.is_at(1, ":") && !self.is_at(1, "::") => Some(name),
            (Some(Kind::Name(name)), Language::Php) if self.is_at(1, ":") => Some(name),
            (Some(Kind::Name(name)), Language::Python | Language::R) if self.is_at(1, "=") => Some(name),
            _ => None,
        };
        if let Some(name) = key {
            self.at += 2;
            if self.is(",") || self.is(")") || self.is("}") {
                return Node::Keyword(name.as_str().into(), Box::new(Node::name(name)));
            }
            let value = self.expression();
            let value = if self.language == Language::Python { self.clauses(value) } else { value };
            return Node::Keyword(name.as_str().into(), Box::new(value));
        }
        let value = self.expression();
        // `"a" => 1` of PHP, Perl and Ruby; `"a": 1` of Ruby
        if self.eat("=>") || self.language == Language::Ruby && matches!(value, Node::Text(_)) && self.eat(":") {
            let second = self.expression();
            return Node::Map(vec![(value, second)]);
        }
        if self.language == Language::Python { self.clauses(value) } else { value }
    }

    /// `x for y in z if w`
    pub(super) fn clauses(&mut self, value: Node) -> Node {
        self.eat_word("async");
        if !self.is_word("for") {
            return value;
        }
        self.at += 1;
        let target = self.with(true, true, true, Self::expressions);
        if !self.eat_word("in") {
            return value;
        }
        let items = self.with(true, true, true, Self::expression);
        let mut conditions = Vec::new();
        while self.is_word("if") {
            self.at += 1;
            conditions.push(self.with(true, false, true, Self::expression_without_choice));
        }
        let body = self.clauses(value);
        let body = match conditions.is_empty() {
            true => body,
            false => Node::If(vec![(Node::Opaque(conditions), body)], Box::new(Node::Nothing)),
        };
        Node::For { target: Box::new(target), items: Box::new(items), body: Box::new(body), collects: true }
    }

    fn expression_without_choice(&mut self) -> Node {
        let before = std::mem::replace(&mut self.no_in, false);
        let node = self.deeper(Self::condition);
        self.no_in = before;
        node
    }

    /// `[x for x in y]` is the list that the loop makes.
    fn comprehension(node: Node) -> Node {
        match node {
            Node::List(mut items)
                if items.len() == 1 && matches!(items.first(), Some(Node::For { collects: true, .. })) =>
            {
                items.remove(0)
            }
            other => other,
        }
    }

    /// `{a: 1}`, `{"a": 1}`, `{a => 1}`, `{a, ...b}`, `{1, 2}` of Python; a block of JavaScript or Perl elsewhere.
    fn map(&mut self) -> Node {
        self.at += 1;
        let mut pairs = Vec::new();
        let node = self.with(false, false, false, |parser| {
            while parser.peek().is_some() && !parser.is("}") {
                let from = parser.at;
                let pair = parser.deeper(|parser| {
                    let (key, value) = parser.pair();
                    pairs.push((key, value));
                    Node::Nothing
                });
                drop(pair);
                if !parser.eat(",") {
                    parser.eat(";");
                }
                if parser.at == from {
                    parser.broken = true;
                    parser.at += 1;
                }
            }
            parser.eat("}");
            Node::Nothing
        });
        drop(node);
        Node::Map(pairs)
    }

    fn pair(&mut self) -> (Node, Node) {
        if self.eat("...") || self.eat("**") {
            return (Node::Nothing, Node::Spread(Box::new(self.expression())));
        }
        if self.language == Language::JavaScript {
            while matches!(self.word(), Some("async" | "get" | "set"))
                && matches!(self.token(1).map(|token| &token.kind), Some(Kind::Name(_)))
            {
                self.at += 1;
            }
            self.eat("*");
        }
        let key = match self.peek().cloned() {
            Some(Kind::Name(name))
                if self.is_at(1, ":")
                    || self.is_at(1, "=>")
                    || self.is_at(1, "=") && self.language == Language::Lua =>
            {
                self.at += 1;
                Node::text(name)
            }
            Some(Kind::Name(name)) if self.language == Language::JavaScript && self.is_at(1, "(") => {
                self.at += 1;
                let function = self.function_from_parameters(name.as_str().into());
                return (Node::text(name), function);
            }
            Some(Kind::Name(name))
                if self.language == Language::JavaScript
                    && (self.is_at(1, ",") || self.is_at(1, "}") || self.is_at(1, "=")) =>
            {
                self.at += 1;
                let variable = Node::name(&name);
                let value = if self.eat("=") {
                    Node::Assign(Box::new(variable), Box::new(self.expression()))
                } else {
                    variable
                };
                return (Node::text(name), value);
            }
            Some(Kind::Operator("[")) if matches!(self.language, Language::JavaScript | Language::Lua) => {
                self.at += 1;
                let key = self.expression();
                self.eat("]");
                if self.language == Language::JavaScript && self.is("(") {
                    let function = self.function_from_parameters("".into());
                    return (key, function);
                }
                key
            }
            _ => self.expression(),
        };
        if self.eat(":") || self.eat("=>") || self.language == Language::Lua && self.eat("=") {
            let value = self.expression();
            let value = if self.language == Language::Python { self.clauses(value) } else { value };
            return (key, value);
        }
        if self.language == Language::Perl && self.eat(",") {
            return (key, self.expression());
        }
        let value = if self.language == Language::Python { self.clauses(key) } else { key };
        (Node::Nothing, value)
    }

    /// `(a, b) => c`, `a => c`, `async (a) => { … }`; `fn($a) => c` and `function () { … }` are words.
    pub(super) fn arrow(&mut self) -> Option<Node> {
        if self.language != Language::JavaScript {
            return None;
        }
        let from = self.at;
        if self.is_word("async") && (self.is_at(1, "(") || self.is_at(2, "=>")) {
            self.at += 1;
        }
        if self.word().is_some() && self.is_at(1, "=>") {
            let name = self.take_name()?;
            self.at += 1;
            let parameter = Parameter { target: Node::Name(name), default: None, rest: Rest::One };
            return Some(self.arrow_body(vec![parameter]));
        }
        let end = self.closes_at(0).filter(|_| self.is("("));
        let is_arrow = end.is_some_and(|end| {
            let ahead = end - self.at;
            self.is_at(ahead + 1, "=>") || self.is_at(ahead + 1, ":") && self.arrow_behind_type(ahead + 2)
        });
        if !is_arrow {
            self.at = from;
            return None;
        }
        let parameters = self.parameters();
        if self.eat(":") {
            self.skip_type();
        }
        self.eat("=>");
        Some(self.arrow_body(parameters))
    }

    /// Reports whether `=>` follows a type soon: `(a): string => a`.
    fn arrow_behind_type(&self, ahead: usize) -> bool {
        let near = (ahead..ahead + 12).take_while(|ahead| {
            !["{", ";", ",", ")", "=", "?"].iter().any(|mark| self.is_at(*ahead, mark)) && self.token(*ahead).is_some()
        });
        near.last().is_some_and(|last| self.is_at(last, "=>"))
    }

    pub(super) fn arrow_body(&mut self, parameters: Vec<Parameter>) -> Node {
        let body = if self.is("{") {
            self.braces()
        } else {
            let value = self.with(false, self.no_in, false, Self::expression);
            Node::Return(Box::new(value))
        };
        Node::Function(Rc::new(Function { name: "".into(), parameters, body, registered: false }))
    }

    /// `->(x) { … }`, `-> x do … end`
    fn lambda(&mut self) -> Node {
        self.at += 1;
        let parameters = if self.is("(") { self.parameters() } else { self.names_until_brace() };
        let body = if self.is("{") {
            self.braces()
        } else {
            self.eat_word("do");
            let body = self.statements_until(Self::at_end_word);
            self.eat_word("end");
            body
        };
        Node::Function(Rc::new(Function { name: "".into(), parameters, body, registered: false }))
    }

    fn names_until_brace(&mut self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        while !self.is("{") && !self.is_word("do") && !self.line_ended() {
            if let Some(name) = self.take_name() {
                parameters.push(Parameter { target: Node::Name(name), default: None, rest: Rest::One });
            } else {
                self.at += 1;
            }
        }
        parameters
    }
}
