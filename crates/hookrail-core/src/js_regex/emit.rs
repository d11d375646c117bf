//! From the tree of a pattern to the spelling of an engine.
//!
//! The engines see texts in which each UTF-16 unit is one character: a surrogate, which no Rust text can hold, is moved to
//! plane 16. Everything else is spelled out, so that nothing depends on what the engines call a word or a white space.

use super::tree::{Direction, Edge, Node, Presence, Quantifier};
use super::unit_set::UnitSet;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The two engines' languages, as far as they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `regex-lite`: no look-around, no back-references; `\b` is JavaScript's.
    Linear,
    /// `fancy-regex` without its Unicode tables.
    Backtracking,
}

/// The dialect that can say all of `tree`.
pub(super) fn dialect_for(tree: &Node) -> Dialect {
    let needs_more = tree.any(&|node| {
        matches!(node, Node::Look { .. } | Node::BackReference { .. } | Node::Edge(Edge::LineStart | Edge::LineEnd))
    });
    if needs_more { Dialect::Backtracking } else { Dialect::Linear }
}

pub(super) fn emit(tree: &Node, dialect: Dialect) -> String {
    let mut emitter = Emitter { out: String::new(), dialect, referenced: tree.referenced_groups(), repeat_end: None };
    emitter.node(tree);
    emitter.out
}

/// `text` with one character per UTF-16 unit.
pub(super) fn by_units(text: &str) -> Cow<'_, str> {
    // Only characters beyond U+FFFF start with such a byte, and only they are two units.
    if text.bytes().all(|byte| byte < 0xF0) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.encode_utf16().map(stand_in).collect())
}

fn stand_in(unit: u16) -> char {
    char::from_u32(u32::from(unit)).or(char::from_u32(0x10_0000 + u32::from(unit))).unwrap_or(char::MAX)
}

struct Emitter {
    out: String,
    dialect: Dialect,
    /// Only the groups that are referred to capture, and are numbered anew.
    referenced: BTreeSet<u32>,
    /// Where the last quantifier ended.
    repeat_end: Option<usize>,
}

