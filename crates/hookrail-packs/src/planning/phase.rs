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
    EXPERT_REVIEW,
    "TEST_STRATEGY",
    "TEST_COVERAGE_VALIDATION",
    "COMPLETION",
];

/// The one phase that has no number: the workflow counts nine.
const EXPERT_REVIEW: &str = "EXPERT_REVIEW";

/// The phases that a mode leaves out. A mode that is not listed has all of them.
const LEFT_OUT: [(&str, &[&str]); 3] = [
    ("rapid", &["THINKDEEP", "VALIDATION", EXPERT_REVIEW, "TEST_COVERAGE_VALIDATION"]),
    ("standard", &["THINKDEEP", EXPERT_REVIEW]),
    ("advanced", &[EXPERT_REVIEW]),
];

/// What stands for a text that is too long to be the name of a phase. It is past SETUP like any unknown phase.
const UNREADABLE: &str = "UNREADABLE";
const MAX_CHARS: usize = 64;

/// The name of a phase: one word in capitals, whatever the state file has in its place. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phase(String);

impl Phase {
    /// `None` for a text that names none. `SETUP`, `1`, `Phase 1` and `Phase 1: Setup` are the same phase.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.chars().nth(MAX_CHARS).is_some() {
            return Some(Self(UNREADABLE.to_owned()));
        }
        if let Some(known) = known_phase(text) {
            return Some(Self(known.to_owned()));
        }
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_uppercase() } else { '_' };
        let name: String = text.chars().map(safe).collect();
        (!name.is_empty()).then_some(Self(name))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// It is the name of something, known or not.
    pub fn is_readable(&self) -> bool {
        self.0 != UNREADABLE
    }

    /// The specification is still being written. An unknown phase is past that.
    pub fn is_setup(&self) -> bool {
        self.0 == "SETUP"
    }

    /// The workflow is over.
    pub fn is_completion(&self) -> bool {
        self.0 == "COMPLETION"
    }

    /// The phases of this mode that are still to come; all of them after an unknown phase.
    pub fn following(&self, mode: &str) -> Vec<&'static str> {
        let position = PHASES.iter().position(|phase| *phase == self.0);
        let rest = position.and_then(|position| PHASES.get(position + 1..)).unwrap_or(&PHASES);
        let mode = mode.trim().to_ascii_lowercase();
        let left_out = LEFT_OUT.iter().find(|(name, _)| *name == mode).map_or(&[][..], |(_, phases)| phases);
        rest.iter().copied().filter(|phase| !left_out.contains(phase)).collect()
    }
}

/// The phase that a text names by its name, by its number or by both. The name counts if both are there.
fn known_phase(text: &str) -> Option<&'static str> {
    let mut words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_uppercase)
        .collect();
    if words.len() > 1 && words.first().is_some_and(|word| word == "PHASE") {
        words.remove(0);
    }
    let number = words.first().and_then(|word| word.parse::<usize>().ok());
    if number.is_some() {
        words.remove(0);
    }
    // A whole number may be written as `1.0`.
    if number.is_some() && words.len() == 1 && words.first().is_some_and(|word| word == "0") {
        words.clear();
    }
    let name = words.join("_");
    let by_name = PHASES.iter().copied().find(|phase| *phase == name);
    let numbered = || PHASES.iter().copied().filter(|phase| *phase != EXPERT_REVIEW);
    let has_digits = name.contains(|c: char| c.is_ascii_digit());
    let by_number = number.filter(|_| !has_digits).and_then(|number| numbered().nth(number.checked_sub(1)?));
    by_name.or(by_number)
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
            ("12", Some("12"), 10),
            ("  ", None, 0),
            ("", None, 0),
        ] {
            let phase = Phase::new(text);
            assert_eq!(phase.as_ref().map(Phase::as_str), expected, "{text}");
            assert_eq!(phase.map_or(0, |phase| phase.following("complete").len()), following, "{text}");
        }
    }

    #[test]
    fn a_phase_may_be_given_by_its_number() {
        for (text, expected) in [
            ("1", "SETUP"),
            ("1.0", "SETUP"),
            ("01", "SETUP"),
            ("Phase 1", "SETUP"),
            ("Phase 1: Setup", "SETUP"),
            ("phase_1_setup", "SETUP"),
            ("1. Setup & Prerequisites", "SETUP"),
            ("Phase 1: Research", "RESEARCH"),
            ("4", "ARCHITECTURE"),
            ("6 - Validation", "VALIDATION"),
            ("7", "TEST_STRATEGY"),
            ("8", "TEST_COVERAGE_VALIDATION"),
            ("9", "COMPLETION"),
            ("0", "0"),
            ("10", "10"),
            ("1.5", "1.5"),
            ("phase", "PHASE"),
            ("Setup done", "SETUP_DONE"),
            ("18446744073709551616", "18446744073709551616"),
        ] {
            assert_eq!(Phase::new(text).unwrap().as_str(), expected, "{text}");
        }
    }

    #[test]
    fn a_mode_has_the_phases_it_has() {
        for (mode, expected) in [
            ("rapid", "TEST_STRATEGY COMPLETION"),
            (" Standard", "VALIDATION TEST_STRATEGY TEST_COVERAGE_VALIDATION COMPLETION"),
            ("advanced", "THINKDEEP VALIDATION TEST_STRATEGY TEST_COVERAGE_VALIDATION COMPLETION"),
            ("complete", "THINKDEEP VALIDATION EXPERT_REVIEW TEST_STRATEGY TEST_COVERAGE_VALIDATION COMPLETION"),
            ("", "THINKDEEP VALIDATION EXPERT_REVIEW TEST_STRATEGY TEST_COVERAGE_VALIDATION COMPLETION"),
        ] {
            assert_eq!(Phase::new("ARCHITECTURE").unwrap().following(mode).join(" "), expected, "{mode}");
        }
    }
}
