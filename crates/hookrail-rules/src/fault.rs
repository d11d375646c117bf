//! What is wrong with rules, for the person who wrote them.

use hookrail_core::Origin;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The rule does what it says, but that may not be what was meant.
    Warning,
    Error,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub severity: Severity,
    pub origin: Origin,
    pub message: String,
    pub hint: Option<String>,
}

impl Fault {
    #[must_use]
    pub fn error(origin: Origin, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, origin, message: message.into(), hint: None }
    }

    #[must_use]
    pub fn warning(origin: Origin, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(origin, message) }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With a guess at what was meant, if there is one.
    #[must_use]
    pub(crate) fn guess(self, guess: Option<&str>) -> Self {
        match guess {
            Some(guess) => self.hint(format!("did you mean `{guess}`?")),
            None => self,
        }
    }
}
