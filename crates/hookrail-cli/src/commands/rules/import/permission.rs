//! One entry of a permission list, in words that all agents share.

use hookrail_rules::RuleDecision;
use std::path::PathBuf;

/// An entry of an agent's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The agent's name.
    pub agent: &'static str,
    pub file: PathBuf,
    pub decision: RuleDecision,
    /// As the list has it.
    pub entry: String,
    pub meaning: Meaning,
}

/// What an entry is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Commands that begin with these words.
    Command(Vec<String>),
    /// Commands that are one of these, word for word; a star stands for anything.
    Text(Vec<String>),
    /// Reading files of this pattern.
    Read(String),
    /// Changing files of this pattern.
    Change(String),
    /// Fetching from this host.
    Host(String),
    /// Every call of a tool, by our word for it or the agent's name.
    Tool(String),
    /// Something that rules cannot say, and why.
    Unclear(String),
}

impl Permission {
    /// A name for the rule: `claude-deny-git-push`.
    pub fn id(&self) -> String {
        let about = match &self.meaning {
            Meaning::Command(words) => words.join("-"),
            Meaning::Text(patterns) => patterns.first().cloned().unwrap_or_default(),
            Meaning::Read(pattern) => format!("read-{pattern}"),
            Meaning::Change(pattern) => format!("change-{pattern}"),
            Meaning::Host(host) => host.clone(),
            Meaning::Tool(tool) => tool.clone(),
            Meaning::Unclear(_) => String::new(),
        };
        let mut id = format!("{}-{}", self.agent, self.decision.name());
        let words = about.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'));
        for word in words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()) {
            id.push('-');
            id.push_str(&word.to_lowercase());
        }
        id.chars().take(60).collect()
    }
}

/// The words of a command, if a shell would take it as one plain command.
pub fn words(command: &str) -> Option<Vec<String>> {
    let odd = |c: char| "'\"\\$`|&;<>()*?[]{}#~\n".contains(c);
    if command.contains(odd) {
        return None;
    }
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    (!words.is_empty()).then_some(words)
}

/// Commands as Claude Code writes them: `git push:*` and `git push *` are every command that begins so, `git push` is that
/// one alone.
pub fn commands(text: &str) -> Meaning {
    let trimmed = text.trim();
    let is_pattern = trimmed == "*" || trimmed.ends_with(":*") || trimmed.ends_with(" *");
    match prefix(trimmed) {
        Meaning::Command(words) if !is_pattern => Meaning::Text(vec![words.join(" ")]),
        Meaning::Unclear(_) if is_plain_pattern(trimmed) => Meaning::Text(vec![trimmed.replace(":*", " *")]),
        meaning => meaning,
    }
}

/// Whether a pattern has nothing in it but words and stars: `git * main`, `npm run *:unit`.
pub fn is_plain_pattern(text: &str) -> bool {
    !text.contains(|c: char| "'\"\\$`|&;<>()?[]{}#~\n".contains(c)) && !text.starts_with(['*', ' ']) && !text.is_empty()
}

/// A prefix of commands as agents write it: `git push`, `git push:*`, `git push *`.
pub fn prefix(text: &str) -> Meaning {
    let trimmed = text.trim();
    let bare = trimmed.strip_suffix(":*").or_else(|| trimmed.strip_suffix(" *")).unwrap_or(trimmed);
    if bare == "*" || bare.is_empty() {
        return Meaning::Tool("shell".to_owned());
    }
    match words(bare) {
        Some(words) => Meaning::Command(words),
        None => Meaning::Unclear("it matches the text of commands, and rules speak of what commands do".to_owned()),
    }
}

/// Why an entry has no rule.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Untranslated(String);

impl Untranslated {
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl std::fmt::Display for Untranslated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
