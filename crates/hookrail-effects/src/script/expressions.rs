//! Parses expressions, by the rank of their operators.

use super::Language;
use super::ast::Node;
use super::lexer::Kind;
use super::parser::Parser;

/// Maximum length of `a.b().c()…`, which nests in the tree.
const MAX_POSTFIX: usize = 96;
/// The rank of `and`, below which a condition ends.
const LOWEST: u8 = 1;
const HIGHEST: u8 = 10;

impl Parser {
    /// Parses an expression; one with commas is a list in languages without brackets for that.
    pub(super) fn expression(&mut self) -> Node {
        self.deeper(Self::assignment)
    }

    /// Parses expressions that are separated by commas: a tuple of Python, a list of Perl.
    pub(super) fn expressions(&mut self) -> Node {
        let first = self.expression();
        if !self.is(",") || matches!(self.language, Language::JavaScript | Language::Php) {
            return first;
        }
        let mut items = vec![first];
        while self.eat(",") {
            if self.line_ended() && matches!(self.language, Language::Python)
                || self.is("=")
                || self.is(")")
                || self.is(";")
            {
                break;
            }
            items.push(self.expression());
        }
        Node::List(items)
    }

    fn assignment(&mut self) -> Node {
        if let Some(function) = self.arrow() {
            return function;
        }
        let target = self.choice();
        let Some(Kind::Operator(mark)) = self.peek() else { return target };
        let mark: &'static str = mark;
        match mark {
            "=" | ":=" | "<-" | "<<-" => {
                self.at += 1;
                let value = if self.is_list_assignment() { self.expressions() } else { self.expression() };
                Node::Assign(Box::new(target), Box::new(value))
            }
            "+=" | ".=" | "/=" | "%=" | "||=" | "&&=" | "??=" | "//=" | "-=" | "*=" | "|=" | "&=" | "^=" | "<<="
            | ">>=" | "**=" => {
                self.at += 1;
                let value = self.expression();
                Node::Augment(Box::new(target), mark.trim_end_matches('='), Box::new(value))
            }
            _ => target,
        }
    }

    fn is_list_assignment(&self) -> bool {
        self.language == Language::Python || self.language == Language::Ruby && !self.in_call()
    }

    /// `c ? a : b` and Python's `a if c else b`.
    fn choice(&mut self) -> Node {
        let condition = self.ranked(LOWEST);
        if self.language == Language::Python && self.is_word("if") && !self.line_ended() && !self.no_in {
            self.at += 1;
            let test = self.ranked(LOWEST);
            if self.eat_word("else") {
                let other = self.expression();
                return Node::If(vec![(test, condition)], Box::new(other));
            }
            // The condition of a comprehension ends it.
            return Node::If(vec![(test, condition)], Box::new(Node::Nothing));
        }
        if !self.is("?") || self.language == Language::Python {
            return condition;
        }
        self.at += 1;
        if self.eat(":") {
            let other = self.expression();
            return Node::Either(vec![condition, other]);
        }
        let first = self.with(self.no_do, false, false, Self::expression);
        if !self.eat(":") {
            self.broken = true;
        }
        let second = self.expression();
        Node::If(vec![(condition, first)], Box::new(second))
    }

    /// The operator at the next token, with its rank.
    fn operator(&self) -> Option<(&'static str, u8)> {
        let token = self.token(0)?;
        let perl_like = matches!(self.language, Language::Perl | Language::Php);
        // A new line begins a statement, except where only `;` ends one.
        if token.newline && matches!(self.language, Language::Python | Language::Ruby | Language::R) {
            return None;
        }
        match &token.kind {
            Kind::Operator(mark) => Some((
                mark,
                match *mark {
                    "||" | "??" => 1,
                    "//" if self.language == Language::Perl => 1,
                    "&&" => 2,
                    "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "<=>" | "=~" | "!~" => 4,
                    "|" if self.language == Language::Ruby && self.no_brace => return None,
                    "|" | "^" | "&" => 5,
                    "<<" | ">>" => 6,
                    ".." if self.language == Language::Lua => 8,
                    "..." if self.language == Language::JavaScript => return None,
                    ".." | "..." => 7,
                    "." if perl_like => 8,
                    "+" | "-" => {
                        // `puts -1` and `foo +x` are calls, which are parsed before.
                        8
                    }
                    "*" | "/" | "%" | "//" | "%>" => 9,
                    "**" => 10,
                    _ => return None,
                },
            )),
            Kind::Name(word) => Some(match word.as_str() {
                "or" | "xor" => ("or", 1),
                "and" => ("and", 2),
                "in" | "is" if self.language == Language::Python && !self.no_in => ("==", 4),
                "not" if self.language == Language::Python && self.word_at(1) == Some("in") => ("==", 4),
                "instanceof" => ("==", 4),
                "in" if self.language == Language::JavaScript && !self.no_in => ("==", 4),
                "eq" | "ne" | "lt" | "gt" | "le" | "ge" | "cmp" if self.language == Language::Perl => ("==", 4),
                "x" if self.language == Language::Perl => ("x", 9),
                _ => return None,
            }),
            _ => None,
        }
    }

