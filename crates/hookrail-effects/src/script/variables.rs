//! Variables, fields and elements: what names stand for, and what assignments change.

use super::Language;
use super::ast::{Class, Function, Node};
use super::interpreter::{Interpreter, Scope};
use super::value::{Argument, ClassValue, MAX_LIST, Value, below, concatenate, join, unknown_value};
use super::{call_table, library};
use crate::flow::Taint;
use std::rc::Rc;

impl Interpreter<'_, '_, '_> {
    pub(super) fn new_scope(&mut self, parent: Option<usize>) -> usize {
        self.scopes.push(Scope { parent, ..Scope::default() });
        self.scopes.len() - 1
    }

    pub(super) fn field(&self, scope: usize, name: &str) -> Option<Value> {
        self.scopes.get(scope).and_then(|scope| scope.variables.get(name)).cloned()
    }

    /// Finds a variable, in the scopes around as well.
    pub(super) fn find(&self, name: &str) -> Option<(usize, Value)> {
        let mut scope = Some(self.scope);
        while let Some(at) = scope {
            let found = self.scopes.get(at)?;
            if let Some(value) = found.variables.get(name) {
                return Some((at, value.clone()));
            }
            scope = found.parent;
        }
        None
    }

    /// The value of a name.
    pub(super) fn name(&mut self, name: &Rc<str>) -> Value {
        if self.language == Language::Ruby && name.starts_with('@') {
            let own = self.find("self").map(|(_, own)| own);
            if let Some(Value::Object(..)) = own {
                return own.map_or(Value::Nothing, |own| self.member(&own, name));
            }
        }
        if let Some((_, value)) = self.find(name) {
            let called = match self.language {
                Language::Ruby => true,
                Language::Perl => !name.starts_with(['$', '@', '%']),
                _ => false,
            };
            if let (true, Value::Function(function, _)) = (called, &value)
                && **name == *function.name
            {
                return self.apply(&value, Vec::new());
            }
            return value;
        }
        let value = self.outside_name(name);
        if let Some(value) = self.changing_call(&value, &[]) {
            return value;
        }
        match value {
            // A word of Perl or Ruby without arguments is a call.
            Value::Library(name, taint)
                if matches!(self.language, Language::Ruby | Language::Perl)
                    && name.starts_with(|c: char| c.is_ascii_lowercase()) =>
            {
                self.call_library(&name, &taint, &[], None)
            }
            other => other,
        }
    }

    /// A name that the script does not define.
    pub(super) fn outside_name(&mut self, name: &Rc<str>) -> Value {
        if let Some(value) = library::constant(self, name) {
            return value;
        }
        if name.starts_with(['$', '@', '%']) {
            return unknown_value(Taint::NONE, self.span);
        }
        let modules = self.open_modules.iter().map(|module| format!("{module}.{name}"));
        let known = modules.into_iter().find(|full| call_table::lookup(self.language, full).is_some());
        Value::library(known.unwrap_or_else(|| name.to_string()))
    }

    /// `object.name`
    pub(super) fn member(&mut self, object: &Value, name: &Rc<str>) -> Value {
        let is_constant = name.starts_with(char::is_uppercase) || name.starts_with('@');
        if self.language == Language::Ruby && !is_constant {
            return self.call_method(object, name, Vec::new(), None);
        }
        match object {
            Value::Library(module, taint) => {
                let full = format!("{module}.{name}");
                if self.language == Language::JavaScript
                    && let Some(value) = library::looked_up(self, module, Some(name))
                {
                    return value;
                }
                library::constant(self, &full).unwrap_or_else(|| Value::Library(full.as_str().into(), taint.clone()))
            }
            Value::Map(pairs) => match pairs.iter().rev().find(|(key, _)| key == name) {
                Some((_, value)) => value.clone(),
                None if pairs.iter().any(|(key, _)| **key == *"*") => self.unknown(),
                None => Value::Method(Rc::new((object.clone(), name.clone()))),
            },
            Value::Object(scope, class) => self.field_of(*scope, *class, name, object),
            Value::Class(class) => {
                let fields = self.classes.get(*class).map_or(0, |class| class.fields);
                self.field_of(fields, *class, name, object)
            }
            Value::Any(all) => {
                let values: Vec<Value> = all.iter().map(|value| self.member(value, name)).collect();
                join(values, self.span)
            }
            Value::Text(arg) => match &**name {
                "parent" | "name" | "stem" | "path" | "length" | "stdout" | "text" | "content" => {
                    self.text_method(arg, name, &[]).unwrap_or_else(|| unknown_value(arg.taint.clone(), self.span))
                }
                _ => Value::Method(Rc::new((object.clone(), name.clone()))),
            },
            Value::Nothing => self.unknown(),
            _ => Value::Method(Rc::new((object.clone(), name.clone()))),
        }
    }

    fn field_of(&mut self, scope: usize, class: usize, name: &Rc<str>, object: &Value) -> Value {
        if let Some(value) = self.field(scope, name) {
            return value;
        }
        let mut at = Some(class);
        for _ in 0..8 {
            let Some(class) = at.and_then(|at| self.classes.get(at)) else { break };
            if let Some(value) = self.field(class.fields, name) {
                return value;
            }
            at = match class.parent {
                Some(Value::Class(parent)) => Some(parent),
                _ => None,
            };
        }
        if self.find_method(class, name).is_some() {
            return Value::Method(Rc::new((object.clone(), name.clone())));
        }
        match self.classes.get(class).and_then(|class| class.parent.clone()) {
            Some(Value::Library(parent, taint)) => Value::Library(format!("{parent}().{name}").into(), taint),
            _ => Value::Nothing,
        }
    }

    /// `object[index]`
    pub(super) fn index(&mut self, object: &Node, index: &Node) -> Value {
        let object = self.eval(object);
        let index = self.eval(index);
        self.element(&object, &index)
    }

    pub(super) fn element(&mut self, object: &Value, index: &Value) -> Value {
        match object {
            Value::Any(all) => {
                let values: Vec<Value> = all.iter().map(|value| self.element(value, index)).collect();
                join(values, self.span)
            }
            Value::Map(pairs) => {
                let Some(key) = index.known() else {
                    return join(pairs.iter().map(|(_, value)| value.clone()), self.span);
                };
                let found = pairs.iter().rev().find(|(known, _)| **known == *key).map(|(_, value)| value.clone());
                let key: Rc<str> = key.into();
                found.unwrap_or_else(|| if pairs.is_empty() { Value::Nothing } else { self.member(object, &key) })
            }
            Value::List(items) => match index.known().and_then(|text| text.parse::<isize>().ok()) {
                Some(at) => {
                    let at = if at < 0 { items.len().checked_add_signed(at) } else { usize::try_from(at).ok() };
                    at.and_then(|at| items.get(at)).cloned().unwrap_or_else(|| self.unknown())
                }
                // A slice, or an element that is not known
                None => Value::Any(Rc::new(vec![object.clone(), join(items.iter().cloned(), self.span)])),
            },
            Value::Library(name, taint) => {
                let key: Option<Rc<str>> = index.known().map(Into::into);
                if let Some(value) = library::looked_up(self, name, key.as_deref()) {
                    return value;
                }
                match key {
                    Some(key) if &**name == "globals()" || &**name == "locals()" => self.name(&key),
                    Some(key) if self.language == Language::JavaScript => self.member(object, &key),
                    // `Dir["*.o"]`
                    Some(key) if &**name == "Dir" => {
                        self.call_library("Dir.glob", taint, &[Argument::plain(self.text(&*key))], None)
                    }
                    _ => Value::Library(format!("{name}[]").replace("[][]", "[]").into(), taint.clone()),
                }
            }
            Value::Object(..) | Value::Class(_) => match index.known() {
                Some(key) => self.member(object, &key.into()),
                None => self.unknown(),
            },
            // An element of what a pattern matches
            Value::Text(arg) if arg.glob.is_some() => object.clone(),
            other => unknown_value(other.taint(), self.span),
        }
    }

    pub(super) fn chain(&mut self, first: &Node, rest: &[(&'static str, Node)]) -> Value {
        let mut value = self.eval(first);
        for (mark, node) in rest {
            let operand = self.eval(node);
            let before = std::mem::replace(&mut value, Value::Nothing);
            value = self.binary(&before, mark, &operand);
            if *mark == "<<" && self.language == Language::Ruby {
                self.assign(first, value.clone(), false);
            }
        }
        value
    }

    pub(super) fn binary(&mut self, first: &Value, mark: &str, second: &Value) -> Value {
        let concatenates = match mark {
            "+" => true,
            "." => true,
            ".." => self.language == Language::Lua,
            _ => false,
        };
        match (first, second) {
            (Value::List(one), Value::List(two)) if mark == "+" => {
                return Value::list(one.iter().chain(two.iter()).take(MAX_LIST).cloned().collect());
            }
            (Value::List(one), _) if mark == "<<" || mark == "+" => {
                let mut items = one.to_vec();
                items.push(second.clone());
                items.truncate(MAX_LIST);
                return Value::list(items);
            }
            _ => {}
        }
        if concatenates || mark == "<<" && self.language == Language::Ruby {
            return concatenate(first, second, "", self.span);
        }
        match mark {
            "/" if matches!(self.language, Language::Python | Language::Ruby) => below(first, second, self.span),
            // Flags: `os.O_WRONLY | os.O_TRUNC`
            "|" => join([first.clone(), second.clone()], self.span),
            "%" if matches!(self.language, Language::Python | Language::Ruby) => self.percent(first, second),
            _ => {
                let mut taint = first.taint();
                taint.add(&second.taint());
                unknown_value(taint, self.span)
            }
        }
    }

    pub(super) fn define(&mut self, function: &Rc<Function>) -> Value {
        let value = Value::Function(function.clone(), self.scope);
        if !function.name.is_empty() {
            self.set(self.scope, &function.name, value.clone());
            if self.defined.len() < MAX_LIST {
                self.defined.push(value.clone());
            }
        }
        if function.registered {
            self.registered.push(value.clone());
        }
        value
    }

    pub(super) fn define_class(&mut self, class: &Rc<Class>) -> Value {
        let parent = class.parent.as_ref().map(|parent| match parent {
            Node::Name(name) => self.find(name).map_or_else(|| Value::library(&**name), |(_, value)| value),
            other => self.eval(other),
        });
        let fields = self.new_scope(Some(self.scope));
        let index = self.classes.len();
        let is_framework = matches!(parent, Some(Value::Library(..)));
        self.classes.push(ClassValue { class: class.clone(), fields, parent, scope: self.scope });
        let value = Value::Class(index);
        if !class.name.is_empty() {
            self.set(self.scope, &class.name, value.clone());
        }
        let outer = std::mem::replace(&mut self.scope, fields);
        let own = Value::Object(fields, index);
        for name in ["this", "$this", "self"] {
            self.set(fields, &name.into(), own.clone());
        }
        self.eval(&class.body);
        self.scope = outer;
        for method in &class.methods {
            let bound = Value::Method(Rc::new((own.clone(), method.name.clone())));
            // A framework calls the methods of its classes; a module of Ruby may be included.
            if is_framework || method.registered {
                self.registered.push(bound.clone());
            }
            if self.defined.len() < MAX_LIST {
                self.defined.push(bound);
            }
        }
        value
    }
}
