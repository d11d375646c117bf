//! The filter as a person types it: words, and `project:`, `agent:`, `hook:`, `decision:` before a value.

use crate::journal::{Filter, Verdict};

/// Reads what was typed. A value that is not known yet is looked for in the names that are.
pub fn parse(typed: &str, session: Option<&str>, known: &dyn Fn(&str, &str) -> Option<String>) -> Filter {
    let mut filter = Filter { session: session.map(str::to_owned), ..Filter::default() };
    let mut words = Vec::new();
    for word in typed.split_whitespace() {
        let (key, value) = word.split_once(':').unwrap_or(("", word));
        let name = || Some(known(key, value).unwrap_or_else(|| value.to_owned()));
        match key {
            "project" => filter.project = name(),
            "agent" => filter.agent = name(),
            "hook" => filter.hook = name(),
            "decision" => filter.decisions = value.split(',').filter_map(Verdict::parse).collect(),
            _ => words.push(word),
        }
    }
    filter.text = Some(words.join(" ")).filter(|text| !text.is_empty());
    filter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_searched_and_named_values_are_completed() {
        let known = |key: &str, value: &str| (key == "project").then(|| format!("/home/ada/{value}"));
        let filter = parse("git push project:shop decision:deny,ask agent:claude", Some("s1"), &known);
        assert_eq!(filter.text.as_deref(), Some("git push"));
        assert_eq!(filter.project.as_deref(), Some("/home/ada/shop"));
        assert_eq!(filter.agent.as_deref(), Some("claude"));
        assert_eq!(filter.decisions, [Verdict::Deny, Verdict::Ask]);
        assert_eq!(filter.session.as_deref(), Some("s1"));
        assert_eq!(parse("  ", None, &known), Filter::default());
    }
}
