use crate::js_regex::{JsRegex, JsRegexError, Matched};
use std::fmt;

/// How an agent reads the `matcher` of a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatcherStyle {
    /// LLxprt Code and Gemini CLI: an unanchored regular expression, always.
    #[default]
    Pattern,
    /// Claude Code: a name or a list of names (`|` or `,`) is exact; anything else is an unanchored regular expression (errata X6).
    Names,
    /// `hookrail.toml`: an unanchored regular expression for names of tools; words that say why an event happened are
    /// compared as Claude Code does it.
    Own,
}

/// A hook's `matcher`, compiled once when it is loaded.
#[derive(Clone, Debug)]
pub struct Matcher {
    text: Option<Box<str>>,
    rule: Rule,
    style: MatcherStyle,
}

#[derive(Clone, Debug)]
enum Rule {
    All,
    Names(Vec<Box<str>>),
    Regex(JsRegex),
    /// Not a regular expression, so only the very same text matches (HOOK-088).
    Literal,
}

/// Something its author should know about a matcher that was nevertheless accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatcherProblem {
    /// Compared as plain text, because it is not a regular expression.
    NotARegex(String),
    /// A regular expression no engine here can run: the hook runs on everything rather than on nothing.
    Unsupported(String),
}

impl fmt::Display for MatcherProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARegex(why) => write!(f, "is not a regular expression ({why}); it only matches that exact text"),
            Self::Unsupported(why) => write!(f, "cannot be decided: {why}; the hook runs on everything"),
        }
    }
}

impl Matcher {
    /// Matches whatever happens.
    #[must_use]
    pub fn all() -> Self {
        Self { text: None, rule: Rule::All, style: MatcherStyle::default() }
    }

    /// Total: every text is a matcher, some with a remark for their author.
    #[must_use]
    pub fn compile(text: Option<&str>, style: MatcherStyle) -> (Self, Option<MatcherProblem>) {
        let Some(text) = text.map(str::trim) else { return (Self { style, ..Self::all() }, None) };
        // `*` is not a regular expression; it must not reach the one that would make it a literal (errata B21).
        let (rule, problem) = match text {
            "" | "*" => (Rule::All, None),
            names if style == MatcherStyle::Names && is_name_list(names) => {
                (Rule::Names(names.split(['|', ',']).map(|name| name.trim().into()).collect()), None)
            }
            pattern => compile_pattern(pattern),
        };
        (Self { text: Some(text.into()), rule, style }, problem)
    }

    /// Whether a matcher of `hookrail.toml` is so plain, words and `|`, that it can be told without compiling it that it does not
    /// match. A `false` means nothing.
    #[must_use]
    pub fn rules_out(text: &str, subject: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'|');
        let mut words = text.as_bytes().split(|byte| *byte == b'|');
        !text.is_empty() && text.bytes().all(plain) && !words.any(|word| occurs(word, subject.as_bytes()))
    }

    /// What was configured, trimmed.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Compares as a pattern, for tool and agent names. A pattern too hard to decide counts as a match: a guard that
    /// cannot tell must run.
    #[must_use]
    pub fn matches_name(&self, name: &str) -> bool {
        match &self.rule {
            Rule::All => true,
            Rule::Names(names) => names.iter().any(|candidate| same_tool(candidate, name)),
            Rule::Regex(regex) => match regex.is_match(name) {
                Matched::Yes | Matched::Undecided => true,
                Matched::No => false,
            },
            Rule::Literal => self.text() == Some(name),
        }
    }

    /// Compares with the word that says why an event happened. LLxprt Code and Gemini CLI know one word there; in the other
    /// formats it may be a list or a pattern, as for tools.
    #[must_use]
    pub fn matches_trigger(&self, trigger: &str) -> bool {
        match (self.style, self.text()) {
            (_, None | Some("" | "*")) => true,
            (MatcherStyle::Pattern, Some(text)) => text == trigger,
            (MatcherStyle::Own, Some(list)) if is_name_list(list) => {
                list.split(['|', ',']).any(|word| word.trim() == trigger)
            }
            (MatcherStyle::Names | MatcherStyle::Own, Some(_)) => self.matches_name(trigger),
        }
    }

    /// Whose reading of matchers it follows.
    #[must_use]
    pub fn style(&self) -> MatcherStyle {
        self.style
    }
}

fn compile_pattern(pattern: &str) -> (Rule, Option<MatcherProblem>) {
    match JsRegex::new(pattern) {
        Ok(regex) => (Rule::Regex(regex), None),
        Err(error @ JsRegexError::Invalid { .. }) => {
            (Rule::Literal, Some(MatcherProblem::NotARegex(error.to_string())))
        }
        Err(error @ JsRegexError::Unsupported { .. }) => {
            (Rule::All, Some(MatcherProblem::Unsupported(error.to_string())))
        }
    }
}

fn is_name_list(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '|' | ',' | ' '))
}

/// Claude Code renamed its delegation tool; configurations written for either name keep working (errata X8).
fn same_tool(candidate: &str, name: &str) -> bool {
    const DELEGATION: [&str; 2] = ["Task", "Agent"];
    candidate == name || (DELEGATION.contains(&candidate) && DELEGATION.contains(&name))
}

/// Whether a word stands somewhere in a short text. The standard library prepares a search for that, which takes longer than
/// most of these searches do.
fn occurs(word: &[u8], text: &[u8]) -> bool {
    word.is_empty() || text.windows(word.len()).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ruled_out_does_not_match() {
        let texts =
            ["Write", "Write|Edit", "Wri", "a-b_c", "", "*", "W.*e", "Write|", "|", "write", "Write,Edit", "^Write$"];
        let subjects = ["Write", "Edit", "MultiEdit", "NotebookEdit", "a-b_c", "x", ""];
        let mut ruled_out = 0;
        for text in texts {
            let matcher = Matcher::compile(Some(text), MatcherStyle::Own).0;
            for subject in subjects {
                if Matcher::rules_out(text, subject) {
                    ruled_out += 1;
                    assert!(!matcher.matches_name(subject) && !matcher.matches_trigger(subject), "{text} {subject}");
                }
            }
        }
        assert!(ruled_out > 20, "{ruled_out}");
        assert!(!Matcher::rules_out("Write|Edit", "MultiEdit"), "a pattern is not anchored");
    }
}
