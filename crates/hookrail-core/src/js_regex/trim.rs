//! Parts of a pattern that do not matter to a search.

use super::tree::Node;

/// Removes what may match nothing at an end that may lie anywhere: `^(?!Bash$).*` occurs wherever `^(?!Bash$)` does.
pub(super) fn optional_ends(tree: &mut Node) {
    // What comes first may capture what a reference needs.
    let keep_start = !tree.referenced_groups().is_empty();
    match tree {
        Node::Alternatives(branches) => branches.iter_mut().for_each(|branch| trim_branch(branch, keep_start)),
        single => trim_branch(single, keep_start),
    }
}

fn trim_branch(branch: &mut Node, keep_start: bool) {
    let mut terms = match std::mem::replace(branch, Node::Empty) {
        Node::Sequence(terms) => terms,
        single => vec![single],
    };
    while terms.last().is_some_and(is_optional) {
        terms.pop();
    }
    let start = if keep_start { 0 } else { terms.iter().take_while(|term| is_optional(term)).count() };
    *branch = Node::sequence(terms.split_off(start));
}

fn is_optional(node: &Node) -> bool {
    match node {
        Node::Empty => true,
        Node::Repeat { quantifier, .. } => quantifier.min == 0,
        _ => false,
    }
}
