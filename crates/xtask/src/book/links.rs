//! Links of Markdown pages, to files and headings of this repository.

use super::{PAGES, Problem, anchor};
use hookrail_testkit::markdown::Page;
use std::collections::{HashMap, HashSet};

/// Links that stand for a file of this repository.
const REPOSITORY: [&str; 2] =
    ["https://github.com/hookrail/hookrail/blob/main/", "https://github.com/hookrail/hookrail/tree/main/"];

pub(super) fn check(pages: &[Page], exists: &dyn Fn(&str) -> bool) -> Vec<Problem> {
    let anchors: HashMap<&str, HashSet<String>> =
        pages.iter().map(|page| (page.path.as_str(), anchors(page))).collect();
    let mut problems = Vec::new();
    for page in pages {
        for (line, link) in links(page) {
            if let Some(what) = judge(page, &link, &anchors, exists) {
                problems.push(Problem { page: page.path.clone(), line, what });
            }
        }
    }
    problems
}

/// What is wrong with a link.
fn judge(
    page: &Page,
    link: &str,
    anchors: &HashMap<&str, HashSet<String>>,
    exists: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let of_repository = REPOSITORY.iter().find_map(|start| link.strip_prefix(start));
    if of_repository.is_none() && (link.contains("://") || link.starts_with("mailto:")) {
        return None;
    }
    let (target, heading) =
        of_repository.unwrap_or(link).split_once('#').unwrap_or((of_repository.unwrap_or(link), ""));
    let path = match (of_repository, target) {
        (Some(_), target) => target.trim_end_matches('/').to_owned(),
        (None, "") => page.path.clone(),
        (None, target) => resolve(&page.path, target),
    };
    if of_repository.is_none() && page.path.starts_with(PAGES) && !path.starts_with(PAGES) {
        return Some(format!("`{link}` leaves the book, where it leads nowhere\nhint: write {}{path}", REPOSITORY[0]));
    }
    if !exists(&path) {
        return Some(format!("`{link}` leads nowhere: there is no {path}"));
    }
    let known = heading.is_empty() || anchors.get(path.as_str()).is_none_or(|anchors| anchors.contains(heading));
    (!known).then(|| format!("`{link}`: {path} has no heading for `#{heading}`"))
}

/// A path relative to a page, as one of the repository.
fn resolve(page: &str, target: &str) -> String {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The links in a page's text, with their lines.
fn links(page: &Page) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, line) in page.prose().lines().enumerate() {
        let line = without_code(line);
        let inline = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
        let images = line.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let defined = line.starts_with('[').then(|| line.split_once("]: ").map(|(_, target)| target.trim())).flatten();
        found.extend(inline.chain(images).chain(defined).map(|link| (index + 1, link.to_owned())));
    }
    found
}

/// A line without its code spans, whose text is no link.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// What links to the headings of a page end with. Equal ones are counted, as the book does.
fn anchors(page: &Page) -> HashSet<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut anchors = HashSet::new();
    for line in page.prose().lines() {
        let text = line.trim_start_matches('#');
        if text.len() == line.len() || !text.starts_with(' ') {
            continue;
        }
        let anchor = anchor(&link_texts(text));
        let count = seen.entry(anchor.clone()).or_default();
        anchors.insert(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
        *count += 1;
    }
    anchors
}

/// `[text](target)` as `text`.
fn link_texts(heading: &str) -> String {
    let mut parts = heading.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(')').map_or(part, |(_, after)| after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_found_and_others_are_not() {
        let cases = [
            ("README.md", "[a](docs/src/a.md)", None),
            ("README.md", "[a](docs/src/a.md#deep-down)", None),
            ("README.md", "[a](docs/src/a.md#deep-down-1)", None),
            ("README.md", "[a](docs/src/a.md#deeper)", Some("has no heading")),
            ("README.md", "[a](docs/src/gone.md)", Some("leads nowhere")),
            ("README.md", "<img src=\"gone.svg\">", Some("leads nowhere")),
            ("README.md", "[a]: gone.md", Some("leads nowhere")),
            ("README.md", "`[a](gone.md)` and [b](https://example.com/gone)", None),
            ("README.md", "```text\n[a](gone.md)\n```", None),
            ("docs/src/b.md", "[a](a.md) [a](./a.md \"title\")", None),
            ("docs/src/packs/b.md", "[a](../a.md)", None),
            ("docs/src/b.md", "[a](../../README.md)", Some("leaves the book")),
            ("docs/src/b.md", "[a](https://github.com/hookrail/hookrail/blob/main/README.md)", None),
            ("docs/src/b.md", "[a](https://github.com/hookrail/hookrail/tree/main/gone/)", Some("leads nowhere")),
            ("docs/src/b.md", "# Here\n[a](#here) [a](#there)", Some("`#there`")),
        ];
        let target = Page { path: "docs/src/a.md".to_owned(), text: "# Deep [down](x.md)\n## Deep down\n".to_owned() };
        for (path, text, expected) in cases {
            let page = Page { path: path.to_owned(), text: text.to_owned() };
            let exists = |file: &str| file == "docs/src/a.md" || file == "README.md" || file == path;
            let problems =
                check(&[page, Page { text: target.text.replace("(x.md)", "(#deep-down)"), ..target.clone() }], &exists);
            match expected {
                None => assert_eq!(problems, [], "{text}"),
                Some(what) => assert!(problems.len() == 1 && problems[0].what.contains(what), "{text}: {problems:?}"),
            }
        }
    }
}
