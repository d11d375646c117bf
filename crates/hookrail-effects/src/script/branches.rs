//! Branches and loops: what any of them may leave behind.

use super::ast::Node;
use super::interpreter::{Changes, Interpreter, MAX_ROUNDS, Run};
use super::value::{MAX_LIST, Value, are_same, join, unknown_value};
use crate::flow::Arg;
use std::collections::HashSet;
use std::rc::Rc;

impl<'r, 'm, 's> Interpreter<'r, 'm, 's> {
    pub(super) fn either(&mut self, parts: &[Node]) -> Value {
        let mut values = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            if at == 0 {
                values.push(self.eval(part));
            } else {
                values.push(self.optionally(&mut |interpreter| interpreter.eval(part)));
            }
        }
        self.ended = false;
        join(values, self.span)
    }

    pub(super) fn conditional(&mut self, branches: &[(Node, Node)], other: &Node) -> Value {
        let mut runs: Vec<Run<'_, 'r, 'm, 's>> = Vec::new();
        for (condition, body) in branches {
            self.eval(condition);
            runs.push(Box::new(move |interpreter: &mut Self| {
                interpreter.narrow(condition);
                interpreter.eval(body)
            }));
        }
        runs.push(Box::new(move |interpreter: &mut Self| interpreter.eval(other)));
        self.any_of(runs, false)
    }

    /// `if name.endswith('.pyc')`: a pattern for any name is one for such names.
    pub(super) fn narrow(&mut self, condition: &Node) {
        let Node::Call(function, arguments) = condition else {
            if let Node::Opaque(parts) | Node::Either(parts) = condition
                && let [Node::Call(..)] = parts.as_slice()
            {
                parts.iter().for_each(|part| self.narrow(part));
            }
            return;
        };
        let (Node::Member(object, method), [Node::Text(ending)]) = (&**function, arguments.as_slice()) else { return };
        let Node::Name(name) = &**object else { return };
        if !matches!(&**method, "endswith" | "endsWith" | "end_with?") {
            return;
        }
        if let Value::Text(arg) = self.name(name)
            && arg.glob.is_some()
            && arg.text.ends_with('*')
        {
            let narrowed = Arg { text: format!("{}{ending}", arg.text), ..arg };
            self.assign(object, Value::Text(narrowed), false);
        }
    }

    /// Runs one of several blocks; each begins with what was before.
    pub(super) fn any_of(&mut self, runs: Vec<Run<'_, 'r, 'm, 's>>, may_skip: bool) -> Value {
        let mut values = Vec::new();
        let mut all_ended = !may_skip;
        let mut outcomes: Vec<Changes> = Vec::new();
        for run in runs {
            let (value, changes, ended) = self.apart(run);
            values.push(value);
            all_ended &= ended;
            if !ended {
                outcomes.push(changes);
            }
        }
        let keys: HashSet<(usize, Rc<str>)> = outcomes.iter().flat_map(|changes| changes.keys().cloned()).collect();
        for (scope, name) in keys {
            let before = self.scopes.get(scope).and_then(|scope| scope.variables.get(&name)).cloned();
            let key = (scope, name);
            let after =
                outcomes.iter().map(|changes| changes.get(&key).or(before.as_ref()).cloned().unwrap_or(Value::Nothing));
            let mut all: Vec<Value> = after.collect();
            if may_skip {
                all.extend(before.clone());
            }
            let value = join(all, self.span);
            self.set(key.0, &key.1, value);
        }
        self.ended = all_ended;
        join(values, self.span)
    }

    /// Runs a block and takes back what it changes.
    pub(super) fn apart(&mut self, run: Run<'_, 'r, 'm, 's>) -> (Value, Changes, bool) {
        let mark = self.log.len();
        self.branches += 1;
        let value = run(self);
        self.branches -= 1;
        let ended = std::mem::take(&mut self.ended);
        let mut changes = Changes::new();
        for (scope, name, old) in self.log.split_off(mark).into_iter().rev() {
            let Some(variables) = self.scopes.get_mut(scope).map(|scope| &mut scope.variables) else { continue };
            let new = match old {
                Some(old) => variables.insert(name.clone(), old),
                None => variables.remove(&name),
            };
            if let Some(new) = new {
                changes.entry((scope, name)).or_insert(new);
            }
        }
        (value, changes, ended)
    }

    pub(super) fn optionally(&mut self, run: &mut dyn FnMut(&mut Self) -> Value) -> Value {
        self.any_of(vec![Box::new(|interpreter: &mut Self| run(interpreter))], true)
    }

    /// Runs a block any number of times. What still changes after two rounds is unknown.
    pub(super) fn repeat(&mut self, run: &mut dyn FnMut(&mut Self) -> Value) {
        self.loops += 1;
        self.optionally(run);
        let (_, changes, _) = self.apart(Box::new(|interpreter: &mut Self| run(interpreter)));
        for ((scope, name), value) in changes {
            let before = self.scopes.get(scope).and_then(|scope| scope.variables.get(&name)).cloned();
            let joined = join(before.iter().cloned().chain([value]), self.span);
            // A list that grows has the same kinds of elements.
            let settled =
                before.as_ref().is_none_or(|before| are_same(before, &joined)) || matches!(joined, Value::List(_));
            let value = if settled { joined } else { unknown_value(joined.taint(), self.span) };
            self.set(scope, &name, value);
        }
        self.loops -= 1;
        self.ended = false;
    }

    pub(super) fn for_each(&mut self, target: &Node, items: &Node, body: &Node, collects: bool) -> Value {
        let items = self.eval(items);
        let exact = matches!(&items, Value::List(list) if list.len() <= MAX_ROUNDS && !list.iter().any(is_many));
        let elements = self.elements(&items);
        let mut made = Vec::new();
        if exact {
            for element in elements {
                self.assign(target, element, true);
                let value = self.eval(body);
                made.push(value);
                if std::mem::take(&mut self.ended) {
                    self.ended = true;
                    break;
                }
            }
        } else {
            let element = join(elements, self.span);
            let element =
                if matches!(element, Value::Nothing) { unknown_value(items.taint(), self.span) } else { element };
            self.repeat(&mut |interpreter| {
                interpreter.assign(target, element.clone(), true);
                let value = interpreter.eval(body);
                if collects && !made.iter().any(|known| are_same(known, &value)) && made.len() < MAX_LIST {
                    made.push(value);
                }
                Value::Nothing
            });
        }
        if collects {
            Value::list(made.into_iter().filter(|value| !matches!(value, Value::Nothing)).collect())
        } else {
            Value::Nothing
        }
    }

    /// The elements of a value that is gone through.
    pub(super) fn elements(&mut self, value: &Value) -> Vec<Value> {
        match value {
            Value::List(items) => items.to_vec(),
            Value::Map(pairs) => pairs.iter().map(|(key, _)| self.text(&**key)).collect(),
            Value::Any(all) => all.iter().flat_map(|value| self.elements(value)).collect(),
            // A pattern stands for all that it matches.
            Value::Text(arg) if arg.glob.is_some() => vec![value.clone()],
            Value::Text(arg) => vec![unknown_value(arg.taint.clone(), self.span)],
            Value::Library(name, taint) => {
                vec![Value::Library(format!("{name}[]").replace("[][]", "[]").into(), taint.clone())]
            }
            Value::Nothing => Vec::new(),
            _ => vec![self.unknown()],
        }
    }
}

/// Reports whether an element of a list stands for any number of them.
fn is_many(value: &Value) -> bool {
    matches!(value, Value::Text(arg) if arg.glob.is_some())
}
