//! Parses imports.

use super::Language;
use super::ast::Node;
use super::lexer::Kind;
use super::parser::Parser;
use std::rc::Rc;

impl Parser {
    /// `import os.path as p`, `from os import remove as r, system`
    pub(super) fn python_import(&mut self) -> Node {
        let mut names = Vec::new();
        if self.eat_word("import") {
            loop {
                let module = self.module_name();
                let first = module.split('.').next().unwrap_or(&module).to_owned();
                let local = if self.eat_word("as") { self.take_name() } else { None };
                match local {
                    Some(local) => names.push((local, module.as_str().into())),
                    None => names.push((first.as_str().into(), first.as_str().into())),
                }
                if !self.eat(",") {
                    break;
                }
            }
            return Node::Import(names);
        }
        self.at += 1;
        let module = self.module_name();
        self.eat_word("import");
        if self.eat("*") {
            return Node::Import(vec![("*".into(), module.as_str().into())]);
        }
        self.eat("(");
        while let Some(name) = self.take_name() {
            let local = if self.eat_word("as") { self.take_name() } else { None };
            let full = format!("{module}.{name}");
            names.push((local.unwrap_or(name), full.as_str().into()));
            if !self.eat(",") || self.line_ended() && !self.is_word("as") && self.closes_line() {
                break;
            }
        }
        self.eat(")");
        Node::Import(names)
    }

    /// A new line that is not inside of parentheses has begun.
    pub(super) fn closes_line(&self) -> bool {
        self.token(0).is_none_or(|token| token.newline)
    }

    pub(super) fn module_name(&mut self) -> String {
        let mut name = String::new();
        loop {
            if self.eat(".") || self.eat("...") || self.eat("..") {
                name.push('.');
            } else if !self.is_word("import")
                && !self.is_word("as")
                && self.word().is_some()
                && (name.is_empty() || name.ends_with('.'))
            {
                name.extend(self.take_name().as_deref());
            } else {
                return name;
            }
        }
    }

    /// `import a, {b as c} from "d"`, `import * as a from "d"`
    pub(super) fn js_import(&mut self) -> Node {
        self.at += 1;
        self.eat_word("type");
        let mut locals: Vec<(Rc<str>, Option<Rc<str>>)> = Vec::new();
        while self.peek().is_some() && !matches!(self.peek(), Some(Kind::Text(_))) && !self.is_word("from") {
            if self.eat("*") {
                self.eat_word("as");
                locals.extend(self.take_name().map(|name| (name, None)));
            } else if self.eat("{") {
                while let Some(name) = self.take_name() {
                    let local = if self.eat_word("as") { self.take_name() } else { None };
                    locals.push((local.unwrap_or_else(|| name.clone()), Some(name)));
                    self.eat(",");
                }
                self.eat("}");
            } else if let Some(name) = self.take_name() {
                locals.push((name, None));
            } else {
                self.at += 1;
            }
            self.eat(",");
        }
        self.eat_word("from");
        let module = match self.primary() {
            Node::Text(module) => module_path(&module),
            _ => return Node::Nothing,
        };
        let names = locals.into_iter().map(|(local, name)| {
            let full = match name {
                Some(name) if &*name != "default" => format!("{module}.{name}"),
                _ => module.clone(),
            };
            (local, full.as_str().into())
        });
        Node::Import(names.collect())
    }

    /// `use File::Path qw(rmtree)`, `use Foo\Bar as Baz`
    pub(super) fn use_module(&mut self) -> Node {
        self.at += 1;
        let mut module = String::new();
        while let Some(name) = self.take_name() {
            module.push_str(&name);
            if !self.eat("::") && !self.eat("\\") {
                break;
            }
            module.push('.');
        }
        let mut names = Vec::new();
        if self.language == Language::Php {
            let last = module.rsplit('.').next().unwrap_or(&module).to_owned();
            let local = if self.eat_word("as") { self.take_name() } else { None };
            names.push((local.unwrap_or_else(|| last.as_str().into()), module.as_str().into()));
        } else if let Some(Kind::Words(words)) = self.peek().cloned() {
            names.extend(words.iter().map(|word| (word.as_str().into(), format!("{module}.{word}").as_str().into())));
        }
        self.skip_statement();
        Node::Import(names)
    }
}

/// `node:fs/promises` is `fs.promises`.
pub(super) fn module_path(module: &str) -> String {
    let plain = module.trim_start_matches("node:").trim_start_matches("npm:").trim_start_matches("jsr:");
    if plain.starts_with(['.', '/', '@']) { plain.to_owned() } else { plain.replace('/', ".") }
}
