//! What back-references can mean.
//!
//! In JavaScript a reference to a group that has captured nothing matches the empty text, and each round of a loop forgets
//! what the groups inside it captured. The engine for back-references does neither. Walking the pattern in the order in
//! which JavaScript evaluates it tells, for most references, that the group has no capture there (the reference is empty),
//! has one, or may have one. The rest would be decided wrongly, and is refused.

use super::Obstacle;
use super::tree::{Direction, Node, Presence, Quantifier};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of each group is copied at each alternative, so there must not be too many.
const MAX_REFERENCED: usize = 100;

/// Marks each back-reference of `tree` as certain or possible, and removes those that cannot match anything.
pub(super) fn resolve(tree: &mut Node) -> Result<(), Obstacle> {
    let referenced = tree.referenced_groups();
    if referenced.len() > MAX_REFERENCED {
        return Err(Obstacle::Size);
    }
    if referenced.is_empty() {
        return Ok(());
    }
    let mut walk = ReferenceWalk {
        referenced: &referenced,
        captures: Captures::new(),
        direction: Direction::Ahead,
        in_look_behind: false,
        in_loop: false,
    };
    walk.visit(tree)
}

/// What is known at some point of the referenced groups that may have a capture there.
type Captures = BTreeMap<u32, Capture>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Capture {
    Certain,
    Possible,
    /// JavaScript's may differ from the engine's.
    Unknown(Obstacle),
}

#[derive(Debug, Clone)]
struct ReferenceWalk<'t> {
    referenced: &'t BTreeSet<u32>,
    captures: Captures,
    direction: Direction,
    /// What a look-behind captures depends on the direction in which it is matched, and the engine's is the other one.
    in_look_behind: bool,
    in_loop: bool,
}

impl ReferenceWalk<'_> {
    fn visit(&mut self, node: &mut Node) -> Result<(), Obstacle> {
        match node {
            Node::Empty | Node::Unit(_) | Node::Set(_) | Node::Edge(_) => Ok(()),
            Node::BackReference { group, presence, .. } => {
                match self.captures.get(group) {
                    None => *node = Node::Empty,
                    Some(Capture::Certain) => *presence = Presence::Certain,
                    Some(Capture::Possible) => *presence = Presence::Possible,
                    Some(Capture::Unknown(obstacle)) => return Err(*obstacle),
                }
                Ok(())
            }
            Node::Capture { group, body } => {
                self.visit(body)?;
                if self.referenced.contains(group) {
                    let unknown = Capture::Unknown(Obstacle::CaptureInLookBehind);
                    self.captures.insert(*group, if self.in_look_behind { unknown } else { Capture::Certain });
                }
                Ok(())
            }
            Node::Sequence(nodes) => match self.direction {
                Direction::Ahead => nodes.iter_mut().try_for_each(|node| self.visit(node)),
                Direction::Behind => nodes.iter_mut().rev().try_for_each(|node| self.visit(node)),
            },
            Node::Alternatives(nodes) => self.visit_alternatives(nodes),
            Node::Look { direction, wanted, body } => self.visit_look(*direction, *wanted, body),
            Node::Repeat { body, quantifier } => {
                let quantifier = *quantifier;
                let mut body = std::mem::replace(body.as_mut(), Node::Empty);
                self.visit_repeat(&mut body, quantifier)?;
                *node = body.repeated(quantifier);
                Ok(())
            }
        }
    }

    fn visit_alternatives(&mut self, nodes: &mut [Node]) -> Result<(), Obstacle> {
        let mut joined: Option<Captures> = None;
        for node in nodes {
            let mut branch = self.clone();
            branch.visit(node)?;
            joined = Some(match joined {
                None => branch.captures,
                Some(others) => self.join(&others, &branch.captures),
            });
        }
        self.captures = joined.unwrap_or_default();
        Ok(())
    }

    fn visit_look(&mut self, direction: Direction, wanted: bool, body: &mut Node) -> Result<(), Obstacle> {
        let in_look_behind = self.in_look_behind || direction == Direction::Behind;
        let mut inside = ReferenceWalk { direction, in_look_behind, ..self.clone() };
        inside.visit(body)?;
        // A look-around that must fail leaves no captures.
        if wanted {
            self.captures = inside.captures;
        }
        Ok(())
    }

    fn visit_repeat(&mut self, body: &mut Node, quantifier: Quantifier) -> Result<(), Obstacle> {
        let mut inside = ReferenceWalk { in_loop: self.in_loop || quantifier.loops(), ..self.clone() };
        inside.visit(body)?;
        let width = body.width();
        if width.max == Some(0) && quantifier.min == 0 {
            // A body that lost its width with its references goes altogether.
            return Ok(());
        }
        // JavaScript undoes an optional round that consumed nothing; the engine keeps what the round captured.
        let round_may_be_undone =
            width.min == 0 && (quantifier.loops() || body.any(&|node| matches!(node, Node::Look { .. })));
        if round_may_be_undone {
            for (group, capture) in &mut inside.captures {
                if !self.captures.contains_key(group) {
                    *capture = Capture::Unknown(Obstacle::CaptureInLoop);
                }
            }
        }
        self.captures = if quantifier.min == 0 { self.join(&self.captures, &inside.captures) } else { inside.captures };
        Ok(())
    }

    /// What is known where two ways meet. In a loop, a group that only one of them passes may still hold the capture of an
    /// earlier round for the engine, where JavaScript has forgotten it.
    fn join(&self, one: &Captures, other: &Captures) -> Captures {
        let mut joined = one.clone();
        joined.extend(other.iter().map(|(group, capture)| (*group, *capture)));
        for (group, capture) in &mut joined {
            let both = (one.get(group), other.get(group));
            *capture = match both {
                (Some(a), Some(b)) if a == b => *a,
                (Some(Capture::Unknown(obstacle)), _) | (_, Some(Capture::Unknown(obstacle))) => {
                    Capture::Unknown(*obstacle)
                }
                _ if self.in_loop => Capture::Unknown(Obstacle::CaptureInLoop),
                _ => Capture::Possible,
            };
        }
        joined
    }
}
