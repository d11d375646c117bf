//! Values of scripts: sets of texts, lists, maps, functions, and what libraries return.

use super::ast::{Class, Function};
use crate::flow::{Arg, Taint};
use hookrail_shell::ast::Span;
use std::rc::Rc;

/// Maximum number of values a variable may have; a larger set is unknown.
pub(super) const MAX_SET: usize = 16;
/// Maximum number of elements of a list.
pub(super) const MAX_LIST: usize = 256;
/// Maximum length of a text in bytes.
const MAX_TEXT: usize = 16 * 1024;

#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(Arg),
    List(Rc<Vec<Value>>),
    Map(Rc<Vec<(Rc<str>, Value)>>),
    /// Something of a library, by its full name, or what a library's function returns: `os.path`, `open()`.
    Library(Rc<str>, Taint),
    /// A function of the script with the scope it was made in.
    Function(Rc<Function>, usize),
    /// A function with its first arguments.
    Bound(Rc<(Value, Vec<Argument>)>),
    /// A method together with what it is called on.
    Method(Rc<(Value, Rc<str>)>),
    Class(usize),
    /// An instance: the scope of its fields, and its class.
    Object(usize, usize),
    /// One of these.
    Any(Rc<Vec<Value>>),
    Nothing,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub name: Option<Rc<str>>,
    pub value: Value,
}

impl Argument {
    pub(super) fn plain(value: Value) -> Self {
        Self { name: None, value }
    }
}

/// A class of the script.
#[derive(Clone, Debug)]
pub(super) struct ClassValue {
    pub class: Rc<Class>,
    /// The fields of the class itself.
    pub fields: usize,
    pub parent: Option<Value>,
    /// The scope it was made in.
    pub scope: usize,
}

impl Value {
    pub(super) fn text(text: impl Into<String>, span: Span) -> Self {
        Self::Text(Arg::new(text, span))
    }

    pub(super) fn library(name: impl AsRef<str>) -> Self {
        Self::Library(name.as_ref().into(), Taint::NONE)
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(items))
    }

    /// The values this may be, one by one.
    pub(super) fn alternatives(&self) -> Vec<Self> {
        match self {
            Self::Any(all) => all.to_vec(),
            other => vec![other.clone()],
        }
    }

    /// Where the value comes from, as far as that matters.
    pub(super) fn taint(&self) -> Taint {
        let mut taint = Taint::NONE;
        self.add_taint(&mut taint, 0);
        taint
    }

    fn add_taint(&self, taint: &mut Taint, depth: usize) {
        if depth > 4 {
            return;
        }
        match self {
            Self::Text(arg) => taint.add(&arg.taint),
            Self::Library(_, own) => taint.add(own),
            Self::List(items) | Self::Any(items) => {
                items.iter().take(MAX_SET).for_each(|item| item.add_taint(taint, depth + 1));
            }
            Self::Map(pairs) => pairs.iter().take(MAX_SET).for_each(|(_, value)| value.add_taint(taint, depth + 1)),
            Self::Method(method) => method.0.add_taint(taint, depth + 1),
            Self::Function(..) | Self::Bound(_) | Self::Class(_) | Self::Object(..) | Self::Nothing => {}
        }
    }

    /// Reports whether nothing is known of the value.
    pub(super) fn is_unknown(&self) -> bool {
        match self {
            Self::Text(arg) => arg.hole == Some(0),
            Self::Library(name, _) => name.contains("()"),
            Self::Nothing => true,
            _ => false,
        }
    }

    pub(super) fn is_callable(&self) -> bool {
        match self {
            Self::Function(..) | Self::Bound(_) | Self::Method(_) => true,
            Self::Any(all) => all.iter().any(Self::is_callable),
            _ => false,
        }
    }

    /// The known text, if there is exactly one.
    pub(super) fn known(&self) -> Option<&str> {
        match self {
            Self::Text(arg) if arg.known() && arg.glob.is_none() => Some(&arg.text),
            _ => None,
        }
    }

    /// The value as texts: one for each value it may be, and for each element of a list.
    pub(super) fn args(&self, span: Span) -> Vec<Arg> {
        match self {
            Self::Text(arg) => vec![arg.clone()],
            Self::List(items) | Self::Any(items) => items.iter().flat_map(|item| item.args(span)).collect(),
            Self::Nothing => Vec::new(),
            other => vec![unknown(other.taint(), span)],
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(one), Self::Text(two)) => {
                one.text == two.text && one.hole == two.hole && one.glob == two.glob && one.taint == two.taint
            }
            (Self::List(one), Self::List(two)) => {
                Rc::ptr_eq(one, two)
                    || one.len() == two.len() && one.iter().zip(two.iter()).all(|(one, two)| one.is_same(two))
            }
            (Self::Map(one), Self::Map(two)) => {
                Rc::ptr_eq(one, two)
                    || one.len() == two.len()
                        && one.iter().zip(two.iter()).all(|(one, two)| one.0 == two.0 && one.1.is_same(&two.1))
            }
            (Self::Any(one), Self::Any(two)) => {
                one.len() == two.len() && one.iter().zip(two.iter()).all(|(one, two)| one.is_same(two))
            }
            (Self::Library(one, taint), Self::Library(two, other)) => one == two && taint == other,
            (Self::Function(one, _), Self::Function(two, _)) => Rc::ptr_eq(one, two),
            (Self::Bound(one), Self::Bound(two)) => Rc::ptr_eq(one, two),
            (Self::Method(one), Self::Method(two)) => one.1 == two.1 && one.0.is_same(&two.0),
            (Self::Class(one), Self::Class(two)) => one == two,
            (Self::Object(one, _), Self::Object(two, _)) => one == two,
            (Self::Nothing, Self::Nothing) => true,
            _ => false,
        }
    }
}

