//! How much an agent wrote, and in what form.

use super::markdown;

/// What an answer is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prose {
    pub words: usize,
    /// It has a heading, a list or a table.
    pub structured: bool,
}

impl Prose {
    pub fn read(text: &str) -> Self {
        let marks = |line: &str| {
            let is_row = markdown::cells(line).is_some();
            is_row || markdown::heading(line).is_some() || markdown::list_item(line).is_some()
        };
        Self { words: text.split_whitespace().count(), structured: text.lines().any(marks) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_and_structure_is_seen() {
        for (text, words, structured) in [
            ("", 0, false),
            ("just some words", 3, false),
            ("## Findings\nsome", 3, true),
            ("first:\n- one\n", 3, true),
            ("1. one", 2, true),
            ("| a | b |", 5, true),
            ("a - b * c 1.5", 6, false),
            ("#hashtag", 1, false),
        ] {
            assert_eq!(Prose::read(text), Prose { words, structured }, "{text}");
        }
    }
}
