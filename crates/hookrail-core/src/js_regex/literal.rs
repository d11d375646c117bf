//! Patterns that are just words, which most matchers are, and which need no engine.

use super::tree::{Edge, Node};

/// More words than this are better searched by an engine.
const MAX_WORDS: usize = 64;

/// A text to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    text: String,
    at_start: bool,
    at_end: bool,
}

impl Word {
    pub(super) fn occurs_in(&self, text: &str) -> bool {
        match (self.at_start, self.at_end) {
            (true, true) => text == self.text,
            (true, false) => text.starts_with(&self.text),
            (false, true) => text.ends_with(&self.text),
            (false, false) => text.contains(&self.text),
        }
    }
}

/// The words of which one must occur for `tree` to match, if that is all it says.
pub(super) fn words(tree: &Node) -> Option<Vec<Word>> {
    let branches = match tree {
        Node::Alternatives(branches) => branches.as_slice(),
        single => std::slice::from_ref(single),
    };
    let mut words = Vec::new();
    for branch in branches {
        words.extend(words_of_branch(branch)?);
        if words.len() > MAX_WORDS {
            return None;
        }
    }
    Some(words)
}

fn words_of_branch(branch: &Node) -> Option<Vec<Word>> {
    let mut terms = match branch {
        Node::Sequence(terms) => terms.as_slice(),
        single => std::slice::from_ref(single),
    };
    let mut at_start = false;
    let mut at_end = false;
    while let [Node::Edge(Edge::TextStart), rest @ ..] = terms {
        at_start = true;
        terms = rest;
    }
    while let [rest @ .., Node::Edge(Edge::TextEnd)] = terms {
        at_end = true;
        terms = rest;
    }
    let texts = texts_of_sequence(terms)?;
    let words = texts.iter().map(|units| Some(Word { text: String::from_utf16(units).ok()?, at_start, at_end }));
    words.collect()
}

/// All texts that `node` matches, if they are few and it tests nothing else.
fn texts_of(node: &Node) -> Option<Vec<Vec<u16>>> {
    match node {
        Node::Empty => Some(vec![Vec::new()]),
        Node::Unit(unit) => Some(vec![vec![*unit]]),
        Node::Capture { body, .. } => texts_of(body),
        Node::Sequence(nodes) => texts_of_sequence(nodes),
        Node::Alternatives(nodes) => {
            let mut texts = Vec::new();
            for node in nodes {
                texts.extend(texts_of(node)?);
                if texts.len() > MAX_WORDS {
                    return None;
                }
            }
            Some(texts)
        }
        Node::Set(_) | Node::Edge(_) | Node::Look { .. } | Node::BackReference { .. } | Node::Repeat { .. } => None,
    }
}

fn texts_of_sequence(nodes: &[Node]) -> Option<Vec<Vec<u16>>> {
    let mut texts = vec![Vec::new()];
    for node in nodes {
        if let Node::Unit(unit) = node {
            texts.iter_mut().for_each(|text| text.push(*unit));
            continue;
        }
        let endings = texts_of(node)?;
        if texts.len() * endings.len() > MAX_WORDS {
            return None;
        }
        texts = texts
            .iter()
            .flat_map(|text| endings.iter().map(move |ending| [text.as_slice(), ending.as_slice()].concat()))
            .collect();
    }
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::js_regex::parse::parse;
    use crate::js_regex::trim;

    /// The words of `pattern` with the edges they are bound to.
    fn spelled(pattern: &str) -> Option<Vec<String>> {
        let edge = |bound: bool, sign: &'static str| if bound { sign } else { "" };
        let mut tree = parse(pattern).unwrap();
        trim::optional_ends(&mut tree);
        let words = words(&tree)?;
        Some(
            words
                .iter()
                .map(|word| format!("{}{}{}", edge(word.at_start, "^"), word.text, edge(word.at_end, "$")))
                .collect(),
        )
    }

    #[test]
    fn common_matchers_are_searched_as_words() {
        let cases = [
            ("", "\"\""),
            ("Edit", "Edit"),
            ("Edit|Write|mcp__fs", "Edit Write mcp__fs"),
            ("^Edit$", "^Edit$"),
            ("^(Edit|Write)$", "^Edit$ ^Write$"),
            ("^Edit|Write$", "^Edit Write$"),
            ("mcp__(fs|git)__(read|write)", "mcp__fs__read mcp__fs__write mcp__git__read mcp__git__write"),
            ("mcp__.*", "mcp__"),
            ("^mcp__fs__.*", "^mcp__fs__"),
            (".*_file$", "_file$"),
            (".*", "\"\""),
            (r"x\.y\u0041", "x.yA"),
            ("(?:Edit)", "Edit"),
            (r"\ud83d\ude00|é", "😀 é"),
        ];
        for (pattern, expected) in cases {
            let words = spelled(pattern).unwrap();
            let words: Vec<&str> = words.iter().map(|word| if word.is_empty() { "\"\"" } else { word }).collect();
            assert_eq!(words.join(" "), expected, "/{pattern}/");
        }
    }

    #[test]
    fn what_is_more_than_words_is_left_to_an_engine() {
        let many = (0..65).map(|n| n.to_string()).collect::<Vec<_>>().join("|");
        let product = "(a|b)".repeat(7);
        let cases = [
            "^.*_file", "mcp__.*$", "[Bb]ash", "a+", "ab*c", r"\bEdit", "(?!a)", r"(a)\1", r"\ud83d", "a^b", "(^a)",
            &many, &product,
        ];
        for pattern in cases {
            assert_eq!(spelled(pattern), None, "/{pattern}/");
        }
    }
}
