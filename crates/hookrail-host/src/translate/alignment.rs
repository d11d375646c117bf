//! The cheapest way from one list to another.

use std::ops::Range;

/// One step of the way; the numbers are places in the old and in the new list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AlignmentStep {
    Pair(usize, usize),
    Remove(usize),
    Insert(usize),
}

/// What it costs to remove or to insert an element.
pub(super) const MOVE: u32 = 2;

/// Beyond this many comparisons elements are paired one by one, so that no list can exhaust the memory.
const MOST_COMPARISONS: usize = 1 << 20;

/// The cheapest way from `old` elements to `new` ones, where `pairing` says what it costs to see in an old element a
/// new one: nothing if they are equal, `None` if it cannot be. Among equally cheap ways it is the one that pairs early,
/// so that what was appended comes out as inserted at the end.
pub(super) fn align(old: usize, new: usize, pairing: impl Fn(usize, usize) -> Option<u32>) -> Vec<AlignmentStep> {
    let is_equal = |old, new| pairing(old, new) == Some(0);
    let shorter = old.min(new);
    let head = (0..shorter).take_while(|&place| is_equal(place, place)).count();
    let tail = (1..=shorter - head).take_while(|&back| is_equal(old - back, new - back)).count();

    let mut steps: Vec<AlignmentStep> = (0..head).map(|place| AlignmentStep::Pair(place, place)).collect();
    let changed = (head..old - tail, head..new - tail);
    if changed.0.len().saturating_mul(changed.1.len()) <= MOST_COMPARISONS {
        let costs = Costs::of(&changed.0, &changed.1, pairing);
        steps.extend(walk(changed, |old, new| costs.best(old, new)));
    } else {
        steps.extend(walk(changed, |old, new| pair_or_insert(old.start, new.start, &pairing)));
    }
    steps.extend((1..=tail).rev().map(|back| AlignmentStep::Pair(old - back, new - back)));
    steps
}

/// Goes from beginning to end; `choose` is asked while both lists have elements left.
fn walk(
    (mut old, mut new): (Range<usize>, Range<usize>),
    choose: impl Fn(&Range<usize>, &Range<usize>) -> AlignmentStep,
) -> Vec<AlignmentStep> {
    let mut steps = Vec::new();
    while !old.is_empty() || !new.is_empty() {
        let step = match (old.is_empty(), new.is_empty()) {
            (true, _) => AlignmentStep::Insert(new.start),
            (_, true) => AlignmentStep::Remove(old.start),
            (false, false) => choose(&old, &new),
        };
        match step {
            AlignmentStep::Pair(..) => (old.start, new.start) = (old.start + 1, new.start + 1),
            AlignmentStep::Remove(_) => old.start += 1,
            AlignmentStep::Insert(_) => new.start += 1,
        }
        steps.push(step);
    }
    steps
}

fn pair_or_insert(old: usize, new: usize, pairing: impl Fn(usize, usize) -> Option<u32>) -> AlignmentStep {
    if pairing(old, new).is_some() { AlignmentStep::Pair(old, new) } else { AlignmentStep::Insert(new) }
}

/// What the rest of the way costs from every pair of places, addressed by how many elements are left of each list.
struct Costs<F> {
    pairing: F,
    width: usize,
    cells: Vec<u32>,
}

impl<F: Fn(usize, usize) -> Option<u32>> Costs<F> {
    fn of(old: &Range<usize>, new: &Range<usize>, pairing: F) -> Self {
        let width = new.len() + 1;
        let cells = (0..).step_by(MOVE as usize).take(width).collect();
        let mut costs = Self { pairing, width, cells };
        for old_start in old.clone().rev() {
            costs.cells.push(costs.rest(old.end - old_start - 1, 0) + MOVE);
            for new_start in new.clone().rev() {
                let [pair, insert, remove] = costs.options(&(old_start..old.end), &(new_start..new.end));
                costs.cells.push(pair.min(insert).min(remove));
            }
        }
        costs
    }

    fn rest(&self, old_left: usize, new_left: usize) -> u32 {
        self.cells.get(old_left * self.width + new_left).copied().unwrap_or_default()
    }

    /// The cost of going on with a pair, with an insertion, with a removal.
    fn options(&self, old: &Range<usize>, new: &Range<usize>) -> [u32; 3] {
        let (old_left, new_left) = (old.len(), new.len());
        let pair = (self.pairing)(old.start, new.start).map(|price| price + self.rest(old_left - 1, new_left - 1));
        let insert = MOVE + self.rest(old_left, new_left - 1);
        let remove = MOVE + self.rest(old_left - 1, new_left);
        [pair.unwrap_or(u32::MAX), insert, remove]
    }

    fn best(&self, old: &Range<usize>, new: &Range<usize>) -> AlignmentStep {
        let [pair, insert, remove] = self.options(old, new);
        if pair <= insert.min(remove) {
            AlignmentStep::Pair(old.start, new.start)
        } else if insert <= remove {
            AlignmentStep::Insert(new.start)
        } else {
            AlignmentStep::Remove(old.start)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AlignmentStep::{Insert, Pair, Remove};
    use super::*;

    /// Letters of the same case may be seen in one another.
    fn check(old: &str, new: &str, expected: &[AlignmentStep]) {
        let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
        let steps = align(old.len(), new.len(), |one, other| match (old[one], new[other]) {
            (one, other) if one == other => Some(0),
            (one, other) => (one.is_lowercase() == other.is_lowercase()).then_some(MOVE),
        });
        assert_eq!(steps, expected, "from {old:?} to {new:?}");
    }

    #[test]
    fn the_cheapest_way_pairs_equals_and_then_early() {
        check("", "", &[]);
        check("ab", "ab", &[Pair(0, 0), Pair(1, 1)]);
        check("ab", "xb", &[Pair(0, 0), Pair(1, 1)]);
        check("a", "ab", &[Pair(0, 0), Insert(1)]);
        check("a", "xy", &[Pair(0, 0), Insert(1)]);
        check("ab", "x", &[Pair(0, 0), Remove(1)]);
        check("aBc", "c", &[Remove(0), Remove(1), Pair(2, 0)]);
        check("aBcDe", "xaBcDy", &[Insert(0), Pair(0, 1), Pair(1, 2), Pair(2, 3), Pair(3, 4), Pair(4, 5)]);
        check("aBc", "aXBc", &[Pair(0, 0), Insert(1), Pair(1, 2), Pair(2, 3)]);
        check("a", "B", &[Insert(0), Remove(0)]);
    }

    #[test]
    fn long_lists_with_nothing_in_common_are_paired_one_by_one() {
        let steps = align(1500, 2000, |_, _| Some(MOVE));
        let pairs = (0..1500).map(|place| Pair(place, place));
        assert_eq!(steps, pairs.chain((1500..2000).map(Insert)).collect::<Vec<_>>());

        let nothing_pairs = align(1500, 2000, |_, _| None);
        assert_eq!(nothing_pairs, (0..2000).map(Insert).chain((0..1500).map(Remove)).collect::<Vec<_>>());
    }
}
