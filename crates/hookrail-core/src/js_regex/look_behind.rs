//! Look-behinds, made such that the engine decides them as JavaScript does.
//!
//! The engine goes back by a known number of units, or finds the start of a simple body by a search in reverse. Both are
//! sound; its third way, for bodies of varying length that are not simple, is not. So `(?<=a|bc)` becomes `(?<=a)|(?<=bc)`,
//! and what still has a varying length and is not simple is refused.

use super::Obstacle;
use super::tree::{Direction, Edge, Node};

/// Splits every look-behind of `tree` into look-behinds that the engine can be trusted with.
pub(super) fn split(tree: &mut Node) -> Result<(), Obstacle> {
    for child in tree.children_mut() {
        split(child)?;
    }
    if let Node::Look { direction: Direction::Behind, wanted, body } = tree {
        let looks: Result<Vec<Node>, Obstacle> = alternatives_of(body).map(|body| look_behind(*wanted, body)).collect();
        *tree = if *wanted { Node::alternatives(looks?) } else { Node::sequence(looks?) };
    }
    Ok(())
}

fn alternatives_of(body: &Node) -> impl Iterator<Item = &Node> {
    let mut body = body;
    while let Node::Capture { body: inner, .. } = body {
        body = inner;
    }
    match body {
        Node::Alternatives(nodes) => nodes.iter(),
        single => std::slice::from_ref(single).iter(),
    }
}

fn look_behind(wanted: bool, body: &Node) -> Result<Node, Obstacle> {
    let width = body.width();
    if width.max != Some(width.min) && body.any(&|node| !is_simple(node)) {
        return Err(Obstacle::LookBehind);
    }
    Ok(Node::Look { direction: Direction::Behind, wanted, body: Box::new(body.clone()) })
}

fn is_simple(node: &Node) -> bool {
    !matches!(
        node,
        Node::Look { .. }
            | Node::BackReference { .. }
            | Node::Edge(Edge::Word | Edge::NotWord | Edge::LineStart | Edge::LineEnd)
    )
}
