//! The style of a JSON text.

use super::Jsonc;
use serde_json::Value;

/// What is added looks like what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    pub newline: &'static str,
    /// One level of indentation.
    pub unit: String,
    /// Between key and value.
    pub colon: &'static str,
    /// Behind a comma, where several items stand on one line.
    pub space: &'static str,
}

impl Style {
    pub fn of(document: &Jsonc) -> Self {
        let text = document.text();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let root = document.container(&[]);
        let first = root.as_ref().and_then(|root| root.items.first());
        let unit = first.map(|first| document.indent_at(first.start)).filter(|unit| !unit.is_empty());
        let source = first.and_then(|first| text.get(first.clone())).unwrap_or_default();
        // `"key":value` is how machines write; people leave a space.
        let dense = source.split_once("\":").is_some_and(|(_, value)| !value.starts_with([' ', '\t', '\r', '\n']));
        let (colon, space) = if dense { (":", "") } else { (": ", " ") };
        Self { newline, unit: unit.unwrap_or_else(|| "  ".to_owned()), colon, space }
    }

    /// A value on one line, or over several whose first stands at `indent`.
    pub fn render(&self, value: &Value, folded: bool, indent: &str) -> String {
        let (open, close, items): (_, _, Vec<(String, &Value)>) = match value {
            Value::Array(items) => ("[", "]", items.iter().map(|item| (String::new(), item)).collect()),
            Value::Object(items) => {
                let key = |key: &String| format!("{}{}", Value::from(key.as_str()), self.colon);
                ("{", "}", items.iter().map(|(name, item)| (key(name), item)).collect())
            }
            plain => return plain.to_string(),
        };
        let inner = format!("{indent}{}", self.unit);
        let items: Vec<String> =
            items.iter().map(|(key, item)| format!("{key}{}", self.render(item, folded, &inner))).collect();
        if items.is_empty() {
            return format!("{open}{close}");
        }
        if folded {
            return format!("{open}{}{close}", items.join(&format!(",{}", self.space)));
        }
        let newline = self.newline;
        let separator = format!(",{newline}{inner}");
        format!("{open}{newline}{inner}{}{newline}{indent}{close}", items.join(&separator))
    }
}
