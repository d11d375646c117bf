//! Reads one `hookrail.toml`: what is right is kept, what is wrong is reported with its place.

use super::positions::Positions;
use super::settings::LayerKind;
use super::spec::{Field, Kind, ROOT};
use crate::registry::Diagnostic;
use hookrail_core::display::{one_line, quoted};
use hookrail_core::spelling::{self, closest};
use hookrail_core::{EventName, Matcher, MatcherStyle, Origin};
use hookrail_rules::{RuleFile, Source};
use serde_json::{Map, Value};
use std::ops::Range;
use std::time::Duration;
use toml_edit::{Document, Item, TableLike};

/// The readable part of a file, as JSON; entries of lists carry their place under [`PLACE`].
#[derive(Clone, Debug, Default)]
pub(super) struct ReadLayer {
    pub value: Map<String, Value>,
    pub diagnostics: Vec<Diagnostic>,
    /// Rules and exceptions, which are no part of `value`.
    pub rules: RuleFile,
    /// The file is not TOML, so its settings are unknown.
    pub unreadable: bool,
}

/// Where an entry of a list stands: `[line, column]`.
pub(super) const PLACE: &str = "\u{0}place";

/// So many mistakes of a file are told one by one. More would not be read, and every one of them is kept and compared with names
/// that it may have been meant to be.
pub(super) const MAX_DIAGNOSTICS: usize = 200;

pub(super) fn read(layer: LayerKind, place: &str, text: &str) -> ReadLayer {
    let mut reader =
        SettingsReader { layer, place, positions: Positions::of(text), diagnostics: Vec::new(), left_out: 0 };
    match Document::parse(text) {
        Ok(document) => {
            let value = reader.table(document.as_table(), ROOT, "");
            reader.report_left_out();
            let rules = reader.rules(document.as_table());
            ReadLayer { value, diagnostics: reader.diagnostics, rules, unreadable: false }
        }
        Err(error) => {
            let span = error.span().unwrap_or_default();
            reader.report(&span, format!("this is not TOML: {}", error.message().trim()));
            ReadLayer { diagnostics: reader.diagnostics, unreadable: true, ..ReadLayer::default() }
        }
    }
}

struct SettingsReader<'a> {
    layer: LayerKind,
    place: &'a str,
    positions: Positions<'a>,
    diagnostics: Vec<Diagnostic>,
    /// How many mistakes are not in the list.
    left_out: usize,
}

