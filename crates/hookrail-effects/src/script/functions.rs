//! Calls of functions, methods and classes of the script.

use super::Language;
use super::ast::{Function, Node, Rest};
use super::interpreter::{Frame, Interpreter};
use super::value::{Argument, MAX_LIST, Value, append, are_same, join, unknown_value};
use crate::flow::{Arg, Taint};
use std::rc::Rc;

impl Interpreter<'_, '_, '_> {
    /// A call as the text has it.
    pub(super) fn call(&mut self, function: &Node, arguments: &[Node]) -> Value {
        if let Node::Member(object, name) = function {
            let receiver = match &**object {
                Node::Name(owner) => self.callee(owner),
                other => self.eval(other),
            };
            let arguments = self.arguments(arguments);
            return self.call_method(&receiver, name, arguments, Some(object));
        }
        let callee = match function {
            Node::Name(name) => self.callee(name),
            other => self.eval(other),
        };
        if let Some(value) = self.changing_call(&callee, arguments) {
            return value;
        }
        if let (Value::Library(name, _), false) = (&callee, self.language == Language::Python)
            && &**name == "super"
        {
            let arguments = self.arguments(arguments);
            let current = self.frames.last().map(|frame| frame.function.name.to_string()).unwrap_or_default();
            return self.call_parent(&current, &arguments).unwrap_or(Value::Nothing);
        }
        let arguments = self.arguments(arguments);
        self.apply(&callee, arguments)
    }

    /// What a name stands for that is called.
    fn callee(&mut self, name: &Rc<str>) -> Value {
        if name.starts_with('@') && self.language == Language::Ruby {
            return self.name(name);
        }
        match self.find(name) {
            Some((_, value)) => value,
            None => self.outside_name(name),
        }
    }

    pub(super) fn arguments(&mut self, nodes: &[Node]) -> Vec<Argument> {
        let mut arguments = Vec::new();
        for node in nodes {
            match node {
                Node::Spread(inner) => {
                    let inner = match (self.language, &**inner) {
                        // `&method(:x)` and `&:x` of Ruby
                        (Language::Ruby, Node::Text(name)) => {
                            Value::Method(Rc::new((Value::library("self of each"), name.clone())))
                        }
                        _ => self.eval(inner),
                    };
                    match &inner {
                        Value::Map(pairs) => {
                            arguments.extend(
                                pairs
                                    .iter()
                                    .map(|(name, value)| Argument { name: Some(name.clone()), value: value.clone() }),
                            );
                        }
                        Value::List(items) => arguments.extend(items.iter().cloned().map(Argument::plain)),
                        _ => arguments.push(Argument::plain(inner)),
                    }
                }
                Node::Keyword(name, value) => {
                    let value = self.eval(value);
                    arguments.push(Argument { name: Some(name.clone()), value });
                }
                other => {
                    let value = self.eval(other);
                    match value {
                        Value::List(items)
                            if self.language == Language::Perl && !matches!(other, Node::List(_))
                                || self.is_flat(other, &value) =>
                        {
                            arguments.extend(items.iter().cloned().map(Argument::plain));
                        }
                        value => arguments.push(Argument::plain(value)),
                    }
                }
            }
            if arguments.len() > MAX_LIST {
                self.over_limit();
                arguments.truncate(MAX_LIST);
            }
        }
        arguments
    }

    fn is_flat(&self, _: &Node, value: &Value) -> bool {
        self.language == Language::Perl && matches!(value, Value::List(_))
    }

    /// Calls a value.
    pub(super) fn apply(&mut self, callee: &Value, arguments: Vec<Argument>) -> Value {
        match callee {
            Value::Function(function, scope) => self.call_function(function, *scope, arguments, None),
            Value::Bound(bound) => {
                let all = bound.1.iter().cloned().chain(arguments).collect();
                self.apply(&bound.0, all)
            }
            Value::Method(method) => {
                let (receiver, name) = &**method;
                match receiver {
                    Value::Library(each, _) if &**each == "self of each" => {
                        let receiver = arguments.first().map_or(Value::Nothing, |first| first.value.clone());
                        self.call_method(&receiver, name, arguments.into_iter().skip(1).collect(), None)
                    }
                    _ => self.call_method(receiver, name, arguments, None),
                }
            }
            Value::Class(class) => self.instantiate(*class, arguments),
            Value::Library(name, taint) => self.call_library(name, taint, &arguments, None),
            Value::Any(all) => {
                let mut values = Vec::new();
                for one in all.iter() {
                    values.push(self.apply(one, arguments.clone()));
                }
                join(values, self.span)
            }
            // `$f = "system"; $f(…)`
            Value::Text(_) if callee.known().is_some() => {
                let name: Rc<str> = callee.known().unwrap_or_default().trim_start_matches('\\').into();
                let callee = self.callee(&name);
                match callee {
                    Value::Text(_) => self.unknown_call(&arguments),
                    other => self.apply(&other, arguments),
                }
            }
            _ => {
                self.calls_unknown = true;
                self.unknown_call(&arguments)
            }
        }
    }

    /// Something unknown is called; what it is given may be called by it.
    pub(super) fn unknown_call(&mut self, arguments: &[Argument]) -> Value {
        let mut taint = Taint::NONE;
        for argument in arguments {
            taint.add(&argument.value.taint());
            if argument.value.is_callable() {
                let result = self.call_back(&argument.value, Vec::new());
                taint.add(&result.taint());
            }
        }
        unknown_value(taint, self.span)
    }

    /// Calls a function that was handed to something, with what is known of its arguments.
    pub(super) fn call_back(&mut self, function: &Value, known: Vec<Value>) -> Value {
        let taint = known.first().map_or(Taint::NONE, Value::taint);
        let given = known.into_iter().map(Argument::plain);
        let parameters = match function {
            Value::Function(function, _) => function.parameters.len(),
            _ => 0,
        };
        let rest = std::iter::repeat_with(|| Argument::plain(unknown_value(taint.clone(), self.span)));
        let arguments: Vec<Argument> = given.chain(rest.take(8)).take(parameters.max(1)).collect();
        let mut value = Value::Nothing;
        self.optionally(&mut |interpreter| {
            value = interpreter.apply(function, arguments.clone());
            Value::Nothing
        });
        value
    }

    /// Runs a function with arguments of which nothing is known.
    pub(super) fn run_unknown_call(&mut self, function: &Value) {
        let wanted = match function {
            Value::Function(function, _) => Some(function.clone()),
            Value::Method(method) => match &method.0 {
                Value::Object(_, class) => self.find_method(*class, &method.1).map(|(function, _)| function),
                _ => None,
            },
            _ => None,
        };
        let Some(wanted) = wanted.filter(|function| !self.entered.contains(&Rc::as_ptr(function))) else { return };
        let unknown = Argument::plain(self.unknown());
        let count = wanted.parameters.iter().filter(|parameter| parameter.default.is_none()).count();
        self.apply(function, vec![unknown; count.min(8)]);
        self.ended = false;
    }

    /// Calls a function of the script.
    fn call_function(
        &mut self,
        function: &Rc<Function>,
        scope: usize,
        arguments: Vec<Argument>,
        own: Option<Value>,
    ) -> Value {
        let values: Vec<Value> = arguments.iter().map(|argument| argument.value.clone()).collect();
        let before: Vec<&Frame> = self.frames.iter().filter(|frame| Rc::ptr_eq(&frame.function, function)).collect();
        let mut arguments = arguments;
        if let Some(last) = before.last() {
            let is_same = last.arguments.len() == values.len()
                && last.arguments.iter().zip(&values).all(|(one, two)| are_same(one, two));
            if is_same || before.len() > 2 {
                return unknown_value(join(values, self.span).taint(), self.span);
            }
            if before.len() == 2 {
                let old = last.arguments.clone();
                for (at, argument) in arguments.iter_mut().enumerate() {
                    argument.value = widened(old.get(at), &argument.value, self.span);
                }
            }
        }
        self.entered.insert(Rc::as_ptr(function));
        let inner = self.new_scope(Some(scope));
        let outer = std::mem::replace(&mut self.scope, inner);
        let is_method = self.language == Language::Ruby && !function.name.is_empty();
        if is_method {
            self.set(inner, &"a method".into(), Value::Nothing);
        }
        if let Some(own) = &own {
            for name in ["this", "$this", "self"] {
                self.set(inner, &name.into(), own.clone());
            }
        }
        let values = arguments.iter().map(|argument| argument.value.clone()).collect();
        self.bind(function, arguments, own);
        let ended = std::mem::take(&mut self.ended);
        self.frames.push(Frame { function: function.clone(), arguments: values, returns: Vec::new(), yielded: None });
        let last = self.eval(&function.body);
        let frame = self.frames.pop();
        let (mut returns, yielded) = frame.map(|frame| (frame.returns, frame.yielded)).unwrap_or_default();
        if let Some(folder) = yielded {
            self.shell.cwd = folder;
        }
        if !self.ended && matches!(self.language, Language::Ruby | Language::Perl | Language::R) {
            returns.push(last);
        }
        self.ended = ended;
        self.scope = outer;
        join(returns, self.span)
    }

    fn bind(&mut self, function: &Rc<Function>, arguments: Vec<Argument>, own: Option<Value>) {
        let (named, mut positional): (Vec<Argument>, Vec<Argument>) = match self.language {
            Language::Perl => {
                // `f(a => 1)` is `f("a", 1)`.
                let flat = arguments.into_iter().flat_map(|argument| {
                    let name = argument.name.map(|name| Argument::plain(Value::text(&*name, self.span)));
                    name.into_iter().chain([Argument::plain(argument.value)])
                });
                (Vec::new(), flat.collect())
            }
            _ => arguments.into_iter().partition(|argument| argument.name.is_some()),
        };
        let takes_self = self.language == Language::Python
            && matches!(function.parameters.first().map(|first| &first.target), Some(Node::Name(name)) if matches!(&**name, "self" | "cls"));
        let takes_self = takes_self || self.language == Language::Perl && own.is_some();
        if let (true, Some(own)) = (takes_self, own) {
            positional.insert(0, Argument::plain(own));
        }
        let mut positional = positional.into_iter().map(|argument| argument.value);
        let mut taken: Vec<&str> = Vec::new();
        for parameter in &function.parameters {
            let name = match &parameter.target {
                Node::Name(name) => Some(&**name),
                _ => None,
            };
            let value = match parameter.rest {
                Rest::List => Some(Value::list(positional.by_ref().take(MAX_LIST).collect())),
                Rest::Map => {
                    let rest =
                        named.iter().filter_map(|argument| Some((argument.name.clone()?, argument.value.clone())));
                    Some(Value::Map(Rc::new(rest.collect())))
                }
                Rest::One => {
                    let by_name = named.iter().find(|argument| {
                        argument.name.as_deref().zip(name).is_some_and(|(one, two)| one == two.trim_start_matches('$'))
                    });
                    taken.extend(by_name.and(name));
                    by_name.map(|argument| argument.value.clone()).or_else(|| positional.next())
                }
            };
            let value = match (value, &parameter.default) {
                (Some(Value::Nothing), Some(default)) => self.eval(default),
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(default),
                (None, None) => Value::Nothing,
            };
            self.assign(&parameter.target, value, true);
        }
        // The last parameter of a function of Ruby or JavaScript may take the named arguments as a map.
        let untaken = named.iter().any(|argument| argument.name.as_deref().is_some_and(|name| !taken.contains(&name)));
        if let (true, Some(last)) = (untaken && self.language == Language::Ruby, function.parameters.last())
            && last.default.is_some()
        {
            let pairs = named.iter().filter_map(|argument| Some((argument.name.clone()?, argument.value.clone())));
            let value = Value::Map(Rc::new(pairs.collect()));
            self.assign(&last.target, value, true);
        }
    }

    /// The method of a class or of those above it.
    pub(super) fn find_method(&self, class: usize, name: &str) -> Option<(Rc<Function>, usize)> {
        let mut at = class;
        for _ in 0..8 {
            let class = self.classes.get(at)?;
            if let Some(method) = class.class.methods.iter().find(|method| &*method.name == name) {
                return Some((method.clone(), class.scope));
            }
            match class.parent {
                Some(Value::Class(parent)) => at = parent,
                _ => return None,
            }
        }
        None
    }

    /// Makes an object.
    pub(super) fn instantiate(&mut self, class: usize, arguments: Vec<Argument>) -> Value {
        let fields = self.new_scope(None);
        let own = Value::Object(fields, class);
        let constructor = ["__init__", "constructor", "initialize", "__construct"];
        match constructor.iter().find_map(|name| self.find_method(class, name)) {
            Some((method, scope)) => {
                self.call_function(&method, scope, arguments, Some(own.clone()));
            }
            None => {
                // A data class, a struct: fields in their order.
                for argument in arguments {
                    if let Some(name) = argument.name {
                        self.set(fields, &name, argument.value);
                    }
                }
            }
        }
        own
    }

    /// Calls a method of an object of the script; `None` if its class has none of that name.
    pub(super) fn call_own_method(
        &mut self,
        own: &Value,
        class: usize,
        name: &str,
        arguments: &[Argument],
    ) -> Option<Value> {
        let (method, scope) = self.find_method(class, name)?;
        Some(self.call_function(&method, scope, arguments.to_vec(), Some(own.clone())))
    }

    /// `super.x()`, `parent::x()`, `super().x()`
    pub(super) fn call_parent(&mut self, name: &str, arguments: &[Argument]) -> Option<Value> {
        let (_, own) = self.find("self").or_else(|| self.find("this"))?;
        let Value::Object(_, class) = own else { return None };
        let current = self.frames.last()?.function.clone();
        // The class whose method is running
        let mut at = class;
        for _ in 0..8 {
            let class = self.classes.get(at)?;
            let is_here = class.class.methods.iter().any(|method| Rc::ptr_eq(method, &current));
            let Some(Value::Class(parent)) = class.parent else { return None };
            at = parent;
            if is_here {
                break;
            }
        }
        let (method, scope) = self.find_method(at, name)?;
        Some(self.call_function(&method, scope, arguments.to_vec(), Some(own)))
    }

    /// Any class's method of this name, for objects of which nothing is known.
    pub(super) fn call_by_name(&mut self, name: &str, arguments: &[Argument]) -> Option<Value> {
        let found = (0..self.classes.len().min(64)).find(|class| self.find_method(*class, name).is_some());
        let Some(class) = found else {
            let own = |value: &&Value| matches!(value, Value::Function(function, _) if &*function.name == name);
            let function = self.defined.iter().find(own).cloned().filter(|_| self.language == Language::Ruby)?;
            return Some(self.apply(&function, arguments.to_vec()));
        };
        let own = Value::Object(self.classes.get(class)?.fields, class);
        self.call_own_method(&own, class, name, arguments)
    }
}

/// An argument of a function that calls itself again and again: what is below a folder stays below it.
fn widened(old: Option<&Value>, new: &Value, span: hookrail_shell::ast::Span) -> Value {
    match (old, new) {
        (Some(Value::Text(old)), Value::Text(new)) if old.text == new.text && old.hole == new.hole => {
            Value::Text(new.clone())
        }
        (Some(Value::Text(old)), Value::Text(new))
            if old.known() && new.known() && new.text.starts_with(old.text.trim_end_matches('*')) =>
        {
            let mut folder = Arg { text: old.text.trim_end_matches(['*', '/']).to_owned(), ..old.clone() };
            folder.glob = folder.glob.filter(|at| *at < folder.text.len());
            append(&mut folder, &Arg { glob: Some(0), ..Arg::new("**", span) }, "/");
            Value::Text(folder)
        }
        (Some(old), new) if are_same(old, new) => new.clone(),
        (_, Value::Function(..) | Value::Object(..)) => new.clone(),
        (_, new) => unknown_value(new.taint(), span),
    }
}
