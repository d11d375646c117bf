//! hookrail's entries among the `[[hooks]]` tables of a TOML file.

use super::merge::{KeyPath, Own, ShapeError, distinct};
use super::registration::Registration;
use crate::jsonc::SyntaxError;
use hookrail_dialects::Dialect;
use hookrail_engine::registry::positions::line_and_column;
use serde_json::{Map, Value, json};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TomlError};

/// The key of the tables.
const HOOKS: &str = "hooks";

#[derive(Clone, Copy)]
pub struct TableEntries<'a> {
    pub agent: &'static dyn Dialect,
    pub is_ours: &'a dyn Fn(&str) -> bool,
}

impl TableEntries<'_> {
    pub fn parse(text: &str) -> Result<DocumentMut, SyntaxError> {
        text.parse().map_err(|error: TomlError| {
            let at = error.span().map_or(0, |span| span.start);
            let (line, column) = line_and_column(text, at);
            SyntaxError { line, column, message: error.message().to_owned() }
        })
    }

    pub fn find(&self, document: &DocumentMut) -> Vec<Own> {
        let ours = self.tables(document).filter(|(_, table)| self.command_of(table).is_some_and(self.is_ours));
        ours.filter_map(|(group, table)| {
            let value = as_json(table);
            let event = value.get(self.event_key())?.as_str()?.to_owned();
            Some(Own { event, group, handler: 0, alone: true, value })
        })
        .collect()
    }

    pub fn strangers(&self, document: &DocumentMut, calls: fn(&str) -> bool) -> Vec<String> {
        let commands = self.tables(document).filter_map(|(_, table)| self.command_of(table));
        distinct(commands.filter(|command| calls(command) && !(self.is_ours)(command)))
    }

    pub fn put(
        &self,
        document: &mut DocumentMut,
        wanted: &[Registration],
        command: &str,
    ) -> Result<Vec<KeyPath>, ShapeError> {
        let is_new = document.get(HOOKS).is_none();
        if document.get(HOOKS).is_some_and(|hooks| hooks.as_array_of_tables().is_none()) {
            let message = "`hooks` must be written as `[[hooks]]` tables".to_owned();
            return Err(ShapeError { line: 1, column: 1, message });
        }
        let own = self.find(document);
        let hooks = document.entry(HOOKS).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let Some(tables) = hooks.as_array_of_tables_mut() else { return Ok(Vec::new()) };
        let mut missing: Vec<&Registration> = wanted.iter().collect();
        // From the end, so that what is still to come stays where it was found.
        for own in own.iter().rev() {
            match missing.iter().position(|wanted| wanted.event == own.event).map(|index| missing.remove(index)) {
                Some(wanted) => {
                    let group = wanted.group(self.agent, command);
                    if own.value != group
                        && let Some(table) = tables.get_mut(own.group)
                    {
                        fill(table, &group);
                    }
                }
                None => drop(tables.remove(own.group)),
            }
        }
        for registration in missing {
            let mut table = Table::new();
            fill(&mut table, &registration.group(self.agent, command));
            tables.push(table);
        }
        Ok(if is_new { vec![vec![HOOKS.to_owned()]] } else { Vec::new() })
    }

    pub fn clear(&self, document: &mut DocumentMut) {
        let own = self.find(document);
        let Some(tables) = document.get_mut(HOOKS).and_then(Item::as_array_of_tables_mut) else { return };
        own.iter().rev().for_each(|own| drop(tables.remove(own.group)));
        if tables.is_empty() {
            document.remove(HOOKS);
        }
    }

    fn tables<'d>(&self, document: &'d DocumentMut) -> impl Iterator<Item = (usize, &'d Table)> {
        let tables = document.get(HOOKS).and_then(Item::as_array_of_tables);
        tables.into_iter().flat_map(ArrayOfTables::iter).enumerate()
    }

    fn command_of<'t>(&self, table: &'t Table) -> Option<&'t str> {
        table.get(self.agent.format().command_key)?.as_str()
    }

    fn event_key(&self) -> &'static str {
        self.agent.format().layout.event_key()
    }
}

/// A table as the JSON that a registration is compared with.
fn as_json(table: &Table) -> Value {
    let value = |item: &Item| {
        let text = item.as_str().map(Value::from);
        text.or_else(|| item.as_integer().map(Value::from)).or_else(|| item.as_float().map(|it| json!(it)))
    };
    let fields: Map<String, Value> =
        table.iter().map(|(key, item)| (key.to_owned(), value(item).unwrap_or_default())).collect();
    Value::Object(fields)
}

/// Makes a table say this and nothing else.
fn fill(table: &mut Table, group: &Value) {
    let Some(fields) = group.as_object() else { return };
    let gone: Vec<String> =
        table.iter().map(|(key, _)| key.to_owned()).filter(|key| !fields.contains_key(key)).collect();
    gone.iter().for_each(|key| drop(table.remove(key)));
    for (key, value) in fields {
        let item = match value {
            Value::Number(number) => toml_edit::value(number.as_i64().unwrap_or_default()),
            other => toml_edit::value(other.as_str().unwrap_or_default()),
        };
        if table.get(key).is_none_or(|known| known.to_string().trim() != item.to_string().trim()) {
            table.insert(key, item);
        }
    }
}