impl SettingsReader<'_> {
    /// Adds what is wrong, unless there is too much of that already.
    fn add(&mut self, span: &Range<usize>, describe: impl FnOnce() -> (String, Option<String>)) {
        if self.diagnostics.len() == MAX_DIAGNOSTICS {
            self.left_out += 1;
            return;
        }
        let (message, hint) = describe();
        let diagnostic = self.diagnostic(span, message);
        self.diagnostics.push(match hint {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        });
    }

    fn report_left_out(&mut self) {
        if self.left_out > 0 {
            let message = format!("there are {} more mistakes in this file", self.left_out);
            self.diagnostics.push(Diagnostic::new(Origin::new(self.place, None), message));
        }
    }

    fn table(&mut self, table: &dyn TableLike, fields: &[Field], path: &str) -> Map<String, Value> {
        let mut read = Map::new();
        for (key, item) in table.iter() {
            let span = table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span()).unwrap_or_default();
            match fields.iter().find(|field| field.name == key) {
                Some(field) if field.personal && self.layer.comes_with_project() => {
                    let path = join(path, key);
                    self.report(&span, format!("`{path}` cannot come with a project; it is left out"));
                }
                Some(field) => {
                    if let Some(value) = self.item(item, field, &join(path, key), &span) {
                        read.insert(key.to_owned(), value);
                    }
                }
                None => self.report_unknown(key, fields, path, &span),
            }
        }
        read
    }

    fn rules(&self, table: &dyn TableLike) -> RuleFile {
        let agents: Vec<&'static str> = hookrail_dialects::agents().map(|agent| agent.name).collect();
        let source = Source {
            layer: self.layer.of_rules(),
            place: self.place,
            position: &|offset| self.positions.find(offset),
            agents: &agents,
            pack: None,
        };
        hookrail_rules::read(table.get("rule"), table.get("exception"), &source)
    }

    fn report_unknown(&mut self, key: &str, fields: &[Field], path: &str, span: &Range<usize>) {
        self.add(span, || {
            let place = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
            (format!("unknown key {}{place}", quoted(key)), spelling::hint(key, fields.iter().map(|field| field.name)))
        });
    }

    fn item(&mut self, item: &Item, field: &Field, path: &str, span: &Range<usize>) -> Option<Value> {
        match field.kind {
            Kind::Table(fields) => {
                let table = self.expect(item.as_table_like(), path, "a table", span)?;
                let read = self.table(table, fields, path);
                self.has_all(&read, fields, &format!("`[{path}]`"), span).then_some(Value::Object(read))
            }
            Kind::Named(fields) => {
                let table = self.expect(item.as_table_like(), path, "a table of tables", span)?;
                let mut named = Map::new();
                for (name, inner) in table.iter() {
                    let path = join(path, name);
                    if let Some(inner) = self.expect(inner.as_table_like(), &path, "a table", span) {
                        let span = table.key(name).and_then(toml_edit::Key::span).unwrap_or_else(|| span.clone());
                        let mut read = self.table(inner, fields, &path);
                        read.insert(PLACE.to_owned(), self.place_of(&span));
                        named.insert(name.to_owned(), Value::Object(read));
                    }
                }
                Some(Value::Object(named))
            }
            Kind::Entries(fields) => self.entries(item, fields, path, span),
            Kind::Free => Some(to_json(item)),
            Kind::Rules | Kind::Exceptions => None,
            Kind::Bool
            | Kind::Count
            | Kind::Text
            | Kind::Address { .. }
            | Kind::Event
            | Kind::Pattern
            | Kind::Word(_)
            | Kind::Time
            | Kind::Patterns => self.scalar(item, field.kind, path),
        }
    }

    fn entries(&mut self, item: &Item, fields: &[Field], path: &str, span: &Range<usize>) -> Option<Value> {
        let tables = self.expect(item.as_array_of_tables(), path, &format!("written as `[[{path}]]`"), span)?;
        let mut entries = Vec::new();
        for table in tables {
            let span = table.span().unwrap_or_default();
            let mut entry = self.table(table, fields, path);
            if self.has_all(&entry, fields, &format!("`[[{path}]]`"), &span) {
                entry.insert(PLACE.to_owned(), self.place_of(&span));
                entries.push(Value::Object(entry));
            }
        }
        Some(Value::Array(entries))
    }

    /// Whether a table has what it cannot do without.
    fn has_all(&mut self, table: &Map<String, Value>, fields: &[Field], what: &str, span: &Range<usize>) -> bool {
        let missing = fields.iter().filter(|field| field.required && !table.contains_key(field.name));
        let missing: Vec<&str> = missing.map(|field| field.name).collect();
        if !missing.is_empty() {
            self.report(span, format!("this {what} needs `{}`; it is left out", missing.join("` and `")));
        }
        missing.is_empty()
    }

    fn scalar(&mut self, item: &Item, kind: Kind, path: &str) -> Option<Value> {
        let span = item.span().unwrap_or_default();
        match kind {
            Kind::Bool => self.expect(item.as_bool(), path, "true or false", &span).map(Value::from),
            Kind::Text => self.expect(item.as_str(), path, "text in quotes", &span).map(Value::from),
            Kind::Address { schemes, example } => {
                let is_one = |text: &&str| {
                    schemes.iter().any(|scheme| text.split_once("://").is_some_and(|(own, _)| own == *scheme))
                };
                let wanted = format!("an address such as `{example}`");
                self.expect(item.as_str().filter(is_one), path, &wanted, &span).map(Value::from)
            }
            Kind::Event => {
                let name = self.expect(item.as_str(), path, "text in quotes", &span)?;
                self.event(name, path, &span)
            }
            Kind::Pattern => {
                let text = self.expect(item.as_str(), path, "text in quotes", &span)?;
                Some(self.pattern(text, path, &span))
            }
            Kind::Count => {
                let count = item.as_integer().filter(|count| *count >= 1);
                self.expect(count, path, "a whole number of at least 1", &span).map(Value::from)
            }
            Kind::Time => {
                let time = item.as_str().and_then(parse_time);
                let millis = time.and_then(|time| u64::try_from(time.as_millis()).ok());
                self.expect(millis, path, "a time with its unit, such as \"5s\" or \"250ms\"", &span).map(Value::from)
            }
            Kind::Patterns => {
                let list =
                    item.as_array().map(|list| list.iter().filter_map(toml_edit::Value::as_str).map(Value::from));
                self.expect(list.map(Iterator::collect), path, "a list of texts", &span).map(Value::Array)
            }
            Kind::Word(words) => {
                let word = self.expect(item.as_str(), path, "text in quotes", &span)?;
                if words.contains(&word) {
                    return Some(Value::from(word));
                }
                self.add(&span, || {
                    let known = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
                    let hint = closest(word, words.iter().copied()).map(|guess| format!("did you mean `{guess}`?"));
                    (format!("`{path}` is {}, not one of {known}", quoted(word)), hint)
                });
                None
            }
            Kind::Table(_) | Kind::Named(_) | Kind::Entries(_) | Kind::Free | Kind::Rules | Kind::Exceptions => None,
        }
    }

    fn place_of(&self, span: &Range<usize>) -> Value {
        let (line, column) = self.positions.find(span.start);
        Value::from(vec![line, column])
    }

    /// An event under hookrail's name for it or under an agent's. One that does not exist never happens: better to say so
    /// than to wait for it.
    fn event(&mut self, name: &str, path: &str, span: &Range<usize>) -> Option<Value> {
        if let Some(event) = hookrail_dialects::find_event(name) {
            return Some(Value::from(event.as_str()));
        }
        self.add(span, || {
            let names = EventName::KNOWN.iter().map(EventName::as_str).chain(hookrail_dialects::event_names());
            (format!("`{path}` is {}, which is not an event", quoted(name)), spelling::hint(name, names))
        });
        None
    }

    fn pattern(&mut self, text: &str, path: &str, span: &Range<usize>) -> Value {
        if let (_, Some(problem)) = Matcher::compile(Some(text), MatcherStyle::Own) {
            self.report(span, format!("`{path}` {} {problem}", quoted(text)));
        }
        Value::from(text)
    }

    fn expect<T>(&mut self, value: Option<T>, path: &str, what: &str, span: &Range<usize>) -> Option<T> {
        if value.is_none() {
            self.report(span, format!("`{path}` must be {what}"));
        }
        value
    }

    fn report(&mut self, span: &Range<usize>, message: String) {
        self.add(span, || (message, None));
    }

    fn diagnostic(&self, span: &Range<usize>, message: String) -> Diagnostic {
        Diagnostic::new(Origin::new(self.place, Some(self.positions.find(span.start))), message)
    }
}

