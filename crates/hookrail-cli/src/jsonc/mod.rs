//! Changing a person's JSON file without touching what they wrote: comments, order, indentation, line ends and commas
//! stay as they are.
//!
//! A [`Jsonc`] is a text that was parsed. Each change is made in the text at the place the tree says, and the text is
//! parsed again for the next one: such files are small.

mod gap;
mod plain;
mod style;

use gap::{comma_after, comments_end, same_line_end};
use hookrail_engine::registry::PathStep;
use hookrail_engine::registry::positions::{self, commented_json, line_and_column};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ast};
pub use plain::plain;
use serde_json::Value;
use std::ops::Range;
pub use style::Style;

/// JSON text, comments and trailing commas granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jsonc {
    text: String,
    value: Value,
}

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    pub message: String,
}

/// What stands between the brackets of an object or array.
struct Container {
    /// Behind the opening bracket.
    open: usize,
    /// At the closing bracket.
    close: usize,
    /// From key or value to the end of the value.
    items: Vec<Range<usize>>,
}

impl Jsonc {
    /// An empty text is allowed and stands for nothing ([`Value::Null`]).
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let value = parse_tree(text, |tree| tree.map_or(Value::Null, to_value))?;
        Ok(Self { text: text.to_owned(), value })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn value(&self) -> &Value {
        &self.value
    }

