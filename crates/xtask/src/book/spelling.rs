//! The spelling of prose, by hunspell's English dictionaries and a list of words of our own.
//!
//! Code, links and names in backticks are not prose.

use super::Problem;
use crate::TaskError;
use hookrail_testkit::markdown::Page;
use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};

/// Words that are right and in no dictionary, one on each line.
pub(super) const WORDS: &str = "docs/words.txt";
const DICTIONARIES: &str = "en_US,en_GB";

/// A line of prose of a page.
#[derive(Debug, PartialEq, Eq)]
struct ProseLine {
    number: usize,
    text: String,
}

/// What a reader would take for a slip; `None` where there is no hunspell.
pub(super) fn check(pages: &[Page], words: &str) -> Result<Option<Vec<Problem>>, TaskError> {
    let known: HashSet<&str> = words.lines().map(str::trim).collect();
    let prose: Vec<(&Page, Vec<ProseLine>)> = pages.iter().map(|page| (page, prose(page))).collect();
    let text: Vec<&str> = prose.iter().flat_map(|(_, lines)| lines).map(|line| line.text.as_str()).collect();
    let Some(unknown) = unknown_words(&text.join("\n"))? else { return Ok(None) };
    let unknown: HashSet<String> = unknown.into_iter().filter(|word| !known.contains(word.as_str())).collect();
    let mut problems = Vec::new();
    for (page, lines) in prose {
        for line in lines {
            let slips = words_of(&line.text).filter(|word| unknown.contains(*word));
            problems.extend(slips.map(|word| Problem {
                page: page.path.clone(),
                line: line.number,
                what: format!("`{word}` is in no dictionary\nhint: correct it, or add it to {WORDS}"),
            }));
        }
    }
    Ok(Some(problems))
}

/// The words of a text that hunspell does not know; `None` if there is no hunspell or no English dictionary.
fn unknown_words(text: &str) -> Result<Option<Vec<String>>, TaskError> {
    let mut command = Command::new("hunspell");
    command.args(["-l", "-i", "utf-8", "-d", DICTIONARIES]);
    let Ok(mut child) = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
        return Ok(None);
    };
    // It answers while it reads, so that writing from this thread could fill both pipes.
    let (stdin, text) = (child.stdin.take(), text.to_owned());
    let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
    let output = child.wait_with_output()?;
    // A dictionary that is missing ends hunspell before it reads.
    let _ = writer.join();
    if !output.status.success() {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()))
}

/// Words as hunspell takes them apart.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’')).filter(|word| !word.is_empty())
}

fn prose(page: &Page) -> Vec<ProseLine> {
    let (mut lines, mut in_code, mut in_comment) = (Vec::new(), false, false);
    for (number, line) in (1..).zip(page.text.lines()) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        in_comment |= line.contains("<!--");
        if !in_code && !in_comment {
            lines.push(ProseLine { number, text: without_names(line) });
        }
        in_comment &= !line.contains("-->");
    }
    lines
}

/// A line without inline code, addresses, targets of links and tags.
fn without_names(line: &str) -> String {
    let mut text = String::new();
    for (index, part) in line.split('`').enumerate() {
        text.push_str(if index % 2 == 0 { part } else { " " });
    }
    for (open, close) in [("](", ')'), ("<", '>')] {
        while let Some(start) = text.find(open) {
            let Some(end) = text.get(start..).and_then(|rest| rest.find(close)) else { break };
            text.replace_range(start..=start + end, " ");
        }
    }
    let is_name = |word: &&str| word.contains("://") || word.contains('@') || word.contains('/') || word.contains('_');
    text.split(' ').filter(|word| !is_name(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page { path: "docs/src/a.md".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn only_prose_is_checked() {
        let page = page("A `cod` and [link](targt.md).\n```sh\nech hello\n```\n<!-- commnt -->\nEnd <b>bold</b>");
        let lines: Vec<String> =
            prose(&page).into_iter().map(|line| line.text.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines, ["A and [link .", "End bold"]);
    }

    #[test]
    fn a_slip_is_reported_with_its_line_unless_it_is_a_word_of_ours() {
        let pages = [page("A hook decides.\nIt is beleived.\nhookrail\n")];
        let told = |words: &str| {
            let problems = check(&pages, words).unwrap()?;
            Some(problems.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let Some(found) = told("hookrail\n") else { return };
        assert_eq!(
            found,
            ["docs/src/a.md:2: `beleived` is in no dictionary\nhint: correct it, or add it to docs/words.txt"]
        );
        assert_eq!(told("hookrail\nbeleived\n"), Some(Vec::new()));
    }
}
