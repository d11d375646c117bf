//! Rules and exceptions as text of a `hookrail.toml`.

use hookrail_rules::{Condition, Entry, Key, PastCondition, Selector};
use serde_json::Value;

/// A condition, as `{ effect = "fs.delete", place = ["home", "outside"] }`.
pub fn condition(condition: &Condition) -> String {
    let selectors: Vec<String> = condition.selectors.iter().map(selector).collect();
    format!("{{ {} }}", selectors.join(", "))
}

/// Something that may have happened, which is a condition with an outcome.
pub fn happening(happening: &PastCondition) -> String {
    let mut parts: Vec<String> = happening.when.selectors.iter().map(selector).collect();
    parts.extend(happening.outcome.map(|outcome| format!("outcome = {}", quoted(outcome.name()))));
    format!("{{ {} }}", parts.join(", "))
}

fn selector(selector: &Selector) -> String {
    let entry = |entry: &Entry| {
        let mark = if entry.negated { "!" } else { "" };
        match (selector.key, entry.pattern.as_str()) {
            (Key::Gap, "true") if !entry.negated => "true".to_owned(),
            (_, pattern) => quoted(&format!("{mark}{pattern}")),
        }
    };
    let entries: Vec<String> = selector.entries.iter().map(entry).collect();
    match entries.as_slice() {
        [one] => format!("{} = {one}", selector.key.name()),
        many => format!("{} = [{}]", selector.key.name(), many.join(", ")),
    }
}

/// A selector that holds for any of these.
pub fn any_of(key: Key, patterns: impl IntoIterator<Item = impl Into<String>>) -> Selector {
    let entries = patterns.into_iter().map(|pattern| Entry { negated: false, pattern: pattern.into() });
    Selector { key, entries: entries.collect() }
}

/// A text in quotes. What JSON escapes TOML reads the same way, but for the delete character.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A list of texts.
pub fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    format!("[{}]", texts.into_iter().map(quoted).collect::<Vec<_>>().join(", "))
}

/// A text behind another, with an empty line between them.
pub fn appended(before: &str, added: &str) -> String {
    let kept = before.trim_end_matches(['\n', '\r']);
    match kept.is_empty() {
        true => added.to_owned(),
        false => format!("{before}{}\n{added}", if before.ends_with('\n') { "" } else { "\n" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::rules::inventory::read_text;
    use hookrail_rules::Layer;

    #[test]
    fn a_condition_is_read_again_as_it_was() {
        let conditions = [
            r#"{ effect = "fs.delete", path = "~/a \"b\"\\c/**" }"#,
            r#"{ effect = ["fs.*", "!fs.read"], place = "home", host = "!localhost" }"#,
            r#"{ tool = "shell", gap = true }"#,
            r#"{ gap = "dynamic-code" }"#,
        ];
        for text in conditions {
            let file = |text: &str| format!("[[exception]]\nrule = \"x\"\nwhen = {text}\n");
            let read = |text: &str| read_text(Layer::User, "f", &file(text)).unwrap().exceptions.remove(0).when;
            let once = read(text);
            assert_eq!(condition(&once), text);
            assert_eq!(read(&condition(&once)), once);
        }
    }

    #[test]
    fn text_is_added_behind_an_empty_line_and_nothing_is_lost() {
        for (before, expected) in
            [("", "b\n"), ("\n\n", "b\n"), ("a\n", "a\n\nb\n"), ("a", "a\n\nb\n"), ("a # c\r\n", "a # c\r\n\nb\n")]
        {
            assert_eq!(appended(before, "b\n"), expected, "{before:?}");
        }
    }
}
