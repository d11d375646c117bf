//! The words of a prompt.

/// What a model wrote, word by word, in small letters. `06-implementation` is one word, and so is a path: a phase's name
/// within `docs/06-implementation/plan.md` names no phase.
pub(super) fn words(text: &str) -> Vec<String> {
    let belongs = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '\\' | '.');
    let words = text.split(|c: char| !belongs(c)).map(|word| word.trim_end_matches(['.', '-']).to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

/// The first line with something on it.
pub(super) fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// An agent's, skill's or command's own name: no slash, no plugin before it.
pub(super) fn bare_name(name: &str) -> String {
    let name = name.trim().trim_start_matches('/');
    name.rsplit(':').next().unwrap_or(name).to_lowercase()
}

/// Whether a phase is named by one of these words, or by its number behind the word `phase`.
pub(super) fn position_of_phase(words: &[String], phase: &str) -> Option<usize> {
    let phase = phase.to_lowercase();
    let number = phase.split_once('-').map(|(number, _)| number);
    words.iter().enumerate().position(|(index, word)| {
        let suffixed = ["-agent", "-phase"].iter().any(|end| word.strip_suffix(end) == Some(&phase));
        let numbered = number.is_some_and(|number| {
            let padded = |text: &str| if text.len() == 1 { format!("0{text}") } else { text.to_owned() };
            let after_phase = index > 0 && words.get(index - 1).is_some_and(|before| before == "phase");
            (after_phase && padded(word) == number)
                || word.strip_prefix("phase-").map(padded).as_deref() == Some(number)
        });
        *word == phase || suffixed || numbered
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_named_by_whole_words_only() {
        let cases = [
            ("Run 06-implementation now", true),
            ("Run 06-Implementation.", true),
            ("the 06-implementation-agent", true),
            ("`06-implementation`: go", true),
            ("Start phase 06", true),
            ("Start Phase 6: code", true),
            ("PHASE-06", true),
            ("phase: 06", true),
            ("see docs/06-implementation/plan.md", false),
            ("06-implementation-notes", false),
            ("206-implementation", false),
            ("phase 16", false),
            ("version 06", false),
            ("on 2026-06-implementation", false),
            ("implementation", false),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(position_of_phase(&words(text), "06-implementation").is_some(), expected, "{text}");
        }
    }

    #[test]
    fn names_lose_slash_and_plugin() {
        for (name, expected) in [("/sdlc", "sdlc"), ("isdlc:SDLC", "sdlc"), (" /a:b:c ", "c"), ("", "")] {
            assert_eq!(bare_name(name), expected, "{name}");
        }
    }
}
