//! The reference of `hookrail.toml`, made from its JSON Schema.

use super::Generated;
use serde_json::Value;
use std::fmt::Write;

pub(super) fn page() -> Generated {
    let schema = hookrail_engine::layers::json_schema();
    let mut text = format!("{}\n\n# Every key of `hookrail.toml`\n\n", super::WRITTEN_BY_GENERATE);
    text.push_str(
        "What each file of the [configuration](../configuration.md) may say. The same as a JSON Schema for editors: \
         [hookrail.schema.json](https://github.com/hookrail/hookrail/blob/main/docs/schema/hookrail.schema.json). A key that \
         is not listed is reported, with what was probably meant.\n",
    );
    let (keys, sections): (Vec<_>, Vec<_>) = fields(&schema).partition(|(_, field)| is_single(field));
    if !keys.is_empty() {
        text.push_str("\n## At the top\n\nBefore the first table.\n");
        describe_keys(keys.into_iter(), &[], &mut text);
    }
    for (name, section) in sections {
        describe(name, section, &mut text);
    }
    Generated { path: "docs/src/reference/hookrail-toml.md".to_owned(), content: text }
}

/// Whether this is a key with a value of its own, not a table of keys.
fn is_single(field: &Value) -> bool {
    let is_table = field.get("type").is_some_and(|kind| kind == "object");
    !is_table && field.get("items").is_none_or(|items| items.get("properties").is_none())
}

fn describe(name: &str, section: &Value, text: &mut String) {
    // A table by names of the user's choice, a list of tables, or a plain table.
    let (heading, keys) = match (section.get("additionalProperties"), section.get("items")) {
        (Some(named), _) if named.is_object() => (format!("[{name}.\"…\"]"), named),
        (_, Some(entry)) => (format!("[[{name}]]"), entry),
        _ => (format!("[{name}]"), section),
    };
    let _ = write!(text, "\n## `{heading}`\n\n{}.\n", capitalised(about(section)));
    let required: Vec<&str> =
        keys.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut rows = fields(keys).peekable();
    if rows.peek().is_none() {
        text.push_str("\nIts keys are the pack's own: see the page of the pack.\n");
        return;
    }
    describe_keys(rows, &required, text);
}

fn describe_keys<'a>(rows: impl Iterator<Item = (&'a str, &'a Value)>, required: &[&str], text: &mut String) {
    text.push_str("\n| key | value | |\n|---|---|---|\n");
    for (key, field) in rows {
        let must = if required.contains(&key) { " **Required.**" } else { "" };
        let _ = writeln!(text, "| `{key}` | {} | {}.{must} |", kind(field), capitalised(about(field)));
    }
}

/// What a key takes, for a person.
fn kind(field: &Value) -> String {
    if let Some(words) = field.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = words.iter().filter_map(Value::as_str).map(|word| format!("`\"{word}\"`")).collect();
        return words.join(", ");
    }
    let word = match field.get("type").and_then(Value::as_str) {
        Some("boolean") => "`true` or `false`",
        Some("integer") => "a whole number, at least 1",
        Some("array") => "a list of texts",
        Some("object") => "a table",
        _ if field.get("pattern").and_then(Value::as_str).is_some_and(|it| it.ends_with("://")) => "an address",
        _ if field.get("pattern").is_some() => "a time: `\"250ms\"`, `\"5s\"`, `\"2m\"`",
        _ => "text",
    };
    word.to_owned()
}

fn fields(table: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let fields = table.get("properties").and_then(Value::as_object);
    fields.into_iter().flatten().map(|(name, field)| (name.as_str(), field))
}

fn about(field: &Value) -> &str {
    field.get("description").and_then(Value::as_str).unwrap_or_default()
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default() + chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_schema_is_on_the_page_with_what_it_takes() {
        let page = page().content;
        for (name, section) in fields(&hookrail_engine::layers::json_schema()) {
            if is_single(section) {
                assert!(page.contains(&format!("| `{name}` | {} |", kind(section))), "{name}");
                continue;
            }
            let tables = [Some(section), section.get("additionalProperties"), section.get("items")];
            for (key, field) in tables.into_iter().flatten().flat_map(fields) {
                let row = format!("| `{key}` | {} |", kind(field));
                assert!(page.contains(&row), "`{name}.{key}`: no `{row}`");
            }
            assert!(page.contains(&format!("[{name}")), "{name}");
        }
    }
}
