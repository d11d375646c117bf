//! Methods of lists and maps, and functions that run for each of their elements.

use super::Language;
use super::ast::Node;
use super::dispatch::{EACH, is_function};
use super::interpreter::Interpreter;
use super::value::{Argument, MAX_LIST, Value, are_same, join};
use std::rc::Rc;

impl Interpreter<'_, '_, '_> {
    pub(super) fn map_method(
        &mut self,
        pairs: &Rc<Vec<(Rc<str>, Value)>>,
        name: &str,
        arguments: &[Argument],
    ) -> Value {
        let own = Value::Map(pairs.clone());
        match name {
            "get" | "fetch" | "pop" | "delete" | "dig" | "setdefault" => {
                let key = arguments.first().map_or(Value::Nothing, |first| first.value.clone());
                let found = key
                    .known()
                    .and_then(|key| pairs.iter().rev().find(|(known, _)| **known == *key))
                    .map(|(_, value)| value.clone());
                let default = arguments.get(1).map(|default| default.value.clone());
                found.or(default).unwrap_or_else(|| join(pairs.iter().map(|(_, value)| value.clone()), self.span))
            }
            "values" => Value::list(pairs.iter().map(|(_, value)| value.clone()).collect()),
            "keys" => {
                let keys = self.elements(&own);
                Value::list(keys)
            }
            "items" | "entries" | "to_a" | "each" | "each_pair" | "forEach" | "map" => {
                let entries: Vec<Value> =
                    pairs.iter().map(|(key, value)| Value::list(vec![self.text(&**key), value.clone()])).collect();
                match arguments.iter().find(|argument| argument.value.is_callable()) {
                    Some(function) => self.for_all(&function.value, entries, true),
                    None => Value::list(entries),
                }
            }
            "copy" | "dup" | "merge" | "update" | "freeze" | "to_h" => own,
            _ => self.unknown_call(arguments),
        }
    }

    /// Calls a function for each element; several are given if an element is a pair.
    pub(super) fn for_all(&mut self, function: &Value, elements: Vec<Value>, pairs: bool) -> Value {
        let mut made = Vec::new();
        let many = elements.len() > 64;
        let elements = if many { vec![join(elements, self.span)] } else { elements };
        for element in elements {
            let parameters = match function {
                Value::Function(function, _) => function.parameters.len(),
                _ => 1,
            };
            let arguments: Vec<Argument> = match &element {
                Value::List(parts) if pairs && parameters > 1 => parts.iter().cloned().map(Argument::plain).collect(),
                // The index or the list itself come after the element.
                _ => std::iter::once(element.clone())
                    .chain(std::iter::repeat_n(self.unknown(), parameters.saturating_sub(1).min(2)))
                    .map(Argument::plain)
                    .collect(),
            };
            if self.language == Language::Perl {
                self.set(self.scope, &"$_".into(), element.clone());
            }
            let before = self.loops;
            let is_many = matches!(&element, Value::Text(arg) if arg.glob.is_some()) || many || element.is_unknown();
            self.loops += usize::from(is_many);
            let value = self.apply(function, arguments);
            self.loops = before;
            made.push(value);
        }
        Value::list(made)
    }

    pub(super) fn list_method(
        &mut self,
        items: &Rc<Vec<Value>>,
        name: &str,
        arguments: &[Argument],
        node: Option<&Node>,
    ) -> Value {
        let own = Value::List(items.clone());
        let first = arguments.first().map_or(Value::Nothing, |first| first.value.clone());
        if let Some(function) = arguments
            .iter()
            .find(|argument| argument.value.is_callable() || EACH.contains(&name) && is_function(&argument.value))
        {
            let results = self.for_all(&function.value, items.to_vec(), true);
            return match name {
                "map" | "flatMap" | "flat_map" | "collect" | "filter_map" => match results {
                    Value::List(results) => {
                        let flat = results.iter().flat_map(|value| {
                            if name.starts_with("flat") { self.elements_of_list(value) } else { vec![value.clone()] }
                        });
                        Value::list(flat.collect())
                    }
                    other => other,
                },
                "find" | "detect" => join(items.iter().cloned(), self.span),
                "reduce" | "inject" => self.unknown(),
                _ => own,
            };
        }
        match name {
            "append" | "push" | "unshift" | "add" | "prepend" | "<<" | "insert" | "extend" | "update" => {
                let mut all = items.to_vec();
                let new: Vec<Value> = match name {
                    "extend" | "update" => self.elements(&first),
                    "insert" => arguments.iter().skip(1).map(|argument| argument.value.clone()).collect(),
                    _ => arguments.iter().map(|argument| argument.value.clone()).collect(),
                };
                for value in new {
                    let known = self.loops > 0 && all.iter().any(|known| are_same(known, &value));
                    if all.len() >= MAX_LIST {
                        self.over_limit();
                    } else if !known && matches!(name, "unshift" | "prepend" | "insert") {
                        all.insert(0, value);
                    } else if !known {
                        all.push(value);
                    }
                }
                let list = Value::list(all);
                if let Some(node) = node {
                    self.assign(node, list.clone(), false);
                }
                list
            }
            "concat" => {
                let mut all = items.to_vec();
                for argument in arguments {
                    all.extend(self.elements_of_list(&argument.value));
                }
                all.truncate(MAX_LIST);
                Value::list(all)
            }
            "join" => {
                let separator =
                    first.known().unwrap_or(if self.language == Language::Ruby { "" } else { "," }).to_owned();
                self.joined(items, &separator)
            }
            "shelljoin" => self.joined(items, " "),
            "pop" | "shift" | "first" | "last" | "at" | "get" | "sample" | "min" | "max" | "next" | "dig"
                if arguments.is_empty() || matches!(name, "at" | "get" | "dig" | "pop") =>
            {
                match name {
                    "first" | "shift" if !items.is_empty() => items.first().cloned().unwrap_or(Value::Nothing),
                    "last" => items.last().cloned().unwrap_or(Value::Nothing),
                    _ => join(items.iter().cloned(), self.span),
                }
            }
            "slice" | "splice" => {
                let from = first.known().and_then(|text| text.parse::<usize>().ok()).unwrap_or_default();
                Value::list(items.iter().skip(from).cloned().collect())
            }
            "length" | "size" | "count" | "includes" | "include?" | "indexOf" | "index" | "empty?" | "any?"
            | "nil?" => self.unknown(),
            "then" | "await" => own,
            _ => own,
        }
    }
}
