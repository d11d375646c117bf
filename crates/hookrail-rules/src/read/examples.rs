//! Examples: commands, or calls of other tools as tables.

use super::RuleReader;
use crate::example::{CALL_KEYS, Example, ExampleCall, Examples};
use crate::rule::RuleDecision;
use serde_json::{Map, Value as Json, json};
use toml_edit::{Item, TableLike, Value};

const GROUPS: &[&str] = &["deny", "ask", "warn", "allow", "none"];

impl RuleReader<'_> {
    pub(super) fn examples(&mut self, item: &Item) -> Examples {
        let mut examples = Examples::default();
        let Some(table) = self.inline_table(item, "rule.examples") else { return examples };
        self.check_keys(table, GROUPS, "rule.examples");
        for (group, item) in table.iter().filter(|(group, _)| GROUPS.contains(group)) {
            let expected = RuleDecision::parse(group);
            let Some(list) = item.as_array() else {
                self.error(&item.span(), format!("`rule.examples.{group}` must be a list of commands"));
                continue;
            };
            for value in list {
                let position = value.span().map(|span| (self.source.position)(span.start));
                let call = self.example(value, group);
                examples.list.extend(call.map(|call| Example { expected, call, position }));
            }
        }
        examples
    }

    fn example(&mut self, value: &Value, group: &str) -> Option<ExampleCall> {
        let path = format!("rule.examples.{group}");
        match value {
            Value::String(command) => Some(ExampleCall::shell(command.value())),
            Value::InlineTable(table) => self.example_table(table, &path),
            other => {
                self.error(&other.span(), format!("`{path}` must be a list of commands"));
                None
            }
        }
    }

    fn example_table(&mut self, table: &toml_edit::InlineTable, path: &str) -> Option<ExampleCall> {
        let table: &dyn TableLike = table;
        self.check_keys(table, CALL_KEYS, path);
        let text = |key: &str| table.get(key).and_then(Item::as_str).map(str::to_owned);
        let call = match (text("command"), text("tool")) {
            (Some(command), None) => ExampleCall::shell(&command),
            (None, Some(tool)) => {
                let input = table.get("input").and_then(Item::as_value).map_or_else(|| json!({}), to_json);
                ExampleCall { tool, input, ..ExampleCall::default() }
            }
            (Some(_), Some(_)) | (None, None) => {
                let span = table.iter().find_map(|(_, item)| item.span());
                self.error(&span, format!("an example of `{path}` needs either `command`, or `tool` and `input`"));
                return None;
            }
        };
        let after = table.get("after").and_then(Item::as_array);
        let after = after.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        Some(ExampleCall {
            agent: text("agent"),
            role: text("role"),
            mode: text("mode"),
            branch: text("branch"),
            tree: text("tree"),
            after,
            ..call
        })
    }
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(value) => Json::from(*value.value()),
        Value::Datetime(time) => Json::from(time.value().to_string()),
        Value::Array(list) => Json::Array(list.iter().map(to_json).collect()),
        Value::InlineTable(table) => {
            Json::Object(table.iter().map(|(key, value)| (key.to_owned(), to_json(value))).collect::<Map<_, _>>())
        }
    }
}
