use hookrail_core::Origin;
use std::fmt;

/// Something wrong or doubtful in a hook configuration, for the person who wrote it. What could be read was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it stands.
    pub origin: Origin,
    /// What is wrong: a lowercase fragment, with what was written in backticks.
    pub message: String,
    /// What to do about it, if that can be told.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A remark without a hint.
    #[must_use]
    pub fn new(origin: Origin, message: impl Into<String>) -> Self {
        Self { origin, message: message.into(), hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<hookrail_rules::Fault> for Diagnostic {
    fn from(fault: hookrail_rules::Fault) -> Self {
        Self { origin: fault.origin, message: fault.message, hint: fault.hint }
    }
}

impl Diagnostic {
    /// For a log, where a line is a line.
    #[must_use]
    pub fn one_line(&self) -> String {
        self.to_string().replace("\nhint: ", "; ")
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}
