//! `cargo xtask book`: checks what people read, and builds the book of it.

mod links;
mod mdbook;
mod spelling;
mod summary;

use crate::{Outcome, TaskError};
use hookrail_testkit::markdown::Page;
use std::fmt::{self, Display};
use std::io::Write;
use std::path::Path;

const HELP: &str = "usage: cargo xtask book [--check]

Checks that every page of docs/src is in the table of contents and that every link of every Markdown file leads somewhere,
checks the spelling of what people read with hunspell (words of ours are in docs/words.txt), then builds the book into target/book. Installs mdBook into target/tools the first time. With `--check` nothing is built.";

/// Where the book's pages are.
const PAGES: &str = "docs/src/";

/// Something a reader would stumble over.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    page: String,
    line: usize,
    what: String,
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.page, self.line, self.what)
    }
}

pub(crate) fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let build = match args {
        [] => true,
        [flag] if flag == "--check" => false,
        [flag] if flag == "--help" || flag == "-h" => {
            writeln!(out, "{HELP}")?;
            return Ok(Outcome::Passed);
        }
        [other, ..] => {
            return Err(TaskError::Usage(format!("unexpected `{other}`\nhint: see `cargo xtask book --help`")));
        }
    };
    let pages = Page::all_below(Path::new(crate::ROOT));
    let mut problems = check(&pages, &|path| Path::new(crate::ROOT).join(path).exists());
    let words = std::fs::read_to_string(Path::new(crate::ROOT).join(spelling::WORDS))?;
    let read: Vec<Page> = pages.iter().filter(|page| is_for_people(&page.path)).cloned().collect();
    match spelling::check(&read, &words)? {
        Some(slips) => problems.extend(slips),
        None => writeln!(out, "book: spelling is not checked: install hunspell, hunspell-en-us and hunspell-en-gb")?,
    }
    for problem in &problems {
        writeln!(out, "{problem}")?;
    }
    writeln!(out, "book: {} pages, {} problems", pages.len(), problems.len())?;
    if !problems.is_empty() {
        return Ok(Outcome::Failed);
    }
    if build { mdbook::build(&pages, out) } else { Ok(Outcome::Passed) }
}

/// What is wrong with these pages, in a repository where these files exist.
fn check(pages: &[Page], exists: &dyn Fn(&str) -> bool) -> Vec<Problem> {
    let mut problems = summary::check(pages);
    problems.extend(links::check(pages, exists));
    problems
}

/// Prompts for models, plugins and cases of tests have words of their own.
fn is_for_people(path: &str) -> bool {
    path.starts_with(PAGES) || !path.contains('/') || path.starts_with("clients/")
}

/// What a link to a heading ends with, as mdBook and GitHub make it.
pub(crate) fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_this_repository_hold_together() {
        let pages = Page::all_below(Path::new(crate::ROOT));
        let problems = check(&pages, &|path| Path::new(crate::ROOT).join(path).exists());
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(told.is_empty(), "{}", told.join("\n"));
    }

    #[test]
    fn anchors_are_those_of_the_built_book() {
        let cases = [
            ("Where things are", "where-things-are"),
            ("`isdlc/branch-guard`", "isdlcbranch-guard"),
            ("What `hookrail.toml` may say", "what-hookrailtoml-may-say"),
            ("A_b", "a_b"),
        ];
        for (heading, expected) in cases {
            assert_eq!(anchor(heading), expected);
        }
    }
}
