//! The table of contents: a page that is not in it does not exist for a reader.

use super::{PAGES, Problem};
use hookrail_testkit::markdown::Page;
use std::collections::HashMap;

const SUMMARY: &str = "docs/src/SUMMARY.md";

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
    let is_chapter = |page: &&Page| page.path.starts_with(PAGES) && page.path != SUMMARY;
    let unlisted = pages.iter().filter(is_chapter).filter(|page| !lines.contains_key(&page.path));
    problems.extend(unlisted.map(|page| Problem {
        page: page.path.clone(),
        line: 1,
        what: format!("is not in {SUMMARY}"),
    }));
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

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
