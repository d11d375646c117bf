//! A hook's `matcher`, taken apart.

use hookrail_core::{Matcher, MatcherProblem, MatcherStyle};
use hookrail_dialects::{Agent, MatcherSyntax, McpNames, Target};
use std::ops::Range;

/// A matcher as its agent reads it.
#[derive(Debug)]
pub(crate) struct MatcherView<'a> {
    pub agent: &'static Agent,
    pub text: &'a str,
    pub problem: Option<MatcherProblem>,
    compiled: Matcher,
    anchored: bool,
}

/// One of the things a matcher names, between `|`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alternative<'a> {
    pub text: &'a str,
    /// Where it stands in the matcher.
    pub range: Range<usize>,
}

impl Alternative<'_> {
    /// A name, not a pattern.
    pub fn is_plain(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|c| c.is_ascii_alphanumeric() || "_-:".contains(c))
    }
}

impl<'a> MatcherView<'a> {
    pub fn new(agent: &'static Agent, text: &'a str) -> Self {
        let whole = match agent.format.matcher {
            MatcherSyntax::Names | MatcherSyntax::Pattern | MatcherSyntax::Ignored => None,
            MatcherSyntax::Anchored => Some(format!("^(?:{text})$")),
            MatcherSyntax::Glob => Some(glob_pattern(text)),
        };
        let (compiled, problem) = Matcher::compile(Some(whole.as_deref().unwrap_or(text)), agent.matcher_style());
        let anchored = whole.is_some() || (text.starts_with('^') && text.ends_with('$'));
        Self { agent, text, problem, compiled, anchored }
    }

    pub fn matches_everything(&self) -> bool {
        matches!(self.text.trim(), "" | "*")
    }

    /// Whether it is compared as a pattern, not as a list of names.
    pub fn is_pattern(&self) -> bool {
        let in_list = |c: char| c.is_ascii_alphanumeric() || "_-|, ".contains(c);
        self.agent.matcher_style() == MatcherStyle::Pattern || !self.text.chars().all(in_list)
    }

    /// Whether it also matches names that merely contain what it says.
    pub fn is_loose(&self) -> bool {
        self.is_pattern() && !self.anchored
    }

    pub fn matches(&self, name: &str) -> bool {
        self.compiled.matches_name(name)
    }

    /// What it names. A group around everything (`^(A|B)$`) is looked into.
    pub fn alternatives(&self) -> Vec<Alternative<'a>> {
        let commas = self.agent.matcher_style() == MatcherStyle::Names && !self.is_pattern();
        let (inner, offset) = inner(self.text);
        split(inner, commas)
            .into_iter()
            .map(|range| {
                let part = inner.get(range.clone()).unwrap_or_default();
                let start = offset + range.start + (part.len() - part.trim_start().len());
                let text = part.trim();
                Alternative { text, range: start..start + text.len() }
            })
            .collect()
    }

    /// Whether one alternative can be a tool of this agent, built in or of an MCP server.
    pub fn may_be_tool(&self, alternative: &Alternative<'_>) -> bool {
        let agent = self.agent;
        if agent.tool_aliases.iter().any(|(alias, _)| *alias == alternative.text) {
            return true;
        }
        if alternative.is_plain() && alternative.text.starts_with("mcp_") {
            return self.may_be_mcp_tool(alternative.text);
        }
        if agent.mcp().pattern() == Some(alternative.text) {
            return true;
        }
        // Tools of MCP servers can be called anything.
        if alternative.text.contains("mcp") {
            return true;
        }
        let alone = if self.anchored { format!("^(?:{})$", alternative.text) } else { alternative.text.to_owned() };
        let alone = MatcherView::new(agent, &alone);
        agent.tool_names().any(|tool| alone.matches(tool))
    }

    fn may_be_mcp_tool(&self, name: &str) -> bool {
        if self.agent.mcp() == McpNames::Single {
            return !name.starts_with("mcp__");
        }
        let whole = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
        let complete = whole.is_some_and(|(server, tool)| !server.is_empty() && !tool.is_empty());
        complete || (self.is_loose() && name.starts_with("mcp__"))
    }

    /// Whether one alternative can be among an event's words.
    pub fn may_be_word(&self, alternative: &Alternative<'_>, words: &[&str]) -> bool {
        let alone = MatcherView::new(self.agent, alternative.text);
        words.iter().any(|word| alone.matches(word))
    }

    /// Tools it selects only because it is not anchored.
    pub fn caught_unanchored(&self) -> Vec<&'static str> {
        if !self.is_pattern() || self.problem.is_some() || self.matches_everything() {
            return Vec::new();
        }
        let anchored = format!("^(?:{})$", self.text);
        let anchored = MatcherView::new(self.agent, &anchored);
        self.agent.tool_names().filter(|tool| self.matches(tool) && !anchored.matches(tool)).collect()
    }
}

