//! Follows the values of a script: an abstract interpreter that runs every branch and nothing of the machine.

use super::Language;
use super::acts::Seen;
use super::ast::{Function, Node};
use super::value::{ClassValue, MAX_LIST, Value, concatenate, join, unknown_value};
use crate::analysis::Analysis;
use crate::flow::Taint;
use crate::shell::Shell;
use hookrail_shell::ast::Span;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

/// Maximum number of nodes that are looked at, those of functions and loops each time they run.
const MAX_STEPS: usize = 60_000;
/// Maximum nesting of nodes and calls.
const MAX_DEPTH: usize = 128;
/// Maximum number of rounds of a loop over known values.
pub(super) const MAX_ROUNDS: usize = 64;

/// Variables of a function, an object or the script.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub variables: HashMap<Rc<str>, Value>,
    pub parent: Option<usize>,
}

/// A call of a function of the script.
#[derive(Debug)]
pub(super) struct Frame {
    pub function: Rc<Function>,
    pub arguments: Vec<Value>,
    pub returns: Vec<Value>,
    /// The folder when the function first gave something to its caller, which goes on there.
    pub yielded: Option<Option<PathBuf>>,
}

/// What a branch has changed.
pub(super) type Changes = HashMap<(usize, Rc<str>), Value>;

pub(super) struct Interpreter<'r, 'm, 's> {
    pub analysis: &'r mut Analysis<'m>,
    pub shell: &'r mut Shell<'s>,
    pub language: Language,
    pub span: Span,
    pub scopes: Vec<Scope>,
    pub scope: usize,
    pub classes: Vec<ClassValue>,
    pub frames: Vec<Frame>,
    /// Old values of variables that branches change.
    pub log: Vec<(usize, Rc<str>, Option<Value>)>,
    pub branches: usize,
    /// How many loops of unknown rounds stand around.
    pub loops: usize,
    /// The rest of the block does not run.
    pub ended: bool,
    steps: usize,
    depth: usize,
    /// Functions that something else calls.
    pub registered: Vec<Value>,
    /// Functions and methods of the script.
    pub defined: Vec<Value>,
    pub entered: HashSet<*const Function>,
    /// Something was called of which nothing is known.
    pub calls_unknown: bool,
    /// Modules whose names are used without them.
    pub open_modules: Vec<Rc<str>>,
    /// Files that are open for writing.
    pub handles: Vec<Value>,
    pub seen: Seen,
    /// A text of the script is SQL that changes something.
    pub changes_data: bool,
    /// How deep code is in code.
    pub code_depth: usize,
    /// The folder of the script's file.
    pub folder: Option<PathBuf>,
}

impl<'r, 'm, 's> Interpreter<'r, 'm, 's> {
    pub(super) fn new(
        analysis: &'r mut Analysis<'m>,
        shell: &'r mut Shell<'s>,
        language: Language,
        span: Span,
    ) -> Self {
        Self {
            analysis,
            shell,
            language,
            span,
            scopes: vec![Scope::default()],
            scope: 0,
            classes: Vec::new(),
            frames: Vec::new(),
            log: Vec::new(),
            branches: 0,
            loops: 0,
            ended: false,
            steps: 0,
            depth: 0,
            registered: Vec::new(),
            defined: Vec::new(),
            entered: HashSet::new(),
            calls_unknown: false,
            open_modules: Vec::new(),
            handles: Vec::new(),
            seen: Seen::default(),
            changes_data: false,
            code_depth: 0,
            folder: None,
        }
    }

    /// Runs a script, and then what it only hands to others.
    pub(super) fn run(&mut self, script: &Node) {
        self.eval(script);
        self.ended = false;
        for _ in 0..4 {
            let mut waiting = std::mem::take(&mut self.registered);
            if self.calls_unknown {
                // A function that was looked up at run time may be any of them.
                waiting.extend(self.defined.iter().cloned());
            }
            for function in waiting {
                self.run_unknown_call(&function);
            }
        }
        self.conclude();
    }

    pub(super) fn unknown(&self) -> Value {
        unknown_value(Taint::NONE, self.span)
    }

    pub(super) fn text(&self, text: impl Into<String>) -> Value {
        Value::text(text, self.span)
    }

    /// Notes what a variable was, for the end of a branch.
    pub(super) fn remember(&mut self, scope: usize, name: &Rc<str>, old: Option<Value>) {
        if self.branches > 0 {
            self.log.push((scope, name.clone(), old));
        }
    }

    pub(super) fn over_limit(&mut self) {
        self.analysis.over_limit(self.span);
    }

    /// Evaluates a node, unless too much was evaluated before.
    pub(super) fn eval(&mut self, node: &Node) -> Value {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.depth >= MAX_DEPTH {
            self.over_limit();
            return self.unknown();
        }
        self.depth += 1;
        let value = self.eval_node(node);
        self.depth -= 1;
        value
    }