    pub fn at(&self, path: &[PathStep<'_>]) -> Option<&Value> {
        path.iter().try_fold(&self.value, |value, step| match step {
            PathStep::Key(key) => value.get(key),
            PathStep::Index(index) => value.get(index),
        })
    }

    /// Where a part stands: the key, for a member of an object. Line and column from 1.
    pub fn position(&self, path: &[PathStep<'_>]) -> (usize, usize) {
        line_and_column(&self.text, self.node(path).map_or(0, |node| node.start))
    }

    /// Adds a member or an element at the end of the container at `path`. `key` is for objects.
    pub fn append(&mut self, path: &[PathStep<'_>], key: Option<&str>, value: &Value) {
        let Some(container) = self.container(path) else { return };
        let style = Style::of(self);
        let folded = self.is_folded(path, &container);
        let key = key.map(|key| format!("{}{}", Value::from(key), style.colon)).unwrap_or_default();
        match container.items.last() {
            None => self.fill(&container, &key, value, &style, folded),
            Some(last) => self.append_after(last.clone(), &container, &key, value, &style, folded),
        }
    }

    /// Puts another value in the place of the one at `path`.
    pub fn replace(&mut self, path: &[PathStep<'_>], value: &Value) {
        let Some(range) = self.node(path).map(Node::value) else { return };
        let style = Style::of(self);
        let folded = self.text.get(range.clone()).is_some_and(|old| !old.contains('\n'));
        let indent = self.indent_at(range.start);
        let new = style.render(value, folded, &indent);
        self.splice(&[(range, &new)]);
    }

    /// Takes out the member or element at `path`, and the comma that is then one too many. The exact opposite of
    /// [`Jsonc::append`], also when something was written beside it in the meantime.
    pub fn remove(&mut self, path: &[PathStep<'_>]) {
        let Some((_, above)) = path.split_last() else { return };
        let Some(range) = self.node(path).map(|node| node.start..node.end) else { return };
        let Some(container) = self.container(above) else { return };
        let Some(index) = container.items.iter().position(|item| *item == range) else { return };
        let before = index.checked_sub(1).and_then(|before| container.items.get(before));
        let comma_before = before.and_then(|item| comma_after(&self.text, item.end));
        let start = same_line_end(&self.text, comma_before.map_or(container.open, |comma| comma + 1));
        // Comments in front of it are the user's.
        let start = comments_end(&self.text, start..range.start).unwrap_or(start);
        let comma = comma_after(&self.text, range.end);
        let item = (start..comma.map_or(range.end, |comma| comma + 1), "");
        match (comma, comma_before) {
            (None, Some(superfluous)) => self.splice(&[(superfluous..superfluous + 1, ""), item]),
            _ => self.splice(&[item]),
        }
        if container.items.len() == 1 {
            self.collapse(above);
        }
    }

    /// The brackets and what is between them, as it is written.
    pub fn source(&self, path: &[PathStep<'_>]) -> Option<&str> {
        let range = self.node(path)?.value();
        self.text.get(range)
    }

    /// Puts back what [`Jsonc::source`] told.
    pub fn restore(&mut self, path: &[PathStep<'_>], source: &str) {
        if let Some(range) = self.node(path).map(Node::value) {
            self.splice(&[(range, source)]);
        }
    }

    /// White space between brackets that hold nothing has no purpose.
    fn collapse(&mut self, path: &[PathStep<'_>]) {
        let Some(container) = self.container(path) else { return };
        let inside = container.open..container.close;
        if self.text.get(inside.clone()).is_some_and(|inside| inside.trim().is_empty()) {
            self.splice(&[(inside, "")]);
        }
    }

    fn fill(&mut self, container: &Container, key: &str, value: &Value, style: &Style, folded: bool) {
        let start = comments_end(&self.text, container.open..container.close).unwrap_or(container.open);
        let inside = self.text.get(start..container.close).unwrap_or_default();
        if folded {
            let item = format!("{key}{}", style.render(value, true, ""));
            return self.splice(&[(start..start, &item)]);
        }
        let outer = self.indent_at(container.open);
        let inner = format!("{outer}{}", style.unit);
        let item = format!("{nl}{inner}{key}{}", style.render(value, false, &inner), nl = style.newline);
        if inside.contains('\n') {
            self.splice(&[(start..start, &item)]);
        } else {
            self.splice(&[(start..container.close, &format!("{item}{}{outer}", style.newline))]);
        }
    }

    fn append_after(
        &mut self,
        last: Range<usize>,
        container: &Container,
        key: &str,
        value: &Value,
        style: &Style,
        folded: bool,
    ) {
        let trailing = comma_after(&self.text, last.end).filter(|comma| *comma < container.close);
        let after = trailing.map_or(last.end, |comma| comma + 1);
        let (at, item) = if folded {
            (after, format!("{}{key}{}", style.space, style.render(value, true, "")))
        } else {
            let indent = self.indent_at(last.start);
            let item = format!("{}{indent}{key}{}", style.newline, style.render(value, false, &indent));
            (same_line_end(&self.text, after), item)
        };
        match trailing {
            Some(_) => self.splice(&[(at..at, &format!("{item},"))]),
            None => self.splice(&[(last.end..last.end, ","), (at..at, &item)]),
        }
    }

    /// Whether the items of a container stand on one line. An empty one is like the whole text.
    fn is_folded(&self, path: &[PathStep<'_>], container: &Container) -> bool {
        match container.items.first() {
            Some(first) => !self.text.get(container.open..first.start).unwrap_or_default().contains('\n'),
            None if path.is_empty() => false,
            None => self.container(&[]).is_some_and(|root| self.is_folded(&[], &root)),
        }
    }

    /// The white space that begins the line a position is on.
    fn indent_at(&self, position: usize) -> String {
        let line = self.text.get(..position).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
        line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    /// Makes changes that stand in the order of their places. If that would break the text, nothing is changed.
    fn splice(&mut self, changes: &[(Range<usize>, &str)]) {
        let mut text = self.text.clone();
        for (range, new) in changes.iter().rev() {
            text.replace_range(range.clone(), new);
        }
        if let Ok(changed) = Self::parse(&text) {
            *self = changed;
        }
    }

    fn container(&self, path: &[PathStep<'_>]) -> Option<Container> {
        let Node { value_start, end, items, .. } = self.node(path)?;
        Some(Container { open: value_start + 1, close: end - 1, items: items? })
    }

    fn node(&self, path: &[PathStep<'_>]) -> Option<Node> {
        parse_tree(&self.text, |root| walk(root?, path)).ok()?
    }
}

/// Where a value stands.
struct Node {
    /// Of the key, if it has one.
    start: usize,
    value_start: usize,
    end: usize,
    /// What an object or array holds.
    items: Option<Vec<Range<usize>>>,
}

impl Node {
    fn value(self) -> Range<usize> {
        self.value_start..self.end
    }
}

fn walk(root: &ast::Value<'_>, path: &[PathStep<'_>]) -> Option<Node> {
    let (start, value) = positions::find(root, path)?;
    let items = match value {
        ast::Value::Object(object) => Some(object.properties.iter().map(|item| item.start()..item.end()).collect()),
        ast::Value::Array(array) => Some(array.elements.iter().map(|item| item.start()..item.end()).collect()),
        _ => None,
    };
    Some(Node { start, value_start: value.start(), end: value.end(), items })
}

fn parse_tree<T>(text: &str, look: impl FnOnce(Option<&ast::Value<'_>>) -> T) -> Result<T, SyntaxError> {
    match jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &commented_json()) {
        Ok(parsed) => Ok(look(parsed.value.as_ref())),
        Err(error) => Err(SyntaxError {
            line: error.line_display(),
            column: error.column_display(),
            message: format!("not valid JSON: {}", error.kind().to_string().to_lowercase()),
        }),
    }
}

fn to_value(node: &ast::Value<'_>) -> Value {
    match node {
        ast::Value::StringLit(text) => Value::from(text.value.as_ref()),
        ast::Value::NumberLit(number) => serde_json::from_str(number.value).unwrap_or(Value::Null),
        ast::Value::BooleanLit(flag) => Value::Bool(flag.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(array) => array.elements.iter().map(to_value).collect(),
        ast::Value::Object(object) => {
            object.properties.iter().map(|member| (member.name.as_str().to_owned(), to_value(&member.value))).collect()
        }
    }
}

#[cfg(test)]
mod tests;