    fn ranked(&mut self, rank: u8) -> Node {
        if rank > HIGHEST {
            return self.unary();
        }
        let first = self.ranked(rank + 1);
        let mut rest = Vec::new();
        while let Some((mark, found)) = self.operator() {
            if found != rank {
                break;
            }
            self.at += 1;
            while matches!(self.word(), Some("in" | "not")) && mark == "==" {
                self.at += 1;
            }
            rest.push((mark, self.deeper(|parser| parser.ranked(rank + 1))));
        }
        if rest.is_empty() {
            return first;
        }
        match rank {
            1 | 2 => {
                let mut all = vec![first];
                // `open(…) or die` is the first; `$x // "y"` is either.
                all.extend(rest.into_iter().map(|(_, node)| node));
                Node::Either(all)
            }
            4 => Node::Opaque(std::iter::once(first).chain(rest.into_iter().map(|(_, node)| node)).collect()),
            _ => Node::Chain(Box::new(first), rest),
        }
    }

    fn unary(&mut self) -> Node {
        match self.peek() {
            Some(Kind::Operator("!" | "~" | "+")) => self.opaque_operand(),
            Some(Kind::Operator("-")) => self.minus(),
            Some(Kind::Operator("++" | "--")) => self.opaque_operand(),
            Some(Kind::Operator("@")) if self.language == Language::Php => {
                self.at += 1;
                self.deeper(Self::unary)
            }
            Some(Kind::Operator("\\")) => {
                self.at += 1;
                self.deeper(Self::unary)
            }
            Some(Kind::Operator("*" | "**" | "..." | "&")) => {
                self.at += 1;
                if self.language == Language::Php || self.language == Language::Lua {
                    return self.deeper(Self::unary);
                }
                Node::Spread(Box::new(self.deeper(Self::unary)))
            }
            Some(Kind::Name(word))
                if matches!(word.as_str(), "not" | "typeof" | "void" | "defined") && !self.is_at(1, "(") =>
            {
                self.opaque_operand()
            }
            Some(Kind::Name(word)) if matches!(word.as_str(), "await" | "delete" | "clone") && !self.is_at(1, ".") => {
                let deletes = word == "delete";
                self.at += 1;
                let operand = self.deeper(Self::unary);
                if deletes { Node::Opaque(vec![operand]) } else { operand }
            }
            Some(Kind::Name(word)) if matches!(word.as_str(), "yield" | "throw") => {
                let yields = word == "yield";
                self.at += 1;
                self.eat("*");
                let ends = self.line_ended() || [")", ";", "}"].iter().any(|mark| self.is(mark));
                self.eat_word("from");
                let value = if ends { Node::Nothing } else { self.expressions() };
                if yields { Node::call("yield of", vec![value]) } else { Node::Opaque(vec![value]) }
            }
            _ => self.postfix(),
        }
    }

    fn opaque_operand(&mut self) -> Node {
        self.at += 1;
        Node::Opaque(vec![self.deeper(Self::unary)])
    }

    /// `-x`, and `-e $file` of Perl.
    fn minus(&mut self) -> Node {
        self.at += 1;
        let tests = self.language == Language::Perl
            && self.word().is_some_and(|word| word.len() == 1)
            && self.token(0).is_some_and(|token| !token.space)
            && !self.is_at(1, "=>");
        if tests {
            self.at += 1;
        }
        if let (Some(Kind::Number(number)), false) = (self.peek(), tests) {
            let text = format!("-{number}");
            self.at += 1;
            return Node::Number(text.as_str().into());
        }
        Node::Opaque(vec![self.deeper(Self::unary)])
    }

    /// Parses an operand and what is called on it.
    fn postfix(&mut self) -> Node {
        let mut node = self.primary();
        for _ in 0..MAX_POSTFIX {
            match self.postfix_once(node) {
                Ok(longer) => node = longer,
                Err(same) => return same,
            }
        }
        self.cut_off = true;
        node
    }

