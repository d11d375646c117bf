//! Parses definitions: functions, classes, variables, imports.

use super::Language;
use super::ast::{Class, Function, Node};
use super::lexer::Kind;
use super::parser::Parser;
use super::words::function;
use std::rc::Rc;

impl Parser {
    /// Parses a definition, if a statement that begins with this word is one.
    pub(super) fn definition(&mut self, word: &str) -> Option<Node> {
        let language = self.language;
        match (word, language) {
            ("def", Language::Python) => Some(self.python_function(false)),
            ("async", Language::Python) => {
                self.at += 1;
                Some(self.statement())
            }
            ("def", Language::Ruby) => Some(self.ruby_definition()),
            ("private" | "public" | "protected" | "module_function", Language::Ruby)
                if self.word_at(1) == Some("def") =>
            {
                self.at += 1;
                Some(self.ruby_definition())
            }
            ("sub", Language::Perl) if self.word_at(1).is_some() => {
                self.at += 1;
                let name = self.take_name()?;
                Some(self.perl_sub(&name))
            }
            ("BEGIN" | "END" | "INIT", Language::Perl | Language::Ruby) if self.is_at(1, "{") => {
                self.at += 1;
                Some(self.braces())
            }
            ("package", Language::Perl) | ("namespace", Language::Php) => {
                self.skip_statement();
                Some(Node::Nothing)
            }
            ("use" | "no", Language::Perl) | ("use", Language::Php) => Some(self.use_module()),
            ("class" | "module", Language::Ruby) | ("class", Language::Python) => Some(self.class()),
            (
                "class" | "abstract" | "final" | "trait" | "enum" | "interface" | "readonly",
                Language::Php | Language::JavaScript,
            ) if matches!(self.token(1).map(|token| &token.kind), Some(Kind::Name(_))) => Some(self.class()),
            ("declare" | "type", Language::JavaScript) if self.word_at(1).is_some() => {
                self.skip_statement();
                Some(Node::Nothing)
            }
            ("const" | "let" | "var" | "local", Language::JavaScript | Language::Lua | Language::Php) => {
                Some(self.variables())
            }
            ("function", Language::JavaScript | Language::Php | Language::Lua) if self.word_at(1).is_some() => {
                Some(self.word_operand("function"))
            }
            ("import" | "from", Language::Python) => Some(self.python_import()),
            ("import", Language::JavaScript) if !self.is_at(1, "(") && !self.is_at(1, ".") => Some(self.js_import()),
            ("export", Language::JavaScript) => {
                self.at += 1;
                self.eat_word("default");
                if self.is("*") || self.is("{") {
                    self.skip_statement();
                    return Some(Node::Nothing);
                }
                Some(self.statement())
            }
            _ => None,
        }
    }

    /// Passes over a statement that does nothing by itself.
    pub(super) fn skip_statement(&mut self) {
        while let Some(kind) = self.peek() {
            match kind {
                Kind::Operator(";") => break,
                Kind::Operator("{") => {
                    self.skip_brackets();
                    break;
                }
                _ => self.at += 1,
            }
        }
    }

    fn python_function(&mut self, registered: bool) -> Node {
        self.at += 1;
        let name = self.take_name().unwrap_or_else(|| "".into());
        if self.is("[") {
            self.skip_brackets();
        }
        let parameters = if self.is("(") { self.parameters() } else { Vec::new() };
        if self.eat("->") {
            self.skip_type();
        }
        let body = self.body();
        Node::Function(Rc::new(Function { name, parameters, body, registered }))
    }

    /// `@decorator` and the function or class behind it.
    pub(super) fn decorated(&mut self) -> Node {
        let mut parts = Vec::new();
        let mut registered = false;
        while self.eat("@") {
            let known = matches!(
                self.word(),
                Some(
                    "staticmethod"
                        | "classmethod"
                        | "property"
                        | "dataclass"
                        | "functools"
                        | "cached_property"
                        | "contextmanager"
                        | "override"
                )
            );
            registered |= !known;
            parts.push(Node::Opaque(vec![self.expression()]));
        }
        self.eat_word("async");
        if self.is_word("def") {
            parts.push(self.python_function(registered));
        } else {
            parts.push(self.statement());
        }
        Node::Block(parts)
    }

    /// `def name(a) … end`, `def name = …`, `def self.name`
    pub(super) fn ruby_definition(&mut self) -> Node {
        self.at += 1;
        let mut name = self.take_name();
        if self.eat(".") {
            name = self.take_name();
        }
        let Some(name) = name else { return Node::Nothing };
        let parameters = if self.is("(") {
            self.parameters()
        } else if !self.line_ended() && !self.is("=") && !self.is(";") {
            let mut found = Vec::new();
            while !self.line_ended() && !self.is(";") {
                let from = self.at;
                let item = self.primary();
                self.eat(",");
                if let Node::Name(_) = item {
                    let default = self.eat("=").then(|| self.expression());
                    self.eat(",");
                    found.push(super::ast::Parameter { target: item, default, rest: super::ast::Rest::One });
                }
                self.at += usize::from(self.at == from);
            }
            found
        } else {
            Vec::new()
        };
        if self.eat("=") {
            let body = Node::Return(Box::new(self.statement()));
            return function(&name, parameters, body);
        }
        let body = self.body();
        let handlers = self.handlers();
        self.eat_word("end");
        let body = if handlers.is_empty() { body } else { Node::Try(Box::new(body), handlers) };
        function(&name, parameters, body)
    }

