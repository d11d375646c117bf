//! What stands in the files of `test-cases/`.

use super::markdown;
use super::test_id::{self, TestKind};
use std::collections::BTreeSet;

/// The tests that files describe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TestCases {
    names: BTreeSet<String>,
    given: usize,
    when: usize,
    then: usize,
}

impl TestCases {
    /// Adds what a file describes. A test is named by a heading or by a cell of a table (errata C51), and counts once
    /// wherever else it is named.
    pub fn add(&mut self, kind: TestKind, text: &str) {
        for line in markdown::lines(text) {
            if !line.fenced {
                let names = names(line.text).into_iter().filter(|(found, _)| *found == kind);
                self.names.extend(names.map(|(_, name)| name.to_owned()));
            }
            self.given += usize::from(is_step(line.text, "Given"));
            self.when += usize::from(is_step(line.text, "When"));
            self.then += usize::from(is_step(line.text, "Then"));
        }
    }

    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// The step of which there are fewer than there are tests, and how many of it there are.
    pub fn missing_step(&self) -> Option<(&'static str, usize)> {
        let steps = [("Given", self.given), ("When", self.when), ("Then", self.then)];
        steps.into_iter().find(|(_, count)| *count < self.count())
    }
}

fn names(line: &str) -> Vec<(TestKind, &str)> {
    if let Some(heading) = markdown::heading(line) {
        return test_id::find(heading.text).collect();
    }
    let Some(cells) = markdown::cells(line) else { return Vec::new() };
    // A cell with more than a name tells about the test rather than naming it.
    let bare = |cell: &&str| !cell.trim_matches(['*', '`', '_', '[', ']']).contains([' ', ',']);
    cells.filter(bare).flat_map(test_id::find).collect()
}

/// `Given:`, `**When**`, `#### Preconditions (Given)`, or a line that begins with the word as in Gherkin.
fn is_step(line: &str, word: &str) -> bool {
    let start = markdown::list_item(line).unwrap_or(line.trim_start()).trim_start_matches(['*', '_']);
    let begins = |after: &str| after.starts_with([' ', ':', '*', '_']) || after.is_empty();
    if start.strip_prefix(word).is_some_and(begins) {
        return true;
    }
    let is_word = |before: &str| !before.ends_with(char::is_alphanumeric);
    let marked = |after: &str| after.trim_start_matches(['*', '_']).starts_with([':', ')']);
    [word, &word.to_ascii_uppercase()].iter().any(|word| {
        line.match_indices(*word).any(|(at, word)| {
            let (before, rest) = line.split_at(at);
            is_word(before) && rest.strip_prefix(word).is_some_and(marked)
        })
    })
}

/// Whether a test plan has a table of what covers what.
pub(super) fn has_coverage_matrix(text: &str) -> bool {
    let text = text.to_lowercase();
    ["coverage matrix", "coverage-matrix", "coverage_matrix"].iter().any(|name| text.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: TestKind, text: &str) -> TestCases {
        let mut cases = TestCases::default();
        cases.add(kind, text);
        cases
    }

    #[test]
    fn tests_are_named_by_headings_and_by_rows_of_tables() {
        for (text, count) in [
            ("# UT-001\n## UT-002: x\n### UT-003\n#### [UT-004] x", 4),
            ("| ID | What |\n|----|------|\n| UT-01 | adds |\n| **UT-02** | takes |", 2),
            ("| # | ID |\n|---|----|\n| 1 | `UT-01` |", 1),
            ("| UT-01 | x |\n## UT-01 in detail", 1),
            ("UT-001 is in the text\n- UT-002\n```\n## UT-003\n```", 0),
            ("| AC-1 | UT-01, UT-02 |\n| see UT-03 | x |", 0),
            ("## UAT-001\n## INT-002\n## UT-xxx", 0),
        ] {
            assert_eq!(read(TestKind::Unit, text).count(), count, "{text}");
        }
    }

    #[test]
    fn every_acceptance_test_needs_all_three_steps() {
        let full = "Given: a user\nWhen: they log in\nThen: they see the page\n";
        for (text, missing) in [
            (format!("## UAT-001\n{full}"), None),
            (format!("## UAT-001\n{full}## UAT-002\n{full}"), None),
            (format!("## UAT-001\n{full}## UAT-002\nlog in"), Some(("Given", 1))),
            (format!("| UAT-001 | a |\n| UAT-002 | b |\n## UAT-001\n{full}## UAT-002\n{full}"), None),
            ("## UAT-001\n#### Preconditions (Given)\n#### Steps (When)\n#### Result (Then)\n".to_owned(), None),
            ("## UAT-001\n**Given:** a\n**When:** b\n**Then:** c\n".to_owned(), None),
            ("## UAT-001\n- **Given** a\n- **When** b\n- **Then** c\n".to_owned(), None),
            ("## UAT-001\n```gherkin\nGiven a\nWhen b\nThen c\n```".to_owned(), None),
            ("## UAT-001\nGIVEN: a\nWHEN: b\nTHEN: c\n".to_owned(), None),
            ("## UAT-001\nOnce a user is given: a, whenever: b, then c".to_owned(), Some(("Given", 0))),
            ("## UAT-001\nGiven: a\nWhen: b\nand then we look".to_owned(), Some(("Then", 0))),
            (String::new(), None),
        ] {
            assert_eq!(read(TestKind::Acceptance, &text).missing_step(), missing, "{text}");
        }
    }

    #[test]
    fn a_coverage_matrix_is_found_however_it_is_written() {
        for (text, expected) in [
            ("## Coverage Matrix", true),
            ("the COVERAGE MATRIX", true),
            ("coverage_matrix:", true),
            ("coverage 80%", false),
        ] {
            assert_eq!(has_coverage_matrix(text), expected, "{text}");
        }
    }
}
