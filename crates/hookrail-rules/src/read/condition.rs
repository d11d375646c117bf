//! Conditions: tables of selectors.

use super::RuleReader;
use crate::condition::{Condition, Entry, Key, NO_EFFECT, Selector};
use crate::fault::Fault;
use crate::pattern::matches_text;
use hookrail_core::display::quoted;
use hookrail_core::spelling;
use hookrail_effects::{Act, Data, GapReason, Location};
use toml_edit::{Item, Value};

impl RuleReader<'_> {
    /// Reads the selectors of a table. `beside` are keys of the table that are none.
    pub(super) fn condition(&mut self, item: &Item, path: &str, beside: &[&str]) -> Option<Condition> {
        let table = self.inline_table(item, path)?;
        let known: Vec<&str> = Key::ALL.iter().map(|key| key.name()).chain(beside.iter().copied()).collect();
        self.check_keys(table, &known, path);
        let mut selectors = Vec::new();
        for (name, item) in table.iter() {
            if let Some(key) = Key::parse(name) {
                selectors.extend(self.selector(key, item, &format!("{path}.{name}")));
            }
        }
        if selectors.is_empty() {
            self.error(&item.span(), format!("`{path}` selects nothing; it is left out"));
            return None;
        }
        selectors.sort_by_key(|selector: &Selector| selector.key);
        Some(Condition { selectors })
    }

    fn selector(&mut self, key: Key, item: &Item, path: &str) -> Option<Selector> {
        let Some(value) = item.as_value() else {
            self.error(&item.span(), format!("`{path}` must be text in quotes or a list of texts"));
            return None;
        };
        let mut entries = Vec::new();
        match value {
            Value::Array(list) => {
                for value in list {
                    entries.extend(self.entry(key, value, path));
                }
                if list.is_empty() {
                    self.error(&item.span(), format!("`{path}` is an empty list, which nothing matches"));
                }
            }
            value => entries.extend(self.entry(key, value, path)),
        }
        if !entries.is_empty() {
            return Some(Selector { key, entries });
        }
        // All entries were wrong, and that was said. Where they only excluded something there is nothing to exclude;
        // otherwise nothing matches.
        let excludes = |value: &Value| value.as_str().is_some_and(|text| text.starts_with('!'));
        let only_excluded = value.as_array().map_or_else(|| excludes(value), |list| list.iter().all(excludes));
        let nothing = Entry { negated: false, pattern: NOTHING.to_owned() };
        (!only_excluded).then(|| Selector { key, entries: vec![nothing] })
    }

    fn entry(&mut self, key: Key, value: &Value, path: &str) -> Option<Entry> {
        let span = value.span();
        if key == Key::Gap && value.as_bool() == Some(true) {
            return Some(Entry { negated: false, pattern: "true".to_owned() });
        }
        let Some(text) = value.as_str().filter(|text| !text.trim_start_matches('!').is_empty()) else {
            let form = if key == Key::Gap { "true or a reason in quotes" } else { "text in quotes or a list of texts" };
            self.error(&span, format!("`{path}` must be {form}"));
            return None;
        };
        let entry = Entry::parse(text);
        let words = self.words(key);
        if words.is_empty() || words.iter().any(|word| matches_text(&entry.pattern, word)) {
            return Some(entry);
        }
        // Roles may name a subagent, which cannot be listed.
        if key == Key::Role && entry.pattern.starts_with("subagent:") {
            return Some(entry);
        }
        let what = if entry.pattern.contains('*') { format!("which matches no {}", key.name()) } else { unknown(key) };
        let fault = Fault::error(self.origin(&span), format!("`{path}` is {}, {what}", quoted(text)));
        let hint = spelling::hint(&entry.pattern, words.iter().copied());
        self.file.faults.push(fault.hint(hint.unwrap_or_else(|| format!("expected one of {}", words.join(", ")))));
        None
    }

    /// The words that a selector may be, if they can be listed.
    fn words(&self, key: Key) -> Vec<&'static str> {
        match key {
            Key::Agent => self.source.agents.to_vec(),
            _ => words(key),
        }
    }
}

/// The words that a selector may be, as far as this crate knows them.
pub(crate) fn words(key: Key) -> Vec<&'static str> {
    match key {
        Key::Effect => Act::ALL.iter().map(|act| act.name()).chain([NO_EFFECT]).collect(),
        Key::Place => Location::ALL.iter().map(|place| place.name()).collect(),
        Key::Gap => std::iter::once("true").chain(GapReason::ALL.iter().map(|reason| reason.name())).collect(),
        Key::Sure => vec!["certain", "possible"],
        Key::Tree => vec!["clean", "dirty"],
        Key::Role => vec!["main", "subagent"],
        Key::Data => Data::ALL.iter().map(|data| data.name()).collect(),
        Key::Path
        | Key::Host
        | Key::Program
        | Key::Command
        | Key::Tool
        | Key::Agent
        | Key::Mode
        | Key::Branch
        | Key::Target => Vec::new(),
    }
}

/// A pattern that matches no text: nothing that is compared is empty.
const NOTHING: &str = "";

fn unknown(key: Key) -> String {
    let article = if matches!(key, Key::Effect | Key::Agent) { "an" } else { "a" };
    format!("which is not {article} {}", key.name())
}