/// A path of keys, for messages.
fn join(path: &str, key: &str) -> String {
    let key = one_line(key);
    if path.is_empty() { key.into_owned() } else { format!("{path}.{key}") }
}

/// A time with its unit; a bare number would leave people guessing which one.
fn parse_time(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().ok()?;
    let seconds = match unit.trim() {
        "ms" => number / 1000.0,
        "s" => number,
        "m" | "min" => number * 60.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())
}

fn to_json(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return table.iter().map(|(key, item)| (key.to_owned(), to_json(item))).collect();
    }
    if let Some(tables) = item.as_array_of_tables() {
        let table =
            |table: &toml_edit::Table| table.iter().map(|(key, item)| (key.to_owned(), to_json(item))).collect();
        return Value::Array(tables.iter().map(table).collect());
    }
    item.as_value().map_or(Value::Null, value_to_json)
}

fn value_to_json(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(value) => Value::from(*value.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::Array(list) => Value::Array(list.iter().map(value_to_json).collect()),
        toml_edit::Value::InlineTable(table) => {
            table.iter().map(|(key, value)| (key.to_owned(), value_to_json(value))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_good_file_is_read_whole() {
        let text = r#"
[packs.planning]
enabled = true
mode = "enforce"
[hooks."planning/protect-spec-immutability"]
mode = "warn"
on_error = "deny"
timeout = "1.5s"
[[command]]
name = "lint"
event = "AfterTool"
matcher = "Write|Edit"
command = "make lint"
timeout = "250ms"
[isdlc]
protected_branches = ["main", "master"]
nested = { a = 1 }
[core]
protected = ["secrets/"]
"#;
        let reading = read(LayerKind::User, "h.toml", text);
        assert_eq!(reading.diagnostics, []);
        let mut value = Value::Object(reading.value);
        let mut take_place =
            |pointer: &str| value.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(PLACE).unwrap();
        assert_eq!(take_place("/command/0"), json!([9, 1]));
        assert_eq!(take_place("/packs/planning"), json!([2, 8]));
        assert_eq!(take_place("/hooks/planning~1protect-spec-immutability"), json!([5, 8]));
        assert_eq!(
            value,
            json!({
                "packs": {"planning": {"enabled": true, "mode": "enforce"}},
                "hooks": {"planning/protect-spec-immutability": {"mode": "warn", "on_error": "deny", "timeout": 1500}},
                "command": [{"name": "lint", "event": "AfterTool", "matcher": "Write|Edit", "command": "make lint", "timeout": 250}],
                "isdlc": {"protected_branches": ["main", "master"], "nested": {"a": 1}},
                "core": {"protected": ["secrets/"]},
            })
        );
    }

    #[test]
    fn every_mistake_has_its_place_and_the_rest_is_kept() {
        let text = "[pack.x]\nmode = \"off\"\n[packs.core]\nmode = \"enforced\"\nenabled = \"yes\"\n[[command]]\nname = \"a\"\nevent = \"AfterTool\"\n\
                    [[command]]\nname = \"b\"\nevent = \"AfterTool\"\ncommand = \"true\"\ntimeout = 5\nmatcher = \"[x\"\n[[command]]\nname = \"c\"\nevent = \"PreToolUsed\"\ncommand = \"true\"\n[breaker]\nthreshold = 0\n";
        let reading = read(LayerKind::User, "h.toml", text);
        let got: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(
            got,
            [
                "h.toml:1:2: unknown key `pack`\nhint: did you mean `packs`?",
                "h.toml:4:8: `packs.core.mode` is `enforced`, not one of `enforce`, `warn`, `shadow`, `off`\nhint: did you mean `enforce`?",
                "h.toml:5:11: `packs.core.enabled` must be true or false",
                "h.toml:6:1: this `[[command]]` needs `command`; it is left out",
                "h.toml:13:11: `command.timeout` must be a time with its unit, such as \"5s\" or \"250ms\"",
                "h.toml:14:11: `command.matcher` `[x` is not a regular expression (`[` without its `]` at character 1); it only matches that exact text",
                "h.toml:17:9: `command.event` is `PreToolUsed`, which is not an event\nhint: did you mean `PreToolUse`?",
                "h.toml:15:1: this `[[command]]` needs `event`; it is left out",
                "h.toml:20:13: `breaker.threshold` must be a whole number of at least 1",
            ]
        );
        assert_eq!(reading.value["command"].as_array().map(Vec::len), Some(1));
        assert!(!reading.unreadable);
    }

    #[test]
    fn text_that_is_not_toml_is_said_to_be_unreadable() {
        let reading = read(LayerKind::User, "h.toml", "[packs\nx");
        assert!(reading.unreadable);
        assert!(reading.diagnostics[0].to_string().starts_with("h.toml:1:"), "{}", reading.diagnostics[0]);
    }

    #[test]
    fn times_need_a_unit() {
        let cases = [
            ("5s", Some(5000)),
            ("250ms", Some(250)),
            ("1.5s", Some(1500)),
            ("2m", Some(120_000)),
            ("2 min", Some(120_000)),
            ("5", None),
            ("s", None),
            ("0s", None),
            ("5h", None),
        ];
        for (text, millis) in cases {
            assert_eq!(parse_time(text), millis.map(Duration::from_millis), "{text}");
        }
    }
}
