//! Tables of scenario files: read from TOML or JSON, asked for by key, complained about by place.

use super::source::{Mistake, Piece};
use hookrail_core::spelling;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use toml_edit::{Document, Item, TableLike};

/// A table, with where each of its values stands in its piece.
#[derive(Clone, Debug)]
pub struct Fields {
    pub piece: Piece,
    pub values: Map<String, Value>,
    /// By key; keys of inner tables are joined with a NUL. JSON has none.
    spans: BTreeMap<String, Range<usize>>,
}

impl Fields {
    pub fn toml(piece: &Piece) -> Result<Self, Mistake> {
        let document = Document::parse(piece.text()).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            piece.mistake(at, format!("this is not TOML: {}", error.message().trim()))
        })?;
        let mut spans = BTreeMap::new();
        let values = read_table(document.as_table(), "", &mut spans);
        Ok(Self { values, spans, piece: piece.clone() })
    }

    pub fn json(piece: Piece) -> Result<Self, Mistake> {
        match serde_json::from_str(piece.text()) {
            Ok(Value::Object(values)) => Ok(Self { values, spans: BTreeMap::new(), piece }),
            Ok(_) => Err(piece.mistake(0, "this is not a JSON object")),
            Err(error) => {
                let offset: usize =
                    piece.text().split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or_default();
                Err(piece.mistake(offset + error.column().saturating_sub(1), format!("this is not JSON: {message}")))
            }
        }
    }

    /// Where the value of a key stands.
    pub fn span(&self, path: &[&str]) -> Option<Range<usize>> {
        self.spans.get(&path.join("\0")).cloned()
    }

    /// A table inside, by its path.
    pub fn inner(&self, path: &[&str], values: Map<String, Value>) -> Self {
        let prefix = format!("{}\0", path.join("\0"));
        let own = |(key, span): (&String, &Range<usize>)| Some((key.strip_prefix(&prefix)?.to_owned(), span.clone()));
        Self { piece: self.piece.clone(), values, spans: self.spans.iter().filter_map(own).collect() }
    }

    /// A complaint about a key.
    pub fn mistake(&self, path: &[&str], message: impl Into<String>) -> Mistake {
        let named = |key: &&str| self.piece.text().find(&format!("\"{key}\"")).or_else(|| self.piece.text().find(*key));
        let at = self.span(path).map(|span| span.start).or_else(|| path.last().and_then(named));
        self.piece.mistake(at.unwrap_or(0), message)
    }

    /// Complains about the first key that is not one of these.
    pub fn only(&self, known: &[&str]) -> Result<(), Mistake> {
        let Some(stranger) = self.values.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
        let mistake = self.mistake(&[stranger], format!("unknown key `{stranger}`"));
        Err(spelling::hint(stranger, known.iter().copied()).into_iter().fold(mistake, Mistake::hint))
    }

    pub fn text(&self, key: &str) -> Result<Option<&str>, Mistake> {
        match self.values.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.mistake(&[key], format!("`{key}` must be text in quotes"))),
        }
    }

    pub fn flag(&self, key: &str) -> Result<bool, Mistake> {
        match self.values.get(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.mistake(&[key], format!("`{key}` must be true or false"))),
        }
    }

    /// A text, or a list of them.
    pub fn texts(&self, key: &str) -> Result<Vec<String>, Mistake> {
        let wrong = || self.mistake(&[key], format!("`{key}` must be text in quotes, or a list of texts"));
        match self.values.get(key) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text.clone()]),
            Some(Value::Array(items)) => {
                items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    pub fn table(&self, key: &str) -> Result<Map<String, Value>, Mistake> {
        match self.values.get(key) {
            None => Ok(Map::new()),
            Some(Value::Object(fields)) => Ok(fields.clone()),
            Some(_) => Err(self.mistake(&[key], format!("`{key}` must be a table"))),
        }
    }
}

fn read_table(table: &dyn TableLike, path: &str, spans: &mut BTreeMap<String, Range<usize>>) -> Map<String, Value> {
    let mut values = Map::new();
    for (key, item) in table.iter() {
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}\0{key}") };
        if let Some(span) = item.span() {
            spans.insert(path.clone(), span);
        }
        values.insert(key.to_owned(), read_item(item, &path, spans));
    }
    values
}

fn read_item(item: &Item, path: &str, spans: &mut BTreeMap<String, Range<usize>>) -> Value {
    if let Some(table) = item.as_table_like() {
        return Value::Object(read_table(table, path, spans));
    }
    if let Some(tables) = item.as_array_of_tables() {
        let read = |(index, table): (usize, &toml_edit::Table)| {
            let path = format!("{path}\0{index}");
            if let Some(span) = table.span() {
                spans.insert(path.clone(), span);
            }
            Value::Object(read_table(table, &path, spans))
        };
        return Value::Array(tables.iter().enumerate().map(read).collect());
    }
    item.as_value().map_or(Value::Null, |value| read_value(value, path, spans))
}

fn read_value(value: &toml_edit::Value, path: &str, spans: &mut BTreeMap<String, Range<usize>>) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(flag) => Value::from(*flag.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::Array(items) => {
            let read = |(index, item): (usize, &toml_edit::Value)| read_value(item, &format!("{path}\0{index}"), spans);
            Value::Array(items.iter().enumerate().map(read).collect())
        }
        toml_edit::Value::InlineTable(table) => Value::Object(read_table(table, path, spans)),
    }
}

/// A value as TOML; a text of several lines is written in as many.
pub fn to_toml(value: &Value) -> String {
    match value {
        Value::Null => "\"\"".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.contains('\n') => lines_of(text),
        // A basic string of TOML is a string of JSON, but for DEL, which JSON leaves as it is.
        Value::String(text) => Value::from(text.as_str()).to_string().replace('\u{7f}', "\\u007f"),
        Value::Array(items) => format!("[{}]", items.iter().map(to_toml).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| format!("{} = {}", key_of(key), to_toml(value));
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Between three quotes, with everything escaped that is no plain text.
fn lines_of(text: &str) -> String {
    let mut lines = String::from("\"\"\"\n");
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => lines.push_str("\\\\"),
            // One quote is plain text; beside another, or at the end, it could be taken for part of the three.
            '"' if letters.peek().is_none_or(|next| *next == '"') => lines.push_str("\\\""),
            '\n' | '\t' => lines.push(letter),
            control if control.is_control() => lines.push_str(&format!("\\u{:04x}", u32::from(control))),
            plain => lines.push(plain),
        }
    }
    lines.push_str("\"\"\"");
    lines
}

fn key_of(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { key.to_owned() } else { Value::from(key).to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;
    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    #[test]
    fn what_is_written_as_toml_reads_back_as_it_was() {
        for value in [
            json!("plain"),
            json!("quotes \" and \\ and \t and \u{7f} and \u{1b}"),
            json!("two\nlines"),
            json!("\nfirst empty, and \"\"\" three quotes\n"),
            json!("ends in a quote\n\""),
            json!("a \\ at the end \\\nand \"quotes\" in a line"),
            json!({"a b": [1, true, 2.5, "x\ny"], "c": {"d": ""}}),
        ] {
            let text = format!("value = {}\n", to_toml(&value));
            let source = Arc::new(Source { path: "x.toml".into(), text: text.clone() });
            let range = 0..source.text.len();
            let fields =
                Fields::toml(&Piece { source, range }).unwrap_or_else(|mistake| panic!("{text}: {}", mistake.message));
            assert_eq!(fields.values["value"], value, "{text}");
        }
    }
}