/// Something of which nothing is known but where it comes from.
pub(super) fn unknown(taint: Taint, span: Span) -> Arg {
    Arg { taint, ..Arg::unknown("$__", span) }
}

pub(super) fn unknown_value(taint: Taint, span: Span) -> Value {
    Value::Text(unknown(taint, span))
}

/// Any of some values. What is `None` is one of them only if nothing else is.
pub(super) fn join(values: impl IntoIterator<Item = Value>, span: Span) -> Value {
    let mut all: Vec<Value> = Vec::new();
    let mut taint = Taint::NONE;
    let mut too_many = false;
    for value in values.into_iter().flat_map(|value| value.alternatives()) {
        if matches!(value, Value::Nothing) || all.iter().any(|known| known.is_same(&value)) {
            continue;
        }
        // A list that grows in a loop is the longest of its lists.
        if let Value::List(new) = &value {
            let is_prefix = |one: &[Value], two: &[Value]| {
                one.len() <= two.len() && one.iter().zip(two).all(|(one, two)| one.is_same(two))
            };
            let related = all
                .iter()
                .position(|known| matches!(known, Value::List(old) if is_prefix(old, new) || is_prefix(new, old)));
            if let Some(slot) = related.and_then(|at| all.get_mut(at)) {
                if matches!(slot, Value::List(old) if old.len() < new.len()) {
                    *slot = value;
                }
                continue;
            }
        }
        taint.add(&value.taint());
        if all.len() >= MAX_SET {
            too_many = true;
            continue;
        }
        all.push(value);
    }
    match all.len() {
        0 => Value::Nothing,
        1 => all.remove(0),
        _ if too_many => unknown_value(taint, span),
        _ => Value::Any(Rc::new(all)),
    }
}

pub(super) fn are_same(one: &Value, two: &Value) -> bool {
    one.is_same(two)
}

/// Two values one after the other, as texts.
pub(super) fn concatenate(first: &Value, second: &Value, separator: &str, span: Span) -> Value {
    let one = |value: &Value| -> Vec<Arg> {
        match value {
            Value::Any(all) => all.iter().map(|value| single(value, span)).collect(),
            other => vec![single(other, span)],
        }
    };
    let (firsts, seconds) = (one(first), one(second));
    if firsts.len() * seconds.len() > MAX_SET {
        let mut taint = first.taint();
        taint.add(&second.taint());
        return unknown_value(taint, span);
    }
    let sums = firsts.iter().flat_map(|first| {
        seconds.iter().map(move |second| {
            let mut sum = first.clone();
            append(&mut sum, second, separator);
            Value::Text(sum)
        })
    });
    join(sums.collect::<Vec<_>>(), span)
}

/// A value as one text; what is none is unknown.
pub(super) fn single(value: &Value, span: Span) -> Arg {
    match value {
        Value::Text(arg) => arg.clone(),
        Value::Nothing => Arg::new("", span),
        other => unknown(other.taint(), span),
    }
}

pub(super) fn append(value: &mut Arg, part: &Arg, separator: &str) {
    if !separator.is_empty() && !value.text.ends_with('/') {
        value.text.push_str(separator);
    }
    value.taint.add(&part.taint);
    if value.hole.is_none() {
        value.hole = part.hole.map(|hole| hole + value.text.len());
    }
    if value.text.len() + part.text.len() > MAX_TEXT {
        value.hole = value.hole.or(Some(value.text.len()));
        return;
    }
    if value.glob.is_none() {
        value.glob = part.glob.map(|glob| glob + value.text.len());
    }
    value.text.push_str(&part.text);
}

/// A path below a folder; an absolute path is itself.
pub(super) fn below(folder: &Value, name: &Value, span: Span) -> Value {
    let absolute =
        |value: &Value| matches!(value, Value::Text(arg) if arg.text.starts_with('/') && arg.hole != Some(0));
    let names = name.alternatives();
    let (absolutes, relatives): (Vec<Value>, Vec<Value>) = names.into_iter().partition(absolute);
    let mut all = absolutes;
    for relative in relatives {
        let is_empty = matches!(folder, Value::Text(arg) if arg.text.is_empty()) || matches!(folder, Value::Nothing);
        let empty = matches!(&relative, Value::Text(arg) if arg.text.is_empty());
        if empty {
            all.push(folder.clone());
        } else {
            all.push(concatenate(folder, &relative, if is_empty { "" } else { "/" }, span));
        }
    }
    join(all, span)
}

/// A text as a pattern.
pub(super) fn pattern(arg: Arg) -> Arg {
    let glob = arg.text.find(['*', '?', '[']);
    Arg { glob, ..arg }
}
