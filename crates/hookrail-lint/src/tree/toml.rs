use super::{Member, Node, Shape, SyntaxError};
use std::ops::Range;
use toml_edit::{Document, Item, TableLike, Value};

pub fn read(text: &str) -> Result<Node, SyntaxError> {
    let document = Document::parse(text).map_err(|error| SyntaxError {
        span: error.span().unwrap_or_default(),
        message: first_line(error.message()),
    })?;
    let root = document.as_table();
    Ok(Node { span: 0..text.len().min(1), value: table(root, &(0..0)) })
}

fn first_line(message: &str) -> String {
    message.trim().lines().next().unwrap_or_default().to_owned()
}

/// A table that is only a path to others (`[a.b]`) has no bytes of its own; it stands where its first part does.
fn table(table: &dyn TableLike, around: &Range<usize>) -> Shape {
    let member = |(key, item): (&str, &Item)| {
        let key_span = table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
        let key_span = key_span.unwrap_or_else(|| around.clone());
        Member { key: key.to_owned(), value: item_node(item, &key_span), key_span }
    };
    Shape::Table(table.iter().map(member).collect())
}

fn item_node(item: &Item, around: &Range<usize>) -> Node {
    let span = item.span().unwrap_or_else(|| around.clone());
    let value = match item {
        Item::None => Shape::Null,
        Item::Value(value) => return value_node(value, around),
        Item::Table(inner) => table(inner, &span),
        Item::ArrayOfTables(tables) => {
            let entry = |entry: &toml_edit::Table| {
                let span = entry.span().unwrap_or_else(|| around.clone());
                Node { value: table(entry, &span), span }
            };
            Shape::List(tables.iter().map(entry).collect())
        }
    };
    Node { span, value }
}

fn value_node(value: &Value, around: &Range<usize>) -> Node {
    let span = value.span().unwrap_or_else(|| around.clone());
    let value = match value {
        Value::String(text) => Shape::Text(text.value().clone()),
        Value::Integer(number) => Shape::Number(*number.value() as f64),
        Value::Float(number) => Shape::Number(*number.value()),
        Value::Boolean(flag) => Shape::Flag(*flag.value()),
        Value::Datetime(time) => Shape::Text(time.value().to_string()),
        Value::Array(list) => Shape::List(list.iter().map(|item| value_node(item, &span)).collect()),
        Value::InlineTable(inner) => table(inner, &span),
    };
    Node { span, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_their_bytes() {
        let text = "[features]\nhooks = true\n\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\n";
        let root = read(text).unwrap();
        let event = root.get(&["hooks"]).unwrap().member("PreToolUse").unwrap();
        let group = &event.value.items()[0];
        assert_eq!(&text[group.member("matcher").unwrap().value.span.clone()], "\"Bash\"");
        assert_eq!(&text[event.key_span.clone()], "PreToolUse");
        let handler = &group.get(&["hooks"]).unwrap().items()[0];
        assert_eq!(handler.get(&["type"]).and_then(Node::text), Some("command"));
    }

    #[test]
    fn text_that_is_not_toml_is_an_error_with_its_place() {
        let error = read("a = 1\nb = \n").unwrap_err();
        assert!(error.span.start >= 6, "{error:?}");
        assert!(!error.message.contains('\n'));
    }
}
