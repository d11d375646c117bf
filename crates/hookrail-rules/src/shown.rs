//! Conditions and rules as a person writes them, on one line.

use crate::condition::{Condition, Entry, Key, Selector};
use crate::rule::{PastCondition, Rule};
use hookrail_core::display::one_line;
use std::fmt;

/// `effect = "fs.delete", place = ["home", "outside"]`
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, selector) in self.selectors.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{selector}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |entry: &Entry| match (self.key, entry.pattern.as_str()) {
            (Key::Gap, "true") => "true".to_owned(),
            (_, pattern) => format!("\"{}{}\"", if entry.negated { "!" } else { "" }, one_line(pattern)),
        };
        let entries: Vec<String> = self.entries.iter().map(text).collect();
        match entries.as_slice() {
            [only] => write!(f, "{} = {only}", self.key.name()),
            all => write!(f, "{} = [{}]", self.key.name(), all.join(", ")),
        }
    }
}

impl fmt::Display for PastCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.when)?;
        match self.outcome {
            Some(outcome) => write!(f, ", outcome = \"{}\"", outcome.name()),
            None => Ok(()),
        }
    }
}

impl Rule {
    /// Every key that decides when the rule holds and what it does, with its value.
    #[must_use]
    pub fn keys(&self) -> Vec<(&'static str, String)> {
        let mut keys = vec![
            ("id", self.id.clone()),
            ("layer", self.layer.name().to_owned()),
            ("when", self.when.to_string()),
            ("decide", self.decide.name().to_owned()),
            ("mode", self.mode.as_str().to_owned()),
        ];
        keys.extend(self.after.as_ref().map(|after| ("after", after.to_string())));
        keys.extend(self.unless.as_ref().map(|unless| {
            let since = unless.since.as_ref().map(|since| format!(", since = {{ {since} }}")).unwrap_or_default();
            ("unless", format!("happened = {{ {} }}{since}", unless.happened))
        }));
        keys.extend(self.limit.map(|limit| ("limit", format!("{} per {}", limit.count, limit.per.name()))));
        keys.extend(self.until.clone().map(|until| ("until", until)));
        keys
    }
}
