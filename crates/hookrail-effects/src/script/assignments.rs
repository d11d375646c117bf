//! What assignments change.

use super::Language;
use super::ast::Node;
use super::interpreter::Interpreter;
use super::value::{MAX_LIST, Value, join, unknown_value};
use std::rc::Rc;

impl Interpreter<'_, '_, '_> {
    /// Sets a variable of a scope.
    pub(super) fn set(&mut self, scope: usize, name: &Rc<str>, value: Value) {
        let Some(variables) = self.scopes.get_mut(scope).map(|scope| &mut scope.variables) else { return };
        let old = variables.insert(name.clone(), value);
        self.remember(scope, name, old);
    }

    /// The scope that an assignment to a name changes.
    pub(super) fn target_scope(&self, name: &str, declares: bool) -> usize {
        let own = match self.language {
            Language::Python | Language::Php => true,
            Language::Ruby => self.scopes.get(self.scope).is_some_and(|scope| scope.variables.contains_key("a method")),
            _ => false,
        };
        if declares || own { self.scope } else { self.find(name).map_or(self.outermost(name), |(scope, _)| scope) }
    }

    /// Where a new name belongs that is not declared.
    pub(super) fn outermost(&self, _: &str) -> usize {
        if matches!(self.language, Language::Ruby | Language::R) { self.scope } else { 0 }
    }

    /// Assigns a value to a name, a field, an element, or several of them.
    pub(super) fn assign(&mut self, target: &Node, value: Value, declares: bool) {
        match target {
            Node::Local(inner) => self.assign(inner, value, true),
            Node::Name(name) => self.assign_name(name, value, declares),
            Node::Spread(inner) | Node::Keyword(_, inner) => self.assign(inner, value, declares),
            Node::Assign(inner, default) => {
                let value = if matches!(value, Value::Nothing) { self.eval(default) } else { value };
                self.assign(inner, value, declares);
            }
            Node::Member(object, name) => {
                let owner = self.eval(object);
                self.assign_field(object, &owner, Some(name.clone()), value);
            }
            Node::Index(object, index) => {
                let owner = self.eval(object);
                let index = self.eval(index);
                self.assign_field(object, &owner, index.known().map(Into::into), value);
            }
            Node::List(targets) => self.assign_all(targets, &value, declares),
            Node::Map(pairs) => {
                for (key, inner) in pairs {
                    let key = if matches!(key, Node::Nothing) { None } else { Some(self.eval(key)) };
                    let part = match key.as_ref().and_then(Value::known) {
                        Some(key) => self.destructured(&value, &key.into()),
                        None => value.clone(),
                    };
                    self.assign(inner, part, declares);
                }
            }
            _ => {}
        }
    }

    pub(super) fn destructured(&mut self, value: &Value, key: &Rc<str>) -> Value {
        match value {
            Value::Map(pairs) => {
                pairs.iter().rev().find(|(known, _)| known == key).map_or(Value::Nothing, |(_, value)| value.clone())
            }
            other => self.member(other, key),
        }
    }

    pub(super) fn assign_name(&mut self, name: &Rc<str>, value: Value, declares: bool) {
        if self.language == Language::Ruby
            && name.starts_with('@')
            && let Some((_, Value::Object(scope, _))) = self.find("self")
        {
            self.set(scope, name, value);
            return;
        }
        let value = match (name.chars().next(), &value) {
            (Some('@'), Value::List(_)) => value,
            (Some('@'), Value::Nothing) if self.language == Language::Perl => Value::list(Vec::new()),
            (Some('@'), Value::Any(_) | Value::Library(..)) => value,
            (Some('@'), _) if self.language == Language::Perl => Value::list(vec![value]),
            (Some('%'), Value::List(items)) if self.language == Language::Perl => {
                let pairs = items
                    .chunks(2)
                    .filter_map(|pair| Some((pair.first()?.known().unwrap_or("*").into(), pair.get(1)?.clone())));
                Value::Map(Rc::new(pairs.collect()))
            }
            _ => value,
        };
        let scope = self.target_scope(name, declares);
        // `global x` is not kept apart: the variable outside may change as well.
        if self.language == Language::Python
            && scope != 0
            && !declares
            && let Some(old) = self.field(0, name).filter(|_| self.field(scope, name).is_none())
        {
            let joined = join([old, value.clone()], self.span);
            self.set(0, name, joined);
        }
        self.set(scope, name, value);
    }

    pub(super) fn assign_all(&mut self, targets: &[Node], value: &Value, declares: bool) {
        let lists: Vec<Value> = value.alternatives();
        for (at, target) in targets.iter().enumerate() {
            let takes_rest = match target {
                Node::Spread(_) => true,
                Node::Name(name) => self.language == Language::Perl && name.starts_with('@'),
                _ => false,
            };
            let parts = lists.iter().map(|list| match list {
                Value::List(items) if takes_rest => Value::list(items.iter().skip(at).cloned().collect()),
                Value::List(items) => items.get(at).cloned().unwrap_or(Value::Nothing),
                Value::Text(arg) if arg.glob.is_some() => list.clone(),
                other => unknown_value(other.taint(), self.span),
            });
            let part = join(parts.collect::<Vec<_>>(), self.span);
            self.assign(target, part, declares);
        }
    }

    pub(super) fn assign_field(&mut self, object: &Node, owner: &Value, name: Option<Rc<str>>, value: Value) {
        match owner {
            Value::Object(scope, _) => {
                if let Some(name) = name {
                    self.set(*scope, &name, value);
                }
            }
            Value::Class(class) => {
                if let (Some(name), Some(fields)) = (name, self.classes.get(*class).map(|class| class.fields)) {
                    self.set(fields, &name, value);
                }
            }
            Value::Map(pairs) => {
                let mut pairs = pairs.to_vec();
                let name = name.unwrap_or_else(|| "*".into());
                pairs.retain(|(known, _)| *known != name || &**known == "*");
                if pairs.len() < MAX_LIST {
                    pairs.push((name, value));
                }
                self.assign(object, Value::Map(Rc::new(pairs)), false);
            }
            Value::List(items) => {
                let mut items = items.to_vec();
                let slot = name.and_then(|name| name.parse::<usize>().ok());
                let full = items.len() >= MAX_LIST;
                match slot.and_then(|at| items.get_mut(at)) {
                    Some(slot) => *slot = value,
                    None if full => self.over_limit(),
                    None => items.push(value),
                }
                self.assign(object, Value::list(items), false);
            }
            Value::Nothing => {
                self.assign(object, Value::Map(Rc::new(vec![(name.unwrap_or_else(|| "*".into()), value)])), false);
            }
            Value::Text(arg)
                if arg.hole == Some(0) && matches!(object, Node::Name(name) if name.starts_with(['@', '%', '$'])) =>
            {
                // A variable of Perl or PHP that is new
                self.assign(object, Value::Map(Rc::new(vec![(name.unwrap_or_else(|| "*".into()), value)])), false);
            }
            _ => {}
        }
    }

    /// `target += value` and its relatives.
    pub(super) fn augment(&mut self, target: &Node, mark: &'static str, value: &Node) -> Value {
        let old = self.eval(target);
        let value = self.eval(value);
        let is_choice = matches!(mark, "||" | "&&" | "??" | "or") || mark == "//" && self.language == Language::Perl;
        let new = if is_choice { join([old, value], self.span) } else { self.binary(&old, mark, &value) };
        self.assign(target, new.clone(), false);
        new
    }
}