/// A glob, or what stands behind `re:`, as a regular expression for whole names.
fn glob_pattern(text: &str) -> String {
    if let Some(pattern) = text.strip_prefix("re:") {
        return format!("^(?:{pattern})$");
    }
    let mut pattern = "(?i)^".to_owned();
    for c in text.chars() {
        match c {
            '*' => pattern.push_str(".*"),
            '?' => pattern.push('.'),
            c if c.is_ascii_alphanumeric() || c == '_' => pattern.push(c),
            c => {
                pattern.push('\\');
                pattern.push(c);
            }
        }
    }
    pattern + "$"
}

/// Words an event's matcher is compared with, if there is a list of them.
pub(crate) fn words(target: Target) -> Option<&'static [&'static str]> {
    match target {
        Target::Words(words) | Target::ExactWords(words) => Some(words),
        Target::Tool | Target::Name | Target::Nothing => None,
    }
}

/// Takes off anchors and a group around everything.
fn inner(text: &str) -> (&str, usize) {
    let mut start = text.len() - text.trim_start_matches('^').len();
    let mut inner = text.get(start..).unwrap_or_default();
    inner = inner.strip_suffix('$').unwrap_or(inner);
    for open in ["(?:", "("] {
        if let Some(body) = inner.strip_prefix(open).and_then(|body| body.strip_suffix(')'))
            && !body.contains(['(', ')'])
        {
            start += open.len();
            inner = body;
            break;
        }
    }
    (inner, start)
}

/// The parts between `|` outside of groups and classes.
fn split(text: &str, commas: bool) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut escaped) = (0_usize, 0, false);
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '\\' => escaped = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '|' | ',' if depth == 0 && (c == '|' || commas) => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..text.len());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_dialects::agent;

    #[test]
    fn a_matcher_is_taken_apart() {
        let cases: [(&str, &[&str]); 6] = [
            ("Write", &["Write"]),
            ("Write|Edit", &["Write", "Edit"]),
            ("Write, Edit", &["Write", "Edit"]),
            ("^(?:Write|Edit)$", &["Write", "Edit"]),
            ("mcp__.*|(a|b)c", &["mcp__.*", "(a|b)c"]),
            ("Write|", &["Write", ""]),
        ];
        for (text, expected) in cases {
            let view = MatcherView::new(agent("claude").unwrap(), text);
            let alternatives = view.alternatives();
            let got: Vec<&str> = alternatives.iter().map(|alternative| alternative.text).collect();
            assert_eq!(got, expected, "{text}");
            for alternative in alternatives {
                assert_eq!(&text[alternative.range.clone()], alternative.text);
            }
        }
    }

    #[test]
    fn what_can_be_a_tool_depends_on_the_agent() {
        let cases = [
            ("claude", "Bash", true),
            ("claude", "bash", false),
            ("claude", "mcp__memory", false),
            ("claude", "mcp__memory__.*", true),
            ("claude", "mcp__memory__read", true),
            ("gemini", "write_", true),
            ("gemini", "Write", false),
            ("gemini", "mcp__memory__read", false),
            ("gemini", "mcp_memory_read", true),
            ("codex", "Write", true),
            ("codex", "Read", false),
        ];
        for (name, text, expected) in cases {
            let view = MatcherView::new(agent(name).unwrap(), text);
            assert_eq!(view.may_be_tool(&view.alternatives()[0]), expected, "{name} {text}");
        }
    }

    #[test]
    fn what_a_missing_anchor_catches_is_named() {
        let cases: [(&str, &str, &[&str]); 5] = [
            ("claude", "Write.*", &["TodoWrite"]),
            ("claude", "Write|Edit", &[]),
            ("claude", "^(Write|Edit)$", &[]),
            ("gemini", "write_file", &[]),
            ("gemini", "write", &["write_file", "write_todos"]),
        ];
        for (name, text, expected) in cases {
            assert_eq!(MatcherView::new(agent(name).unwrap(), text).caught_unanchored(), expected, "{name} {text}");
        }
    }
}
