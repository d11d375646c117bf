//! The phases of the workflow and their order.

use std::fmt;

/// In the order in which they are passed (errata C59).
pub(super) const PHASES: [&str; 10] = [
    "SETUP",
    "RESEARCH",
    "CLARIFICATION",
    "ARCHITECTURE",
    "THINKDEEP",
    "VALIDATION",
    "EXPERT_REVIEW",
    "TEST_STRATEGY",
    "TEST_COVERAGE_VALIDATION",
    "COMPLETION",
];

/// The name of a phase: one word in capitals, whatever the state file has in its place. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phase(String);

impl Phase {
    /// `None` for a text that names none.
    pub fn new(text: &str) -> Option<Self> {
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_uppercase() } else { '_' };
        let name: String = text.trim().chars().take(64).map(safe).collect();
        (!name.is_empty()).then_some(Self(name))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The specification is still being written. A phase nobody knows is past that.
    pub fn is_setup(&self) -> bool {
        self.0 == "SETUP"
    }

    /// The workflow is over.
    pub fn is_completion(&self) -> bool {
        self.0 == "COMPLETION"
    }

    /// The phases that are still to come; all of them after one nobody knows.
    pub fn following(&self) -> &'static [&'static str] {
        let position = PHASES.iter().position(|phase| *phase == self.0);
        position.and_then(|position| PHASES.get(position + 1..)).unwrap_or(&PHASES)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_one_word_and_knows_what_follows() {
        for (text, expected, following) in [
            ("SETUP", Some("SETUP"), 9),
            (" research\n", Some("RESEARCH"), 8),
            ("expert-review", Some("EXPERT_REVIEW"), 3),
            ("COMPLETION", Some("COMPLETION"), 0),
            ("A → B | session=x", Some("A___B___SESSION_X"), 10),
            ("4", Some("4"), 10),
            ("  ", None, 0),
            ("", None, 0),
        ] {
            let phase = Phase::new(text);
            assert_eq!(phase.as_ref().map(Phase::as_str), expected, "{text}");
            assert_eq!(phase.map_or(0, |phase| phase.following().len()), following, "{text}");
        }
    }
}
