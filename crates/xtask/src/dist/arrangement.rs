//! In which order parts of the binary lie, so that an event touches few pages of it.
//!
//! The kernel maps a file in windows: whoever touches a page gets those around it as well. So an event pays for each window in which
//! it needs something, however much that is. Parts that the same events use are kept together; where these groups go is searched
//! for.

use std::collections::HashMap;

/// How much is mapped at a time, and where windows begin.
pub const WINDOW: u64 = 64 << 10;

/// How often all groups are tried everywhere. Later rounds hardly find anything.
const ROUNDS: usize = 6;

/// The bit of the first event.
pub const FIRST: u64 = 1 << 63;

/// Those of the first three, which are the commonest by far.
const COMMONEST: u64 = FIRST | FIRST >> 1 | FIRST >> 2;

/// Something that events use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    pub size: u64,
    /// A bit for every event that uses it.
    pub events: u64,
}

/// Parts that the same events use, in the order in which they were given.
struct Group {
    events: u64,
    size: u64,
    parts: Vec<Part>,
}

/// An order for parts that lie one after the other from `start` on.
pub fn arrange(parts: Vec<Part>, start: u64) -> Vec<Part> {
    let mut groups = group(parts);
    // Near what is good: what many events use comes first.
    groups.sort_by_key(|group| std::cmp::Reverse((group.events.count_ones(), group.events)));
    let mut best = cost(&groups, start);
    for _ in 0..ROUNDS {
        let before = best;
        for from in 0..groups.len() {
            best = best.min(move_to_best(&mut groups, from, start, best));
        }
        if best == before {
            break;
        }
    }
    groups.into_iter().flat_map(|group| group.parts).collect()
}

/// In how many windows an event uses something.
pub fn windows(parts: &[Part], start: u64, event: u64) -> u32 {
    let used = parts.iter().map(|part| (part.size, part.events & event));
    cost_of(used, start) / price(event)
}

/// What all events pay together.
#[cfg(test)]
fn total(parts: &[Part], start: u64) -> u32 {
    cost_of(parts.iter().map(|part| (part.size, part.events)), start)
}

fn group(parts: Vec<Part>) -> Vec<Group> {
    let (mut groups, mut known) = (Vec::<Group>::new(), HashMap::new());
    for part in parts {
        let index = *known.entry(part.events).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Group { events: part.events, size: 0, parts: Vec::new() });
        }
        if let Some(group) = groups.get_mut(index) {
            group.size += part.size;
            group.parts.push(part);
        }
    }
    groups
}

/// Moves a group to where the cost is lowest, if that is lower than it was, and says how much it is then.
fn move_to_best(groups: &mut Vec<Group>, from: usize, start: u64, before: u32) -> u32 {
    let group = groups.remove(from);
    let mut best = (before, from);
    for to in 0..=groups.len() {
        let (front, back) = groups.split_at(to);
        let order = front.iter().chain([&group]).chain(back);
        let found = cost_of(order.map(|group| (group.size, group.events)), start);
        if found < best.0 {
            best = (found, to);
        }
    }
    groups.insert(best.1, group);
    best.0
}

/// What one window costs in which these events use something. The commonest events count sixfold.
fn price(events: u64) -> u32 {
    events.count_ones() + 5 * (events & COMMONEST).count_ones()
}

fn cost(groups: &[Group], start: u64) -> u32 {
    cost_of(groups.iter().map(|group| (group.size, group.events)), start)
}

fn cost_of(pieces: impl Iterator<Item = (u64, u64)>, start: u64) -> u32 {
    let (mut cost, mut here, mut events_here) = (0, start, 0_u64);
    for (size, events) in pieces.filter(|(size, _)| *size > 0) {
        let end = here + size;
        let (first, last) = (here / WINDOW, (end - 1) / WINDOW);
        events_here |= events;
        if last > first {
            // The window in which it begins is complete, and those it fills; the one in which it ends is not.
            cost += price(events_here) + price(events) * u32::try_from(last - first - 1).unwrap_or(u32::MAX);
            events_here = events;
        }
        if end.is_multiple_of(WINDOW) {
            cost += price(events_here);
            events_here = 0;
        }
        here = end;
    }
    cost + price(events_here)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, size: u64, events: u64) -> Part {
        Part { name: name.to_owned(), size, events }
    }

    #[test]
    fn an_event_pays_for_each_window_in_which_it_uses_something() {
        for (pieces, start, expected) in [
            (vec![], 0, 0),
            (vec![(1, 0b1)], 0, 1),
            (vec![(WINDOW, 0b1)], 0, 1),
            (vec![(WINDOW + 1, 0b1)], 0, 2),
            (vec![(WINDOW, 0b1)], 1, 2),
            (vec![(3 * WINDOW, 0b11)], 0, 6),
            (vec![(10, 0b1), (10, 0b10), (10, 0b1)], 0, 2),
            (vec![(10, 0b1), (WINDOW, 0), (10, 0b1)], 0, 2),
            (vec![(WINDOW - 10, 0b1), (20, 0b10), (10, 0b100)], 0, 4),
            (vec![(0, 0b1), (10, 0b10)], 0, 1),
            (vec![(WINDOW + 1, FIRST | 0b1)], 0, 14),
        ] {
            let parts: Vec<Part> = pieces.iter().map(|(size, events)| part("x", *size, *events)).collect();
            assert_eq!(total(&parts, start), expected, "{pieces:?} from {start}");
            let each: u32 =
                [FIRST, 0b1, 0b10, 0b100].iter().map(|event| windows(&parts, start, *event) * price(*event)).sum();
            assert_eq!(each, expected, "{pieces:?} from {start}");
        }
    }

    #[test]
    fn parts_of_the_same_events_lie_together_and_groups_where_they_disturb_least() {
        // Half a window each. Two events share one window; each of them has another half, and so has a third event.
        let half = WINDOW / 2;
        let given = vec![
            part("third", half, 0b100),
            part("both", half, 0b11),
            part("one", half, 0b01),
            part("more of both", half, 0b11),
            part("other", half, 0b10),
        ];
        let arranged = arrange(given.clone(), 0);
        let names: Vec<&str> = arranged.iter().map(|part| part.name.as_str()).collect();
        let both = names.iter().position(|name| *name == "both").unwrap();
        assert_eq!(names.get(both + 1), Some(&"more of both"), "{names:?}");
        assert_eq!((total(&given, 0), total(&arranged, 0)), (6, 5), "{names:?}");
    }

    #[test]
    fn nothing_is_lost_and_nothing_gets_worse() {
        // Numbers that follow from each other, so that the case is the same every time.
        let mut number = 7_u64;
        let mut next = |below: u64| {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (number >> 33) % below
        };
        let parts: Vec<Part> =
            (0..120).map(|index| part(&format!("p{index:03}"), next(20_000), 1 + next(31))).collect();
        let arranged = arrange(parts.clone(), 1000);
        assert!(total(&arranged, 1000) < total(&parts, 1000));
        let sorted = |mut parts: Vec<Part>| {
            parts.sort_by(|one, other| one.name.cmp(&other.name));
            parts
        };
        assert_eq!(sorted(arranged), sorted(parts));
    }
}