impl Emitter {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Empty => self.out.push_str("(?:)"),
            Node::Unit(unit) => self.out.push_str(&spell(stand_in(*unit))),
            Node::Set(set) => self.out.push_str(&spell_set(set)),
            Node::Edge(edge) => self.edge(*edge),
            Node::Capture { group, body } if self.referenced.contains(group) => self.enclosed("(", body),
            Node::Capture { body, .. } => self.node(body),
            Node::Look { direction, wanted, body } => self.look(*direction, *wanted, body),
            Node::BackReference { group, presence, ignore_case } => self.reference(*group, *presence, *ignore_case),
            Node::Sequence(nodes) => nodes.iter().for_each(|node| self.term(node)),
            Node::Alternatives(nodes) => self.alternatives(nodes),
            Node::Repeat { body, quantifier } => self.repeat(body, *quantifier),
        }
    }

    fn enclosed(&mut self, opening: &str, body: &Node) {
        self.out.push_str(opening);
        self.node(body);
        self.out.push(')');
    }

    fn look(&mut self, direction: Direction, wanted: bool, body: &Node) {
        let captures = body.any(&|node| matches!(node, Node::Capture { group, .. } if self.referenced.contains(group)));
        // JavaScript never goes back into a look-around to capture something else; `fancy-regex` would.
        let atomic = wanted && captures;
        self.out.push_str(if atomic { "(?>" } else { "" });
        self.enclosed(look_opening(direction, wanted), body);
        self.out.push_str(if atomic { ")" } else { "" });
    }

    /// A part of a sequence.
    fn term(&mut self, node: &Node) {
        match self.without_capture(node) {
            alternatives @ Node::Alternatives(_) => self.enclosed("(?:", alternatives),
            other => self.node(other),
        }
    }

    /// What a quantifier applies to.
    fn operand(&mut self, node: &Node) {
        match self.without_capture(node) {
            single @ (Node::Unit(_) | Node::Set(_) | Node::Capture { .. }) => self.node(single),
            other => self.enclosed("(?:", other),
        }
    }

    /// `node` without the capturing groups around it that need not capture.
    fn without_capture<'n>(&self, mut node: &'n Node) -> &'n Node {
        while let Node::Capture { group, body } = node
            && !self.referenced.contains(group)
        {
            node = body;
        }
        node
    }

    fn alternatives(&mut self, nodes: &[Node]) {
        for (index, node) in nodes.iter().enumerate() {
            if index > 0 {
                self.out.push('|');
            }
            self.term(node);
        }
    }

    fn repeat(&mut self, body: &Node, quantifier: Quantifier) {
        // `fancy-regex` 0.20 rewrites loops that stand side by side, and takes `a+b?a+` for `a+(?:ba+)?`. What matches
        // nothing keeps them apart.
        if self.dialect == Dialect::Backtracking && self.repeat_end == Some(self.out.len()) {
            self.out.push_str("a{0}");
        }
        self.operand(body);
        self.quantifier(quantifier);
        self.repeat_end = Some(self.out.len());
    }

    fn quantifier(&mut self, quantifier: Quantifier) {
        let Quantifier { min, max, greedy } = quantifier;
        self.out.push_str(&match (min, max) {
            (0, None) => "*".to_owned(),
            (1, None) => "+".to_owned(),
            (0, Some(1)) => "?".to_owned(),
            (min, None) => format!("{{{min},}}"),
            (min, Some(max)) if min == max => format!("{{{min}}}"),
            (min, Some(max)) => format!("{{{min},{max}}}"),
        });
        if !greedy && max != Some(min) {
            self.out.push('?');
        }
    }

    fn reference(&mut self, group: u32, presence: Presence, ignore_case: bool) {
        let number = self.referenced.range(..=group).count();
        let flag = if ignore_case { "i" } else { "" };
        self.out.push_str(&match presence {
            Presence::Certain => format!("(?{flag}:\\{number})"),
            Presence::Possible => format!("(?({number})(?{flag}:\\{number})|)"),
        });
    }

    fn edge(&mut self, edge: Edge) {
        self.out.push_str(match (edge, self.dialect) {
            (Edge::TextStart, _) => r"\A",
            (Edge::TextEnd, _) => r"\z",
            (Edge::LineStart, _) => r"(?:\A|(?<=[\n\r\x{2028}\x{2029}]))",
            (Edge::LineEnd, _) => r"(?:\z|(?=[\n\r\x{2028}\x{2029}]))",
            (Edge::Word, Dialect::Linear) => r"\b",
            (Edge::NotWord, Dialect::Linear) => r"\B",
            (Edge::Word, Dialect::Backtracking) => {
                "(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))"
            }
            (Edge::NotWord, Dialect::Backtracking) => {
                "(?:(?<=[0-9A-Z_a-z])(?=[0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?![0-9A-Z_a-z]))"
            }
        });
    }
}

fn look_opening(direction: Direction, wanted: bool) -> &'static str {
    match (direction, wanted) {
        (Direction::Ahead, true) => "(?=",
        (Direction::Ahead, false) => "(?!",
        (Direction::Behind, true) => "(?<=",
        (Direction::Behind, false) => "(?<!",
    }
}

fn spell(c: char) -> String {
    if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\x{{{:X}}}", u32::from(c)) }
}

fn spell_set(set: &UnitSet) -> String {
    let ranges: Vec<(char, char)> = set.ranges().iter().flat_map(|range| character_ranges(*range)).collect();
    let spelled: String = ranges
        .iter()
        .map(|(first, last)| if first == last { spell(*first) } else { format!("{}-{}", spell(*first), spell(*last)) })
        .collect();
    // Neither engine knows `[]`.
    if spelled.is_empty() { "[^\\x{0}-\\x{10FFFF}]".to_owned() } else { format!("[{spelled}]") }
}

/// A range of units as ranges of the characters that stand for them.
fn character_ranges((first, last): (u16, u16)) -> Vec<(char, char)> {
    const BEFORE_SURROGATES: u16 = 0xD7FF;
    const AFTER_SURROGATES: u16 = 0xE000;
    if first <= BEFORE_SURROGATES && last == u16::MAX {
        // All surrogates are in it: one range to the very end, which engines compile to less.
        return vec![(stand_in(first), char::MAX)];
    }
    [
        (first, last.min(BEFORE_SURROGATES)),
        (first.max(BEFORE_SURROGATES + 1), last.min(AFTER_SURROGATES - 1)),
        (first.max(AFTER_SURROGATES), last),
    ]
    .into_iter()
    .filter(|(first, last)| first <= last)
    .map(|(first, last)| (stand_in(first), stand_in(last)))
    .collect()
}
