use super::event::{EventRow, Verdict};
use super::index::Index;
use super::names::Name;

/// Which events are wanted. Everything that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    pub session: Option<String>,
    /// A sub-agent of the session; empty for the main agent.
    pub lane: Option<String>,
    pub project: Option<String>,
    pub agent: Option<String>,
    pub hook: Option<String>,
    /// Only events of many machines have these.
    pub machine: Option<String>,
    pub person: Option<String>,
    /// Any of these.
    pub decisions: Vec<Verdict>,
    /// In what the event is about, its tool, its reason or its name; case does not matter.
    pub text: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    #[error("`{0}` is no decision; the decisions are none, failed, warned, allow, ask, deny and stop")]
    Decision(String),
}

impl Filter {
    /// Reads what the query of a request names; keys of others are left alone.
    pub fn parse(pairs: &[(String, String)]) -> Result<Self, FilterError> {
        let mut filter = Self::default();
        for (key, value) in pairs.iter().filter(|(key, value)| !value.is_empty() || key == "lane") {
            let value = || Some(value.clone());
            match key.as_str() {
                "session" => filter.session = value(),
                "lane" => filter.lane = value(),
                "project" => filter.project = value(),
                "agent" => filter.agent = value(),
                "hook" => filter.hook = value(),
                "machine" => filter.machine = value(),
                "person" => filter.person = value(),
                "q" => filter.text = value(),
                "decision" => filter.decisions = decisions(&value().unwrap_or_default())?,
                _ => {}
            }
        }
        Ok(filter)
    }

    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// The filter with its texts looked up; `None` if no event can match.
    pub fn resolve<'f>(&'f self, index: &Index) -> Option<Resolved<'f>> {
        let find = |text: &Option<String>| match text {
            Some(text) => index.names().find(text).map(Some),
            None => Some(None),
        };
        if self.machine.is_some() || self.person.is_some() {
            return None;
        }
        Some(Resolved {
            session: find(&self.session)?,
            lane: find(&self.lane)?,
            project: find(&self.project)?,
            agent: find(&self.agent)?,
            hook: find(&self.hook)?,
            decisions: &self.decisions,
            text: self.text.as_deref(),
        })
    }
}

fn decisions(words: &str) -> Result<Vec<Verdict>, FilterError> {
    let parse = |word: &str| Verdict::parse(word).ok_or_else(|| FilterError::Decision(word.to_owned()));
    words.split(',').filter(|word| !word.is_empty()).map(parse).collect()
}

/// A filter that can be asked about events of one index.
#[derive(Clone, Debug)]
pub struct Resolved<'f> {
    session: Option<Name>,
    lane: Option<Name>,
    project: Option<Name>,
    agent: Option<Name>,
    hook: Option<Name>,
    decisions: &'f [Verdict],
    text: Option<&'f str>,
}

impl Resolved<'_> {
    pub fn admits(&self, row: &EventRow, index: &Index) -> bool {
        let is = |wanted: Option<Name>, name: Name| wanted.is_none_or(|wanted| wanted == name);
        is(self.session, row.session)
            && is(self.lane, row.lane)
            && is(self.project, row.project)
            && is(self.agent, row.agent)
            && (self.decisions.is_empty() || self.decisions.contains(&row.verdict))
            && self.hook.is_none_or(|hook| row.runs.iter().any(|run| run.hook == hook))
            && self.text.is_none_or(|text| has_text(row, index, text))
    }
}

fn has_text(row: &EventRow, index: &Index, text: &str) -> bool {
    let names = index.names();
    [&*row.subject, names.text(row.tool), &*row.reason, names.text(row.event)]
        .iter()
        .any(|hay| contains_ignoring_case(hay, text))
}

/// ASCII letters match in both cases. Nothing is allocated, because all events are searched while a person types.
fn contains_ignoring_case(hay: &str, needle: &str) -> bool {
    let (hay, needle) = (hay.as_bytes(), needle.as_bytes());
    let Some(first) = needle.first() else { return true };
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    hay.windows(needle.len()).any(|part| {
        part.first().is_some_and(|byte| *byte == lower || *byte == upper) && part.eq_ignore_ascii_case(needle)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_found_in_any_case() {
        for (hay, needle, expected) in
            [("git PUSH", "push", true), ("a", "", true), ("", "a", false), ("Größe", "GR", true), ("ab", "abc", false)]
        {
            assert_eq!(contains_ignoring_case(hay, needle), expected, "{needle} in {hay}");
        }
    }

    #[test]
    fn a_query_names_what_is_wanted_and_a_wrong_decision_is_named() {
        let pairs = |query: &[(&str, &str)]| -> Vec<(String, String)> {
            query.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let filter = Filter::parse(&pairs(&[("decision", "deny,stop"), ("q", ""), ("lane", ""), ("from", "3")]));
        let expected =
            Filter { decisions: vec![Verdict::Deny, Verdict::Stop], lane: Some(String::new()), ..Filter::default() };
        assert_eq!(filter, Ok(expected));
        let wrong = Filter::parse(&pairs(&[("decision", "no")]));
        assert_eq!(wrong, Err(FilterError::Decision("no".to_owned())));
    }
}
