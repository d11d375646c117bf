//! Parses loops.

use super::Language;
use super::ast::Node;
use super::parser::Parser;

impl Parser {
    pub(super) fn looping(&mut self) -> Node {
        self.at += 1;
        let condition = self.condition();
        let body = self.body();
        self.end_loop("endwhile");
        Node::While(Box::new(condition), Box::new(body))
    }

    pub(super) fn end_loop(&mut self, php: &str) {
        if matches!(self.language, Language::Ruby | Language::Lua) {
            self.eat_word("end");
        }
        self.eat_word(php);
        if self.language == Language::Python && self.is_word("else") && self.is_at(1, ":") {
            self.at += 1;
        }
    }

    pub(super) fn repeat(&mut self) -> Node {
        self.at += 1;
        let body = if self.is("{") { self.braces() } else { self.statements_until(Self::at_end_word) };
        let condition = if self.eat_word("until") { self.expression() } else { Node::Nothing };
        Node::While(Box::new(condition), Box::new(body))
    }

    pub(super) fn for_each(&mut self) -> Node {
        self.at += 1;
        self.eat_word("await");
        self.eat_word("each");
        let node = match self.language {
            Language::Python | Language::Ruby | Language::Lua => {
                let target = self.with(true, true, true, Self::expressions);
                if self.eat("=") {
                    // `for i = 1, 10 do`
                    self.with(true, false, false, Self::expressions);
                    let body = self.body();
                    Node::For {
                        target: Box::new(target),
                        items: Box::new(Node::Opaque(Vec::new())),
                        body: Box::new(body),
                        collects: false,
                    }
                } else {
                    self.eat_word("in");
                    let items = self.with(true, false, self.language == Language::Python, Self::expressions);
                    let body = self.body();
                    Node::For {
                        target: Box::new(target),
                        items: Box::new(items),
                        body: Box::new(body),
                        collects: false,
                    }
                }
            }
            _ => self.for_with_parentheses(),
        };
        self.end_loop(if self.is_word("endforeach") { "endforeach" } else { "endfor" });
        node
    }

    /// `for (…; …; …)`, `for (const x of y)`, `foreach my $x (…)`, `foreach ($a as $k => $v)`
    pub(super) fn for_with_parentheses(&mut self) -> Node {
        let mut target = None;
        if !self.is("(") {
            while matches!(self.word(), Some("my" | "our")) {
                self.at += 1;
            }
            target = self.take_name().map(Node::Name);
        }
        if !self.eat("(") {
            return Node::Nothing;
        }
        while matches!(self.word(), Some("const" | "let" | "var")) {
            self.at += 1;
        }
        let first = if self.is(";") { Node::Nothing } else { self.with(false, true, false, Self::for_head) };
        if matches!(self.word(), Some("of" | "in")) {
            self.at += 1;
            let items = self.expression();
            self.eat(")");
            let body = self.body();
            return Node::For {
                target: Box::new(first),
                items: Box::new(items),
                body: Box::new(body),
                collects: false,
            };
        }
        if self.eat_word("as") {
            let mut bound = self.expression();
            if self.eat("=>") {
                bound = Node::List(vec![Node::Nothing, self.expression()]);
                let items = Node::call("entries of", vec![first]);
                self.eat(")");
                let body = self.body();
                return Node::For {
                    target: Box::new(bound),
                    items: Box::new(items),
                    body: Box::new(body),
                    collects: false,
                };
            }
            self.eat(")");
            let body = self.body();
            return Node::For {
                target: Box::new(bound),
                items: Box::new(first),
                body: Box::new(body),
                collects: false,
            };
        }
        if self.is(";") {
            let mut parts = Vec::new();
            while self.peek().is_some() && !self.is(")") {
                if !self.eat(";") && !self.eat(",") {
                    let from = self.at;
                    parts.push(self.expression());
                    self.at += usize::from(self.at == from);
                }
            }
            self.eat(")");
            let body = self.body();
            let condition = Node::Block(parts);
            return Node::Block(vec![first, Node::While(Box::new(condition), Box::new(body))]);
        }
        self.eat(")");
        let body = self.body();
        let target = target.unwrap_or_else(|| Node::name("$_"));
        Node::For { target: Box::new(target), items: Box::new(first), body: Box::new(body), collects: false }
    }

    pub(super) fn for_head(&mut self) -> Node {
        let mut parts = Vec::new();
        loop {
            let from = self.at;
            parts.push(self.expression());
            if !self.eat(",") || self.at == from || self.is(")") {
                break;
            }
        }
        match parts.len() {
            1 => parts.remove(0),
            _ if self.language == Language::Perl => Node::List(parts),
            _ => Node::Block(parts),
        }
    }

    pub(super) fn do_block(&mut self) -> Option<Node> {
        if !self.is_at(1, "{") || self.language == Language::Ruby {
            if self.language == Language::Lua {
                self.at += 1;
                let body = self.statements_until(Self::at_end_word);
                self.eat_word("end");
                return Some(body);
            }
            return None;
        }
        if self.language == Language::Perl {
            return None;
        }
        self.at += 1;
        let body = self.braces();
        if self.eat_word("while") {
            let condition = self.parenthesised_condition();
            return Some(Node::While(Box::new(condition), Box::new(body)));
        }
        Some(body)
    }
}
