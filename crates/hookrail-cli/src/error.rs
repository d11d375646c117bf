//! Why a command could not do its work: what is wrong, and what to do about it.

use crate::screen::{Level, Snippet};
use hookrail_core::display::one_line;
use hookrail_core::spelling;
use std::fmt;
use std::path::Path;

/// Where the mistake is. Every kind ends with the same exit code: agents give meaning to most of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command line: it names something that does not exist, or asks for what cannot be done.
    Usage,
    /// A file, standard input or a record that cannot be understood.
    Input,
    /// The machine: a file, a process or a connection failed.
    Machine,
    /// The command is reserved for a person at a terminal.
    Person,
    /// hookrail itself.
    Internal,
}

/// An error of a command, as a person reads it. Hints name the next step and are printed on lines of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    pub kind: ErrorKind,
    pub message: String,
    pub hints: Vec<String>,
    /// The message beside the line of text it is about, ready to be printed.
    pub snippet: Option<String>,
}

impl CliError {
    pub fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        // Errors of libraries bring their hint in their text.
        let text = without_numbers(&message.to_string());
        let mut parts = text.split("\nhint: ").map(str::to_owned);
        let message = parts.next().unwrap_or_default();
        Self { kind, message, hints: parts.collect(), snippet: None }
    }

    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    pub fn input(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Input, message)
    }

    pub fn machine(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Machine, message)
    }

    pub fn person(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Person, message)
    }

    pub fn internal(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Internal, message).hint("this is a bug in hookrail; please report it")
    }

    /// A file that a person named and that cannot be read.
    pub fn unreadable(path: &Path, error: impl fmt::Display) -> Self {
        Self::machine(format!("cannot read `{}`: {error}", path.display()))
    }

    /// A name that does not exist, with the closest known one, or all of them where they fit on a line.
    pub fn unknown<'n>(what: &str, name: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        let error = Self::usage(format!("unknown {what} `{}`", one_line(name)));
        spelling::hint(name, known).into_iter().fold(error, Self::hint)
    }

    /// A mistake at a place in a text.
    pub fn in_source(snippet: &Snippet<'_>) -> Self {
        let error = Self::input(snippet.message);
        let error = snippet.hint.into_iter().fold(error, Self::hint);
        Self { snippet: Some(snippet.to_string()), ..error }
    }

    /// A text that should be JSON.
    pub fn not_json(name: &str, text: &str, error: &serde_json::Error, hint: &str) -> Self {
        let why = error.to_string();
        let why = why.split(" at line ").next().unwrap_or_default();
        Self::in_source(&Snippet {
            level: Level::Error,
            code: None,
            message: &format!("{name} is not JSON: {why}"),
            file: name,
            source: text,
            line: error.line(),
            column: error.column(),
            length: 1,
            hint: Some(hint),
        })
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The same error, found while doing something.
    #[must_use]
    pub fn while_doing(mut self, action: impl fmt::Display) -> Self {
        self.message = format!("{action}: {}", self.message);
        self
    }
}

/// What the system calls an error is clear without its number.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(')').map_or(part, |(_, rest)| rest))
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.hints.iter().try_for_each(|hint| write!(f, "\nhint: {hint}"))
    }
}

impl std::error::Error for CliError {}

#[cfg(feature = "ui")]
impl From<CliError> for hookrail_ui::Refused {
    fn from(error: CliError) -> Self {
        Self(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_a_message_and_its_hints() {
        let many: Vec<String> = (0..30).map(|number| format!("a-long-name-{number}")).collect();
        for (error, expected) in [
            (CliError::usage("no such thing"), "no such thing"),
            (CliError::usage("no").hint("one").hint("two"), "no\nhint: one\nhint: two"),
            (CliError::machine("broken\nhint: mend it"), "broken\nhint: mend it"),
            (CliError::input("broken").while_doing("reading"), "reading: broken"),
            (
                CliError::unknown("agent", "cluade", ["claude", "gemini"]),
                "unknown agent `cluade`\nhint: did you mean `claude`?",
            ),
            (
                CliError::unknown("agent", "emacs-copilot", ["claude", "gemini"]),
                "unknown agent `emacs-copilot`\nhint: expected one of claude, gemini",
            ),
            (CliError::unknown("rule", "x", many.iter().map(String::as_str)), "unknown rule `x`"),
            (
                CliError::unknown("rule", "force-psuh", ["safety/force-push", "safety/delete"]),
                "unknown rule `force-psuh`\nhint: did you mean `safety/force-push`?",
            ),
            (CliError::machine("cannot read `x`: Is a directory (os error 21)"), "cannot read `x`: Is a directory"),
        ] {
            assert_eq!(error.to_string(), expected);
        }
    }
}
