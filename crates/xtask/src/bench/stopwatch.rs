//! Timing, fairly.

use std::time::{Duration, Instant};

/// How long each contender takes: `rounds` rounds in which everyone runs once, medians of each.
pub(super) fn race<const N: usize>(rounds: usize, contenders: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut contenders: Vec<Box<dyn FnMut() + '_>> =
        contenders.into_iter().map(|contender| Box::new(contender) as Box<dyn FnMut() + '_>).collect();
    let mut times = race_all(rounds, &mut contenders).into_iter();
    std::array::from_fn(|_| times.next().unwrap_or_default())
}

/// The same for any number of contenders.
pub(super) fn race_all(rounds: usize, contenders: &mut [Box<dyn FnMut() + '_>]) -> Vec<Duration> {
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for _ in 0..rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let start = Instant::now();
            contender();
            times.push(start.elapsed());
        }
    }
    times.into_iter().map(median).collect()
}

/// The time of one of `count` repetitions, for work too short to be timed alone.
pub(super) fn each(rounds: usize, count: u32, mut work: impl FnMut()) -> Duration {
    let [time] = race(rounds, [&mut || (0..count).for_each(|_| work())]);
    time / count
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
