use super::definition::{Definition, FsmFile};
use std::collections::{BTreeMap, BTreeSet};

/// Which task comes before which.
#[derive(Clone, Debug)]
pub struct Graph<'a> {
    tasks: BTreeMap<u64, &'a Definition>,
    /// `(first, then)`, without those from a task to itself.
    edges: BTreeSet<(u64, u64)>,
    /// What each task waits for.
    before: BTreeMap<u64, Vec<u64>>,
    self_loops: BTreeSet<u64>,
}

impl<'a> Graph<'a> {
    #[must_use]
    pub fn new(machine: &'a FsmFile) -> Self {
        let tasks = machine.tasks.iter().map(|task| (task.id, task)).collect();
        let mut all = BTreeSet::new();
        for task in &machine.tasks {
            all.extend(task.blocks.iter().map(|then| (task.id, *then)));
            all.extend(task.blocked_by.iter().map(|first| (*first, task.id)));
        }
        let (self_loops, edges): (BTreeSet<_>, BTreeSet<_>) = all.into_iter().partition(|(first, then)| first == then);
        let mut before: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (first, then) in &edges {
            before.entry(*then).or_default().push(*first);
        }
        Self { tasks, edges, before, self_loops: self_loops.into_iter().map(|(id, _)| id).collect() }
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
        self.before.get(&id).into_iter().flatten().copied()
    }

    /// Every task after those it waits for, by id where that leaves a choice; beside them those that can never start.
    #[must_use]
    pub fn order(&self) -> (Vec<u64>, BTreeSet<u64>) {
        self.order_among(self.tasks.keys().copied().collect())
    }

    /// The same as if there were only these tasks.
    fn order_among(&self, mut left: BTreeSet<u64>) -> (Vec<u64>, BTreeSet<u64>) {
        let mut waiting: BTreeMap<u64, usize> = left.iter().map(|id| (*id, 0)).collect();
        let mut followers: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (first, then) in self.edges.iter().filter(|(first, then)| left.contains(first) && left.contains(then)) {
            *waiting.entry(*then).or_default() += 1;
            followers.entry(*first).or_default().push(*then);
        }
        let mut ready: BTreeSet<u64> = waiting.iter().filter(|(_, count)| **count == 0).map(|(id, _)| *id).collect();
        let mut order = Vec::new();
        while let Some(id) = ready.pop_first() {
            left.remove(&id);
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
        (order, left)
    }

    /// What is allowed and can hardly be meant: tasks that wait for themselves, alone or in a circle.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let alone = self.self_loops.iter().map(|id| format!("task {id} waits for itself"));
        let circles = self.circles().into_iter().map(|circle| {
            let names: Vec<String> = circle.iter().chain(circle.first()).map(ToString::to_string).collect();
            format!("tasks wait for each other in a circle: {}", names.join(" → "))
        });
        alone.chain(circles).collect()
    }

    /// Circles that share no task, enough to break them all by and by.
    fn circles(&self) -> Vec<Vec<u64>> {
        let mut circles = Vec::new();
        let mut stuck = self.order().1;
        while let Some(start) = stuck.first().copied() {
            let circle = self.walk_back(start, &stuck);
            stuck.retain(|id| !circle.contains(id));
            stuck = self.order_among(stuck).1;
            circles.push(in_order(circle));
        }
        circles
    }

    /// Every stuck task waits for another one: going back must come round. The circle, from its end to its beginning.
    fn walk_back(&self, start: u64, stuck: &BTreeSet<u64>) -> Vec<u64> {
        let mut path = vec![start];
        let mut current = start;
        while let Some(first) = self.before(current).find(|first| stuck.contains(first)) {
            if let Some(place) = path.iter().position(|id| *id == first) {
                return path.split_off(place);
            }
            path.push(first);
            current = first;
        }
        path
    }
}

/// A circle that was walked backwards, forwards from its smallest id.
fn in_order(mut circle: Vec<u64>) -> Vec<u64> {
    circle.reverse();
    let smallest = circle.iter().enumerate().min_by_key(|(_, id)| **id).map_or(0, |(place, _)| place);
    circle.rotate_left(smallest);
    circle
}