    /// `const a = 1, {b} = c`, `local a, b = 1, 2`
    fn variables(&mut self) -> Node {
        self.at += 1;
        if self.word() == Some("function") {
            return self.word_operand("function");
        }
        if self.language == Language::JavaScript && self.is_word("enum") {
            self.skip_statement();
            return Node::Nothing;
        }
        let mut parts = Vec::new();
        loop {
            let from = self.at;
            let target = self.primary();
            self.eat("!");
            if self.language == Language::JavaScript && self.eat(":") {
                self.skip_type();
            }
            if self.eat("=") {
                let value = self.expression();
                parts.push(Node::Assign(Box::new(Node::Local(Box::new(target))), Box::new(value)));
            } else if self.language == Language::JavaScript {
                parts.push(Node::Assign(Box::new(Node::Local(Box::new(target))), Box::new(Node::Nothing)));
            }
            if !self.eat(",") || self.at == from {
                break;
            }
        }
        if parts.len() == 1 { parts.remove(0) } else { Node::Block(parts) }
    }

    /// `class A(B):`, `class A extends B {`, `class A < B … end`, `module A … end`
    pub(super) fn class(&mut self) -> Node {
        while matches!(
            self.word(),
            Some("abstract" | "final" | "readonly" | "class" | "module" | "trait" | "enum" | "interface")
        ) {
            self.at += 1;
        }
        let mut name: Rc<str> = "".into();
        if !self.is_word("extends") {
            name = self.take_name().unwrap_or(name);
        }
        while self.eat("::") {
            name = self.take_name().unwrap_or(name);
        }
        let mut parent = None;
        if self.is("(") && self.language == Language::Python {
            self.at += 1;
            let mut parents = self.list_until(")", Self::element);
            parent = (!parents.is_empty()).then(|| parents.remove(0));
        }
        if self.eat_word("extends") || self.language == Language::Ruby && self.eat("<") {
            parent = Some(self.with(false, false, true, Self::expression));
        }
        while self.language != Language::Python
            && self.language != Language::Ruby
            && self.peek().is_some()
            && !self.is("{")
        {
            self.at += 1;
        }
        let body = match self.language {
            Language::JavaScript | Language::Php => self.class_members(),
            Language::Ruby => {
                let body = self.body();
                self.eat_word("end");
                body
            }
            _ => self.body(),
        };
        let mut methods = Vec::new();
        let body = without_functions(body, &mut methods);
        Node::Class(Rc::new(Class { name, parent, methods, body }))
    }

    fn class_members(&mut self) -> Node {
        self.at += 1;
        let mut members = Vec::new();
        while self.peek().is_some() && !self.is("}") {
            let from = self.at;
            let member = self.deeper(Self::class_member);
            members.push(member);
            self.at += usize::from(self.at == from);
        }
        self.eat("}");
        Node::Block(members)
    }

    fn class_member(&mut self) -> Node {
        const MODIFIERS: &[&str] = &[
            "public",
            "private",
            "protected",
            "static",
            "final",
            "abstract",
            "readonly",
            "async",
            "get",
            "set",
            "override",
            "var",
            "declare",
            "accessor",
        ];
        if self.eat(";") || self.eat("*") {
            return Node::Nothing;
        }
        while self.word().is_some_and(|word| MODIFIERS.contains(&word)) && !self.is_at(1, "(") && !self.is_at(1, "=") {
            self.at += 1;
        }
        if self.is_word("function") || self.is_word("const") {
            return self
                .definition(if self.is_word("function") { "function" } else { "const" })
                .unwrap_or(Node::Nothing);
        }
        if self.language == Language::JavaScript && self.word().is_some() && (self.is_at(1, "(") || self.is_at(1, "<"))
        {
            let name = self.take_name().unwrap_or_else(|| "".into());
            while self.peek().is_some() && !self.is("(") {
                self.at += 1;
            }
            return self.function_from_parameters(name);
        }
        if self.language == Language::JavaScript && self.is("{") {
            return self.braces();
        }
        // A type of PHP stands before a field.
        while self.language == Language::Php
            && self.peek().is_some()
            && !matches!(self.peek(), Some(Kind::Variable(..)))
            && !self.is(";")
            && !self.is("}")
        {
            self.at += 1;
        }
        let Some(name) = self.take_name() else { return Node::Nothing };
        let _ = self.eat("?") || self.eat("!");
        if self.eat(":") {
            self.skip_type();
        }
        if self.eat("=") {
            let value = self.expression();
            let name = name.trim_start_matches(['$', '#']).to_owned();
            let own = Node::Member(Box::new(Node::name("this")), name.as_str().into());
            return Node::Assign(Box::new(own), Box::new(value));
        }
        Node::Nothing
    }
}

fn without_functions(body: Node, methods: &mut Vec<Rc<Function>>) -> Node {
    match body {
        Node::Function(function) => {
            methods.push(function);
            Node::Nothing
        }
        Node::Block(nodes) => Node::Block(nodes.into_iter().map(|node| without_functions(node, methods)).collect()),
        other => other,
    }
}
