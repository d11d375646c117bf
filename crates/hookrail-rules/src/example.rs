//! Calls that show what a rule is about, checked when it is loaded.

use crate::rule::RuleDecision;
use serde_json::{Value, json};

/// The examples of a rule, by what it must say about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Examples {
    pub list: Vec<Example>,
}

/// One example.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// What the rule must decide; `None` is nothing.
    pub expected: Option<RuleDecision>,
    pub call: ExampleCall,
    /// Line and column in its file.
    pub position: Option<(u32, u32)>,
}

/// A call of a tool under circumstances that can be told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExampleCall {
    /// The agent's name of the tool; Claude Code's names are understood.
    pub tool: String,
    pub input: Value,
    pub agent: Option<String>,
    /// `main`, or `subagent:NAME`.
    pub role: Option<String>,
    /// The permission mode.
    pub mode: Option<String>,
    pub branch: Option<String>,
    /// `clean` or `dirty`.
    pub tree: Option<String>,
    /// Commands that ran before and succeeded.
    pub after: Vec<String>,
}

/// The keys of an example that is written as a table.
pub(crate) const CALL_KEYS: &[&str] = &["command", "tool", "input", "agent", "role", "mode", "branch", "tree", "after"];

impl ExampleCall {
    /// A shell command.
    #[must_use]
    pub fn shell(command: &str) -> Self {
        Self { tool: "Bash".to_owned(), input: json!({ "command": command }), ..Self::default() }
    }

    /// What a person is shown: the command, or the tool with what it is about.
    #[must_use]
    pub fn shown(&self) -> String {
        match self.input.get("command").and_then(Value::as_str) {
            Some(command) => command.to_owned(),
            None => format!("{} {}", self.tool, self.input),
        }
    }
}

impl Examples {
    pub fn of(&self, expected: Option<RuleDecision>) -> impl Iterator<Item = &ExampleCall> {
        self.list.iter().filter(move |example| example.expected == expected).map(|example| &example.call)
    }
}
