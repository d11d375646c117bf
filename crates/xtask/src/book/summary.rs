//! The table of contents: a page that is not in it does not exist for a reader.

use super::{PAGES, Problem};
use hookrail_testkit::markdown::Page;
use std::collections::HashMap;

const SUMMARY: &str = "docs/src/SUMMARY.md";
/// Pages of examples, one for each hook. They are chapters below the page of their pack without being listed: a new hook
/// changes no table of contents.
const EXAMPLES: &str = "packs/scenarios/";

pub(super) fn check(pages: &[Page]) -> Vec<Problem> {
    let Some(summary) = pages.iter().find(|page| page.path == SUMMARY) else {
        return vec![Problem { page: SUMMARY.to_owned(), line: 1, what: "there is no table of contents".to_owned() }];
    };
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut problems = Vec::new();
    for (index, line) in summary.text.lines().enumerate() {
        let Some(target) = line.split_once("](").and_then(|(_, rest)| rest.split_once(')')).map(|(link, _)| link)
        else {
            continue;
        };
        if lines.insert(format!("{PAGES}{target}"), index + 1).is_some() {
            let what = format!("`{target}` is listed twice");
            problems.push(Problem { page: SUMMARY.to_owned(), line: index + 1, what });
        }
    }
    let is_example = |page: &Page| page.path.strip_prefix(PAGES).is_some_and(|path| path.starts_with(EXAMPLES));
    let is_chapter = |page: &&Page| page.path.starts_with(PAGES) && page.path != SUMMARY && !is_example(page);
    let unlisted = pages.iter().filter(is_chapter).filter(|page| !lines.contains_key(&page.path));
    problems.extend(unlisted.map(|page| Problem {
        page: page.path.clone(),
        line: 1,
        what: format!("is not in {SUMMARY}"),
    }));
    problems
}

/// The table of contents with the pages of examples below the page of each pack's hooks.
pub(super) fn with_examples(summary: &str, pages: &[Page]) -> String {
    let mut text = String::new();
    for line in summary.lines() {
        text.push_str(line);
        text.push('\n');
        let Some((indent, pack)) = line
            .split_once("- [Hooks](packs/")
            .and_then(|(indent, rest)| rest.strip_suffix("-hooks.md)").map(|pack| (indent, pack)))
        else {
            continue;
        };
        let folder = format!("{EXAMPLES}{pack}/");
        let mut hooks: Vec<&str> = pages
            .iter()
            .filter_map(|page| page.path.strip_prefix(PAGES)?.strip_prefix(&folder)?.strip_suffix(".md"))
            .collect();
        hooks.sort_unstable();
        text.extend(hooks.iter().map(|hook| format!("{indent}  - [`{hook}`]({folder}{hook}.md)\n")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_examples_are_chapters_below_their_pack_without_being_listed() {
        let page = |path: &str| Page { path: path.to_owned(), text: String::new() };
        let pages = [
            Page { text: "- [P](p.md)\n  - [Hooks](packs/p-hooks.md)\n".to_owned(), ..page(SUMMARY) },
            page("docs/src/p.md"),
            page("docs/src/packs/p-hooks.md"),
            page("docs/src/packs/scenarios/p/b.md"),
            page("docs/src/packs/scenarios/p/a.md"),
            page("docs/src/packs/scenarios/q/c.md"),
        ];
        assert_eq!(check(&pages), []);
        let expected = "- [P](p.md)\n  - [Hooks](packs/p-hooks.md)\n    - [`a`](packs/scenarios/p/a.md)\n    - [`b`](packs/scenarios/p/b.md)\n";
        assert_eq!(with_examples(&pages[0].text, &pages), expected);
    }

    #[test]
    fn unlisted_and_twice_listed_pages_are_found() {
        let page = |path: &str, text: &str| Page { path: path.to_owned(), text: text.to_owned() };
        let summary = "- [A](a.md)\n  - [B](deep/b.md)\n- [A](a.md)\n";
        let pages = [
            page(SUMMARY, summary),
            page("docs/src/a.md", ""),
            page("docs/src/deep/b.md", ""),
            page("docs/src/c.md", ""),
            page("README.md", ""),
        ];
        let told: Vec<String> = check(&pages).iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            ["docs/src/SUMMARY.md:3: `a.md` is listed twice", "docs/src/c.md:1: is not in docs/src/SUMMARY.md"]
        );
        assert_eq!(check(&[]).len(), 1);
    }
}
