//! Parses operands that begin with a keyword, and names.

use super::Language;
use super::ast::{Function, Node, Parameter, Rest};
use super::lexer::Kind;
use super::parser::Parser;
use std::rc::Rc;

impl Parser {
    /// Parses an operand that begins with a word.
    pub(super) fn word_operand(&mut self, word: &str) -> Node {
        let language = self.language;
        match (word, language) {
            ("lambda", Language::Python) => {
                self.at += 1;
                let parameters = self.parameters_until(":");
                let body = Node::Return(Box::new(self.expression()));
                function("", parameters, body)
            }
            ("function", Language::JavaScript | Language::Php | Language::Lua | Language::R)
            | ("async", Language::JavaScript)
                if word == "function" || self.word_at(1) == Some("function") =>
            {
                self.eat_word("async");
                self.function_word()
            }
            ("fn" | "static", Language::Php)
                if self.is_at(1, "(") || self.is_at(1, "&") || matches!(self.word_at(1), Some("fn" | "function")) =>
            {
                self.eat_word("static");
                self.php_function()
            }
            ("sub", Language::Perl) => {
                self.at += 1;
                self.perl_sub("")
            }
            ("def", Language::Ruby) => self.ruby_definition(),
            ("class", Language::JavaScript) => self.class(),
            ("new", Language::JavaScript | Language::Php) if !self.is_at(1, ".") => self.new_object(),
            ("do", Language::Perl) if self.is_at(1, "{") => {
                self.at += 1;
                self.braces()
            }
            ("eval", Language::Perl) if self.is_at(1, "{") => {
                self.at += 1;
                self.braces()
            }
            ("my" | "our" | "local" | "state", Language::Perl) => self.perl_variables(),
            ("if" | "unless" | "case" | "begin" | "while" | "until" | "for", Language::Ruby) => {
                self.deeper(Self::statement)
            }
            ("match", Language::Php) if self.is_at(1, "(") => self.php_match(),
            ("import", Language::JavaScript) if self.is_at(1, "(") => {
                self.at += 1;
                self.call(Node::name("require"))
            }
            (
                "echo" | "print" | "include" | "include_once" | "require" | "require_once" | "exit" | "die",
                Language::Php,
            ) => self.php_command(word),
            ("return", _) => self.return_value(),
            ("list" | "array", Language::Php) if self.is_at(1, "(") => {
                self.at += 2;
                let items = self.list_until(")", Self::element);
                Node::List(items)
            }
            ("if", Language::R) => self.deeper(Self::statement),
            ("None" | "null" | "nil" | "undefined" | "undef" | "NULL", _) => {
                self.at += 1;
                Node::Nothing
            }
            ("True" | "False" | "true" | "false" | "TRUE" | "FALSE", _) => {
                self.at += 1;
                Node::Opaque(Vec::new())
            }
            ("__dirname", Language::JavaScript) | ("__DIR__", Language::Php) | ("__dir__", Language::Ruby) => {
                self.at += 1;
                Node::name("__dirname")
            }
            _ => {
                self.at += 1;
                Node::name(word)
            }
        }
    }

    /// `function name(a) { … }`, and Lua's with `end`.
    fn function_word(&mut self) -> Node {
        self.at += 1;
        self.eat("*");
        let name = match self.peek() {
            Some(Kind::Name(_)) => self.dotted_name(),
            _ => String::new(),
        };
        self.skip_generics();
        if !self.is("(") {
            return Node::Nothing;
        }
        if self.language == Language::Php {
            return self.php_parameters_and_body(&name);
        }
        self.function_from_parameters(name.as_str().into())
    }

    fn dotted_name(&mut self) -> String {
        let mut name = self.take_name().map_or_else(String::new, |name| name.to_string());
        while (self.is(".") || self.is(":")) && self.language == Language::Lua {
            self.at += 1;
            name = self.take_name().map_or(name, |part| part.to_string());
        }
        name
    }

    fn skip_generics(&mut self) {
        if self.language == Language::JavaScript && self.is("<") {
            while self.peek().is_some() && !self.is("(") {
                self.at += 1;
            }
        }
    }

