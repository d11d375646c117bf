use super::definition::{Definition, Machine};
use std::collections::{BTreeMap, BTreeSet};

/// Which task comes before which.
#[derive(Clone, Debug)]
pub struct Graph<'a> {
    tasks: BTreeMap<u64, &'a Definition>,
    /// `(first, then)`, without those from a task to itself.
    edges: BTreeSet<(u64, u64)>,
    selfish: BTreeSet<u64>,
}

impl<'a> Graph<'a> {
    #[must_use]
    pub fn new(machine: &'a Machine) -> Self {
        let tasks = machine.tasks.iter().map(|task| (task.id, task)).collect();
        let mut all = BTreeSet::new();
        for task in &machine.tasks {
            all.extend(task.blocks.iter().map(|then| (task.id, *then)));
            all.extend(task.blocked_by.iter().map(|first| (*first, task.id)));
        }
        let (selfish, edges): (BTreeSet<_>, BTreeSet<_>) = all.into_iter().partition(|(first, then)| first == then);
        Self { tasks, edges, selfish: selfish.into_iter().map(|(id, _)| id).collect() }
    }

    #[must_use]
    pub fn edges(&self) -> &BTreeSet<(u64, u64)> {
        &self.edges
    }

    /// By id.
    pub fn tasks(&self) -> impl Iterator<Item = &'a Definition> {
        self.tasks.values().copied()
    }

    #[must_use]
    pub fn task(&self, id: u64) -> Option<&'a Definition> {
        self.tasks.get(&id).copied()
    }

    /// What a task waits for, itself left out.
    pub fn before(&self, id: u64) -> impl Iterator<Item = u64> {
        self.edges.iter().filter(move |(_, then)| *then == id).map(|(first, _)| *first)
    }

    /// Every task after those it waits for, by id where that leaves a choice; behind them those that can never start.
    #[must_use]
    pub fn order(&self) -> (Vec<u64>, Vec<u64>) {
        let mut waiting: BTreeMap<u64, usize> = self.tasks.keys().map(|id| (*id, 0)).collect();
        let mut followers: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (first, then) in &self.edges {
            *waiting.entry(*then).or_default() += 1;
            followers.entry(*first).or_default().push(*then);
        }
        let mut ready: BTreeSet<u64> = waiting.iter().filter(|(_, count)| **count == 0).map(|(id, _)| *id).collect();
        let mut order = Vec::new();
        while let Some(id) = ready.pop_first() {
            waiting.remove(&id);
            order.push(id);
            for then in followers.get(&id).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(then) {
                    *count -= 1;
                    if *count == 0 {
                        ready.insert(*then);
                    }
                }
            }
        }
        (order, waiting.into_keys().collect())
    }

    /// What is allowed and can hardly be meant: tasks that wait for themselves, alone or in a circle.
    #[must_use]
    pub fn doubts(&self) -> Vec<String> {
        let alone = self.selfish.iter().map(|id| format!("task {id} waits for itself"));
        let circles = self.circles().into_iter().map(|circle| {
            let names: Vec<String> = circle.iter().chain(circle.first()).map(ToString::to_string).collect();
            format!("tasks wait for each other in a circle: {}", names.join(" → "))
        });
        alone.chain(circles).collect()
    }

    /// Circles that share no task, enough to break them all by and by.
    fn circles(&self) -> Vec<Vec<u64>> {
        let mut circles = Vec::new();
        let mut left: BTreeSet<u64> = self.order().1.into_iter().collect();
        loop {
            self.drop_ends(&mut left);
            let Some(start) = left.first().copied() else { return circles };
            // Every task that is left waits for another one that is left: going back must come round.
            let mut path = vec![start];
            let circle = loop {
                let Some(current) = path.last().copied() else { return circles };
                let Some(first) = self.before(current).find(|first| left.contains(first)) else { return circles };
                if let Some(place) = path.iter().position(|id| *id == first) {
                    break path.split_off(place);
                }
                path.push(first);
            };
            left.retain(|id| !circle.contains(id));
            circles.push(in_order(circle));
        }
    }

    /// Leaves only tasks that wait for one that is left and are waited for by one.
    fn drop_ends(&self, left: &mut BTreeSet<u64>) {
        loop {
            let inner: Vec<(u64, u64)> = self
                .edges
                .iter()
                .filter(|(first, then)| left.contains(first) && left.contains(then))
                .copied()
                .collect();
            let firsts: BTreeSet<u64> = inner.iter().map(|(first, _)| *first).collect();
            let thens: BTreeSet<u64> = inner.iter().map(|(_, then)| *then).collect();
            let kept: BTreeSet<u64> = firsts.intersection(&thens).copied().collect();
            if kept.len() == left.len() {
                return;
            }
            *left = kept;
        }
    }
}

/// A circle that was walked backwards, forwards from its smallest id.
fn in_order(mut circle: Vec<u64>) -> Vec<u64> {
    circle.reverse();
    let smallest = circle.iter().enumerate().min_by_key(|(_, id)| **id).map_or(0, |(place, _)| place);
    circle.rotate_left(smallest);
    circle
}