    fn postfix_once(&mut self, node: Node) -> Result<Node, Node> {
        let Some(token) = self.token(0) else { return Err(node) };
        let (newline, space) = (token.newline, token.space);
        let perl = self.language == Language::Perl;
        let kind = token.kind.clone();
        match kind {
            Kind::Operator("." | "?." | "&." | "->" | "?->" | "::" | ":")
                if self.is_member_mark() && !(newline && self.language == Language::Python) =>
            {
                Ok(self.member(node))
            }
            Kind::Operator("(")
                if !newline && (!space || self.language != Language::Ruby || matches!(node, Node::Function(_)))
                    || self.is("(") && self.language == Language::JavaScript && !newline =>
            {
                Ok(self.call(node))
            }
            Kind::Operator("[") if !newline && (!space || self.language != Language::Ruby) => {
                self.at += 1;
                let index = self.with(false, false, false, Self::subscript);
                Ok(Node::Index(Box::new(element_of(node, perl, '@')), Box::new(index)))
            }
            Kind::Operator("{") if perl && !space && !newline && indexable(&node) => {
                self.at += 1;
                let index = self.with(false, false, false, Self::key);
                self.eat("}");
                Ok(Node::Index(Box::new(element_of(node, perl, '%')), Box::new(index)))
            }
            Kind::Operator("{")
                if self.language == Language::Ruby && !self.no_brace && takes_block(&node) && !newline =>
            {
                Ok(self.block_argument(node))
            }
            Kind::Name(word)
                if word == "do" && self.language == Language::Ruby && !self.no_do && takes_block(&node) && !newline =>
            {
                Ok(self.block_argument(node))
            }
            Kind::Text(pieces) if self.is_tag(&node) && !newline => {
                self.at += 1;
                let text = self.text(&pieces);
                Ok(Node::Call(Box::new(node), vec![text]))
            }
            Kind::Operator("++" | "--") if !newline => {
                self.at += 1;
                Ok(Node::Opaque(vec![node]))
            }
            // `x!` and `x as T` of TypeScript
            Kind::Operator("!") if self.language == Language::JavaScript && !space && !newline => {
                self.at += 1;
                Ok(node)
            }
            Kind::Name(word)
                if self.language == Language::JavaScript && matches!(word.as_str(), "as" | "satisfies") && !newline =>
            {
                self.at += 1;
                self.skip_type();
                Ok(node)
            }
            _ if self.starts_command(&node) => Ok(self.command_call(node)),
            _ => Err(node),
        }
    }

    /// `a.b`, `a->b`, `a::b`, `a:b` of Lua, `$x->[0]`, `$x->{a}`, `$f->(…)`
    fn member(&mut self, node: Node) -> Node {
        self.at += 1;
        if self.is("[") || self.is("(") {
            let called = self.is("(");
            if called {
                return self.call(node);
            }
            self.at += 1;
            let index = self.with(false, false, false, Self::subscript);
            return Node::Index(Box::new(node), Box::new(index));
        }
        if self.is("{") && self.language != Language::Ruby {
            self.at += 1;
            let key = self.with(false, false, false, Self::key);
            self.eat("}");
            let key = if self.language == Language::Perl { key } else { Node::Opaque(vec![key]) };
            return Node::Index(Box::new(node), Box::new(key));
        }
        match self.peek().cloned() {
            Some(Kind::Name(name)) => {
                self.at += 1;
                Node::Member(Box::new(node), name.as_str().into())
            }
            Some(Kind::Variable(sigil, name)) => {
                self.at += 1;
                let name = format!("{sigil}{name}");
                // `A::$field` is a field; `$o->$method()` is only known at run time.
                Node::Index(Box::new(node), Box::new(Node::name(name)))
            }
            Some(Kind::Operator("@" | "%" | "$")) => {
                // `$x->@*`
                self.at += 1;
                self.eat("*");
                node
            }
            _ => node,
        }
    }

    fn is_member_mark(&self) -> bool {
        let next_is_name = matches!(self.token(1).map(|token| &token.kind), Some(Kind::Name(_)));
        match self.peek() {
            Some(Kind::Operator(".")) => {
                !matches!(self.language, Language::Perl | Language::Php | Language::R) && next_is_name
            }
            Some(Kind::Operator("?." | "&." | "?->")) => true,
            Some(Kind::Operator("->")) => matches!(self.language, Language::Perl | Language::Php),
            Some(Kind::Operator("::")) => true,
            Some(Kind::Operator(":")) => self.language == Language::Lua && next_is_name,
            _ => false,
        }
    }

    fn is_tag(&self, node: &Node) -> bool {
        match self.language {
            Language::JavaScript => matches!(node, Node::Name(_) | Node::Member(..)),
            Language::Lua => matches!(node, Node::Name(_) | Node::Member(..)),
            _ => false,
        }
    }

    /// The inside of `[…]`; a slice is not one element.
    fn subscript(&mut self) -> Node {
        let items =
            self.list_until("]", |parser| if parser.eat(":") { Node::Opaque(Vec::new()) } else { parser.expression() });
        let mut items = items;
        if items.len() == 1 { items.remove(0) } else { Node::Opaque(items) }
    }

    /// The inside of `{…}` of Perl: a bare word is a text.
    fn key(&mut self) -> Node {
        match self.peek().cloned() {
            Some(Kind::Name(name)) if self.is_at(1, "}") => {
                self.at += 1;
                Node::text(name)
            }
            _ => self.expression(),
        }
    }
}

/// `$x[0]` is an element of `@x`.
fn element_of(node: Node, perl: bool, sigil: char) -> Node {
    match node {
        Node::Name(name) if perl && name.starts_with('$') => {
            Node::name(format!("{sigil}{}", name.trim_start_matches('$')))
        }
        other => other,
    }
}

fn indexable(node: &Node) -> bool {
    match node {
        Node::Name(name) => name.starts_with(['$', '@', '%']),
        Node::Index(..) => true,
        _ => false,
    }
}

fn takes_block(node: &Node) -> bool {
    matches!(node, Node::Name(_) | Node::Member(..) | Node::Call(..) | Node::Index(..))
}