    /// `(a, b) { … }`
    pub(super) fn function_from_parameters(&mut self, name: Rc<str>) -> Node {
        let parameters = self.parameters();
        if self.language == Language::JavaScript && self.eat(":") {
            self.skip_type();
        }
        let body = match self.language {
            Language::Lua => {
                let body = self.statements_until(Self::at_end_word);
                self.eat_word("end");
                body
            }
            Language::R if !self.is("{") => Node::Return(Box::new(self.expression())),
            _ if self.is("{") => self.braces(),
            _ => Node::Nothing,
        };
        Node::Function(Rc::new(Function { name, parameters, body, registered: false }))
    }

    /// `function ($a) use ($b) { … }`, `fn ($a) => …`
    fn php_function(&mut self) -> Node {
        let is_arrow = self.is_word("fn");
        self.at += 1;
        self.eat("&");
        if !self.is("(") {
            return Node::Nothing;
        }
        if !is_arrow {
            return self.php_parameters_and_body("");
        }
        let parameters = self.parameters();
        while self.peek().is_some() && !self.eat("=>") {
            self.at += 1;
        }
        let body = Node::Return(Box::new(self.expression()));
        function("", parameters, body)
    }

    pub(super) fn php_parameters_and_body(&mut self, name: &str) -> Node {
        let parameters = self.parameters();
        if self.eat_word("use") && self.is("(") {
            self.skip_brackets();
        }
        // A type
        while self.peek().is_some() && !self.is("{") && !self.is(";") {
            self.at += 1;
        }
        let body = if self.is("{") { self.braces() } else { Node::Nothing };
        function(name, parameters, body)
    }

    /// The body of `sub`, whose arguments are `@_`.
    pub(super) fn perl_sub(&mut self, name: &str) -> Node {
        let mut parameters = vec![Parameter { target: Node::name("@_"), default: None, rest: Rest::List }];
        if self.is("(") {
            // A signature; a prototype has no names.
            let named = matches!(self.token(1).map(|token| &token.kind), Some(Kind::Variable(..)));
            if named {
                parameters = self.parameters();
            } else {
                self.skip_brackets();
            }
        }
        let body = if self.is("{") { self.braces() } else { Node::Nothing };
        function(name, parameters, body)
    }

    fn perl_variables(&mut self) -> Node {
        self.at += 1;
        let target = if self.eat("(") { Node::List(self.list_until(")", Self::primary)) } else { self.primary() };
        Node::Local(Box::new(target))
    }

    /// `new A(b)`, `new class { … }`
    fn new_object(&mut self) -> Node {
        self.at += 1;
        if self.is_word("class") {
            let class = self.class();
            return Node::Call(Box::new(Node::Member(Box::new(class), "new".into())), Vec::new());
        }
        let mut class = self.primary();
        while self.is(".") || self.is("\\") || self.is("::") {
            self.at += 1;
            let Some(name) = self.take_name() else { break };
            class = Node::Member(Box::new(class), name);
        }
        self.skip_generics();
        let made = Node::Member(Box::new(class), "new".into());
        if self.is("(") { self.call(made) } else { Node::Call(Box::new(made), Vec::new()) }
    }

    /// `echo $a, $b`
    fn php_command(&mut self, word: &str) -> Node {
        self.at += 1;
        let mut arguments = Vec::new();
        while self.peek().is_some() && !self.is(";") && !self.is(")") && !self.is("}") {
            let from = self.at;
            arguments.push(self.expression());
            if !self.eat(",") || self.at == from {
                break;
            }
        }
        Node::call(word, arguments)
    }

    fn php_match(&mut self) -> Node {
        self.at += 1;
        let subject = self.parenthesised_condition();
        self.eat("{");
        let arms = self.list_until("}", |parser| {
            while parser.peek().is_some() && !parser.eat("=>") && !parser.is("}") {
                parser.at += 1;
            }
            parser.expression()
        });
        Node::Block(vec![Node::Opaque(vec![subject]), Node::Either(arms)])
    }

    pub(super) fn return_value(&mut self) -> Node {
        self.at += 1;
        let ends = self.line_ended()
            || [";", "}", ")"].iter().any(|mark| self.is(mark))
            || matches!(self.word(), Some("if" | "unless" | "end"));
        let value = if ends { Node::Nothing } else { self.expressions() };
        Node::Return(Box::new(value))
    }
}

pub(super) fn function(name: &str, parameters: Vec<Parameter>, body: Node) -> Node {
    Node::Function(Rc::new(Function { name: name.into(), parameters, body, registered: false }))
}
