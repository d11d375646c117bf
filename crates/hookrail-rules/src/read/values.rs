//! Single values.

use super::RuleReader;
use crate::fault::Fault;
use hookrail_core::display::quoted;
use hookrail_core::spelling::closest;
use toml_edit::{Item, Table, TableLike};

impl RuleReader<'_> {
    /// A text, if the key is there.
    pub(super) fn text(&mut self, table: &Table, key: &str) -> Option<String> {
        let item = table.get(key)?;
        self.plain_text(item, key)
    }

    pub(super) fn plain_text(&mut self, item: &Item, path: &str) -> Option<String> {
        let text = item.as_str().filter(|text| !text.trim().is_empty());
        if text.is_none() {
            self.error(&item.span(), format!("`{path}` must be text in quotes"));
        }
        text.map(str::to_owned)
    }

    pub(super) fn word(&mut self, table: &Table, key: &str, words: &[&'static str]) -> Option<&'static str> {
        let word = self.one_of(table.get(key)?, key, words)?;
        words.iter().copied().find(|known| *known == word)
    }

    /// One of some words.
    pub(super) fn one_of(&mut self, item: &Item, path: &str, words: &[&str]) -> Option<String> {
        let word = self.plain_text(item, path)?;
        if words.contains(&word.as_str()) {
            return Some(word);
        }
        let known = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let message = format!("`{path}` is {}, not one of {known}", quoted(&word));
        let fault = Fault::error(self.origin(&item.span()), message).guess(closest(&word, words.iter().copied()));
        self.file.faults.push(fault);
        None
    }

    pub(super) fn inline_table<'t>(&mut self, item: &'t Item, path: &str) -> Option<&'t dyn TableLike> {
        let table = item.as_table_like();
        if table.is_none() {
            self.error(&item.span(), format!("`{path}` must be a table, such as `{{ effect = \"fs.delete\" }}`"));
        }
        table
    }

    /// `until = 2026-12-31`, with or without quotes.
    pub(super) fn date(&mut self, table: &Table) -> Option<String> {
        let item = table.get("until")?;
        let text = match item.as_value() {
            Some(toml_edit::Value::String(text)) => Some(text.value().clone()),
            Some(toml_edit::Value::Datetime(time)) => Some(time.value().to_string()),
            _ => None,
        };
        let date = text.filter(|text| is_date(text));
        if date.is_none() {
            self.error(&item.span(), "`until` must be a date, such as `2026-12-31`".to_owned());
        }
        date
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |text: &str, digits: usize| {
        (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse::<u32>().ok())?
    };
    let [year, month, day] = parts.as_slice() else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn a_date_is_one_of_the_calendar() {
        for (text, expected) in [
            ("2026-12-31", true),
            ("2028-02-29", true),
            ("2026-02-29", false),
            ("2026-13-01", false),
            ("2026-1-1", false),
            ("2026-12-31T10:00:00", false),
            ("soon", false),
        ] {
            assert_eq!(is_date(text), expected, "{text}");
        }
    }
}