    fn eval_node(&mut self, node: &Node) -> Value {
        match node {
            Node::Text(text) => self.text(&**text),
            Node::Number(number) => self.text(&**number),
            Node::Parts(parts) => self.parts(parts),
            Node::Command(text) => {
                let text = self.eval(text);
                self.shell_text(&text)
            }
            Node::Name(name) => self.name(name),
            Node::Member(object, name) => {
                let object = self.eval(object);
                self.member(&object, name)
            }
            Node::Index(object, index) => self.index(object, index),
            Node::Call(function, arguments) => self.call(function, arguments),
            Node::Keyword(_, value) | Node::Spread(value) => self.eval(value),
            Node::Local(target) => self.eval(target),
            Node::List(items) => self.list(items),
            Node::Map(pairs) => self.map(pairs),
            Node::Chain(first, rest) => self.chain(first, rest),
            Node::Opaque(parts) => {
                let values: Vec<Value> = parts.iter().map(|part| self.eval(part)).collect();
                let mut taint = Taint::NONE;
                values.iter().for_each(|value| taint.add(&value.taint()));
                unknown_value(taint, self.span)
            }
            Node::Either(parts) => self.either(parts),
            Node::Assign(target, value) => {
                let value = self.eval(value);
                self.assign(target, value.clone(), false);
                value
            }
            Node::Augment(target, mark, value) => self.augment(target, mark, value),
            Node::Function(function) => self.define(function),
            Node::Class(class) => self.define_class(class),
            Node::Block(nodes) => self.block(nodes),
            Node::If(branches, other) => self.conditional(branches, other),
            Node::For { target, items, body, collects } => self.for_each(target, items, body, *collects),
            Node::While(condition, body) => {
                self.eval(condition);
                self.repeat(&mut |interpreter| interpreter.eval(body));
                Value::Nothing
            }
            Node::Branches(blocks) => {
                let mut runs: Vec<Run<'_, '_, '_, '_>> = Vec::new();
                for block in blocks {
                    runs.push(Box::new(move |interpreter: &mut Self| interpreter.eval(block)));
                }
                self.any_of(runs, true)
            }
            Node::Try(body, handlers) => {
                let first = self.optionally(&mut |interpreter| interpreter.eval(body));
                let mut values = vec![first];
                for handler in handlers {
                    values.push(self.optionally(&mut |interpreter| interpreter.eval(handler)));
                }
                join(values, self.span)
            }
            Node::Return(value) => {
                let value = self.eval(value);
                if let Some(frame) = self.frames.last_mut() {
                    frame.returns.push(value);
                    self.ended = true;
                }
                Value::Nothing
            }
            Node::Import(names) => {
                for (local, full) in names {
                    if &**local == "*" {
                        self.open_modules.push(full.clone());
                    } else {
                        self.set(self.scope, local, Value::library(full));
                    }
                }
                Value::Nothing
            }
            Node::Nothing => Value::Nothing,
        }
    }

    fn block(&mut self, nodes: &[Node]) -> Value {
        // Functions are known before the text that defines them, in most languages.
        if self.language != Language::Python {
            for node in nodes {
                if let Node::Function(function) = node
                    && !function.name.is_empty()
                {
                    self.define(function);
                }
            }
        }
        let mut last = Value::Nothing;
        for node in nodes {
            last = self.eval(node);
            if self.ended {
                break;
            }
        }
        last
    }

    fn parts(&mut self, parts: &[Node]) -> Value {
        let mut text = self.text("");
        for part in parts {
            let part = self.eval(part);
            let part = match &part {
                // `"@list"` of Perl, and lists in templates
                Value::List(items) => self.joined(items, if self.language == Language::Perl { " " } else { "," }),
                _ => part,
            };
            text = concatenate(&text, &part, "", self.span);
        }
        text
    }

    pub(super) fn joined(&self, items: &[Value], separator: &str) -> Value {
        let mut text = self.text("");
        let separator = self.text(separator);
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                text = concatenate(&text, &separator, "", self.span);
            }
            text = concatenate(&text, item, "", self.span);
        }
        text
    }

    fn list(&mut self, items: &[Node]) -> Value {
        let mut values = Vec::new();
        let mut pairs: Vec<(Rc<str>, Value)> = Vec::new();
        for item in items {
            match item {
                Node::Spread(inner) => {
                    let inner = self.eval(inner);
                    values.extend(self.elements(&inner));
                }
                Node::Keyword(name, value) => {
                    let value = self.eval(value);
                    pairs.push((name.clone(), value));
                }
                Node::Map(own) if own.len() == 1 => {
                    if let Value::Map(own) = self.map(own) {
                        pairs.extend(own.iter().cloned());
                    }
                }
                _ => {
                    let value = self.eval(item);
                    match value {
                        // Lists of Perl are flat.
                        Value::List(inner) if self.language == Language::Perl => values.extend(inner.iter().cloned()),
                        other => values.push(other),
                    }
                }
            }
            if values.len() > MAX_LIST {
                self.over_limit();
                break;
            }
        }
        if pairs.is_empty() {
            return Value::list(values);
        }
        if self.language == Language::Perl {
            values.extend(pairs.into_iter().flat_map(|(key, value)| [self.text(&*key), value]));
            return Value::list(values);
        }
        Value::Map(Rc::new(pairs))
    }

    fn map(&mut self, pairs: &[(Node, Node)]) -> Value {
        let mut known: Vec<(Rc<str>, Value)> = Vec::new();
        let mut items = Vec::new();
        for (key, value) in pairs.iter().take(MAX_LIST) {
            if let Node::Spread(inner) = value {
                if let Value::Map(inner) = self.eval(inner) {
                    known.extend(inner.iter().cloned());
                }
                continue;
            }
            let key = if matches!(key, Node::Nothing) { None } else { Some(self.eval(key)) };
            let value = self.eval(value);
            match key {
                Some(key) => known.push((key.known().unwrap_or("*").into(), value)),
                None => items.push(value),
            }
        }
        if known.is_empty() && !items.is_empty() {
            // A set of Python
            return match items.len() {
                1 => items.remove(0),
                _ => Value::list(items),
            };
        }
        Value::Map(Rc::new(known))
    }
}

/// A block that may run.
pub(super) type Run<'b, 'r, 'm, 's> = Box<dyn FnOnce(&mut Interpreter<'r, 'm, 's>) -> Value + 'b>;
