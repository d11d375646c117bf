//! What a pattern says, with the spelling and the flags resolved.

use super::unit_set::UnitSet;
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// Matches everywhere, and nothing.
    Empty,
    Unit(u16),
    Set(UnitSet),
    Edge(Edge),
    /// A capturing group. Other groups are just their body.
    Capture {
        group: u32,
        body: Box<Node>,
    },
    Look {
        direction: Direction,
        wanted: bool,
        body: Box<Node>,
    },
    BackReference {
        group: u32,
        presence: Presence,
        ignore_case: bool,
    },
    Sequence(Vec<Node>),
    Alternatives(Vec<Node>),
    Repeat {
        body: Box<Node>,
        quantifier: Quantifier,
    },
}

/// A place between two units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    Word,
    NotWord,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Ahead,
    Behind,
}

/// Whether the group of a back-reference has captured something whenever the reference is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Certain,
    Possible,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quantifier {
    pub(super) min: u32,
    /// None: without bound.
    pub(super) max: Option<u32>,
    pub(super) greedy: bool,
}

impl Quantifier {
    pub(super) fn loops(self) -> bool {
        self.max.is_none_or(|max| max > 1)
    }
}

impl Node {
    pub(super) fn sequence(mut nodes: Vec<Node>) -> Node {
        match nodes.len() {
            0 => Node::Empty,
            1 => nodes.remove(0),
            _ => Node::Sequence(nodes),
        }
    }

    pub(super) fn alternatives(mut nodes: Vec<Node>) -> Node {
        match nodes.len() {
            1 => nodes.remove(0),
            _ => Node::Alternatives(nodes),
        }
    }

    /// This node, repeated. An optional round that consumes nothing is undone in JavaScript, with all it captured, and a
    /// demanded one may as well happen once: so a body without width is there or not there.
    pub(super) fn repeated(self, quantifier: Quantifier) -> Node {
        let without_width = self.width().max == Some(0);
        match (quantifier.min, quantifier.max) {
            (_, Some(0)) => Node::Empty,
            (1, Some(1)) => self,
            (0, _) if without_width => Node::Empty,
            _ if without_width => self,
            _ => Node::Repeat { body: Box::new(self), quantifier },
        }
    }

    pub(super) fn children(&self) -> &[Node] {
        match self {
            Node::Empty | Node::Unit(_) | Node::Set(_) | Node::Edge(_) | Node::BackReference { .. } => &[],
            Node::Capture { body, .. } | Node::Look { body, .. } | Node::Repeat { body, .. } => {
                std::slice::from_ref(body)
            }
            Node::Sequence(nodes) | Node::Alternatives(nodes) => nodes,
        }
    }

    pub(super) fn children_mut(&mut self) -> &mut [Node] {
        match self {
            Node::Empty | Node::Unit(_) | Node::Set(_) | Node::Edge(_) | Node::BackReference { .. } => &mut [],
            Node::Capture { body, .. } | Node::Look { body, .. } | Node::Repeat { body, .. } => {
                std::slice::from_mut(body)
            }
            Node::Sequence(nodes) | Node::Alternatives(nodes) => nodes,
        }
    }

    /// Whether `test` holds for this node or any below.
    pub(super) fn any(&self, test: &impl Fn(&Node) -> bool) -> bool {
        test(self) || self.children().iter().any(|child| child.any(test))
    }

    /// The groups that back-references name.
    pub(super) fn referenced_groups(&self) -> BTreeSet<u32> {
        let mut groups = BTreeSet::new();
        self.collect_referenced_groups(&mut groups);
        groups
    }

    fn collect_referenced_groups(&self, groups: &mut BTreeSet<u32>) {
        if let Node::BackReference { group, .. } = self {
            groups.insert(*group);
        }
        self.children().iter().for_each(|child| child.collect_referenced_groups(groups));
    }

    /// How many units a match of this node spans.
    pub(super) fn width(&self) -> Width {
        match self {
            Node::Empty | Node::Edge(_) | Node::Look { .. } => Width { min: 0, max: Some(0) },
            Node::Unit(_) | Node::Set(_) => Width { min: 1, max: Some(1) },
            Node::BackReference { .. } => Width { min: 0, max: None },
            Node::Capture { body, .. } => body.width(),
            Node::Sequence(nodes) => nodes.iter().map(Node::width).fold(Width { min: 0, max: Some(0) }, Width::then),
            Node::Alternatives(nodes) => {
                nodes.iter().map(Node::width).reduce(Width::or).unwrap_or(Width { min: 0, max: Some(0) })
            }
            Node::Repeat { body, quantifier } => body.width().times(*quantifier),
        }
    }
}

/// The least and the greatest number of units; None: without bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Width {
    pub(super) min: u64,
    pub(super) max: Option<u64>,
}

impl Width {
    fn then(self, next: Width) -> Width {
        Width {
            min: self.min.saturating_add(next.min),
            max: self.max.zip(next.max).and_then(|(a, b)| a.checked_add(b)),
        }
    }

    fn or(self, other: Width) -> Width {
        Width { min: self.min.min(other.min), max: self.max.zip(other.max).map(|(a, b)| a.max(b)) }
    }

    fn times(self, quantifier: Quantifier) -> Width {
        let max = self.max.zip(quantifier.max).and_then(|(width, times)| width.checked_mul(u64::from(times)));
        Width { min: self.min.saturating_mul(u64::from(quantifier.min)), max }
    }
}
